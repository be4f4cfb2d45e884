//! Runs one replication of a scenario, or all of them on all cores.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use airtcp_probe::{NoProbe, Probe, Relay};
use airtcp_random::Seed;
use airtcp_scenario::{Resolved, ScenarioError};
use airtcp_units::Narrow;

use crate::build::check::check;
use crate::build::coverage::warnings;
use crate::build::{TraceLoader, build};
use crate::own_laws::OwnLaws;
use crate::parallel::{Stop, default_workers};
use crate::pieces::Pieces;
use crate::results::{
    DelayDistributions, FailedReplication, RUN_SCHEMA, Replication, RunResult, Summary, packed,
    short_aggregates,
};
use crate::shared::{Packing, share_many};

/// Events between two checks of the stop flag: a few milliseconds of work.
pub(crate) const CHUNK: u64 = 50_000;

/// Checks that a plan can run, as [`run`] does before its first replication. Call it before [`run_one`].
///
/// # Errors
/// If the plan cannot run.
pub fn prepare(plan: &Resolved, load: &TraceLoader<'_>) -> Result<(), ScenarioError> {
    check(plan)?;
    // Build once before starting threads, so that an error is reported once and immediately.
    build(plan, Seed::new(plan.scenario.seed), load, NoProbe).map(drop)?;
    OwnLaws::of(plan).check()
}

/// Runs one replication with a probe. Returns the results and the probe; `None` if it was stopped.
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

/// As [`run_one`], without a probe.
///
/// # Errors
/// If a model refuses its parameters.
pub fn run_replication(
    plan: &Resolved,
    number: u32,
    load: &TraceLoader<'_>,
    stop: &Stop,
) -> Result<Option<Replication>, ScenarioError> {
    let done = run_one(plan, number, load, NoProbe, stop)?;
    Ok(done.map(|(replication, NoProbe)| replication))
}

/// As [`run_one`], with the measured time cut into equal `parts`, each with its own results (batch means).
/// The run continues from part to part. Quantities "since the start" are over all parts so far, and
/// quantities "at the end" are at the end of each part.
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
    run_with_progress(plan, number, load, probe, parts, stop, &AtomicU64::new(0))
}

/// As [`run_parts`]. Adds the nanoseconds simulated to `passed`, as progress.
fn run_with_progress<P: Probe>(
    plan: &Resolved,
    number: u32,
    load: &TraceLoader<'_>,
    mut probe: P,
    parts: u32,
    stop: &Stop,
    passed: &AtomicU64,
) -> Result<Option<(Vec<Replication>, P)>, ScenarioError> {
    let relay = P::ON.then(|| Relay::to(&mut probe));
    let results = simulate(plan, number, load, relay, parts, stop, passed)?;
    Ok(results.map(|results| (results, probe)))
}

/// As [`run_with_progress`]. Not generic, so that the simulator is compiled in this crate: with a probe, and without.
fn simulate(
    plan: &Resolved,
    number: u32,
    load: &TraceLoader<'_>,
    probe: Option<Relay<'_>>,
    parts: u32,
    stop: &Stop,
    passed: &AtomicU64,
) -> Result<Option<Vec<Replication>>, ScenarioError> {
    let laws = OwnLaws::of(plan);
    let _begun = laws.begin(Some(number));
    match probe {
        Some(probe) => {
            to_end(Pieces::begin(plan, number, load, probe, parts)?, plan, &laws, stop, passed)
        }
        None => {
            to_end(Pieces::begin(plan, number, load, NoProbe, parts)?, plan, &laws, stop, passed)
        }
    }
}

fn to_end<P: Probe>(
    mut pieces: Pieces<P>,
    plan: &Resolved,
    laws: &OwnLaws,
    stop: &Stop,
    passed: &AtomicU64,
) -> Result<Option<Vec<Replication>>, ScenarioError> {
    loop {
        let before = pieces.now();
        let done = laws.around(|| pieces.advance(plan, CHUNK));
        if stop.is_set() && !done {
            // A law that was ended by force has failed, which is no error then.
            return Ok(None);
        }
        laws.check()?;
        passed.fetch_add(pieces.now().since(before).0, Ordering::Relaxed);
        if done {
            return Ok(Some(pieces.end().0));
        }
    }
}

/// Progress steps of a replication in calls of `report`.
pub const STEPS: usize = 100;

/// Runs all replications on `workers` threads (all cores if `None`). The calling thread calls `report` with
/// the progress and the total, in hundredths ([`STEPS`]) of a replication. If `report` returns false, the
/// run stops and keeps finished replications.
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

/// What a replication gives, with the probe if it had one.
type Done<P> = Result<(Vec<Replication>, Option<P>), ScenarioError>;

/// As [`run`], with a probe on the first replication. Returns the probe if this replication finished. If a law from
/// outside fails in a replication, the others that are finished are kept, if there are any.
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
            Some(probe) => run_with_progress(plan, number, load, probe, 1, stop, &passed)
                .map(|done| done.map(|(results, probe)| (results, Some(probe)))),
            None => simulate(plan, number, load, None, 1, stop, &passed)
                .map(|done| done.map(|results| (results, None))),
        };
        if done.is_err() {
            // Positions of stations or the content of a file may differ between replications, so a
            // later replication can fail: report its error.
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
        // Below 100 % until the last replication is finished.
        let steps = usize::narrow(passed.load(Ordering::Relaxed) / per_step);
        if done == n { total } else { steps.clamp(done * STEPS, total.saturating_sub(1)) }
    };
    // A recorder cannot leave this process. The results can, so that all processes have them.
    let recorded_here = |i: usize| i == 0 && P::ON;
    let packing = Packing {
        pack: |done: &Done<P>| packed::pack(&done.as_ref().ok()?.0),
        unpack: |text: &str| Some(Ok((packed::unpack(text)?, None))),
    };
    let report = |done| report(told(done), total);
    let mut refused = None;
    for done in share_many(n, workers, job, recorded_here, &packing, report).into_iter().flatten() {
        match done {
            Ok((results, probe)) => {
                finished.extend(results);
                recorded = recorded.or(probe);
            }
            Err(error) => refused = refused.or(Some(error)),
        }
    }
    let failed = OwnLaws::of(plan).failure().map(FailedReplication::from);
    if let Some(error) = refused.filter(|_| failed.is_none() || finished.is_empty()) {
        return Err(error);
    }
    Ok((RunResult { failed, ..collect(plan, finished) }, recorded))
}

/// Combines finished replications with the scenario into a result.
pub fn collect(plan: &Resolved, replications: Vec<Replication>) -> RunResult {
    let interrupted = replications.len() < plan.scenario.replications as usize;
    RunResult {
        schema: RUN_SCHEMA.into(),
        airtcp_version: env!("CARGO_PKG_VERSION").into(),
        seed: plan.scenario.seed,
        scenario: serde_json::to_value(&plan.scenario).unwrap_or_default(),
        summary: Summary::of(plan, &replications, &|_| true),
        delays: DelayDistributions::of(plan, replications.iter().map(|r| r.histograms.as_slice())),
        warnings: [warnings(plan), short_aggregates::warnings(plan, &replications)].concat(),
        replications,
        interrupted,
        failed: None,
    }
}
