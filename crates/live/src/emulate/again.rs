//! Recorded arrivals meet a scenario again.

use airtcp_scenario::{Resolved, ScenarioError};
use airtcp_sim::TraceLoader;
use airtcp_units::Nanos;

use super::core::{Emulation, Mac};
use super::fates::Fate;
use super::record::Arrival;

/// Runs a scenario with these arrivals, until `until`. Returns the fates in the order in which they were met.
///
/// # Errors
/// If the scenario cannot run.
pub fn replay(
    plan: &Resolved,
    macs: Vec<Mac>,
    load: &TraceLoader<'_>,
    arrivals: &[Arrival],
    until: Nanos,
) -> Result<Vec<Fate>, ScenarioError> {
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
    for arrival in arrivals.iter().take_while(|arrival| arrival.at <= until) {
        emulation.enter(arrival.port, &arrival.frame(), arrival.at);
        drain(&mut emulation);
    }
    emulation.run_until(until);
    drain(&mut emulation);
    Ok(fates)
}
