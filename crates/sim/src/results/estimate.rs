//! Means with confidence intervals over replications.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use statrs::function::gamma::gamma_lr;

use super::range::{Range, away};
use super::student::{Student, t_quantile};

/// Number of events in all replications below which the exact interval applies as well.
pub(crate) const FEW: f64 = 30.0;
/// Probability that the true value lies beyond either end.
const TAIL: f64 = 0.025;

/// A mean with its 95 % confidence interval over replications. Student's t, on a scale that keeps the interval
/// within the range of the quantity. For counts and for shares of counted packets the interval also contains the
/// exact one if there are few events, and that of a goodput what few timeouts cost. With fewer than two
/// replications there is no interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Estimate {
    /// Mean over replications; null without values.
    pub mean: Option<f64>,
    /// Lower end of the interval.
    pub ci_low: Option<f64>,
    /// Upper end of the interval.
    pub ci_high: Option<f64>,
}

impl Estimate {
    /// The estimate of a quantity with a range, from one value per replication. Values that are not finite do
    /// not count; with a value outside of the range, the interval is Student's.
    pub fn within(values: impl IntoIterator<Item = f64>, range: Range) -> Self {
        let values: Vec<f64> = values.into_iter().filter(|v| v.is_finite()).collect();
        let plain = Self::of(values.iter().copied());
        let (Some(mean), Some(student)) = (plain.mean, Student::of(&values)) else { return plain };
        if !range.holds(&values) || student.half <= 0.0 {
            return plain;
        }
        let from = |bound: f64, sign: f64| -> f64 {
            if bound.is_finite() {
                let distances: Vec<f64> = values.iter().map(|v| sign * (v - bound)).collect();
                away(&distances, &student)
            } else {
                student.half
            }
        };
        let [low, high] = range.ends(mean, from(range.most, -1.0), from(range.least, 1.0));
        Self { mean: plain.mean, ci_low: Some(low), ci_high: Some(high) }
    }

    /// The estimate from one value per replication, of a quantity without a range. Ignores values that are not
    /// finite.
    pub fn of(values: impl IntoIterator<Item = f64>) -> Self {
        let values: Vec<f64> = values.into_iter().filter(|v| v.is_finite()).collect();
        let n = values.len() as f64;
        if values.is_empty() {
            return Self { mean: None, ci_low: None, ci_high: None };
        }
        let mean = values.iter().sum::<f64>() / n;
        let Some(Student { half, .. }) = Student::of(&values) else {
            return Self { mean: Some(mean), ci_low: None, ci_high: None };
        };
        Self { mean: Some(mean), ci_low: Some(mean - half), ci_high: Some(mean + half) }
    }

    /// The 95 % prediction interval: one further value lies in it with 95 % probability if values are normally
    /// distributed. Use it, not the confidence interval of the mean, to compare a single run with several.
    pub fn prediction(values: &[f64]) -> Option<[f64; 2]> {
        let n = values.len() as f64;
        if values.len() < 2 {
            return None;
        }
        let mean = values.iter().sum::<f64>() / n;
        let variance = values.iter().map(|v| (v - mean) * (v - mean)).sum::<f64>() / (n - 1.0);
        let half = t_quantile(n - 1.0) * (variance * (1.0 + 1.0 / n)).sqrt();
        Some([mean - half, mean + half])
    }

    /// The estimate of the number of events in a replication, from the number in each. Few events do not show
    /// their variance: below 30 in all, Student's interval is widened to the exact one for independent events
    /// (Garwood 1936). Without any event that is 0 to 3.69 over all replications.
    pub fn of_counts(values: impl IntoIterator<Item = f64>) -> Self {
        let values: Vec<f64> = values.into_iter().filter(|v| v.is_finite()).collect();
        let events = values.iter().sum::<f64>();
        // The exact interval has the skew of few events.
        let estimate = if events < FEW {
            Self::of_parts(&values, Range::NOT_NEGATIVE)
        } else {
            Self::within(values.iter().copied(), Range::NOT_NEGATIVE)
        };
        estimate.with_few_events(events, values.len() as f64)
    }

