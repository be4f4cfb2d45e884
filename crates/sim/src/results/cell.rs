//! Results of a cell.

use airtcp_random::Seed;
use airtcp_scenario::Cell as Plan;
use airtcp_units::Nanos;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::boundary::BoundaryResult;
use super::delays::Spread;
use super::flow::FlowResult;
use super::station::{StationCounters, StationResult, station};
use crate::build::coverage::places;
use crate::world::medium::Medium;

/// Results of one cell in one replication.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CellResult {
    /// Name of the cell.
    pub name: String,
    /// Standard, band, width, streams and guard interval of a cell of 802.11n, ac or ax, defaults included.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phy: Option<String>,
    /// Number of its medium. Cells on one medium hear each other.
    pub medium: u32,
    /// Share of the measured time in which at least one of its frames was on the air.
    pub busy_share: f64,
    /// The access point first, then the stations.
    pub stations: Vec<StationResult>,
    /// Counts of the scheme at the transport boundary of the access point, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub boundary: Option<BoundaryResult>,
}

/// Counters of a cell at one instant.
pub(crate) struct CellCounters {
    at: Nanos,
    medium: u32,
    busy_ns: u64,
    stations: Vec<StationCounters>,
}

impl CellCounters {
    /// Counters of cell number `cell` of a medium.
    pub(crate) fn of(medium: &Medium, cell: usize, at: Nanos) -> Self {
        let stations = medium.stations(cell).map(|id| StationCounters::of(medium, id, at));
        let busy_ns = medium.cell.busy_ns(cell, at);
        Self { at, medium: medium.number, busy_ns, stations: stations.collect() }
    }

    /// Delays at each station since `then`, by category.
    pub(crate) fn spreads(&self, then: &Self) -> Vec<Vec<Spread>> {
        let both = self.stations.iter().zip(&then.stations);
        both.map(|(now, then)| now.spreads(then)).collect()
    }
}

/// What decides the rates of a cell of 802.11n, ac or ax, in words.
fn phy(plan: &Plan) -> Option<String> {
    let setup = plan.spec.setup().ok()?;
    setup.standard.has_mcs().then(|| setup.to_string())
}

/// The results of a cell, from its counters at the end of the warm-up and of the run.
pub(crate) fn cell(
    plan: &Plan,
    seed: Seed,
    flows: &[FlowResult],
    before: &CellCounters,
    after: &CellCounters,
) -> CellResult {
    // Without measured time there are no counts, and all shares are 0.
    let span = after.at.since(before.at).0.max(1) as f64;
    let names = plan.spec.node_names().into_iter().zip(places(plan, seed));
    let stations = names.zip(before.stations.iter().zip(&after.stations));
    CellResult {
        name: plan.spec.name.clone(),
        phy: phy(plan),
        medium: after.medium,
        busy_share: (after.busy_ns - before.busy_ns) as f64 / span,
        stations: stations
            .map(|((name, place), (then, now))| station(name, &place, flows, [then, now], span))
            .collect(),
        boundary: None,
    }
}
