//! The stations of each medium, by their numbers in events.

use airtcp_scenario::Resolved;

/// A station on a medium.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MediumStation {
    /// Index of its cell in the plan.
    pub cell: usize,
    /// Its node.
    pub node: usize,
}

/// The stations of every medium. The indices are the numbers in
/// [`EventSource::Medium`](airtcp_probe::EventSource::Medium) and in
/// [`AirEvent`](airtcp_probe::air::AirEvent).
pub fn media(plan: &Resolved) -> Vec<Vec<MediumStation>> {
    let stations = |cell: usize| {
        plan.cells[cell].nodes.iter().map(move |node| MediumStation { cell, node: *node })
    };
    plan.media().into_iter().map(|cells| cells.into_iter().flat_map(stations).collect()).collect()
}
