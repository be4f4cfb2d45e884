//! Several TCPs over the same channel: `airtcp compare`.
//!
//! A [`Input`] is a scenario or a delivery trace; a [`choice`] is a TCP by name, perhaps with a link
//! protocol. Every variant
//! runs in every replication with the same random numbers for the channel (common random
//! numbers), so that differences between variants are paired: see [`paired`]. One job is one
//! variant in one replication; jobs are spread over all cores in an order in which replications
//! become complete one by one, so that a comparison that is stopped has something to say.
//!
//! [`plan`] makes the plans of a scenario, [`over_trace`] runs over a trace slot by slot,
//! [`subject`] turns what was given into cases, [`observe`] watches a run, [`result`] is the
//! document; [`suits`] is the short comparison that is part of a study. [`remedies`] are compared in
//! a list of their own.

mod in_study;
mod links;
mod observe;
mod options;
mod over_trace;
pub(crate) mod paired;
mod plan;
mod preconditions;
mod remedies;
mod result;
mod subject;
mod tcp_spec;
mod verdict;

use airtcp_sim::Estimate;
use airtcp_sim::parallel::{Stop, default_workers, run_many};

pub(crate) use in_study::{RemedyComparison, TcpComparison};
pub(crate) use options::usual;
pub use options::{AsLink, CompareError, CompareOptions};
pub use result::{
    Aim, COMPARE_SCHEMA, Case, Channel, CompareResult, CompareRun, Compared, Criterion, Difference,
    Measure, NotRanked, Outcome, Over, Ranking, Remedies, Standing, Subject, SubjectKind,
    VariantTcp, Verdict, Window,
};
pub use subject::Input;

use crate::chance::{SlotUse, without_interval};
use crate::{Cwnd, Skipped};
use remedies::Remedy;
use subject::{Planned, Prepared};
use tcp_spec::TcpSpec;

/// What a job gives back: its runs, and the window's course if it was asked to keep it.
pub(crate) type Done = (Vec<CompareRun>, Option<Cwnd>);

