//! Running a scenario: one replication, or all of them on all cores.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use airtcp_probe::{NoProbe, Probe};
use airtcp_random::Seed;
use airtcp_scenario::{Resolved, ScenarioError};
use airtcp_units::{Nanos, Narrow, Span};

use crate::build::check::check;
use crate::build::coverage::warnings;
use crate::build::{TraceLoader, build};
use crate::parallel::{Stop, default_workers, run_many};
use crate::results::{RUN_SCHEMA, Replication, RunResult, Snapshot, Summary, replication};
use crate::world::World;

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
    run_telling(plan, number, load, probe, parts, stop, &AtomicU64::new(0))
}

/// As [`run_parts`], which adds to `passed` the nanoseconds that it has simulated, as it goes.
fn run_telling<P: Probe>(
    plan: &Resolved,
    number: u32,
    load: &TraceLoader<'_>,
    probe: P,
    parts: u32,
    stop: &Stop,
    passed: &AtomicU64,
) -> Result<Option<(Vec<Replication>, P)>, ScenarioError> {
    let seed = Seed { root: plan.scenario.seed, replication: number };
    let mut world = build(plan, seed, load, probe)?;
    let warmup = plan.scenario.warmup;
    let (begin, measured) = (Nanos::ZERO + warmup, plan.scenario.duration.saturating_sub(warmup));
    let parts = u64::from(parts.max(1));
    // Without a warm-up what happens at the very start is measured.
    if warmup > Span::ZERO && !advance(&mut world, begin, stop, passed) {
        return Ok(None);
    }
    let mut before = Snapshot::take(&world);
    world.forget_exchanges();
    let mut results = Vec::new();
    for part in 1..=parts {
        let until = u128::from(measured.0) * u128::from(part) / u128::from(parts);
        if !advance(&mut world, begin + Span(u64::narrow(until)), stop, passed) {
            return Ok(None);
        }
        results.push(replication(&world, plan, &before, number));
        if part < parts {
            before = Snapshot::take(&world);
        }
    }
    Ok(Some((results, world.into_probe())))
}

fn advance<P: Probe>(world: &mut World<P>, until: Nanos, stop: &Stop, passed: &AtomicU64) -> bool {
    loop {
        let before = world.now();
        let there = world.run_until(until, CHUNK);
        passed.fetch_add(world.now().since(before).0, Ordering::Relaxed);
        if there {
            return true;
        }
        if stop.is_set() {
            return false;
        }
    }
}

/// What `report` is told of a replication that is done: there is something to tell of one that
/// takes an hour, too.
pub const STEPS: usize = 100;

/// Runs all replications on `workers` threads (all cores if `None`). `report` is called on the
/// calling thread with what is simulated and what is to be, in hundredths ([`STEPS`]) of a
/// replication, and returns false to stop; finished replications are kept.
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
    let passed = AtomicU64::new(0);
    let take = || probe.lock().map_or(None, |mut p| p.take());
    let job = |i: usize, stop: &Stop| {
        let number = u32::narrow(i);
        let done = match (number == 0).then(take).flatten() {
            Some(probe) => run_telling(plan, number, load, probe, 1, stop, &passed)
                .map(|done| done.map(|(results, probe)| (results, Some(probe)))),
            None => run_telling(plan, number, load, NoProbe, 1, stop, &passed)
                .map(|done| done.map(|(results, NoProbe)| (results, None))),
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
    let total = n.saturating_mul(STEPS);
    let per_step = (plan.scenario.duration.0 / STEPS as u64).max(1);
    let told = |done: usize| {
        // Before the last is finished there is something left to do.
        let steps = usize::narrow(passed.load(Ordering::Relaxed) / per_step);
        if done == n { total } else { steps.clamp(done * STEPS, total.saturating_sub(1)) }
    };
    for done in run_many(n, workers, job, |done| report(told(done), total)).into_iter().flatten() {
        let (results, probe) = done?;
        finished.extend(results);
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
        summary: Summary::of(plan, &replications),
        replications,
        warnings: warnings(plan),
        interrupted,
    }
}
