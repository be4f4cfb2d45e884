//! Whether two variants are as good, and how many replications would tell.
//!
//! No significant difference is no equivalence: few replications show neither. Two variants are equivalent in a
//! quantity if two one-sided tests (TOST, Schuirmann 1987) place their mean difference within the one that
//! matters. If they are neither different nor equivalent, the replications do not tell. The number that
//! should tell follows from the scatter of the differences, which falls with the square root of the number.

use airtcp_units::Narrow;
use statrs::distribution::{ContinuousCDF, StudentsT};

use super::paired::{interval, mean};

/// The relation of two variants in a quantity.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Relation {
    /// The first is better, by a significant difference that matters.
    Better,
    /// It is worse.
    Worse,
    /// Equivalent: the difference is shown to be smaller than the one that matters.
    Equivalent,
    /// The replications do not tell.
    Unknown,
}

/// A difference from which one variant is called better than another.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Matters {
    /// The least mean difference that counts, in the quantity's unit or as a share of the larger.
    pub(crate) from: f64,
    /// True if it is a share of the larger of the two.
    pub(crate) relative: bool,
    /// True if more is better.
    pub(crate) more_is_better: bool,
}

/// A quantity in which two variants are compared, as a pair in each replication.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Pair<'a> {
    pub(crate) ours: &'a [f64],
    pub(crate) theirs: &'a [f64],
    pub(crate) matters: Matters,
}

/// Most replications that are advised.
const MOST_ADVISED: u32 = 1000;

impl Pair<'_> {
    /// The differences, positive if ours is better.
    fn differences(&self) -> Vec<f64> {
        let sign = if self.matters.more_is_better { 1.0 } else { -1.0 };
        self.ours.iter().zip(self.theirs).map(|(x, y)| sign * (x - y)).collect()
    }

    /// The least difference that matters, in the unit of the quantity.
    fn margin(&self) -> f64 {
        let larger = mean(self.ours).max(mean(self.theirs));
        self.matters.from * if self.matters.relative { larger } else { 1.0 }
    }

    fn is_known(&self) -> bool {
        self.ours.len() > 1 && self.ours.len() == self.theirs.len()
    }

    /// The relation. A difference counts if its interval, which misses the mean difference with probability `alpha`,
    /// excludes zero, and the mean difference is large enough to matter. Equivalence is that of two one-sided tests
    /// at `equal` each (TOST, Schuirmann 1987): the interval of 1 - 2 `equal` lies within the margin.
    pub(crate) fn relation(&self, alpha: f64, equal: f64) -> Relation {
        if !self.is_known() {
            return Relation::Unknown;
        }
        let (each, margin) = (self.differences(), self.margin());
        let ends = |alpha: f64| {
            let found = interval(&each, alpha);
            found.ci_low.zip(found.ci_high)
        };
        match ends(alpha).filter(|_| mean(&each).abs() >= margin) {
            Some((low, _)) if low > 0.0 => Relation::Better,
            Some((_, high)) if high < 0.0 => Relation::Worse,
            _ => match ends(2.0 * equal) {
                Some((low, high)) if -margin < low && high < margin => Relation::Equivalent,
                _ => Relation::Unknown,
            },
        }
    }

    /// True unless the interval, which misses the mean difference with probability `alpha`, excludes that ours is
    /// better by the difference that matters.
    pub(crate) fn may_be_better(&self, alpha: f64) -> bool {
        let high = interval(&self.differences(), alpha).ci_high;
        !self.is_known() || high.is_none_or(|high| high >= self.margin())
    }

    /// The number of replications that should tell, if the differences scatter as they do: at it, half of the
    /// interval is shorter than the mean difference, if this matters, and else than what is left to the margin
    /// (a quarter of the margin at least). `None` above 1000, and without a scatter.
    pub(crate) fn needed(&self, alpha: f64) -> Option<u32> {
        if !self.is_known() {
            return None;
        }
        let each = self.differences();
        let n = each.len() as f64;
        let mean = mean(&each);
        let deviation =
            (each.iter().map(|d| (d - mean) * (d - mean)).sum::<f64>() / (n - 1.0)).sqrt();
        let margin = self.margin();
        let aim =
            if mean.abs() >= margin { mean.abs() } else { (margin - mean.abs()).max(margin / 4.0) };
        let tells = |n: u32| {
            let t = StudentsT::new(0.0, 1.0, f64::from(n) - 1.0);
            t.is_ok_and(|t| {
                t.inverse_cdf(1.0 - alpha / 2.0) * deviation / f64::from(n).sqrt() < aim
            })
        };
        let now = u32::narrow(each.len());
        (now + 1..=MOST_ADVISED).find(|n| tells(*n))
    }
}

/// The largest of the numbers that are needed; `None` if one of them is unknown, or there is none.
pub(crate) fn most_needed(each: impl IntoIterator<Item = Option<u32>>) -> Option<u32> {
    each.into_iter().collect::<Option<Vec<u32>>>()?.into_iter().max()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numbers::paired::ALPHA;

    /// Two one-sided tests: with differences 0.1, -0.1, 0.2, 0 (mean 0.05, s 0.12910), the 90 % interval is
    /// 0.05 -+ 2.35336 * 0.12910 / 2, up to 0.2019.
    #[test]
    fn equivalence_needs_an_interval_within_the_margin() {
        let theirs = [10.0, 11.0, 9.0, 10.0];
        let ours = [10.1, 10.9, 9.2, 10.0];
        let pair = |from: f64| Pair {
            ours: &ours,
            theirs: &theirs,
            matters: Matters { from, relative: false, more_is_better: true },
        };
        assert_eq!(pair(0.21).relation(ALPHA, ALPHA), Relation::Equivalent);
        assert_eq!(pair(0.20).relation(ALPHA, ALPHA), Relation::Unknown);
        // A difference that is not significant is not yet equivalence: two replications tell nothing.
        let two = Pair { ours: &[9.0, 11.5], theirs: &[10.0, 10.0], ..pair(0.3) };
        assert_eq!(two.relation(ALPHA, ALPHA), Relation::Unknown);
        assert!(two.may_be_better(ALPHA));
        // Mean 0.25, s 1.76777; the margin leaves 0.075: t s / sqrt n < 0.075 needs more than 1000.
        assert_eq!(two.needed(ALPHA), None);
        // Mean 0.25 against a margin of 1 leaves 0.75: t(24) s / 5 = 0.7297, t(23) s / sqrt 24 = 0.7465.
        assert_eq!(Pair { ..pair(1.0) }.relation(ALPHA, ALPHA), Relation::Equivalent);
        let wide = Pair { matters: pair(1.0).matters, ..two };
        assert_eq!(wide.needed(ALPHA), Some(24));
        // Less is better: the same pair turned.
        let less = Matters { from: 0.5, relative: false, more_is_better: false };
        let found = Pair { ours: &[1.0, 1.1, 0.9], theirs: &[3.0, 3.2, 2.9], matters: less };
        assert_eq!(found.relation(ALPHA, ALPHA), Relation::Better);
        let one = Pair { ours: &[1.0], theirs: &[3.0], matters: less };
        assert_eq!(one.relation(ALPHA, ALPHA), Relation::Unknown);
        assert_eq!(one.needed(ALPHA), None);
        assert_eq!(most_needed([Some(4), None]), None);
        assert_eq!(most_needed([Some(4), Some(9)]), Some(9));
    }
}
