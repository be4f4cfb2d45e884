//! The stations of each medium, by their numbers in events.

use airtcp_scenario::Resolved;
use airtcp_wifi::mac::category_name;

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

/// Names of the queues by their numbers in events: those of links, then those of stations, which under EDCA
/// have one queue for each category.
pub fn queue_names(plan: &Resolved) -> Vec<String> {
    let links = plan.links.iter().map(|link| link.name.clone());
    let stations = media(plan).into_iter().flatten().flat_map(|station| {
        let node = &plan.nodes[station.node];
        match plan.cells[station.cell].spec.categories() {
            1 => vec![node.clone()],
            several => (0..several).map(|c| format!("{node} {}", category_name(c))).collect(),
        }
    });
    links.chain(stations).collect()
}