    /// Widens the interval to the exact one of a rate of `events` per `exposure` (replications, packets) if
    /// there are few events; not below zero.
    #[must_use]
    pub fn with_few_events(self, events: f64, exposure: f64) -> Self {
        let (Some(low), Some(high)) = (self.ci_low, self.ci_high) else { return self };
        if events >= FEW || exposure <= 0.0 {
            return Self { ci_low: Some(low.max(0.0)), ..self };
        }
        let [exact_low, exact_high] = poisson_interval(events).map(|x| x / exposure);
        Self {
            ci_low: Some(low.min(exact_low).max(0.0)),
            ci_high: Some(high.max(exact_high)),
            ..self
        }
    }

    /// The estimate of a share, such as the share of retransmissions among packets sent, from each
    /// replication's share and the number that it is a share of: all events over all packets, see
    /// [`ratio_parts`]. The interval is widened if there are few events or few non-events. A share of 0
    /// packets has no interval.
    pub fn of_shares(values: impl IntoIterator<Item = (f64, f64)>) -> Self {
        let values: Vec<(f64, f64)> = values.into_iter().filter(|v| v.0.is_finite()).collect();
        let pairs: Vec<(f64, f64)> = values.iter().map(|(share, of)| (share * of, *of)).collect();
        let parts = ratio_parts(&pairs);
        if parts.is_empty() {
            return Self { ci_low: None, ci_high: None, ..Self::of(values.iter().map(|v| v.0)) };
        }
        let (events, of) = pairs.iter().fold((0.0, 0.0), |(x, y), p| (x + p.0, y + p.1));
        Self::of_parts(&parts, Range::SHARE).with_few_of(events, of)
    }

    /// The estimate of a ratio of totals from the parts of the replications, which may lie outside of its range.
    pub fn of_parts(parts: &[f64], range: Range) -> Self {
        let plain = Self::of(parts.iter().copied());
        let (Some(mean), Some(student)) = (plain.mean, Student::of(parts)) else { return plain };
        let [low, high] = range.ends(mean, student.half, student.half);
        Self { ci_low: Some(low), ci_high: Some(high), ..plain }
    }

    /// Widens the interval to the exact one of a share of `events` in `of` if there are few events or few
    /// non-events; not beyond 0 and 1. If `of` is 0 there is no interval.
    #[must_use]
    pub fn with_few_of(self, events: f64, of: f64) -> Self {
        if of <= 0.0 {
            return Self { ci_low: None, ci_high: None, ..self };
        }
        let mut wide = self.with_few_events(events, of);
        if of - events < FEW {
            // The interval of the share of non-events, subtracted from 1.
            let turned = |share: Option<f64>| share.map(|share| 1.0 - share);
            let others = |e: Self| Self {
                mean: turned(e.mean),
                ci_low: turned(e.ci_high),
                ci_high: turned(e.ci_low),
            };
            let rest = others(others(self).with_few_events(of - events, of));
            wide.ci_low = wide.ci_low.zip(rest.ci_low).map(|(a, b)| a.min(b));
            wide.ci_high = wide.ci_high.zip(rest.ci_high).map(|(a, b)| a.max(b));
        }
        let within = |end: Option<f64>| end.map(|end| end.clamp(0.0, 1.0));
        Self { ci_low: within(wide.ci_low), ci_high: within(wide.ci_high), ..self }
    }

    /// The estimate of a quantity that some replications may lack.
    pub fn of_some(values: impl IntoIterator<Item = Option<f64>>, range: Range) -> Self {
        Self::within(values.into_iter().flatten(), range)
    }
}

/// The contribution of each replication to a ratio of two totals, `sum x / sum y`, such as packets
/// retransmitted over packets sent: `r + (x - r y) / mean y`. Their mean is the ratio, and their scatter that of
/// the linearised ratio. The mean of the single ratios would give a replication with nearly no packets the
/// same weight as any other. Empty if the ratio is undefined.
pub fn ratio_parts(pairs: &[(f64, f64)]) -> Vec<f64> {
    let (top, bottom) = pairs.iter().fold((0.0, 0.0), |(x, y), p| (x + p.0, y + p.1));
    if bottom <= 0.0 {
        return Vec::new();
    }
    let (ratio, mean) = (top / bottom, bottom / pairs.len() as f64);
    pairs.iter().map(|(x, y)| ratio + (x - ratio * y) / mean).collect()
}

