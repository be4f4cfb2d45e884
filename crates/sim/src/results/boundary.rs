//! What a run reports of the scheme at the transport boundary of an access point.

use airtcp_probe::Probe;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::world::transport::Transport;
use crate::world::{Endpoint, World};

/// Counts of the scheme at the transport boundary of an access point, since the start of the run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BoundaryResult {
    /// Name of the scheme.
    pub scheme: String,
    /// Packets that the scheme took and that went no further.
    pub absorbed_packets: u64,
    /// Packets that the scheme sent.
    pub created_packets: u64,
    /// ACKs that the scheme marked: what they show as missing was lost on the air.
    pub marked_packets: u64,
    /// Data segments that the access point retransmitted itself.
    pub retransmissions: u64,
    /// Segments dropped from a full cache.
    pub evictions: u64,
    /// Bytes that senders have been told arrived and that had not arrived when the run ended, over
    /// the flows that the scheme acts on.
    pub acknowledged_undelivered_bytes: u64,
}

/// Those of the cell of this number in the scenario.
pub(super) fn boundary<P: Probe>(world: &World<P>, cell: usize) -> Option<BoundaryResult> {
    let found = world.boundaries().of_cell(cell)?;
    let counts = found.machine.counts();
    let undelivered = found.flows.iter().map(|flow| {
        let first = 2 * *flow as usize;
        world.endpoints().get(first..first + 2).map_or(0, |ends| {
            acknowledged_ahead(&ends[0], &ends[1]) + acknowledged_ahead(&ends[1], &ends[0])
        })
    });
    Some(BoundaryResult {
        scheme: found.scheme.to_owned(),
        absorbed_packets: found.absorbed,
        created_packets: found.created,
        marked_packets: found.marked,
        retransmissions: counts.retransmissions,
        evictions: counts.evictions,
        acknowledged_undelivered_bytes: undelivered.sum(),
    })
}

/// Bytes that one end was told had arrived, and the other end does not have.
fn acknowledged_ahead(sender: &Endpoint, receiver: &Endpoint) -> u64 {
    match (&sender.transport, &receiver.transport) {
        (Transport::Tcp { connection: s, .. }, Transport::Tcp { connection: r, .. }) => {
            s.stats().bytes_acked.saturating_sub(r.delivered() + r.readable())
        }
        _ => 0,
    }
}
