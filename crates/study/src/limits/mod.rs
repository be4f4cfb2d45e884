//! What limits the flows of a scenario: by intervention.
//!
//! A limit is named only if taking it away changes the goodput. Every change is a list of arguments of `--set`,
//! and runs with the same draws as the scenario as given. Counters of the run choose the candidates; they never
//! conclude.
//!
//! - [`change`] is something that can be taken away. [`links`], [`cells`] and [`flows`] list what a run offers.
//! - [`trial`] runs variants, within a bound on events: an unlimited flow sends more.
//! - [`effect`] compares a variant with the scenario, replication by replication.
//! - [`choose`] orders the kinds of limits of a part of the scenario. [`name`] splits a kind by place and looks
//!   behind it, [`single`] treats what no kind alone raises, and [`slow`] explains slow flows.

mod buckets;
mod cells;
mod change;
mod choose;
mod effect;
mod flows;
mod links;
mod name;
mod place;
mod single;
mod slow;
mod split;
mod trial;
mod view;

use airtcp_scenario::{Scenario, ScenarioError, Source};
use airtcp_sim::results::{Replication, RunResult};
use airtcp_units::Span;

use crate::base::loader::Traces;
use crate::document::limits::{Explanation, Verdict, Why};
use choose::Search;
use trial::{Bench, Extent, Memory, NotRun, Outcome};

/// Replications of each variant.
const REPLICATIONS: u32 = 3;
/// Least measured time of a variant.
const LEAST_TIME: Span = Span::from_secs(5);
/// Least measured time in round-trip times.
const LEAST_ROUND_TRIPS: f64 = 50.0;
/// A variant measures this part of the measured time, unless the goodput in it differs from that of the whole.
const SHARE: u64 = 4;
/// Most parts of a scenario that are judged one by one.
const PARTS: usize = 12;

/// A run and what limits its flows.
#[derive(Debug, Clone, PartialEq, serde::Serialize, schemars::JsonSchema)]
pub struct ExplainedRun {
    /// The run.
    #[serde(flatten)]
    pub run: RunResult,
    /// What limits the flows.
    #[serde(flatten)]
    pub explanation: Explanation,
}

/// Finds what limits the flows of a scenario. `given` are arguments of `--set`, `traces` are those that the run
/// has read.
/// `run` is the scenario's run. `report` is called during the work with the finished runs of a step and how many
/// the step has, and returns false to stop.
///
/// # Errors
/// If the scenario cannot run.
pub fn explain(
    source: &Source,
    given: &[(String, String)],
    traces: &Traces,
    why: Why,
    run: &RunResult,
    workers: Option<usize>,
    mut report: impl FnMut(usize, usize) -> bool,
) -> Result<Explanation, ScenarioError> {
    if why == Why::No {
        return Ok(Explanation::not_asked());
    }
    let mut found = Explanation::default();
    found.why.asked = why;
    if run.interrupted || run.replications.is_empty() {
        found.why.verdict = Verdict::Stopped;
        return Ok(found);
    }
    let written = source.scenario(given)?;
    let mut bench = Bench {
        source,
        given,
        without: &written.without,
        traces,
        is_thorough: why == Why::Yes,
        extent: extent(&written, why, run, &[]),
        workers,
        events: None,
        left_out: Vec::new(),
        memory: Memory::default(),
    };
    match find(&mut bench, &written, (why, run), &mut found, &mut report) {
        Ok(()) => {}
        // Variants of the whole time are never too short.
        Err(NotRun::Stopped | NotRun::TooShort) => {
            found.why.verdict = Verdict::Stopped;
            return Ok(found);
        }
        Err(NotRun::Refused(error)) => return Err(error),
    }
    found.why.replications = bench.extent.replications;
    found.why.verdict = if !found.limits.is_empty() {
        Verdict::Limited
    } else if found.why.undecided.is_empty() {
        Verdict::NothingSingle
    } else {
        Verdict::CannotTell
    };
    Ok(found)
}

