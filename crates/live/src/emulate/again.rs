//! Recorded arrivals meet a scenario again, with its changes.

use airtcp_scenario::Resolved;
use airtcp_sim::TraceLoader;
use airtcp_units::Nanos;
use thiserror::Error;

use super::change::Set;
use super::core::Emulation;
use super::fates::Fate;
use super::record::Recorded;

/// A change cannot be made: the scenario is not the one that the file was made with.
#[derive(Debug, Error)]
#[error("{set}: {problem}")]
pub struct AgainError {
    /// The change.
    pub set: Set,
    /// Why not.
    pub problem: String,
}

/// Runs an emulation at its start with these arrivals, until `until`. `changed` gives the plan after one more change. Returns the fates in the
/// order in which they were met.
///
/// # Errors
/// If the scenario cannot change so.
pub fn replay(
    mut emulation: Emulation,
    load: &TraceLoader<'_>,
    arrivals: &[Recorded],
    changed: &mut dyn FnMut(&Set) -> Result<Resolved, String>,
    until: Nanos,
) -> Result<Vec<Fate>, AgainError> {
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
                let problem = |problem| AgainError { set: set.clone(), problem };
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
