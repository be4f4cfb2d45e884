//! Intervals of means of quantities with a range, such as a goodput between 0 and the rate of the link.
//!
//! Student's interval knows no range. With few, skewed values it leaves the range on one side, and misses
//! the mean on the other. Two changes of scale correct that:
//!
//! ```text
//! towards a bound   Student's end, up to half of the distance d from the mean to the bound; from there on
//!                   the distance left is d/2 exp(-(h - d/2) / (d/2)): the scale is a logarithm, and the
//!                   interval does not reach the bound
//! away from it      if the distances scatter by more than 30 % of their mean, the end of Cox' interval of
//!                   a lognormal mean, if that is farther, up to 3 h: exp(y + s^2/2 + t sqrt(s^2/n +
//!                   s^4/(2(n - 1)))), y and s^2 of the logarithms
//! ```
//! Here h is half of Student's interval. Source: Zhou and Gao, "Confidence intervals for the log-normal
//! mean", Statistics in Medicine 16, 1997 (Cox' method). The limits of 30 % and 3 h are chosen by the
//! measured coverage (docs/models/intervals.md).

use airtcp_units::detmath;

use super::estimate::{Estimate, Student};

/// Scatter of distances, as a share of their mean, above which their skew counts.
const SKEWED: f64 = 0.3;
/// Farthest end away from a bound, in halves of Student's interval.
const FARTHEST: f64 = 3.0;

/// The least and the greatest possible value of a quantity; infinite if there is none.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Range {
    /// The least value.
    pub least: f64,
    /// The greatest value.
    pub most: f64,
}

impl Range {
    /// Any amount that is not negative.
    pub const NOT_NEGATIVE: Self = Self { least: 0.0, most: f64::INFINITY };
    /// A share or an index, from 0 to 1.
    pub const SHARE: Self = Self { least: 0.0, most: 1.0 };
    /// Any number.
    pub const ANY: Self = Self { least: f64::NEG_INFINITY, most: f64::INFINITY };

    /// From 0 to `most`.
    pub const fn up_to(most: f64) -> Self {
        Self { least: 0.0, most }
    }

    /// True if all values lie in the range.
    fn holds(self, values: &[f64]) -> bool {
        values.iter().all(|value| self.least <= *value && *value <= self.most)
    }

    /// The ends `down` below and `up` above a mean in the range, bent so that they do not reach its bounds.
    pub fn ends(self, mean: f64, down: f64, up: f64) -> [f64; 2] {
        let low = left(mean - self.least, down).map_or(mean - down, |left| self.least + left);
        let high = left(self.most - mean, up).map_or(mean + up, |left| self.most - left);
        [low, high]
    }
}

/// The distance to a bound that is left of this one at an end that is `half` from the mean; `None` if the scale
/// is not bent there.
fn left(distance: f64, half: f64) -> Option<f64> {
    let middle = distance / 2.0;
    if half <= middle || !half.is_finite() {
        return None;
    }
    if middle <= 0.0 {
        return Some(distance);
    }
    Some(middle * detmath::exp(-(half - middle) / middle))
}

/// How far an end comes away from a bound to which the values have these distances.
fn away(distances: &[f64], student: &Student) -> f64 {
    let n = distances.len() as f64;
    let mean = distances.iter().sum::<f64>() / n;
    let half = student.half;
    if student.deviation <= SKEWED * mean || mean <= 0.0 {
        return half;
    }
    // A distance of 0 has no logarithm. It counts as a millionth of the mean, so that the end is the farthest.
    let logs: Vec<f64> = distances.iter().map(|d| detmath::ln((d / mean).max(1e-6))).collect();
    let middle = logs.iter().sum::<f64>() / n;
    let square = logs.iter().map(|y| (y - middle) * (y - middle)).sum::<f64>() / (n - 1.0);
    let spread = student.quantile * (square / n + square * square / (2.0 * (n - 1.0))).sqrt();
    let end = mean * detmath::exp((middle + square / 2.0 + spread).min(100.0));
    (end - mean).clamp(half, FARTHEST * half)
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
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ends(values: &[f64], range: Range) -> [f64; 2] {
        let found = Estimate::within(values.iter().copied(), range);
        [found.ci_low.unwrap(), found.ci_high.unwrap()]
    }

    #[test]
    fn far_from_its_bounds_an_interval_is_students() {
        let values = [9.0, 10.0, 11.0, 10.5];
        let student = Estimate::of(values);
        for range in [Range::NOT_NEGATIVE, Range::up_to(100.0), Range::ANY] {
            let found = Estimate::within(values, range);
            assert_eq!((found.mean, found.ci_low), (student.mean, student.ci_low));
            assert!((found.ci_high.unwrap() - student.ci_high.unwrap()).abs() < 1e-12);
        }
    }

    #[test]
    fn an_interval_stays_in_its_range_and_grows_with_the_scatter() {
        // Two values, t = 12.7: Student's ends are 4 - 25.4 and 4 + 25.4.
        let student = Estimate::of([2.0, 6.0]);
        assert!(student.ci_low.unwrap() < -20.0);
        let [low, high] = ends(&[2.0, 6.0], Range::up_to(10.0));
        assert!(0.0 < low && low < 0.1 && 9.9 < high && high < 10.0, "{low} {high}");
        // The change of scale has no step: at half of the distance both are the same.
        let range = Range::up_to(10.0);
        let [at, beyond] = [2.0, 2.0 + 1e-6].map(|half| range.ends(4.0, half, 0.0)[0]);
        assert!((at - beyond - 1e-6).abs() < 1e-9, "{at} {beyond}");
        let mut last = 4.0;
        for half in 1..60 {
            let [low, _] = range.ends(4.0, f64::from(half) / 4.0, 0.0);
            assert!(0.0 < low && low < last, "{low} {last}");
            last = low;
        }
    }

    #[test]
    fn a_skewed_sample_reaches_farther_on_its_long_side() {
        let values = [0.2, 0.3, 0.4, 0.5, 3.0];
        let student = Estimate::of(values);
        let [low, high] = ends(&values, Range::NOT_NEGATIVE);
        assert!(low > 0.0 && high > student.ci_high.unwrap() + 0.5, "{low} {high}");
        // Mirrored at the upper bound, the interval is mirrored.
        let mirrored =
            ends(&values.map(|v| 4.0 - v), Range { least: f64::NEG_INFINITY, most: 4.0 });
        assert!(
            (mirrored[0] - (4.0 - high)).abs() < 1e-9 && (mirrored[1] - (4.0 - low)).abs() < 1e-9
        );
    }

    #[test]
    fn values_at_a_bound_or_outside_of_the_range() {
        assert!(ends(&[1.0, 1.0, 1.0], Range::SHARE).iter().all(|end| (end - 1.0).abs() < 1e-12));
        let outside = [-50.0, -51.0, -52.0];
        assert_eq!(Estimate::within(outside, Range::NOT_NEGATIVE), Estimate::of(outside));
        assert_eq!(Estimate::within([0.5], Range::SHARE).ci_low, None);
        assert_eq!(Estimate::within([], Range::SHARE).mean, None);
        let [low, high] = ends(&[0.0, 0.0, 0.6], Range::SHARE);
        assert!(0.0 < low && high < 1.0, "{low} {high}");
    }
}