/// Compares TCPs over everything in `given`. `report` is called on the calling thread with the
/// number of finished jobs and how many there are, and returns false to stop; replications that
/// every variant has finished are kept.
///
/// # Errors
/// If an option, a variant or a scenario is impossible.
pub fn compare(
    given: &[Input],
    skipped: Vec<Skipped>,
    options: &CompareOptions,
    mut report: impl FnMut(usize, usize) -> bool,
) -> Result<CompareResult, CompareError> {
    options.check()?;
    let (variants, reference) = options.variants()?;
    if options.as_link.is_some() && !given.iter().any(|g| matches!(g, Input::Link(_))) {
        return Err(CompareError::other(
            "as_link: puts traces behind a link, and none was given; a scenario has its own links",
        ));
    }
    let few = given.len() <= options.remedies_up_to as usize;
    let asked: &[String] = if few { &options.remedies } else { &[] };
    let remedies = remedies::choices(asked)?;
    let names: Vec<String> = variants.iter().map(|v| v.label().to_owned()).collect();
    let prepared: Vec<Prepared<'_>> = given
        .iter()
        .map(|g| subject::prepare(g, &variants, (&remedies, asked), options))
        .collect::<Result<_, _>>()?;
    // Of each subject the cases, and behind them the remedies.
    let batches: Vec<(usize, &Planned<'_>, usize)> = prepared
        .iter()
        .enumerate()
        .flat_map(|(s, subject)| {
            let cases = subject.cases.iter().map(|case| (case, variants.len()));
            let remedies = subject.remedies.iter().map(|r| (&r.planned, r.names.len()));
            cases.chain(remedies).map(move |(planned, each)| (s, planned, each))
        })
        .collect();
    let jobs: Vec<(usize, u32, usize)> = batches
        .iter()
        .enumerate()
        .flat_map(|(batch, (_, planned, each))| {
            (0..planned.jobs()).flat_map(move |n| (0..*each).map(move |v| (batch, n, v)))
        })
        .collect();
    let job = |i: usize, stop: &Stop| {
        let (batch, number, variant) = jobs[i];
        let (s, planned, _) = batches[batch];
        if stop.is_set() {
            return None;
        }
        let done = planned.run(variant, number, stop);
        if done.is_err() {
            stop.set();
        }
        done.map_err(|e| subject::at(&given[s], e)).transpose()
    };
    let workers = options.workers.map_or_else(default_workers, |w| w as usize);
    let total = jobs.len();
    let done = run_many(total, workers, job, |n| report(n, total)).into_iter();
    let done: Vec<Option<Done>> = done.map(Option::transpose).collect::<Result<_, _>>()?;
    let mut done = done.into_iter();
    let mut interrupted = false;
    let mut subjects = Vec::new();
    for Prepared { mut subject, cases, remedies } in prepared {
        for case in cases {
            let (complete, all) = rounds(&mut done, case.jobs(), variants.len());
            if !all {
                interrupted = true;
            }
            if !complete.is_empty() {
                let place = (case.channel(), case.over());
                let coded = variants.iter().any(TcpSpec::is_coded);
                let made = assemble(place, (&names, coded), reference, case.unmet(), complete);
                remark(&mut subject, &made, case.draws());
                subject.cases.push(made);
            }
        }
        if let Some(remedy) = remedies {
            let (complete, all) = rounds(&mut done, remedy.planned.jobs(), remedy.names.len());
            if !all {
                interrupted = true;
            }
            if !complete.is_empty() {
                subject.remedies = Some(remedied(remedy, complete));
            }
        }
        if !subject.cases.is_empty() {
            subjects.push(subject);
        }
    }
    // On links of varying capacity other remedies are the usual ones: there the words are kept.
    let varies = |g: &Input| matches!(g, Input::Link(link) if link.capacity.is_some());
    let remedies = if given.iter().any(varies) {
        asked.to_vec()
    } else {
        remedies.iter().map(|r| r.label().to_owned()).collect()
    };
    let options = CompareOptions { tcp: names.clone(), remedies, ..options.clone() };
    Ok(CompareResult {
        schema: COMPARE_SCHEMA.into(),
        airtcp_version: env!("CARGO_PKG_VERSION").into(),
        seed: subjects.first().map_or_else(|| options.seed.unwrap_or(1), |s| s.seed),
        reference: names[reference].clone(),
        rival: options.share.clone(),
        options,
        variants: names,
        subjects,
        skipped,
        interrupted,
    })
}

/// The complete replications of a case with so many `jobs` of `each` variants, from what is `done`;
/// true if these are all.
fn rounds(
    done: &mut impl Iterator<Item = Option<Done>>,
    jobs: u32,
    each: usize,
) -> (Vec<Vec<Done>>, bool) {
    let rounds: Vec<Vec<Option<Done>>> =
        (0..jobs).map(|_| done.by_ref().take(each).collect()).collect();
    let complete: Vec<Vec<Done>> =
        rounds.into_iter().filter_map(|round| round.into_iter().collect()).collect();
    let all = complete.len() == jobs as usize;
    (complete, all)
}

/// Puts the remedies of a subject together.
pub(crate) fn remedied(remedy: Remedy<'_>, complete: Vec<Vec<Done>>) -> Remedies {
    let place = (remedy.planned.channel(), remedy.planned.over());
    let case = assemble(place, (&remedy.names, true), 0, remedy.planned.unmet(), complete);
    let mut notes = remedy.notes;
    if rare(&case) {
        notes.push(subject::RARE_REMEDY.to_owned());
    }
    Remedies { aim: remedy.aim, reference: remedy.names[0].clone(), case, tcp: remedy.tcp, notes }
}

/// Puts the complete replications of a case together. `coded` if something of `names` is more than
/// TCP; `unmet` says of each what the path lacks.
fn assemble(
    (channel, over): (Channel, Over),
    (names, coded): (&[String], bool),
    reference: usize,
    unmet: &[Option<String>],
    rounds: Vec<Vec<Done>>,
) -> Case {
    let mut by_variant: Vec<Vec<CompareRun>> = vec![Vec::new(); names.len()];
    let mut windows = Vec::new();
    for round in rounds {
        for ((runs, course), (name, list)) in
            round.into_iter().zip(names.iter().zip(&mut by_variant))
        {
            list.extend(runs.into_iter().map(|r| CompareRun { variant: name.clone(), ..r }));
            windows.extend(course.map(|course| Window { variant: name.clone(), course }));
        }
    }
    let goodputs: Vec<Vec<f64>> =
        by_variant.iter().map(|runs| runs.iter().map(|r| r.goodput_bps).collect()).collect();
    let rivals: Vec<Vec<f64>> = by_variant
        .iter()
        .map(|runs| runs.iter().filter_map(|r| r.rival_goodput_bps).collect())
        .collect();
    // Of latency all replications, or none: a pair needs both.
    let latencies: Vec<Vec<f64>> = by_variant
        .iter()
        .map(|runs| {
            runs.iter().map(|r| r.delivery_p95_s).collect::<Option<_>>().unwrap_or_default()
        })
        .collect();
    let rare: Vec<bool> = by_variant.iter().map(|runs| is_made_by_rare(runs)).collect();
    let (ranking, lags) = paired::ranking(names, &goodputs, &rare);
    let values = verdict::values(&by_variant, &rare, coded);
    let of = |criterion| values.iter().find(|v| v.measure.criterion == criterion);
    let none = Vec::new();
    let wastes = of(Criterion::Waste).map_or(&none, |v| &v.each);
    let shares = of(Criterion::Share).map_or(&none, |v| &v.each);
    let outcomes = by_variant
        .iter()
        .zip(names)
        .zip(lags)
        .enumerate()
        .map(|(i, ((runs, name), lag))| {
            let against = |values: &[Vec<f64>]| {
                let (ours, theirs) = (values.get(i)?, values.get(reference)?);
                (i != reference && !ours.is_empty() && !theirs.is_empty())
                    .then(|| paired::difference(ours, theirs))
            };
            let difference = against(&goodputs);
            let unknown = rare[i] || rare[reference];
            Outcome {
                difference: if unknown { difference.map(Difference::unknown) } else { difference },
                less_than_best_bps: lag,
                rival_difference: against(&rivals),
                delivery_p95_difference: against(&latencies),
                waste_difference: against(wastes),
                share_difference: against(shares),
                ..outcome(name, runs, rare[i])
            }
        })
        .collect();
    Case {
        channel,
        over,
        replications: by_variant.first().map_or(0, Vec::len) as u32,
        outcomes,
        ranking,
        verdict: verdict::verdict(names, &values, unmet),
        runs: by_variant.into_iter().flatten().collect(),
        windows,
    }
}

/// True if rare replications make the mean goodput: over slots, where nearly all of them deliver a
/// packet or nearly none do.
fn is_made_by_rare(runs: &[CompareRun]) -> bool {
    let slots: Vec<SlotUse> = runs.iter().filter_map(|r| r.slots).collect();
    !SlotUse::have_interval(&slots)
}

/// Replications whose goodputs are within this share of their mean are called alike.
const ALIKE: f64 = 1e-3;

/// Says what limits the intervals of a case. `draws`: see [`Planned::draws`].
fn remark(subject: &mut Subject, case: &Case, draws: bool) {
    if alike(case) && subject.kind == SubjectKind::Capacity {
        subject.notes.push(subject::ALIKE_STRETCHES.to_owned());
    } else if alike(case) && case.channel == Channel::Scenario {
        let advice = (!draws).then(|| subject::APART.to_owned());
        subject.notes.push(subject::ALIKE.to_owned());
        subject.notes.extend(advice);
    }
    let mut once = |note: &str, holds: bool| {
        if holds && !subject.notes.iter().any(|said| said == note) {
            subject.notes.push(note.to_owned());
        }
    };
    once(subject::RARE, rare(case));
    once(subject::LONGER_WAIT, waits_longer(case));
}

/// True if some mean wait in the queue is longer than the mean round trip that contains it.
fn waits_longer(case: &Case) -> bool {
    case.outcomes.iter().any(|o| match (o.queue_delay_s.mean, o.rtt_mean_s.mean) {
        (Some(wait), Some(rtt)) => wait > rtt,
        _ => false,
    })
}

/// True if some mean has no interval because rare replications make it.
fn rare(case: &Case) -> bool {
    case.replications > 1 && case.outcomes.iter().any(|o| o.goodput_bps.ci_low.is_none())
}

/// True if there are several replications and all of each variant give nearly the same, which is not
/// nothing throughout. Of stretches of a capacity most variants have to: some draw random numbers
/// themselves, as BBR, and give something else in each stretch of a constant rate.
fn alike(case: &Case) -> bool {
    let near = |name: &String| {
        let values = || case.runs.iter().filter(|r| r.variant == *name).map(|r| r.goodput_bps);
        let (low, high) = values().fold((f64::MAX, 0.0_f64), |(l, h), v| (l.min(v), h.max(v)));
        high - low <= ALIKE * high
    };
    let same = case.outcomes.iter().filter(|o| near(&o.variant)).count();
    let enough = match case.channel {
        Channel::Scenario => same == case.outcomes.len(),
        Channel::Trace => 2 * same > case.outcomes.len(),
        Channel::Independent | Channel::GilbertElliott => false,
    };
    enough && case.replications > 1 && case.runs.iter().any(|run| run.goodput_bps > 0.0)
}

/// Means with intervals of one variant; goodputs have none if `rare` replications make them.
fn outcome(name: &str, runs: &[CompareRun], rare: bool) -> Outcome {
    let rate = |found: Estimate| if rare { without_interval(found) } else { found };
    let of = |f: fn(&CompareRun) -> f64| Estimate::of(runs.iter().map(f));
    let counts = |f: fn(&CompareRun) -> u64| Estimate::of_counts(runs.iter().map(|r| f(r) as f64));
    let some = |f: fn(&CompareRun) -> Option<f64>| Estimate::of_some(runs.iter().map(f));
    let ratio = |f: fn(&CompareRun) -> Option<(f64, f64)>| {
        paired::ratio(&runs.iter().filter_map(f).collect::<Vec<_>>())
    };
    let share = |f: fn(&CompareRun) -> Option<(f64, f64)>| {
        paired::share(&runs.iter().filter_map(f).collect::<Vec<_>>())
    };
    let any = |f: fn(&CompareRun) -> Option<f64>| {
        runs.iter().any(|r| f(r).is_some()).then(|| Estimate::of_some(runs.iter().map(f)))
    };
    Outcome {
        variant: name.to_owned(),
        goodput_bps: rate(of(|r| r.goodput_bps)),
        packets_per_second: any(|r| r.packets_per_second).map(rate),
        difference: None,
        less_than_best_bps: None,
        rtt_mean_s: some(|r| r.rtt_mean_s),
        rtt_p95_s: some(|r| r.rtt_p95_s),
        delivery_mean_s: some(|r| r.delivery_mean_s),
        delivery_p50_s: some(|r| r.delivery_p50_s),
        delivery_p95_s: some(|r| r.delivery_p95_s),
        delivery_p95_difference: None,
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
        jain_index: some(|r| r.jain_index),
        others_goodput_bps: any(|r| r.others_goodput_bps),
        waste_difference: None,
        share_difference: None,
        share: any(|r| r.share),
        rival_goodput_bps: any(|r| r.rival_goodput_bps),
        rival_difference: None,
    }
}

#[cfg(test)]
mod tests;
