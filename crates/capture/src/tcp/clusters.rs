//! The losses of a direction over time (S4): the time and the packets between them, their clusters, and
//! whether the clusters follow a clock.
//!
//! A loss is a segment that was sent again and is not shown to be spurious; its time is that of the
//! retransmission. Losses less than two smoothed round-trip times apart are a cluster, because one
//! recovery repairs them. The starts of the clusters are folded at many periods. Rayleigh's test
//! says whether their phases concentrate: for n independent starts in a time T, n R^2 exceeds z with
//! probability exp(-z) at one frequency, where R is the length of the mean phase vector. About T (f2 - f1)
//! frequencies between f1 and f2 are independent.

use airtcp_units::{Saturate as _, detmath};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A loss.
#[derive(Debug, Clone, Copy)]
pub(super) struct Loss {
    pub(super) time_ns: u64,
    /// Data segments before it.
    pub(super) segment: u64,
}

/// The losses of a direction over time.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LossClusters {
    /// Losses.
    pub losses: u64,
    /// Median of the time between losses, in s.
    pub interval_p50_s: Option<f64>,
    /// Median of the data segments from a loss to the next one.
    pub segments_between_p50: Option<f64>,
    /// Clusters: groups of losses less than two smoothed round-trip times apart.
    pub clusters: u64,
    /// Mean number of losses of a cluster.
    pub losses_per_cluster: Option<f64>,
    /// Mean time between the starts of clusters, in s.
    pub cluster_interval_s: Option<f64>,
    /// Correlation of the time and the data segments between losses of different clusters.
    pub correlation: Option<f64>,
    /// The period of the clusters, if their starts follow a clock at the 1 % level.
    pub period: Option<Period>,
}

/// A period of the starts of clusters.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Period {
    /// The period in s.
    pub period_s: f64,
    /// Length of the mean phase vector: 1 if all clusters start at the same phase.
    pub concentration: f64,
    /// Probability that independent losses concentrate as much at any of the periods tried.
    pub p_value: f64,
}

/// Clusters of which the starts are tested.
const TESTED: usize = 512;
/// Fewest clusters that are tested.
const FEWEST: usize = 8;
/// Level of significance.
const LEVEL: f64 = 0.01;
/// Least cycles of a period within the capture.
const CYCLES: f64 = 3.0;
/// Frequencies tried for each independent one.
const OVERSAMPLED: f64 = 4.0;
/// Share of the largest concentration above which a longer period is preferred to its fractions.
const AS_GOOD: f64 = 0.8;
/// Time between clusters if no round-trip time is known.
const UNKNOWN_RTT_NS: u64 = 100_000_000;

impl LossClusters {
    /// The clusters of losses in the order of time.
    pub(super) fn of(losses: &[Loss], srtt_ns: Option<u64>) -> Option<Self> {
        let first = losses.first()?;
        let apart = srtt_ns.unwrap_or(UNKNOWN_RTT_NS).saturating_mul(2);
        let gaps: Vec<(u64, u64)> = losses
            .windows(2)
            .map(|pair| {
                let time = pair[1].time_ns.saturating_sub(pair[0].time_ns);
                (time, pair[1].segment.saturating_sub(pair[0].segment))
            })
            .collect();
        let mut starts = vec![first.time_ns];
        let mut between = Vec::new();
        for (loss, gap) in losses[1..].iter().zip(&gaps) {
            if gap.0 >= apart {
                starts.push(loss.time_ns);
                between.push((gap.0 as f64, gap.1 as f64));
            }
        }
        let seconds: Vec<f64> =
            starts.iter().map(|t| t.saturating_sub(first.time_ns) as f64 / 1e9).collect();
        let span = seconds.last().copied().unwrap_or_default();
        let steps = seconds.len() - 1;
        Some(Self {
            losses: losses.len() as u64,
            interval_p50_s: median(gaps.iter().map(|gap| gap.0 as f64 / 1e9).collect()),
            segments_between_p50: median(gaps.iter().map(|gap| gap.1 as f64).collect()),
            clusters: starts.len() as u64,
            losses_per_cluster: Some(losses.len() as f64 / starts.len() as f64),
            cluster_interval_s: (steps > 0).then(|| span / steps as f64),
            correlation: correlation(&between),
            period: period(&seconds[..seconds.len().min(TESTED)]),
        })
    }
}

fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_unstable_by(f64::total_cmp);
    let upper = *values.get(values.len() / 2)?;
    let lower = *values.get((values.len() - 1) / 2)?;
    Some(f64::midpoint(lower, upper))
}

/// Pearson's correlation of pairs; none if one side does not vary.
fn correlation(pairs: &[(f64, f64)]) -> Option<f64> {
    if pairs.len() < 3 {
        return None;
    }
    let n = pairs.len() as f64;
    let mean = |of: fn(&(f64, f64)) -> f64| pairs.iter().map(of).sum::<f64>() / n;
    let (x, y) = (mean(|p| p.0), mean(|p| p.1));
    let sum =
        |of: &dyn Fn(f64, f64) -> f64| pairs.iter().map(|p| of(p.0 - x, p.1 - y)).sum::<f64>();
    let spread = (sum(&|a, _| a * a) * sum(&|_, b| b * b)).sqrt();
    (spread > 0.0).then(|| sum(&|a, b| a * b) / spread)
}

