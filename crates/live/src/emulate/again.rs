//! Recorded arrivals meet a scenario again, with its changes.

use airtcp_scenario::{Resolved, ScenarioError};
use airtcp_sim::TraceLoader;
use airtcp_units::Nanos;
use thiserror::Error;

use super::change::Set;
use super::core::{Emulation, Mac};
use super::fates::Fate;
use super::record::Recorded;

/// Why recorded arrivals cannot meet a scenario again.
#[derive(Debug, Error)]
pub enum AgainError {
    /// The scenario cannot run.
    #[error(transparent)]
    Scenario(#[from] ScenarioError),
    /// A change cannot be made. The scenario is not the one that the file was made with.
    #[error("{set}: {problem}")]
    Change {
        /// The change.
        set: Set,
        /// Why not.
        problem: String,
    },
}

/// Runs a scenario with these arrivals, until `until`. `changed` gives the plan after one more change. Returns the fates in the
/// order in which they were met.
///
/// # Errors
/// If the scenario cannot run, or cannot change so.
pub fn replay(
    plan: &Resolved,
    macs: Vec<Mac>,
    load: &TraceLoader<'_>,
    arrivals: &[Recorded],
    changed: &mut dyn FnMut(&Set) -> Result<Resolved, String>,
    until: Nanos,
) -> Result<Vec<Fate>, AgainError> {
    let mut emulation = Emulation::new(plan, macs, load)?;
    let mut fates = Vec::new();
    let mut drain = |emulation: &mut Emulation| {
        while let Some(frame) = emulation.leave() {
            emulation.recycle(frame.bytes);
        }
        while let Some(fate) = emulation.take_fate() {
            fates.push(fate);
        }
    };
    for recorded in arrivals.iter().take_while(|recorded| recorded.at() <= until) {
        match recorded {
            Recorded::Arrival(arrival) => {
                emulation.enter(arrival.port, &arrival.frame(), arrival.at);
            }
            Recorded::Change(at, set) => {
                emulation.run_until(*at);
                let problem = |problem| AgainError::Change { set: set.clone(), problem };
                let plan = changed(set).map_err(problem)?;
                emulation.change(set, &plan, load).map_err(|e| problem(e.to_string()))?;
            }
        }
        drain(&mut emulation);
    }
    emulation.run_until(until);
    drain(&mut emulation);
    Ok(fates)
}
