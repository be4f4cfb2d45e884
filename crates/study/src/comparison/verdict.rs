//! The verdict of a comparison: goodput, delay, waste and the share left to other flows.
//!
//! Each variant is compared with each other in every measured criterion. A difference counts if its
//! paired interval excludes zero *and* its mean is large enough to matter:
//!
//! | criterion | quantity | better | matters from [chosen] |
//! |---|---|---|---|
//! | goodput | `goodput_bps` | more | [`GOODPUT_MATTERS`] of the larger |
//! | delay | `delivery_p95_s` | less | [`DELAY_MATTERS`] of the larger |
//! | waste | `retransmission_ratio`; with coding or link protocols `bytes_per_byte` | less | [`WASTE_MATTERS`] of the segments; [`BYTES_MATTER`] of the larger |
//! | share | `rival_goodput_bps`, else `others_goodput_bps`, else `jain_index` | more | [`SHARE_MATTERS`] of the larger; [`JAIN_MATTERS`] |
//!
//! A variant *dominates* another if it is better in one criterion and worse in none (Pareto). The
//! verdict names the undominated variant of the highest mean goodput first. Another undominated
//! variant is as good in everything, or an alternative (better in one criterion, worse in another), or the
//! replications do not tell. *As good* is shown, not assumed: in every measured criterion, the interval of two
//! one-sided tests lies within the difference that matters. A variant whose preconditions the path does not meet, or that delivers nothing, is not
//! ranked.
//!
//! The statements about the first hold jointly: each of the `k - 1` other variants is compared with
//! it in `m` criteria, with Bonferroni's correction, at `0.05 / (m (k - 1))`.

use airtcp_sim::results::ratio_parts;
use airtcp_units::Narrow;

use crate::document::compare::{CompareRun, Compared, Criterion, Measure, NotRanked, Verdict};
use crate::numbers::equivalence::{Matters, Pair, Relation, most_needed};
use crate::numbers::paired::{ALPHA, mean};

/// Least difference in goodput that matters, as a share of the larger.
pub(crate) const GOODPUT_MATTERS: f64 = 0.03;
/// The same for the time within which 95 % of the data are delivered.
pub(crate) const DELAY_MATTERS: f64 = 0.10;
/// The same for the share of retransmitted segments, in absolute terms.
pub(crate) const WASTE_MATTERS: f64 = 0.01;
/// The same for bytes sent on a link per byte delivered, as a share of the larger.
pub(crate) const BYTES_MATTER: f64 = 0.05;
/// The same for the goodput left to other flows, as a share of the larger.
pub(crate) const SHARE_MATTERS: f64 = 0.05;
/// The same for Jain's index of the compared flows, in absolute terms.
pub(crate) const JAIN_MATTERS: f64 = 0.05;

/// Each variant's values of one criterion by replication; empty if a replication has no value, such
/// as a delay without deliveries.
pub(crate) struct Values {
    pub(crate) measure: Measure,
    pub(crate) each: Vec<Vec<f64>>,
    /// Which variants' means rare replications determine; none if empty.
    pub(crate) rare: Vec<bool>,
}

impl Values {
    /// Values of a criterion without rare replications.
    const fn new(measure: Measure, each: Vec<Vec<f64>>) -> Self {
        Self { measure, each, rare: Vec::new() }
    }

    fn pair(&self, a: usize, b: usize) -> Pair<'_> {
        let Measure { matters, relative, more_is_better, .. } = self.measure;
        let matters = Matters { from: matters, relative, more_is_better };
        Pair { ours: &self.each[a], theirs: &self.each[b], matters }
    }

    /// True if rare replications determine the mean of one of them.
    fn is_rare(&self, a: usize, b: usize) -> bool {
        [a, b].iter().any(|i| self.rare.get(*i).is_some_and(|rare| *rare))
    }

    /// Compares `a` with `b`.
    fn relation(&self, a: usize, b: usize, alpha: f64, equal: f64) -> Relation {
        if self.is_rare(a, b) {
            return Relation::Unknown;
        }
        self.pair(a, b).relation(alpha, equal)
    }

    /// How many replications should tell `a` from `b`, if they do not.
    fn needed(&self, a: usize, b: usize, alpha: f64) -> Option<u32> {
        if self.is_rare(a, b) { None } else { self.pair(a, b).needed(alpha) }
    }
}