/// How long variants of a part of the scenario run, and how often.
fn extent(written: &Scenario, why: Why, run: &RunResult, part: &[usize]) -> Extent {
    let measured = written.duration.saturating_sub(written.warmup);
    if why == Why::Yes {
        let replications = written.replications.max(REPLICATIONS);
        return Extent { duration: written.duration, replications, is_short: false };
    }
    let flows = run.replications.iter().flat_map(|r| part.iter().filter_map(|i| r.flows.get(*i)));
    let longest = flows.filter_map(|flow| flow.rtt_mean_s).fold(0.0, f64::max);
    let round_trips = Span::from_secs_f64(LEAST_ROUND_TRIPS * longest);
    let short = Span(measured.0 / SHARE).max(LEAST_TIME).max(round_trips).min(measured);
    Extent {
        duration: written.warmup + short,
        replications: REPLICATIONS,
        is_short: written.warmup + short < written.duration,
    }
}

/// True if a short run has the goodput of the whole one: that of the judged flows together, over the replications
/// that both have, is within a tenth.
fn is_like(short: &Outcome, run: &RunResult, part: &[usize]) -> bool {
    let judged = view::judged(&short.plan, part);
    let sum = |runs: &[Replication]| -> f64 {
        runs.iter().map(|run| trial::together(run, &judged)).sum()
    };
    let both = short.runs.len().min(run.replications.len());
    let (short, whole) = (sum(&short.runs[..both]), sum(&run.replications[..both]));
    let (least, most) = (short.min(whole).max(1.0), short.max(whole).max(1.0));
    most <= effect::NAMED * least
}

fn find(
    bench: &mut Bench<'_>,
    written: &Scenario,
    (why, run): (Why, &RunResult),
    found: &mut Explanation,
    report: &mut dyn FnMut(usize, usize) -> bool,
) -> Result<(), NotRun> {
    let base = bench.plan(1, &[]).map_err(NotRun::Refused)?;
    let ways = airtcp_sim::ways(&base);
    let mut parts = view::parts(&base, &ways);
    if parts.len() > PARTS {
        let mut all = parts.concat();
        all.sort_unstable();
        parts = vec![all];
    }
    for part in &parts {
        // In order: see `view::parts`.
        let others = (0..base.flows.len()).filter(|i| part.binary_search(i).is_err());
        bench.left_out = others.map(|i| base.flows[i].name.clone()).collect();
        bench.events = None;
        bench.extent = extent(written, why, run, part);
        match explain_part(bench, part, (written, why, run), &ways, found, report) {
            Err(NotRun::TooShort) => {
                // What ran is no use: it has another duration.
                bench.extent =
                    Extent { duration: written.duration, is_short: false, ..bench.extent };
                bench.events = None;
                explain_part(bench, part, (written, why, run), &ways, found, report)?;
            }
            other => other?,
        }
    }
    bench.left_out.clear();
    Ok(())
}

/// Explains a part of a scenario with variants of the time that `bench` has, or of the whole if the goodput of the
/// flows differs in it.
fn explain_part(
    bench: &mut Bench<'_>,
    part: &[usize],
    (written, why, run): (&Scenario, Why, &RunResult),
    ways: &[[airtcp_sim::Way; 2]],
    found: &mut Explanation,
    report: &mut dyn FnMut(usize, usize) -> bool,
) -> Result<(), NotRun> {
    bench.forget(written, run);
    let mut outcome = bench.base(report)?;
    if !is_like(&outcome, run, part) && bench.extent.is_short {
        (bench.extent.duration, bench.extent.is_short) = (written.duration, false);
        bench.forget(written, run);
        outcome = bench.base(report)?;
    }
    if why == Why::Auto {
        bench.events = Some(outcome.runs.iter().map(|run| run.events).collect());
    }
    let topology = written.topology.as_ref();
    let mut search = Search::new(bench, outcome, part, (topology, ways), report);
    let searched = search.find().and_then(|()| search.explain_slow_flows());
    // What ran counts also if it decided nothing.
    found.why.variants += search.variants;
    let slowness = searched?;
    found.limits.append(&mut search.limits);
    found.why.undecided.append(&mut search.undecided);
    found.why.slow_flows.extend(slowness.flows);
    let slowest = slowness.slowest_of_each_run_bps;
    found.why.slowest_of_each_run_bps = found.why.slowest_of_each_run_bps.or(slowest);
    found.why.refused.append(&mut search.refused);
    let measured = bench.extent.duration.saturating_sub(written.warmup);
    found.why.measured_s = found.why.measured_s.max(measured.as_secs_f64());
    Ok(())
}
