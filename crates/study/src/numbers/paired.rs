//! Paired differences between variants, and the ranking that they support.
//!
//! All variants meet the same channel in a replication. The comparison takes the difference in each
//! replication, in which the effect of the channel cancels. The interval of the mean difference is
//! Student's t over the replications, `mean +- t(n - 1, 1 - a/2) s / sqrt(n)`, with `a` = 0.05 for
//! a single difference.
//!
//! A difference in percent of the other mean is a ratio of two uncertain means. Its interval is
//! Fieller's: all ratios `r` for which `ours - r theirs` has a mean within Student's t of zero. It
//! contains 1, a difference of 0 %, exactly if the interval of the absolute difference contains 0.
//! (The ends of the latter over the mean of `theirs` would take that mean as known. For a variant
//! with several times the goodput, this interval would be too narrow by half.)
//!
//! A ranking compares the best with each of the `k - 1` others, and selects the best from the same
//! data. It therefore uses Bonferroni's correction: with `a = 0.05 / (k - 1)` each, the probability
//! of any wrong claim in a ranking is about 5 % at most.

use airtcp_sim::Estimate;
use airtcp_sim::results::{Range, ratio_parts};
use statrs::distribution::{ContinuousCDF, StudentsT};

use crate::base::slot_use::without_interval;
use crate::document::compare::{Difference, Ranking, Standing};

/// Probability of a wrong claim: of one difference, or of a whole ranking.
pub(crate) const ALPHA: f64 = 0.05;

/// The mean of `values`; no number without values.
pub(crate) fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// The mean of `values` with the interval that misses it with probability `alpha`.
pub(crate) fn interval(values: &[f64], alpha: f64) -> Estimate {
    if values.is_empty() {
        return Estimate { mean: None, ci_low: None, ci_high: None };
    }
    let mean = mean(values);
    let half = half(values, mean, alpha);
    let end = |sign: f64| half.map(|half| mean + sign * half);
    Estimate { mean: Some(mean), ci_low: end(-1.0), ci_high: end(1.0) }
}

/// Half of Student's interval of the mean of `values`; `None` with fewer than two.
pub(crate) fn half(values: &[f64], mean: f64, alpha: f64) -> Option<f64> {
    let n = values.len() as f64;
    let t = StudentsT::new(0.0, 1.0, n - 1.0).ok()?;
    let variance = values.iter().map(|v| (v - mean) * (v - mean)).sum::<f64>() / (n - 1.0);
    Some(t.inverse_cdf(1.0 - alpha / 2.0) * (variance / n).sqrt())
}

/// A ratio of two totals over the replications, `sum x / sum y`, such as packets lost over packets
/// sent, with the interval of the linearised ratio: `r +- t s / sqrt(n)`, with `s` the standard
/// deviation of `(x - r y) / mean y`. The mean of the single ratios would give a stretch with
/// nearly no packets the same weight as any other, and losses are the reason for such stretches.
pub fn ratio(pairs: &[(f64, f64)]) -> Estimate {
    Estimate::of_parts(&ratio_parts(pairs), Range::NOT_NEGATIVE)
}

/// As [`ratio`], for counts of events over trials (packets lost over packets sent). If events are
/// few, the exact interval widens the result: no loss at all does not prove a loss rate of zero.
pub fn share(pairs: &[(f64, f64)]) -> Estimate {
    let (events, of) = pairs.iter().fold((0.0, 0.0), |(x, y), p| (x + p.0, y + p.1));
    Estimate::of_parts(&ratio_parts(pairs), Range::SHARE).with_few_of(events, of)
}

