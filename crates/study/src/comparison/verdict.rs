//! The verdict of a comparison of TCPs: goodput, delay, waste and the share left to other flows.
//!
//! Each variant is compared with each other in every measured criterion: see [`super::criteria`], and [`CRITERIA`] for
//! the quantities and from which difference each matters.
//!
//! A variant *dominates* another if it is better in one criterion and worse in none (Pareto). The
//! verdict names the undominated variant of the highest mean goodput first. Another undominated
//! variant is as good in everything, or an alternative (better in one criterion, worse in another), or the
//! replications do not tell. A variant whose preconditions the path does not meet, or that delivers nothing, is not
//! ranked.

use airtcp_sim::results::ratio_parts;
use airtcp_units::Narrow;

use super::criteria::{
    Criterion as Row, DELAY_MATTERS, GOODPUT_MATTERS, Measured, Relations, Setting, all, is_known,
    measured,
};
use crate::document::compare::{CompareRun, Compared, Criterion, Measure, Verdict};
use crate::numbers::equivalence::{Matters, Relation, most_needed};
use crate::variant::preconditions::Unmet;

/// The criteria of TCPs, with the differences that matter. \[choice\]
const CRITERIA: [Row<CompareRun, Criterion>; 7] = [
    Row {
        name: Criterion::Goodput,
        quantity: "goodput_bps",
        matters: Matters { from: GOODPUT_MATTERS, relative: true, more_is_better: true },
        values: |runs| all(runs, |r| Some(r.goodput_bps)),
        is_asked: |_, _, _| true,
    },
    Row {
        name: Criterion::Delay,
        quantity: "delivery_p95_s",
        matters: Matters { from: DELAY_MATTERS, relative: true, more_is_better: false },
        values: |runs| all(runs, |r| r.delivery_p95_s),
        is_asked: |_, _, _| true,
    },
    // With coding or a link protocol, bytes on the link count in place of retransmissions.
    Row {
        name: Criterion::Waste,
        quantity: "bytes_per_byte",
        matters: Matters { from: 0.05, relative: true, more_is_better: false },
        values: bytes_per_byte,
        is_asked: |setting, each, _| setting.is_coded && is_known(each),
    },
    Row {
        name: Criterion::Waste,
        quantity: "retransmission_ratio",
        matters: Matters { from: 0.01, relative: false, more_is_better: false },
        values: resent,
        is_asked: |_, _, _| true,
    },
    Row {
        name: Criterion::Share,
        quantity: "rival_goodput_bps",
        matters: Matters { from: 0.05, relative: true, more_is_better: true },
        values: |runs| all(runs, |r| r.rival_goodput_bps),
        is_asked: |_, each, _| is_known(each),
    },
    Row {
        name: Criterion::Share,
        quantity: "others_goodput_bps",
        matters: Matters { from: 0.05, relative: true, more_is_better: true },
        values: |runs| all(runs, |r| r.others_goodput_bps),
        is_asked: |_, each, _| is_known(each),
    },
    Row {
        name: Criterion::Share,
        quantity: "jain_index",
        matters: Matters { from: 0.05, relative: false, more_is_better: true },
        values: |runs| all(runs, |r| r.jain_index),
        is_asked: |_, each, _| is_known(each),
    },
];

/// The measured criteria of runs of TCPs.
pub(crate) type Values = Measured<CompareRun, Criterion>;

/// The measured criteria of the runs of each variant, goodput first; `rare` tells whose mean
/// goodput rare replications determine.
pub(crate) fn values(by_variant: &[Vec<CompareRun>], rare: &[bool], is_coded: bool) -> Vec<Values> {
    let mut found = measured(&CRITERIA, by_variant, Setting { is_coded, flows: 0 });
    found[0].rare = rare.to_vec();
    found
}

/// Bytes sent on a link per byte delivered, by replication, as parts of the ratio of the totals: see
/// [`crate::numbers::paired::ratio`].
fn bytes_per_byte(runs: &[CompareRun]) -> Vec<f64> {
    let pairs = runs.iter().map(|r| Some((r.link_bps?, r.carried_bps?)));
    ratio_parts(&pairs.collect::<Option<Vec<_>>>().unwrap_or_default())
}

/// The share of segments that were retransmissions, by replication, as parts of the ratio of
/// the totals; 0 for a variant that sends nothing.
fn resent(runs: &[CompareRun]) -> Vec<f64> {
    let pair = |r: &CompareRun| {
        let sent = r.segments_sent as f64;
        (r.retransmission_ratio * sent, sent)
    };
    let parts = ratio_parts(&runs.iter().map(pair).collect::<Vec<_>>());
    if parts.is_empty() { vec![0.0; runs.len()] } else { parts }
}

/// Compares the variants. `unmet` holds, for each, the needs that the path does not meet.
pub(crate) fn verdict(names: &[String], values: &[Values], unmet: &[Option<Unmet>]) -> Verdict {
    let measure = |Values { criterion, .. }: &Values| Measure {
        criterion: criterion.name,
        quantity: criterion.quantity.to_owned(),
        matters: criterion.matters.from,
        relative: criterion.matters.relative,
        more_is_better: criterion.matters.more_is_better,
    };
    let mut verdict =
        Verdict { measures: values.iter().map(measure).collect(), ..Verdict::default() };
    let ranked;
    (ranked, verdict.not_ranked) = values[0].rank(names, unmet);
    verdict.replications = u32::narrow(values[0].each.first().map_or(0, Vec::len));
    if verdict.replications <= 1 || ranked.is_empty() {
        return verdict;
    }
    let relations = Relations::new(values, ranked.len() - 1);
    let dominates = |a: usize, b: usize| {
        let held = relations.of(a, b);
        held.contains(&Relation::Better) && !held.contains(&Relation::Worse)
    };
    let dominated = |b: usize| ranked.iter().find(|a| **a != b && dominates(**a, b)).copied();
    let free = ranked.iter().copied().find(|i| dominated(*i).is_none());
    // With wide intervals, variants may dominate one another in a ring; then goodput alone decides.
    let first = free.unwrap_or(ranked[0]);
    verdict.first = Some(names[first].clone());
    let mut needed = Vec::new();
    for &i in ranked.iter().filter(|i| **i != first) {
        let than = if dominates(first, i) { Some(first) } else { dominated(i) };
        let other = than.unwrap_or(first);
        let held = relations.of(i, other);
        let compared = Compared {
            variant: names[i].clone(),
            than: names[other].clone(),
            better: relations.named(&held, Relation::Better),
            worse: relations.named(&held, Relation::Worse),
        };
        if than.is_some() {
            verdict.worse.push(compared);
        } else if compared.better.is_empty() && compared.worse.is_empty() {
            verdict.not_distinguishable.push(names[i].clone());
            let open: Vec<usize> =
                (0..held.len()).filter(|c| held[*c] == Relation::Unknown).collect();
            if open.is_empty() {
                verdict.equivalent.push(names[i].clone());
            }
            needed.extend(open.into_iter().map(|criterion| relations.needed(criterion, i, first)));
        } else {
            verdict.alternatives.push(compared);
        }
    }
    verdict.needed = most_needed(needed);
    verdict
}

#[cfg(test)]
mod tests;