/// The measured criteria of the runs of each variant, goodput first; `rare` tells whose mean
/// goodput rare replications determine. With `coded` (a variant has coding or a link protocol),
/// bytes on the link count as waste in place of retransmissions.
pub(crate) fn values(by_variant: &[Vec<CompareRun>], rare: &[bool], coded: bool) -> Vec<Values> {
    let all = |get: fn(&CompareRun) -> Option<f64>| -> Vec<Vec<f64>> {
        let of = |runs: &Vec<CompareRun>| runs.iter().map(get).collect::<Option<Vec<f64>>>();
        by_variant.iter().map(|runs| of(runs).unwrap_or_default()).collect()
    };
    let known = |each: &[Vec<f64>]| each.iter().any(|values| !values.is_empty());
    let measure = |criterion, quantity: &str, matters, relative| Measure {
        criterion,
        quantity: quantity.to_owned(),
        matters,
        relative,
        more_is_better: matches!(criterion, Criterion::Goodput | Criterion::Share),
    };
    let mut found = vec![
        Values::new(
            measure(Criterion::Goodput, "goodput_bps", GOODPUT_MATTERS, true),
            all(|r| Some(r.goodput_bps)),
        ),
        Values::new(
            measure(Criterion::Delay, "delivery_p95_s", DELAY_MATTERS, true),
            all(|r| r.delivery_p95_s),
        ),
    ];
    found[0].rare = rare.to_vec();
    let bytes: Vec<Vec<f64>> = by_variant.iter().map(|runs| bytes_per_byte(runs)).collect();
    found.push(if coded && known(&bytes) {
        Values::new(measure(Criterion::Waste, "bytes_per_byte", BYTES_MATTER, true), bytes)
    } else {
        Values::new(
            measure(Criterion::Waste, "retransmission_ratio", WASTE_MATTERS, false),
            resent(by_variant),
        )
    });
    let (rival, others) = (all(|r| r.rival_goodput_bps), all(|r| r.others_goodput_bps));
    let jain = all(|r| r.jain_index);
    let share = |quantity, matters, relative, each| {
        Values::new(measure(Criterion::Share, quantity, matters, relative), each)
    };
    if known(&rival) {
        found.push(share("rival_goodput_bps", SHARE_MATTERS, true, rival));
    } else if known(&others) {
        found.push(share("others_goodput_bps", SHARE_MATTERS, true, others));
    } else if known(&jain) {
        found.push(share("jain_index", JAIN_MATTERS, false, jain));
    }
    found
}

/// Bytes sent on a link per byte delivered, by replication, as parts of the ratio of the totals: see
/// [`crate::numbers::paired::ratio`].
fn bytes_per_byte(runs: &[CompareRun]) -> Vec<f64> {
    let pairs = runs.iter().map(|r| Some((r.link_bps?, r.carried_bps?)));
    ratio_parts(&pairs.collect::<Option<Vec<_>>>().unwrap_or_default())
}

/// The share of segments that were retransmissions, of each variant by replication, as parts of the ratio of
/// the totals; 0 for a variant that sends nothing.
fn resent(by_variant: &[Vec<CompareRun>]) -> Vec<Vec<f64>> {
    let of = |runs: &Vec<CompareRun>| {
        let pair = |r: &CompareRun| {
            let sent = r.segments_sent as f64;
            (r.retransmission_ratio * sent, sent)
        };
        let parts = ratio_parts(&runs.iter().map(pair).collect::<Vec<_>>());
        if parts.is_empty() { vec![0.0; runs.len()] } else { parts }
    };
    by_variant.iter().map(of).collect()
}