/// `ours` minus `theirs` in percent of the mean of `theirs`, with Fieller's interval. The interval
/// has no ends if `theirs` may be zero, because then it excludes no ratio. Amounts are not negative, so that
/// their ratio is not: an end that comes near zero is bent ([`Range::ends`]), and keeps its side of 1.
fn relative(ours: &[f64], theirs: &[f64], alpha: f64) -> Estimate {
    let n = theirs.len() as f64;
    let (top, bottom) = (mean(ours), mean(theirs));
    let percent = |ratio: f64| Some(100.0 * (ratio - 1.0));
    let unknown = Estimate { mean: percent(top / bottom), ci_low: None, ci_high: None };
    let Ok(t) = StudentsT::new(0.0, 1.0, n - 1.0) else { return unknown };
    let reach = t.inverse_cdf(1.0 - alpha / 2.0);
    let moment = |a: &[f64], at: f64, b: &[f64], bt: f64| {
        let sum: f64 = a.iter().zip(b).map(|(x, y)| (x - at) * (y - bt)).sum();
        reach * reach * sum / (n - 1.0) / n
    };
    // (top - r bottom)^2 <= t^2 var(ours - r theirs) / n, a quadratic a r^2 - 2 b r + c <= 0.
    let a = bottom * bottom - moment(theirs, bottom, theirs, bottom);
    let b = top * bottom - moment(ours, top, theirs, bottom);
    let c = top * top - moment(ours, top, ours, top);
    let root = (b * b - a * c).max(0.0).sqrt();
    if a <= 0.0 {
        return unknown;
    }
    let (ratio, mut low) = (top / bottom, (b - root) / a);
    if ratio > 0.0 && ours.iter().chain(theirs).all(|amount| *amount >= 0.0) {
        [low, _] = Range::NOT_NEGATIVE.ends(ratio, ratio - low, 0.0);
    }
    Estimate { mean: unknown.mean, ci_low: percent(low), ci_high: percent((b + root) / a) }
}

/// `ours` minus `theirs`, replication by replication.
pub fn difference(ours: &[f64], theirs: &[f64]) -> Difference {
    let each: Vec<f64> = ours.iter().zip(theirs).map(|(a, b)| a - b).collect();
    let absolute = interval(&each, ALPHA);
    let equal = each.len() > 1 && each.iter().all(|d| *d == 0.0);
    let percent =
        (mean(theirs) > 0.0).then(|| if equal { absolute } else { relative(ours, theirs, ALPHA) });
    let standing = if equal { Standing::Equal } else { standing(&absolute) };
    Difference { absolute, percent, standing }
}

impl Difference {
    /// The same without intervals, for means that rare replications determine.
    pub(crate) fn unknown(self) -> Self {
        let percent = self.percent.map(without_interval);
        let equal = self.standing == Standing::Equal;
        let standing = if equal { Standing::Equal } else { Standing::Undecided };
        Self { absolute: without_interval(self.absolute), percent, standing }
    }
}

fn standing(estimate: &Estimate) -> Standing {
    match (estimate.ci_low, estimate.ci_high) {
        (Some(low), _) if low > 0.0 => Standing::More,
        (_, Some(high)) if high < 0.0 => Standing::Less,
        _ => Standing::Undecided,
    }
}

/// Ranks variants by their values in each replication: the highest mean, the variants not
/// distinguishable from it, and the worse ones. Also returns the best minus each variant. Means of
/// the `rare` variants, and differences from them, have no interval.
pub fn ranking(
    names: &[String],
    values: &[Vec<f64>],
    rare: &[bool],
) -> (Ranking, Vec<Option<Estimate>>) {
    ranking_at(names, values, rare, ALPHA)
}