/// The estimates of one flow, link or station.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Estimates {
    /// Its name.
    pub name: String,
    /// Estimates by quantity; the same keys as in a replication.
    #[serde(flatten)]
    pub quantities: BTreeMap<String, Estimate>,
}

/// The values of one quantity, one for each replication that has it.
#[derive(Default)]
pub(crate) struct Sample {
    pub(crate) values: Vec<f64>,
    /// The number that each value is a share of; empty for other quantities.
    pub(crate) of: Vec<f64>,
    /// True if the values count events.
    pub(crate) counts: bool,
    /// The range of the quantity; by default any amount that is not negative.
    pub(crate) range: Option<Range>,
}

/// Keys of integers that do not count events.
const NO_EVENTS: [&str; 3] = ["hidden_stations", "max_queue_packets", "segment_bytes"];

impl Sample {
    /// True if a key of a record counts events: integers do, by their type, with the exceptions above.
    pub(crate) fn is_count(key: &str, value: &Value) -> bool {
        value.is_u64() && !NO_EVENTS.contains(&key)
    }

    /// The range of a quantity by its key: shares and indices from 0 to 1, anything else not negative. (A level in
    /// dBm is negative, and then has Student's interval.)
    pub(crate) fn range_of(key: &str) -> Range {
        let ends = ["_share", "_ratio", "_rate", "jain_index", "loss_estimate", "residual_loss"];
        let is_share = key == "utilisation" || ends.iter().any(|end| key.ends_with(end));
        if is_share { Range::SHARE } else { Range::NOT_NEGATIVE }
    }

    pub(crate) fn estimate(self) -> Estimate {
        match self {
            Self { values, of, .. } if !of.is_empty() && of.len() == values.len() => {
                Estimate::of_shares(values.into_iter().zip(of))
            }
            Self { values, counts: true, .. } => Estimate::of_counts(values),
            Self { values, range, .. } => {
                Estimate::within(values, range.unwrap_or(Range::NOT_NEGATIVE))
            }
        }
    }
}

/// The exact 95 % interval of a Poisson mean, given `events` (2.5 % on each side).
pub(crate) fn poisson_interval(events: f64) -> [f64; 2] {
    // P(X >= k | m) = P(k, m), the regularised incomplete gamma function, which rises with m.
    let reach = |shape: f64, level: f64| {
        let (mut low, mut high) = (0.0f64, 10.0 * (shape + 5.0));
        for _ in 0..100 {
            let middle = f64::midpoint(low, high);
            if middle.to_bits() == low.to_bits() || middle.to_bits() == high.to_bits() {
                // No number is left between them, and further halvings change nothing.
                break;
            }
            if gamma_lr(shape, middle) < level {
                low = middle;
            } else {
                high = middle;
            }
        }
        f64::midpoint(low, high)
    };
    let low = if events > 0.0 { reach(events, TAIL) } else { 0.0 };
    [low, reach(events + 1.0, 1.0 - TAIL)]
}

