//! Dropped packets of each flow, by place and reason.
//!
//! The pool counts drops; results start at the end of the warm-up. A lost frame that is retransmitted is not
//! a dropped packet.

use std::collections::BTreeMap;

use airtcp_packet::{DropCount, Dropped};
use airtcp_probe::{DropReason, EventSource, Probe};
use airtcp_scenario::Resolved;
use airtcp_units::LowBits;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::world::World;

/// Packets of one flow that were dropped at one place for one reason in one replication.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DropResult {
    /// Name of the flow.
    pub flow: String,
    /// True if the packets carried payload.
    pub payload: bool,
    /// True for pure ACKs: without payload, SYN, FIN and RST.
    pub ack: bool,
    /// Destination node.
    pub to: String,
    /// The link or the cell's station that dropped them.
    pub place: String,
    /// `queue_full`, `queue_early`, `loss`, `too_long`, `no_route`, `no_endpoint`, `retry_limit`,
    /// `lifetime`, `duplicate`, `ack_filtered` or `policed`.
    pub reason: String,
    /// Number of packets.
    pub packets: u64,
    /// Bytes of these packets, IP headers included.
    #[serde(default)]
    pub bytes: u64,
}

/// Counts of dropped packets, as the pool keeps them.
pub(crate) type Drops = BTreeMap<Dropped, DropCount>;

/// The drops between two instants.
pub(crate) fn since<P: Probe>(
    world: &World<P>,
    plan: &Resolved,
    before: &Drops,
    after: &Drops,
) -> Vec<DropResult> {
    let grown = after.iter().map(|(key, now)| {
        let then = before.get(key).copied().unwrap_or_default();
        (key, now.packets - then.packets, now.bytes - then.bytes)
    });
    let mut rows: Vec<DropResult> = Vec::new();
    // The places of the rows by all that names them. A station has a queue for each access category.
    let mut places = BTreeMap::new();
    for (key, packets, bytes) in grown.filter(|(_, packets, _)| *packets > 0) {
        let flow = plan.flows[key.to.flow() as usize].name.as_str();
        let reason = DropReason::ALL[usize::from(key.reason)].name();
        let to = plan.nodes[world.endpoints()[key.to.index()].node as usize].as_str();
        let place = place(world, plan, key.place);
        let alike = (flow, key.payload, key.ack, to, reason, place.clone());
        let row = *places.entry(alike).or_insert(rows.len());
        if row == rows.len() {
            rows.push(DropResult {
                flow: flow.to_owned(),
                payload: key.payload,
                ack: key.ack,
                to: to.to_owned(),
                place,
                reason: reason.to_owned(),
                packets: 0,
                bytes: 0,
            });
        }
        rows[row].packets += packets;
        rows[row].bytes += bytes;
    }
    rows
}

/// The name of the link or station with a number of [`EventSource::place`].
pub(crate) fn place<P: Probe>(world: &World<P>, plan: &Resolved, code: u64) -> String {
    let (part, links) = (u32::low_bits(code), plan.links.len());
    let of = |source: EventSource| source.place(part) == code;
    let number = ((code >> 32) & 0xff_ffff) as u32;
    let node = |node: u32| plan.nodes[node as usize].clone();
    if of(EventSource::Medium(number)) {
        return node(world.media()[number as usize].nodes[part as usize]);
    }
    if (of(EventSource::Queue(number)) || of(EventSource::Link(number)))
        && (number as usize) < links
    {
        return plan.links[number as usize].name.clone();
    }
    if of(EventSource::Queue(number)) {
        let station = world.media().iter().find_map(|medium| medium.node_of_queue(number));
        return station.map_or_else(|| "unknown".to_owned(), node);
    }
    // An endpoint: its node has no route.
    let end = world.endpoints().get(number as usize);
    end.map_or_else(|| "unknown".to_owned(), |end| node(end.node))
}
