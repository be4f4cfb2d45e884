//! Makes a case of the runs over a channel: means, differences, ranking, verdict.

use airtcp_sim::Estimate;
use airtcp_sim::results::{Range, Rare};
use airtcp_units::Narrow;

use super::remarks::{RARE_REMEDY, rare};
use super::verdict::{Values, values, verdict};
use crate::base::slot_use::{SlotUse, without_interval};
use crate::document::compare::{
    Case, Channel, CompareRun, Criterion, Difference, Done, Outcome, Over, Remedies, Window,
};
use crate::numbers::paired;
use crate::subject::channel::{ChannelRuns, Remedy};

/// Makes the remedies of a subject from the complete replications of each remedy.
pub(crate) fn assemble_remedies(remedy: Remedy<'_>, found: Vec<Vec<Done>>) -> Remedies {
    let Remedy { aim, runs, mut notes } = remedy;
    let case = assemble(&runs, found);
    if rare(&case) {
        notes.push(RARE_REMEDY.to_owned());
    }
    Remedies { aim, reference: runs.names[0].clone(), case, tcp: runs.tcp, notes }
}

/// Makes a case from the complete replications of each variant.
pub(crate) fn assemble(setup: &ChannelRuns<'_>, found: Vec<Vec<Done>>) -> Case {
    let mut windows = Vec::new();
    let mut by_variant: Vec<Vec<CompareRun>> = Vec::with_capacity(setup.names.len());
    for (name, found) in setup.names.iter().zip(found) {
        let mut list = Vec::new();
        for (runs, course) in found {
            list.extend(runs.into_iter().map(|r| CompareRun { variant: name.clone(), ..r }));
            windows.extend(course.map(|course| Window { variant: name.clone(), course }));
        }
        by_variant.push(list);
    }
    let rare: Vec<bool> = by_variant.iter().map(|runs| rare_runs_make_mean(runs)).collect();
    let values = values(&by_variant, &rare, setup.coded);
    let (ranking, lags) = paired::ranking(&setup.names, of(&values, Criterion::Goodput), &rare);
    let outcome = |(i, lag)| outcome(setup, &by_variant, &rare, &values, i, lag);
    let outcomes = lags.into_iter().enumerate().map(outcome).collect();
    Case {
        channel: setup.channel,
        over: match setup.channel {
            Channel::Trace => Over::Stretches,
            _ => Over::Replications,
        },
        replications: u32::narrow(by_variant.first().map_or(0, Vec::len)),
        outcomes,
        ranking,
        verdict: verdict(&setup.names, &values, &setup.unmet),
        runs: by_variant.into_iter().flatten().collect(),
        windows,
    }
}

/// Each variant's values of a criterion; empty if it was not measured.
fn of(values: &[Values], criterion: Criterion) -> &[Vec<f64>] {
    values.iter().find(|v| v.criterion.name == criterion).map_or(&[], |v| &v.each)
}

/// True if rare replications determine the mean goodput: over slots, if nearly all of the slots
/// deliver a packet, or nearly none do.
pub(super) fn rare_runs_make_mean(runs: &[CompareRun]) -> bool {
    let slots: Vec<SlotUse> = runs.iter().filter_map(|r| r.slots).collect();
    !SlotUse::interval_holds(&slots)
}

