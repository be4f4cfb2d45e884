//! Estimate of a run's memory, before it starts.
//!
//! ```text
//! medium  = 60 B x stations x stations on the medium (power 8, list of hearers to 32, duplicates 20)
//! results = 8 kB a station + 4 kB a flow or direction of a link, for each replication
//! ```
//! The estimate counts memory that grows with the square of the stations or with replications. Windows and
//! queues bound the memory of packets. 5 kB of a station and 3 kB of a link are histograms of delays, each over ten
//! powers of two. Sizes are those of the structures on a 64-bit machine, rounded up.

use airtcp_scenario::{Cell, Resolved, ScenarioError};

use crate::parallel::default_workers;

/// Maximum memory of a run (a choice: what a laptop can spare).
const MAX_BYTES: u64 = 4 << 30;
/// Bytes for each pair of stations of a medium.
const PAIR: u64 = 60;
/// Bytes of a station's results in one replication.
const STATION: u64 = 8 << 10;
/// Bytes of the results of a flow, or of a direction of a link, in one replication.
const RESULT: u64 = 4 << 10;

/// Bytes of a plan's media in one replication, and of the results of all replications.
fn estimate(plan: &Resolved) -> (u64, u64) {
    let pairs = |cell: &Cell| {
        let own = cell.nodes.len() as u64;
        own * (own + cell.neighbours.len() as u64)
    };
    let media = PAIR * plan.cells.iter().map(pairs).sum::<u64>();
    let stations: u64 = plan.cells.iter().map(|c| c.nodes.len() as u64).sum();
    let each = STATION * stations + RESULT * (plan.flows.len() + plan.links.len()) as u64;
    (media, each.saturating_mul(u64::from(plan.scenario.replications)))
}

/// Refuses a plan with cells that would take too much memory.
///
/// # Errors
/// If the estimate is above 4 GiB.
pub(crate) fn check(plan: &Resolved) -> Result<(), ScenarioError> {
    if plan.cells.is_empty() {
        return Ok(());
    }
    let (medium, results) = estimate(plan);
    let replications = plan.scenario.replications;
    let at_once = u64::from(replications).min(default_workers() as u64);
    let media = medium.saturating_mul(at_once);
    let all = media.saturating_add(results);
    if all <= MAX_BYTES {
        return Ok(());
    }
    let stations: usize = plan.cells.iter().map(|c| c.nodes.len()).sum();
    let gib = |bytes: u64| bytes as f64 / (1u64 << 30) as f64;
    let message = format!(
        "{stations} stations and access points in {replications} replications would take about \
         {:.1} GiB ({:.1} for pairs of stations, {:.1} for results): expected up to {:.0} GiB; use \
         fewer stations or replications",
        gib(all),
        gib(media),
        gib(results),
        gib(MAX_BYTES)
    );
    Err(ScenarioError::at(if results > media { "replications" } else { "cells" }, message))
}