/// As [`ranking`], with the probability `alpha` of a wrong claim in it.
pub(crate) fn ranking_at(
    names: &[String],
    values: &[Vec<f64>],
    rare: &[bool],
    alpha: f64,
) -> (Ranking, Vec<Option<Estimate>>) {
    let mut order: Vec<usize> = (0..values.len()).filter(|i| !values[*i].is_empty()).collect();
    // Stable: among equals the first in the list stays first.
    order.sort_by(|a, b| mean(&values[*b]).total_cmp(&mean(&values[*a])));
    let mut ranking = Ranking {
        order: order.iter().map(|i| names[*i].clone()).collect(),
        not_distinguishable: Vec::new(),
        worse: Vec::new(),
    };
    let mut lags = vec![None; names.len()];
    let Some((&best, others)) = order.split_first() else { return (ranking, lags) };
    for &i in others {
        let each: Vec<f64> = values[best].iter().zip(&values[i]).map(|(a, b)| a - b).collect();
        let lag = interval(&each, alpha / others.len() as f64);
        let lag = if rare[best] || rare[i] { without_interval(lag) } else { lag };
        let list = if standing(&lag) == Standing::More {
            &mut ranking.worse
        } else {
            &mut ranking.not_distinguishable
        };
        list.push(names[i].clone());
        lags[i] = Some(lag);
    }
    (ranking, lags)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(found: Option<f64>, expected: f64) {
        assert!((found.unwrap() - expected).abs() < 5e-4 * expected.abs().max(1.0), "{found:?}");
    }

    #[test]
    fn a_paired_interval_by_hand() {
        // Differences 1, 2, 4, 1: mean 2, s^2 = (1 + 0 + 4 + 1) / 3 = 2, s / sqrt 4 = 0.70711,
        // t(3, 0.975) = 3.18245: half 2.25033.
        let (ours, theirs) = ([11.0, 22.0, 34.0, 41.0], [10.0, 20.0, 30.0, 40.0]);
        let found = difference(&ours, &theirs);
        close(found.absolute.mean, 2.0);
        close(found.absolute.ci_low, -0.25033);
        close(found.absolute.ci_high, 4.25033);
        // In percent of 25.
        close(found.percent.unwrap().mean, 8.0);
        // Fieller, with variances 175.333, 166.667, covariance 170 and t^2 / n = 2.53199: the roots of
        // 203.0015 r^2 - 2 244.5615 r + 285.0576. The first is below 1 as 0 is above -0.25.
        close(found.percent.unwrap().ci_low, -1.24236);
        close(found.percent.unwrap().ci_high, 42.1879);
        assert_eq!(found.standing, Standing::Undecided);
        // Unpaired, the same values have ten times the deviation: s is 13.241.
        close(Some(interval(&ours, ALPHA).ci_high.unwrap() - 27.0), 21.0699);
        assert_eq!(difference(&[11.0, 22.0, 33.0], &[10.0, 20.5, 32.0]).standing, Standing::More);
        assert_eq!(difference(&[10.0, 20.5, 32.0], &[11.0, 22.0, 33.0]).standing, Standing::Less);
    }

    #[test]
    fn a_percentage_knows_that_its_base_is_uncertain() {
        // Four times as much, with bases that vary by 8 %: 300 %, less by an interval of a ratio.
        let (ours, theirs) = ([40.0, 50.0, 44.0, 46.0], [10.0, 11.0, 9.0, 10.0]);
        let found = difference(&ours, &theirs);
        let percent = found.percent.unwrap();
        close(percent.mean, 350.0);
        close(percent.ci_low, 295.027);
        close(percent.ci_high, 410.123);
        // The ends of the absolute difference over the mean of the base would be narrower.
        let naive = 10.0 * (found.absolute.ci_high.unwrap() - found.absolute.mean.unwrap());
        close(Some(naive), 59.5381);
        // If the base may be zero, the ratio has no bounds; the difference itself is significant.
        let rare = difference(&[90.0, 95.0, 92.0], &[0.0, 3.0, 0.0]);
        assert_eq!((rare.standing, rare.percent.unwrap().ci_low), (Standing::More, None));
        close(rare.percent.unwrap().mean, 9133.33);
    }

    #[test]
    fn a_ratio_of_totals_by_hand() {
        // 6 of 40, not the mean of 1/20, 2/18 and 3/2. Residuals over 40/3: -2, -0.7, 2.7 times
        // 3/40; their deviation is 2.4269 * 0.075 = 0.18202, t(2, 0.975) / sqrt 3 = 2.48414.
        let found = ratio(&[(1.0, 20.0), (2.0, 18.0), (3.0, 2.0)]);
        close(found.mean, 0.15);
        close(found.ci_high, 0.15 + 0.18202 * 2.48414);
        assert_eq!(ratio(&[(1.0, 0.0)]).mean, None);
        assert_eq!(ratio(&[]).mean, None);
        assert_eq!(ratio(&[(1.0, 4.0)]).ci_low, None);
        // No loss in 3000 packets: the interval reaches to 3.6889 losses.
        let none = share(&[(0.0, 1000.0), (0.0, 2000.0)]);
        assert_eq!((none.mean, none.ci_low), (Some(0.0), Some(0.0)));
        close(none.ci_high.map(|x| 1e3 * x), 3.6889 / 3.0);
    }

    #[test]
    fn what_is_equal_and_what_has_no_interval() {
        let same = difference(&[3.0, 5.0], &[3.0, 5.0]);
        assert_eq!(same.standing, Standing::Equal);
        assert_eq!(same.absolute.ci_high, Some(0.0));
        let single = difference(&[3.0], &[2.0]);
        assert_eq!((single.absolute.mean, single.absolute.ci_low), (Some(1.0), None));
        assert_eq!(single.standing, Standing::Undecided);
        assert_eq!(difference(&[1.0, 2.0], &[0.0, 0.0]).percent, None);
        assert_eq!(difference(&[], &[]).absolute.mean, None);
    }

    /// Means that rare replications determine: no interval, and no variant is worse.
    #[test]
    fn what_rare_replications_make_has_no_interval() {
        let (ours, theirs) = (vec![5.0, 5.1, 5.0], vec![4.0, 4.1, 4.0]);
        let known = difference(&ours, &theirs);
        assert_eq!(known.standing, Standing::More);
        let unknown = known.unknown();
        assert_eq!(unknown.standing, Standing::Undecided);
        assert_eq!((unknown.absolute.mean, unknown.absolute.ci_low), (known.absolute.mean, None));
        assert_eq!(unknown.percent.map(|p| p.ci_high), Some(None));
        assert_eq!(difference(&ours, &ours).unknown().standing, Standing::Equal);
        let names: Vec<String> = ["a", "b"].map(str::to_owned).into();
        let values = [ours, theirs];
        assert_eq!(ranking(&names, &values, &[false, false]).0.worse, ["b"]);
        for rare in [[true, false], [false, true]] {
            let (found, lags) = ranking(&names, &values, &rare);
            assert_eq!(
                (found.not_distinguishable, found.worse),
                (vec!["b".to_owned()], Vec::new())
            );
            assert_eq!(lags[1].map(|lag| lag.ci_low), Some(None));
        }
    }

    /// Fieller's interval of 1, 0, 8 over 2, 2, 2 begins below no goodput at all.
    #[test]
    fn a_percentage_is_not_below_minus_100() {
        let found = difference(&[1.0, 0.0, 8.0], &[2.0, 2.1, 1.9]).percent.unwrap();
        let low = found.ci_low.unwrap();
        assert!(-100.0 < low && low < -90.0, "{found:?}");
    }

    #[test]
    fn a_ranking_claims_what_its_intervals_support() {
        let names: Vec<String> = ["a", "b", "c"].map(str::to_owned).into();
        let base = [10.0, 14.0, 12.0, 16.0, 11.0];
        let plus = |d: [f64; 5]| base.iter().zip(d).map(|(b, d)| b + d).collect::<Vec<_>>();
        let values = [
            base.to_vec(),
            plus([1.0, -0.9, 1.2, -0.8, 0.2]),
            plus([-3.0, -3.1, -2.9, -3.0, -3.2]),
        ];
        let (found, lags) = ranking(&names, &values, &[false; 3]);
        assert_eq!(found.order, ["b", "a", "c"]);
        assert_eq!(
            (found.not_distinguishable, found.worse),
            (vec!["a".to_owned()], vec!["c".to_owned()])
        );
        assert!(lags[1].is_none());
        // Two questions: t(4, 1 - 0.0125) = 3.49541; b - c is 4, 2.2, 4.1, 2.2, 3.4.
        let lag = lags[2].unwrap();
        close(lag.mean, 3.18);
        close(lag.ci_low, 3.18 - 3.49541 * (0.872f64 / 5.0).sqrt());
        // With one replication no variant is worse.
        let (single, _) = ranking(&names, &[vec![1.0], vec![9.0], vec![2.0]], &[false; 3]);
        assert_eq!((single.order[0].as_str(), single.worse.len()), ("b", 0));
        assert!(ranking(&names, &[vec![], vec![], vec![]], &[false; 3]).0.order.is_empty());
    }
}