#[cfg(test)]
mod range_tests;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_from_the_tables() {
        for (degrees, quantile) in [(1.0, 12.706), (5.0, 2.571), (19.0, 2.093), (100.0, 1.984)] {
            assert!((t_quantile(degrees) - quantile).abs() < 5e-4, "{degrees}");
        }
    }

    #[test]
    fn few_events_have_the_exact_interval() {
        // Garwood's table: 0 to 3.6889, 0.0253 to 5.5716, 4.7954 to 18.3904 (10 events).
        for (events, low, high) in
            [(0.0, 0.0, 3.6889), (1.0, 0.0253, 5.5716), (10.0, 4.7954, 18.3904)]
        {
            let found = poisson_interval(events);
            assert!((found[0] - low).abs() < 1e-4 && (found[1] - high).abs() < 1e-4, "{found:?}");
        }
        let none = Estimate::of_counts([0.0; 20]);
        assert_eq!((none.mean, none.ci_low), (Some(0.0), Some(0.0)));
        assert!((none.ci_high.unwrap() - 3.6889 / 20.0).abs() < 1e-5);
        // One event in five: Student's interval is -0.36 to 0.76.
        let one = Estimate::of_counts([0.0, 0.0, 1.0, 0.0, 0.0]);
        let (low, high) = (one.ci_low.unwrap(), one.ci_high.unwrap());
        assert!(0.0 < low && low < 0.0253 / 5.0 && (high - 1.1143).abs() < 1e-4, "{one:?}");
        // Many events: Student's alone. A single replication: none.
        let many = [40.0, 44.0, 39.0];
        assert_eq!(Estimate::of_counts(many), Estimate::of(many));
        assert_eq!(Estimate::of_counts([0.0]).ci_high, None);
        let share = Estimate::of_shares([(0.0, 500.0), (0.0, 1500.0)]);
        assert!((share.ci_high.unwrap() - 3.6889 / 2000.0).abs() < 1e-7, "{share:?}");
        // All of them: as far below 1. A share of 0: no interval.
        let all = Estimate::of_shares([(1.0, 500.0), (1.0, 1500.0)]);
        assert!((all.ci_low.unwrap() - 1.0 + 3.6889 / 2000.0).abs() < 1e-7, "{all:?}");
        assert_eq!(all.ci_high, Some(1.0));
        let nothing = Estimate::of_shares([(0.0, 0.0), (0.0, 0.0)]);
        assert_eq!((nothing.mean, nothing.ci_low, nothing.ci_high), (Some(0.0), None, None));
        // Neither few nor nearly all: Student's alone.
        // Student's interval of two values is -0.77 to 1.77: bent, it stays between 0 and 1.
        let half = Estimate::of_shares([(0.4, 100.0), (0.6, 100.0)]);
        let (low, high) = (half.ci_low.unwrap(), half.ci_high.unwrap());
        assert!(0.0 < low && low < 0.01 && 0.99 < high && high < 1.0, "{half:?}");
        let near = [(0.50, 1000.0), (0.51, 1000.0), (0.49, 1000.0)];
        let (found, student) = (Estimate::of_shares(near), Estimate::of(near.map(|v| v.0)));
        assert!((found.ci_high.unwrap() - student.ci_high.unwrap()).abs() < 1e-12, "{found:?}");
    }

    /// A share is all events over all packets: 90 of 100 and 10 of 900 packets are 10 %, not 45.6 %.
    #[test]
    fn a_share_is_a_ratio_of_totals() {
        let found = Estimate::of_shares([(0.9, 100.0), (10.0 / 900.0, 900.0)]);
        assert!((found.mean.unwrap() - 0.1).abs() < 1e-12, "{found:?}");
        // A replication without packets has no share of its own.
        let silent = Estimate::of_shares([(0.0, 0.0), (0.2, 500.0), (0.1, 500.0)]);
        assert!((silent.mean.unwrap() - 0.15).abs() < 1e-12, "{silent:?}");
    }

    #[test]
    fn shares_are_known_by_their_keys() {
        for key in ["retransmission_ratio", "data_error_rate", "loss_estimate", "busy_share"] {
            assert_eq!(Sample::range_of(key), Range::SHARE, "{key}");
        }
        for key in ["goodput_bps", "rtt_mean_s", "timeouts", "mean_queue_packets"] {
            assert_eq!(Sample::range_of(key), Range::NOT_NEGATIVE, "{key}");
        }
    }

    #[test]
    fn prediction_of_one_more() {
        assert_eq!(Estimate::prediction(&[1.0]), None);
        let [low, high] = Estimate::prediction(&[1.0, 2.0, 3.0]).unwrap();
        // 4.303 * sqrt(1 + 1/3) = 4.969.
        assert!((low + 2.969).abs() < 1e-3 && (high - 6.969).abs() < 1e-3, "{low} {high}");
    }

    #[test]
    fn small_samples() {
        assert_eq!(Estimate::of([]).mean, None);
        assert_eq!(Estimate::of([2.0]), Estimate { mean: Some(2.0), ci_low: None, ci_high: None });
        let e = Estimate::of([1.0, 2.0, 3.0, f64::NAN]);
        // 4.303 * 1 / sqrt 3 = 2.484.
        assert!((e.ci_high.unwrap() - 4.484).abs() < 1e-3);
    }
}