/// Means of variant `i` with intervals, which goodputs have not if they are rare, and its differences from the
/// reference. It has `lag` less than the best.
fn outcome(
    setup: &ChannelRuns<'_>,
    by_variant: &[Vec<CompareRun>],
    rare: &[bool],
    values: &[Values],
    i: usize,
    lag: Option<Estimate>,
) -> Outcome {
    let (runs, reference) = (&by_variant[i], setup.reference);
    let against = |values: &[Vec<f64>]| {
        let (ours, theirs) = (values.get(i)?, values.get(reference)?);
        (i != reference && !ours.is_empty() && !theirs.is_empty())
            .then(|| paired::difference(ours, theirs))
    };
    let difference = against(of(values, Criterion::Goodput));
    let unknown = rare[i] || rare[reference];
    let rivals = by_variant.iter().map(|runs| runs.iter().filter_map(|r| r.rival_goodput_bps));
    let rivals: Vec<Vec<f64>> = rivals.map(Iterator::collect).collect();
    let rate = |found: Estimate| if rare[i] { without_interval(found) } else { found };
    let counts = |f: fn(&CompareRun) -> u64| Estimate::of_counts(runs.iter().map(|r| f(r) as f64));
    let some = |f: fn(&CompareRun) -> Option<f64>| {
        Estimate::of_some(runs.iter().map(f), Range::NOT_NEGATIVE)
    };
    let up_to = |f: fn(&CompareRun) -> Option<f64>, most: f64| {
        let any = runs.iter().any(|r| f(r).is_some());
        any.then(|| Estimate::of_some(runs.iter().map(f), Range::up_to(most)))
    };
    let ratio = |f: fn(&CompareRun) -> Option<(f64, f64)>| {
        paired::ratio(&runs.iter().filter_map(f).collect::<Vec<_>>())
    };
    let share = |f: fn(&CompareRun) -> Option<(f64, f64)>| {
        paired::share(&runs.iter().filter_map(f).collect::<Vec<_>>())
    };
    let any = |f: fn(&CompareRun) -> Option<f64>| up_to(f, f64::INFINITY);
    Outcome {
        variant: setup.names[i].clone(),
        goodput_bps: rate(goodput(setup, runs)),
        packets_per_second: any(|r| r.packets_per_second).map(rate),
        difference: if unknown { difference.map(Difference::unknown) } else { difference },
        less_than_best_bps: lag,
        rtt_mean_s: some(|r| r.rtt_mean_s),
        rtt_p95_s: some(|r| r.rtt_p95_s),
        delivery_mean_s: some(|r| r.delivery_mean_s),
        delivery_p50_s: some(|r| r.delivery_p50_s),
        delivery_p95_s: some(|r| r.delivery_p95_s),
        // Delays count only if every replication has one, because a pair needs both.
        delivery_p95_difference: against(of(values, Criterion::Delay)),
        queue_delay_s: some(|r| r.queue_delay_s),
        residual_loss: share(|r| Some((r.lossy_packets_lost? as f64, r.lossy_packets? as f64))),
        bytes_per_byte: ratio(|r| Some((r.link_bps?, r.carried_bps?))),
        retransmissions: counts(|r| r.retransmissions),
        retransmission_ratio: Estimate::of_shares(
            runs.iter().map(|r| (r.retransmission_ratio, r.segments_sent as f64)),
        ),
        timeouts: counts(|r| r.timeouts),
        fast_retransmits: counts(|r| r.fast_retransmits),
        ecn_reactions: some(|r| r.ecn_reactions.map(|n| n as f64)),
        completion_s: some(|r| r.completion_s),
        exchange_mean_s: some(|r| r.exchange_mean_s),
        jain_index: up_to(|r| r.jain_index, 1.0).unwrap_or(NOTHING),
        jain_index_up: up_to(|r| r.jain_index_up, 1.0),
        jain_index_down: up_to(|r| r.jain_index_down, 1.0),
        others_goodput_bps: any(|r| r.others_goodput_bps),
        waste_difference: against(of(values, Criterion::Waste)),
        share_difference: against(of(values, Criterion::Share)),
        share: up_to(|r| r.share, 1.0),
        rival_goodput_bps: any(|r| r.rival_goodput_bps),
        rival_difference: against(&rivals),
    }
}

/// No value in any replication.
const NOTHING: Estimate = Estimate { mean: None, ci_low: None, ci_high: None };

/// The goodput of one variant: at most the rate of the path, and wide enough for rare timeouts.
fn goodput(setup: &ChannelRuns<'_>, runs: &[CompareRun]) -> Estimate {
    let range = Range::up_to(setup.most_bps);
    let found = Estimate::within(runs.iter().map(|r| r.goodput_bps), range);
    let n = runs.len() as f64;
    // Over slots, rare replications have a rule of their own: `SlotUse`. In a cell, a flow that never
    // retransmitted has lost nothing, because frames are repeated.
    let loses = |r: &CompareRun| r.retransmissions > 0 || r.lossy_packets.is_some();
    let stalls =
        setup.is_random && runs.iter().all(|r| r.slots.is_none()) && runs.iter().any(loses);
    let (Some(mean), true) = (found.mean, stalls) else { return found };
    let timeouts = runs.iter().map(|r| r.timeouts as f64).sum();
    let active_s = runs.iter().map(|r| r.active_s).sum::<f64>() / n;
    found.with_rare(Rare::timeouts(timeouts, runs.len(), mean, active_s), range)
}
