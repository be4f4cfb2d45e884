//! Running a scenario: one replication, or all of them on all cores.

use std::sync::Mutex;

use airtcp_probe::{NoProbe, Probe};
use airtcp_random::Seed;
use airtcp_scenario::{Resolved, ScenarioError};
use airtcp_units::{Nanos, Span};

use crate::build::{TraceLoader, build};
use crate::check::check;
use crate::measure::{Snapshot, replication};
use crate::parallel::{Stop, default_workers, run_many};
use crate::place::warnings;
use crate::results::{RUN_SCHEMA, Replication, RunResult, Summary};

/// Events between two looks at the stop flag: a few milliseconds of work.
const CHUNK: u64 = 50_000;

/// Checks that a plan can run, without running it: what [`run`] does before its first
/// replication, for who calls [`run_one`] itself.
///
/// # Errors
/// What keeps the plan from running.
pub fn prepare(plan: &Resolved, load: &TraceLoader<'_>) -> Result<(), ScenarioError> {
    check(plan)?;
    // Build once before starting threads: a refusal is reported once and at once.
    build(plan, Seed::new(plan.scenario.seed), load, NoProbe).map(drop)
}

/// Runs one replication to its end with a probe, and gives back its results and the probe;
/// `None` if it was stopped.
///
/// # Errors
/// If a model refuses its parameters.
pub fn run_one<P: Probe>(
    plan: &Resolved,
    number: u32,
    load: &TraceLoader<'_>,
    probe: P,
    stop: &Stop,
) -> Result<Option<(Replication, P)>, ScenarioError> {
    let done = run_parts(plan, number, load, probe, 1, stop)?;
    Ok(done.and_then(|(parts, probe)| parts.into_iter().next().map(|part| (part, probe))))
}

/// As [`run_one`], with the measured time cut into equal `parts`, each with results of its own: batch
/// means of a single run, in which nothing starts anew between one part and the next. Quantities
/// that are "since the start" or "at the end" are so in every part.
///
/// # Errors
/// If a model refuses its parameters.
pub fn run_parts<P: Probe>(
    plan: &Resolved,
    number: u32,
    load: &TraceLoader<'_>,
    probe: P,
    parts: u32,
    stop: &Stop,
) -> Result<Option<(Vec<Replication>, P)>, ScenarioError> {
    let seed = Seed { root: plan.scenario.seed, replication: number };
    let mut world = build(plan, seed, load, probe)?;
    let warmup = plan.scenario.warmup;
    let (begin, measured) = (Nanos::ZERO + warmup, plan.scenario.duration.saturating_sub(warmup));
    let parts = u64::from(parts.max(1));
    // Without a warm-up what happens at the very start is measured.
    if warmup > Span::ZERO && !advance(&mut world, begin, stop) {
        return Ok(None);
    }
    let mut before = Snapshot::take(&world);
    world.forget_exchanges();
    let mut results = Vec::new();
    for part in 1..=parts {
        let until = u128::from(measured.0) * u128::from(part) / u128::from(parts);
        if !advance(&mut world, begin + Span(until as u64), stop) {
            return Ok(None);
        }
        results.push(replication(&world, plan, &before, number));
        if part < parts {
            before = Snapshot::take(&world);
        }
    }
    Ok(Some((results, world.into_probe())))
}

fn advance<P: Probe>(world: &mut crate::world::World<P>, until: Nanos, stop: &Stop) -> bool {
    while !world.run_until(until, CHUNK) {
        if stop.is_set() {
            return false;
        }
    }
    true
}

/// Runs all replications on `workers` threads (all cores if `None`). `report` is called on the
/// calling thread with the number of finished replications and their total, and returns false
/// to stop; finished replications are kept.
///
/// # Errors
/// If a model refuses its parameters.
pub fn run(
    plan: &Resolved,
    load: &TraceLoader<'_>,
    workers: Option<usize>,
    report: impl FnMut(usize, usize) -> bool,
) -> Result<RunResult, ScenarioError> {
    Ok(run_recorded(plan, load, workers, NoProbe, report)?.0)
}

/// As [`run`], with a probe on the first replication; it is given back if that was finished.
///
/// # Errors
/// If a model refuses its parameters.
pub fn run_recorded<P: Probe + Send>(
    plan: &Resolved,
    load: &TraceLoader<'_>,
    workers: Option<usize>,
    probe: P,
    mut report: impl FnMut(usize, usize) -> bool,
) -> Result<(RunResult, Option<P>), ScenarioError> {
    prepare(plan, load)?;
    let probe = Mutex::new(Some(probe));
    let take = || probe.lock().map_or(None, |mut p| p.take());
    let job = |i: usize, stop: &Stop| {
        let number = i as u32;
        let done = match (number == 0).then(take).flatten() {
            Some(probe) => run_one(plan, number, load, probe, stop)
                .map(|done| done.map(|(result, probe)| (result, Some(probe)))),
            None => run_one(plan, number, load, NoProbe, stop)
                .map(|done| done.map(|(result, NoProbe)| (result, None))),
        };
        if done.is_err() {
            // Where stations stand or what a file holds may differ from one replication to the
            // next: what keeps one from running is said, not left out.
            stop.set();
        }
        done.transpose()
    };
    let n = plan.scenario.replications as usize;
    let workers = workers.unwrap_or_else(default_workers);
    let mut recorded = None;
    let mut finished = Vec::with_capacity(n);
    for done in run_many(n, workers, job, |done| report(done, n)).into_iter().flatten() {
        let (result, probe) = done?;
        finished.push(result);
        recorded = recorded.or(probe);
    }
    Ok((collect(plan, finished), recorded))
}

/// Puts finished replications together with what produced them.
pub fn collect(plan: &Resolved, replications: Vec<Replication>) -> RunResult {
    let interrupted = replications.len() < plan.scenario.replications as usize;
    RunResult {
        schema: RUN_SCHEMA.into(),
        airtcp_version: env!("CARGO_PKG_VERSION").into(),
        seed: plan.scenario.seed,
        scenario: serde_json::to_value(&plan.scenario).unwrap_or_default(),
        summary: Summary::of(&replications),
        replications,
        warnings: warnings(plan),
        interrupted,
    }
}
