//! Replications with a bound on their events: for a caller that compares many variants of a scenario and must not
//! wait long for those in which much more happens.
//!
//! A replication that reaches the bound ends there. Its results are over the time simulated so far. An event may
//! process others of the same machine with it, so that a replication can exceed the bound by the packets of a queue.

use airtcp_probe::NoProbe;
use airtcp_scenario::{Resolved, ScenarioError};
use airtcp_units::Span;

use crate::build::TraceLoader;
use crate::own_laws::OwnLaws;
use crate::parallel::{Stop, default_workers, run_many};
use crate::pieces::Pieces;
use crate::results::Replication;
use crate::run::{CHUNK, prepare};

/// A replication that ran with a bound on its events.
#[derive(Debug, Clone, PartialEq)]
pub struct Bounded {
    /// The results. If the bound ended the replication, `duration_s` and `measured_s` are the time simulated until
    /// then, and all rates are over it. `measured_s` is 0 if it ended in the warm-up.
    pub replication: Replication,
    /// True if the bound ended the replication.
    pub reached_bound: bool,
}

/// Runs replication `number` of a plan for at most `most_events` events. Without reaching them, its results are those
/// of [`run_replication`](crate::run_replication). `None` if `stop` ended it. Call [`prepare`] before the first one.
///
/// # Errors
/// If a model refuses its parameters.
pub fn run_bounded_replication(
    plan: &Resolved,
    number: u32,
    most_events: u64,
    load: &TraceLoader<'_>,
    stop: &Stop,
) -> Result<Option<Bounded>, ScenarioError> {
    run_raised_replication(plan, number, most_events, |_| None, load, stop)
}

/// As [`run_bounded_replication`], with a bound that may rise: `raise` is called at the bound with the time measured so
/// far, and returns a larger bound, with which the replication goes on, or `None` to end it. The results are those of a
/// replication that had the last bound from the beginning.
///
/// # Errors
/// If a model refuses its parameters.
pub fn run_raised_replication(
    plan: &Resolved,
    number: u32,
    mut most_events: u64,
    mut raise: impl FnMut(Span) -> Option<u64>,
    load: &TraceLoader<'_>,
    stop: &Stop,
) -> Result<Option<Bounded>, ScenarioError> {
    let laws = OwnLaws::of(plan);
    let _begun = laws.begin(Some(number));
    let mut pieces = Pieces::begin(plan, number, load, NoProbe, 1)?;
    let mut reached_bound = false;
    loop {
        let left = most_events.saturating_sub(pieces.events());
        if left == 0 {
            if let Some(raised) = raise(pieces.measured()).filter(|raised| *raised > most_events) {
                most_events = raised;
                continue;
            }
            reached_bound = true;
            pieces.cut(plan);
            break;
        }
        // Some events are counted together with another one: approach the bound.
        let done = laws.around(|| pieces.advance(plan, (left / 4).clamp(1, CHUNK)));
        if stop.is_set() && !done {
            return Ok(None);
        }
        laws.check()?;
        if done {
            break;
        }
    }
    let (results, NoProbe) = pieces.end();
    Ok(results.into_iter().next().map(|replication| Bounded { replication, reached_bound }))
}

/// Runs the replications `numbers` of a plan on `workers` threads (all cores if `None`), each for at most
/// `most_events` events. Results are in the order of `numbers` and depend neither on the number of workers nor on the
/// other numbers. The calling thread calls `report` with the number of finished ones. If `report` returns false, the
/// run stops and keeps those.
///
/// # Errors
/// If the plan cannot run.
pub fn run_bounded(
    plan: &Resolved,
    numbers: &[u32],
    most_events: u64,
    load: &TraceLoader<'_>,
    workers: Option<usize>,
    report: impl FnMut(usize) -> bool,
) -> Result<Vec<Bounded>, ScenarioError> {
    prepare(plan, load)?;
    let job = |i: usize, stop: &Stop| {
        let done = run_bounded_replication(plan, numbers[i], most_events, load, stop);
        if done.is_err() {
            stop.set();
        }
        done.transpose()
    };
    let workers = workers.unwrap_or_else(default_workers);
    run_many(numbers.len(), workers, job, report).into_iter().flatten().collect()
}
