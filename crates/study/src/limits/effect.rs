//! The effect of a change: a ratio of means, with an interval from paired replications.

use airtcp_units::detmath::{exp, ln};

use crate::numbers::paired::{ALPHA, half};

/// Least effect that is named.
pub(crate) const NAMED: f64 = 1.10;
/// Least effect that is mentioned if it is not decided.
pub(crate) const NEARLY: f64 = 1.05;

/// Goodput with a change over goodput without it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Effect {
    /// Mean without the change, in b/s.
    pub(crate) before: f64,
    /// Mean with the change, in b/s.
    pub(crate) after: f64,
    /// The ends of the 95 % interval of the ratio; 0 and infinite with a single replication.
    ends: [f64; 2],
}

impl Effect {
    /// The effect, from the goodput of each replication. Student's interval of the mean difference of logarithms;
    /// goodputs below 1 b/s count as 1 b/s.
    pub(crate) fn of(before: &[f64], after: &[f64]) -> Self {
        let n = before.len().min(after.len());
        let mean = |values: &[f64]| values.iter().sum::<f64>() / n.max(1) as f64;
        let (before, after) = (&before[..n], &after[..n]);
        let logs: Vec<f64> =
            before.iter().zip(after).map(|(b, a)| ln(a.max(1.0) / b.max(1.0))).collect();
        let (centre, half) = centre_and_half(&logs);
        let mut found =
            Self { before: mean(before), after: mean(after), ends: [0.0, f64::INFINITY] };
        // If nothing arrives on one side, the logarithms have a middle, but the ratio of means has not.
        let middle =
            if found.before > 0.0 && found.after > 0.0 { found.ratio() } else { exp(centre) };
        found.ends = [middle * exp(-half), middle * exp(half)];
        found
    }

    /// The same with Student's interval of the mean difference, over the mean without the change: for flows that
    /// starve in some replications, whose logarithms say nothing.
    pub(crate) fn of_differences(before: &[f64], after: &[f64]) -> Self {
        let mut found = Self::of(before, after);
        let each: Vec<f64> = before.iter().zip(after).map(|(b, a)| a - b).collect();
        let (centre, half) = centre_and_half(&each);
        let ends = [centre - half, centre + half].map(|d| 1.0 + d / found.before.max(1.0));
        found.ends = [ends[0].max(0.0), ends[1]];
        found
    }

    /// The ratio; infinite if nothing arrived without the change.
    pub(crate) fn ratio(&self) -> f64 {
        if self.before > 0.0 {
            self.after / self.before
        } else if self.after > 0.0 {
            f64::INFINITY
        } else {
            1.0
        }
    }

    /// The logarithm of the ratio, at most that of a factor of a million.
    pub(crate) fn log(&self) -> f64 {
        ln(self.ratio().clamp(1e-6, 1e6))
    }

    /// True if the goodput rises by a tenth or more, significantly.
    pub(crate) fn is_named(&self) -> bool {
        self.ratio() >= NAMED && self.excludes_one()
    }

    /// True if the interval of the ratio lies above 1.
    pub(crate) fn excludes_one(&self) -> bool {
        self.ratio() > 1.0 && self.ends[0] > 1.0
    }

    /// True if a ratio is in or below the interval.
    pub(crate) fn reaches(&self, ratio: f64) -> bool {
        self.ends[1] >= ratio
    }

    /// Ratio and ends for a document, where they are finite; none if nothing arrives without the change.
    pub(crate) fn shown(&self) -> [Option<f64>; 3] {
        if self.ratio().is_infinite() {
            return [None; 3];
        }
        let [low, high] = self.ends;
        [self.ratio(), low, high].map(|x| Some(x).filter(|x| x.is_finite() && *x < 1e6))
    }
}

/// The mean, and half of its 95 % interval, which is infinite with fewer than two values.
fn centre_and_half(values: &[f64]) -> (f64, f64) {
    let centre = values.iter().sum::<f64>() / values.len().max(1) as f64;
    (centre, half(values, centre, ALPHA).unwrap_or(f64::INFINITY))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ratio_by_hand() {
        // Logarithms of 2, 2.2 and 1.8: mean .6898, s .1004; t(2, .975) = 4.3027 over the root of 3: .2493.
        let effect = Effect::of(&[10.0, 10.0, 10.0], &[20.0, 22.0, 18.0]);
        assert!((effect.ratio() - 2.0).abs() < 1e-12);
        let [low, high] = effect.ends.map(|end| ln(end / 2.0));
        assert!((high - 0.2493).abs() < 2e-4 && (low + 0.2493).abs() < 2e-4, "{low} {high}");
        assert!(effect.is_named());
        assert!(!Effect::of(&[10.0, 12.0, 9.0], &[11.0, 11.0, 13.0]).is_named());
    }

    #[test]
    fn replications_that_decide_nothing() {
        assert!(!Effect::of(&[10.0], &[20.0]).is_named());
        assert!(!Effect::of(&[], &[]).is_named());
        // All pairs double: the interval has no width.
        assert!(Effect::of(&[10.0, 20.0], &[20.0, 40.0]).is_named());
        assert_eq!(Effect::of(&[10.0], &[20.0]).shown()[1], Some(0.0));
        // One flow that gains 8 % on average may have gained a third as well as nothing; one that gains nothing in any
        // replication has not.
        assert!(Effect::of_differences(&[10.0, 4.0, 7.0], &[7.0, 8.0, 7.7]).reaches(1.33));
        assert!(!Effect::of_differences(&[7.0, 7.1, 7.0], &[7.0, 7.0, 7.1]).reaches(1.33));
    }

    /// A flow that starves in two of four replications: its logarithms vary by a factor of thousands.
    #[test]
    fn differences_decide_where_logarithms_do_not() {
        let (before, after) = ([1e3, 0.9e6, 2e3, 1e6], [2.0e6, 2.1e6, 1.9e6, 2.2e6]);
        assert!(!Effect::of(&before, &after).excludes_one());
        let effect = Effect::of_differences(&before, &after);
        // Differences of 1.999, 1.2, 1.898 and 1.2 Mb/s: mean 1.5743, s .4341, half 3.1824 s / 2 = .6908.
        assert!(effect.excludes_one());
        assert!((effect.ends[0] - (1.0 + 0.8835 / 0.47575)).abs() < 1e-3, "{:?}", effect.ends);
    }

    #[test]
    fn nothing_arrives_before() {
        let effect = Effect::of(&[0.0, 0.0, 0.0], &[1e6, 1.1e6, 0.9e6]);
        assert!(effect.is_named());
        assert_eq!(effect.shown(), [None, None, None]);
        assert!((Effect::of(&[0.0, 0.0], &[0.0, 0.0]).ratio() - 1.0).abs() < 1e-12);
        // Something arrives in one of three replications: logarithms of 13.8, 0 and 0 decide nothing.
        assert!(!Effect::of(&[0.0, 0.0, 0.0], &[1e6, 0.0, 0.0]).is_named());
        assert!(!Effect::of(&[0.0], &[1e6]).is_named());
    }
}
