//! The receiver of the packets of each endpoint: what a queue that shares a link by receiver has to know.

use airtcp_scenario::Resolved;
use airtcp_units::Narrow;

use crate::world::routes::{Hop, Routes};

/// The receiver of packets that do not leave by the queue asked about.
const ELSEWHERE: u32 = u32::MAX;

/// By endpoint, its node.
pub(super) fn ends(plan: &Resolved) -> Vec<u32> {
    plan.flows.iter().flat_map(|flow| [flow.from, flow.to]).map(u32::narrow).collect()
}

/// By number of a hop through the air, the node where it ends.
pub(super) fn air_ends(plan: &Resolved) -> Vec<u32> {
    let hops = plan.air_hops().into_iter();
    hops.map(|hop| u32::narrow(plan.cells[hop.cell].nodes[hop.to])).collect()
}

/// By endpoint, the node that receives packets to it from the station of a node.
pub(super) fn over_the_air(
    plan: &Resolved,
    routes: &Routes,
    air_ends: &[u32],
    station: usize,
) -> Vec<u32> {
    let next = |end: u32| match routes.next(u32::narrow(station), end) {
        Some(Hop::Air(number)) => air_ends.get(number as usize).copied().unwrap_or(ELSEWHERE),
        Some(Hop::Link(_)) | None => ELSEWHERE,
    };
    ends(plan).into_iter().map(next).collect()
}

/// True if packets go to several receivers.
pub(super) fn has_several(receivers: &[u32]) -> bool {
    let mut known = receivers.iter().filter(|number| **number != ELSEWHERE);
    known.next().is_some_and(|first| known.any(|other| other != first))
}