/// The variants by goodput, the best first, and those that are not ranked.
fn rank(
    names: &[String],
    goodput: &Values,
    unmet: &[Option<String>],
) -> (Vec<usize>, Vec<NotRanked>) {
    let (mut ranked, mut not_ranked) = (Vec::new(), Vec::new());
    for (i, name) in names.iter().enumerate() {
        let why = if let Some(Some(why)) = unmet.get(i) {
            why.clone()
        } else if !goodput.each[i].is_empty() && mean(&goodput.each[i]) > 0.0 {
            ranked.push(i);
            continue;
        } else {
            "it delivers nothing".to_owned()
        };
        not_ranked.push(NotRanked { variant: name.clone(), why });
    }
    // Stable: among equals the first in the list stays first.
    ranked.sort_by(|a, b| mean(&goodput.each[*b]).total_cmp(&mean(&goodput.each[*a])));
    (ranked, not_ranked)
}

/// Compares the variants. `unmet` holds, for each, the needs that the path does not meet.
pub(crate) fn verdict(names: &[String], values: &[Values], unmet: &[Option<String>]) -> Verdict {
    let mut verdict = Verdict {
        measures: values.iter().map(|v| v.measure.clone()).collect(),
        ..Verdict::default()
    };
    let Some(goodput) = values.iter().find(|v| v.measure.criterion == Criterion::Goodput) else {
        return verdict;
    };
    let ranked;
    (ranked, verdict.not_ranked) = rank(names, goodput, unmet);
    verdict.replications = u32::narrow(goodput.each.first().map_or(0, Vec::len));
    if verdict.replications <= 1 || ranked.is_empty() {
        return verdict;
    }
    let questions = values.len() * (ranked.len() - 1).max(1);
    let alpha = ALPHA / questions as f64;
    // Equivalence is claimed only if all criteria show it, which needs no correction for their number.
    let equal = ALPHA / (ranked.len() - 1).max(1) as f64;
    let held = |a: usize, b: usize| -> Vec<(Criterion, Relation)> {
        values.iter().map(|v| (v.measure.criterion, v.relation(a, b, alpha, equal))).collect()
    };
    let dominates = |a: usize, b: usize| {
        let held = held(a, b);
        held.iter().any(|(_, r)| *r == Relation::Better)
            && held.iter().all(|(_, r)| *r != Relation::Worse)
    };
    let dominated = |b: usize| ranked.iter().find(|a| **a != b && dominates(**a, b)).copied();
    let free = ranked.iter().copied().find(|i| dominated(*i).is_none());
    // With wide intervals, variants may dominate one another in a ring; then goodput alone decides.
    let first = free.unwrap_or(ranked[0]);
    verdict.first = Some(names[first].clone());
    let of = |held: &[(Criterion, Relation)], wanted: Relation| -> Vec<Criterion> {
        held.iter().filter(|(_, r)| *r == wanted).map(|(c, _)| *c).collect()
    };
    let mut needed = Vec::new();
    for &i in ranked.iter().filter(|i| **i != first) {
        let than = if dominates(first, i) { Some(first) } else { dominated(i) };
        let other = than.unwrap_or(first);
        let held = held(i, other);
        let compared = Compared {
            variant: names[i].clone(),
            than: names[other].clone(),
            better: of(&held, Relation::Better),
            worse: of(&held, Relation::Worse),
        };
        if than.is_some() {
            verdict.worse.push(compared);
        } else if compared.better.is_empty() && compared.worse.is_empty() {
            verdict.not_distinguishable.push(names[i].clone());
            if of(&held, Relation::Unknown).is_empty() {
                verdict.equivalent.push(names[i].clone());
            } else {
                let open = values.iter().zip(&held).filter(|(_, (_, r))| *r == Relation::Unknown);
                needed.extend(open.map(|(v, _)| v.needed(i, first, alpha)));
            }
        } else {
            verdict.alternatives.push(compared);
        }
    }
    verdict.needed = most_needed(needed);
    verdict
}

#[cfg(test)]
mod tests;