/// The period of times in s, the first of them 0, if they follow a clock at the 1 % level.
pub(crate) fn period(times: &[f64]) -> Option<Period> {
    let span = *times.last()?;
    if times.len() < FEWEST || span <= 0.0 {
        return None;
    }
    let n = times.len() as f64;
    let (low, high) = (CYCLES / span, 2.0 * n / span);
    let step = 1.0 / (OVERSAMPLED * span);
    let scores = scores(times, low, step, u32::saturate((high - low) / step) + 1);
    let best = scores.iter().copied().fold(0.0, f64::max);
    let independent = (high - low) * span;
    let p_value = -detmath::exp_m1(independent * detmath::ln_1p(-detmath::exp(-best)));
    if p_value >= LEVEL {
        return None;
    }
    // The fractions of a period concentrate the phases too: the longest one that is about as good.
    let mut at = scores.iter().position(|score| *score >= AS_GOOD * best)?;
    while scores.get(at + 1).is_some_and(|next| *next > scores[at]) {
        at += 1;
    }
    let frequency = low + step * at as f64;
    let concentration = (scores[at] / n).sqrt();
    Some(Period { period_s: 1.0 / frequency, concentration, p_value })
}

/// Rayleigh's n R^2 of the times at `count` frequencies from `low` on.
fn scores(times: &[f64], low: f64, step: f64, count: u32) -> Vec<f64> {
    let mut sums: Vec<(f64, f64)> = (0..count).map(|_| (0.0, 0.0)).collect();
    for time in times {
        let turn = |frequency: f64| {
            let cycles = frequency * time;
            let angle = std::f64::consts::TAU * (cycles - cycles.floor());
            (detmath::cos(angle), detmath::sin(angle))
        };
        let (mut at, by) = (turn(low), turn(step));
        for sum in &mut sums {
            sum.0 += at.0;
            sum.1 += at.1;
            at = (at.0 * by.0 - at.1 * by.1, at.0 * by.1 + at.1 * by.0);
        }
    }
    let n = times.len() as f64;
    sums.iter().map(|(x, y)| (x * x + y * y) / n).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Uniform numbers from 0 to 1.
    fn uniform(state: &mut u64) -> f64 {
        *state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (*state >> 11) as f64 / (1u64 << 53) as f64
    }

    fn losses(mut seconds: Vec<f64>) -> Vec<Loss> {
        seconds.sort_unstable_by(f64::total_cmp);
        let loss =
            |s: &f64| Loss { time_ns: u64::saturate(s * 1e9), segment: u64::saturate(s * 400.0) };
        seconds.iter().map(loss).collect()
    }

    /// Losses every 2 s (S4), a quarter of them missing and one in eight at any time, are recognised.
    #[test]
    fn a_clock_of_two_seconds_is_found() {
        let mut state = 7;
        for _ in 0..20 {
            let mut seconds = Vec::new();
            for beat in 0..60 {
                if uniform(&mut state) > 0.25 {
                    let at = 0.7 + 2.0 * f64::from(beat) + 0.1 * uniform(&mut state);
                    seconds.extend([at, at + 0.01]);
                }
                if uniform(&mut state) < 0.125 {
                    seconds.push(120.0 * uniform(&mut state));
                }
            }
            let clusters = LossClusters::of(&losses(seconds), Some(40_000_000)).unwrap();
            let period = clusters.period.unwrap();
            assert!((period.period_s - 2.0).abs() < 0.02, "{period:?}");
            assert!(period.concentration > 0.6 && period.p_value < 1e-6, "{period:?}");
            assert!(clusters.correlation.unwrap() > 0.999);
        }
    }

    /// Independent losses follow no clock; the level of the test is kept: of 500 sets, 5 are expected
    /// and more than 14 have a probability below 0.1 %.
    #[test]
    fn independent_losses_have_no_period() {
        let mut state = 99;
        let mut found = 0;
        for _ in 0..500 {
            let seconds = (0..60).map(|_| 300.0 * uniform(&mut state)).collect();
            let clusters = LossClusters::of(&losses(seconds), Some(1_000_000)).unwrap();
            found += u32::from(clusters.period.is_some());
        }
        assert!(found <= 14, "{found}");
    }

    #[test]
    fn clusters_of_a_few_losses() {
        let clusters =
            LossClusters::of(&losses(vec![1.0, 1.01, 1.02, 3.0, 6.0]), Some(50_000_000)).unwrap();
        assert_eq!((clusters.losses, clusters.clusters), (5, 3));
        assert_eq!(clusters.cluster_interval_s, Some(2.5));
        assert_eq!(clusters.period, None);
        assert_eq!(LossClusters::of(&[], None), None);
        let one = LossClusters::of(&losses(vec![1.0]), None).unwrap();
        assert_eq!((one.clusters, one.interval_p50_s), (1, None));
    }
}
