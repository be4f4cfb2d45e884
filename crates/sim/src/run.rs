//! Running a scenario: one replication, or all of them on all cores.

use airtcp_probe::{NoProbe, Probe};
use airtcp_random::Seed;
use airtcp_scenario::{Resolved, ScenarioError};
use airtcp_units::Nanos;

use crate::build::{TraceLoader, build};
use crate::measure::{Snapshot, replication};
use crate::parallel::{Stop, default_workers, run_many};
use crate::results::{RUN_SCHEMA, Replication, RunResult, Summary};

/// Events between two looks at the stop flag: a few milliseconds of work.
const CHUNK: u64 = 50_000;

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
    let seed = Seed { root: plan.scenario.seed, replication: number };
    let mut world = build(plan, seed, load, probe)?;
    let end = Nanos::ZERO + plan.scenario.duration;
    if !advance(&mut world, Nanos::ZERO + plan.scenario.warmup, stop) {
        return Ok(None);
    }
    let warm = Snapshot::take(&world);
    if !advance(&mut world, end, stop) {
        return Ok(None);
    }
    let result = replication(&world, plan, &warm, number);
    Ok(Some((result, world.into_probe())))
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
    mut report: impl FnMut(usize, usize) -> bool,
) -> Result<RunResult, ScenarioError> {
    // Build once before starting threads: a refusal is reported once and at once.
    build(plan, Seed::new(plan.scenario.seed), load, NoProbe)?;
    let n = plan.scenario.replications as usize;
    let job = |i: usize, stop: &Stop| run_one(plan, i as u32, load, NoProbe, stop).ok()??.0.into();
    let finished: Vec<Replication> =
        run_many(n, workers.unwrap_or_else(default_workers), job, |done| report(done, n))
            .into_iter()
            .flatten()
            .collect();
    Ok(collect(plan, finished))
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
        interrupted,
    }
}
