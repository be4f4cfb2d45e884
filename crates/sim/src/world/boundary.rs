//! Boundaries: machines at nodes that see the packets that the nodes forward.
//!
//! A route through a boundary has a hop number behind the last hop through the air, so that packets
//! elsewhere are forwarded as without boundaries. `crossing.rs` moves the packets.

use std::ops::Range;

use airtcp_packet::Packet;
use airtcp_transport::middle::Middlebox;
use airtcp_wifi::cell::GivenUp;
use airtcp_wifi::mac::CATEGORIES;
use airtcp_wifi::node::NodeId;

use super::medium::AirHop;
use super::queue::MachineId;
use super::routes::Hop;

/// A machine at a node.
pub(crate) struct Boundary {
    /// Name of its scheme.
    pub(crate) scheme: &'static str,
    /// Number of its cell in the scenario.
    pub(crate) cell: usize,
    pub(crate) machine: Box<dyn Middlebox>,
    /// Its node.
    pub(crate) node: u32,
    /// Numbers of the flows that it acts on.
    pub(crate) flows: Vec<u32>,
    /// True if the packets that its node sends for these flows are its own.
    pub(super) splits: bool,
    /// Packets that it absorbed.
    pub(crate) absorbed: u64,
    /// Packets that it created.
    pub(crate) created: u64,
    /// Its place in the event queue.
    pub(super) timer: MachineId,
    pub(super) watch: Option<Watch>,
    /// Packets that it marked.
    pub(crate) marked: u64,
    pub(super) losses: Option<Losses>,
}

/// A station whose MAC acknowledgements a machine waits for.
pub(super) struct Watch {
    pub(super) medium: u32,
    pub(super) station: NodeId,
    /// By category.
    pub(super) heads: [Head; CATEGORIES],
}

/// The stations whose given-up frames a machine hears of.
pub(super) struct Losses {
    pub(super) medium: u32,
    /// The access point, and one past the last station of its cell.
    pub(super) stations: Range<NodeId>,
}

/// The head of a category before transmissions ended.
#[derive(Clone, Copy, Default)]
pub(super) struct Head {
    pub(super) packet: Option<Packet>,
    /// Its receiver lacked it.
    pub(super) is_waiting: bool,
    /// Packets of the category that had been acknowledged.
    pub(super) acknowledged: u64,
}

/// A hop that leads through a boundary.
pub(super) struct Crossing {
    pub(super) boundary: u32,
    /// It leaves a station that the boundary guards.
    pub(super) from_station: bool,
    /// The hop behind the boundary.
    pub(super) next: Hop,
}

/// All boundaries of a run.
#[derive(Default)]
pub(crate) struct Boundaries {
    pub(super) list: Vec<Boundary>,
    /// Numbered behind the hops through the air.
    pub(super) crossings: Vec<Crossing>,
    /// Number of hops through the air.
    pub(super) air_hops: u32,
}

impl Boundaries {
    /// The boundary of a cell.
    pub(crate) fn of_cell(&self, cell: usize) -> Option<&Boundary> {
        self.list.iter().find(|boundary| boundary.cell == cell)
    }

    /// Packets that boundaries absorbed.
    pub(crate) fn absorbed(&self) -> u64 {
        self.list.iter().map(|boundary| boundary.absorbed).sum()
    }

    /// True if a boundary hears of frames of a flow that are given up.
    pub(super) fn hears_losses(&self, flow: u32) -> bool {
        self.list.iter().any(|b| b.losses.is_some() && b.flows.contains(&flow))
    }

    /// Tells the boundaries of a packet that a station of a medium gave up.
    pub(super) fn on_given_up(&mut self, medium: u32, given_up: &GivenUp) {
        let GivenUp { station, from, segment, .. } = *given_up;
        let packet = Packet { to: from.peer(), segment };
        for boundary in &mut self.list {
            let heard = boundary.losses.as_ref().filter(|l| l.medium == medium);
            if let Some(losses) = heard.filter(|l| l.stations.contains(&station)) {
                boundary.machine.on_given_up(&packet, station == losses.stations.start);
            }
        }
    }

    /// True if a boundary at `node` has its own connections in place of those of a flow.
    pub(super) fn splits(&self, node: u32, flow: u32) -> bool {
        self.list.iter().any(|b| b.splits && b.node == node && b.flows.contains(&flow))
    }

    pub(super) fn crossing(&self, air: u32) -> Option<&Crossing> {
        self.crossings.get(air.checked_sub(self.air_hops)? as usize)
    }

    /// The hop through the air behind a boundary.
    #[cold]
    pub(super) fn behind<'a>(&self, mut air: u32, hops: &'a [AirHop]) -> Option<&'a AirHop> {
        while let Some(crossing) = self.crossing(air) {
            match crossing.next {
                Hop::Air(next) => air = next,
                Hop::Link(_) => return None,
            }
        }
        hops.get(air as usize)
    }
}

/// Inputs to add a boundary.
pub(crate) struct BoundaryPlan {
    pub(crate) scheme: &'static str,
    pub(crate) cell: usize,
    pub(crate) machine: Box<dyn Middlebox>,
    pub(crate) node: u32,
    pub(crate) flows: Vec<u32>,
    /// True if it ends the connections of these flows and has its own.
    pub(crate) splits: bool,
    /// By (node, destination), what the boundary sees, and whether it leaves a station.
    pub(crate) crossings: Vec<(u32, u32, bool)>,
}
