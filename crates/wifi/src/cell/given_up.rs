//! Packets that the MAC gave up at the retry limit, for notices to their senders.
//!
//! A station knows that no attempt of a frame was acknowledged. It does not know why: noise, a
//! collision, an interferer, or a lost MAC ACK of a frame that arrived. It therefore reports every
//! packet whose frame it gave up, also one that its receiver has. Packets that queues drop and
//! packets whose lifetime expires are not reported. Nothing is recorded unless a sender asked.

use std::collections::VecDeque;

use airtcp_packet::{EndpointId, Flags, Packet, Segment};
use airtcp_units::Nanos;

use crate::mac::{CATEGORIES, Completion, Finished};
use crate::node::NodeId;

/// A packet that a station gave up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GivenUp {
    /// The station.
    pub station: NodeId,
    /// Endpoint that sent the packet.
    pub from: EndpointId,
    /// The packet's segment.
    pub segment: Segment,
    /// When the packet reached the head of its queue. A copy that its sender sent later is another
    /// packet.
    pub started: Nanos,
}

/// Packets that the stations of a medium gave up.
#[derive(Debug)]
pub(crate) struct GivenUpLog {
    /// By endpoint, whether it asked for notices.
    senders: Vec<bool>,
    /// By station and category, the data packets that it is sending, if their sender asked, by receiver and
    /// sequence number. A packet leaves the pool when its receiver has it, but its sender may still give up its
    /// frame.
    sending: Vec<[Vec<(NodeId, u16, EndpointId, Segment)>; CATEGORIES]>,
    given_up: VecDeque<GivenUp>,
}

impl GivenUpLog {
    pub(crate) fn new(senders: Vec<bool>, stations: usize) -> Self {
        Self { senders, sending: vec![Default::default(); stations], given_up: VecDeque::new() }
    }

    /// A packet comes to the head of a category, or joins an aggregate, with a sequence number.
    pub(crate) fn on_head(
        &mut self,
        station: NodeId,
        (category, to, sequence): (usize, NodeId, u16),
        packet: &Packet,
    ) {
        let (from, segment) = (packet.to.peer(), packet.segment);
        let asked = self.senders.get(from.index()).copied().unwrap_or_default();
        // No sender retransmits a pure acknowledgement.
        let carries = segment.len > 0 || segment.flags.has(Flags::FIN);
        if asked && carries {
            self.sending[station.index()][category].push((to, sequence, from, segment));
        }
    }

    /// A station has finished a packet.
    pub(crate) fn on_finished(&mut self, station: NodeId, done: &Finished) {
        let sending = &mut self.sending[station.index()][usize::from(done.category)];
        let own = (done.mpdu.to, done.mpdu.sequence);
        let place = sending.iter().position(|(to, sequence, ..)| (*to, *sequence) == own);
        let Some(place) = place else { return };
        let (.., from, segment) = sending.remove(place);
        if done.completion == Completion::GivenUp {
            let started = done.mpdu.head_since;
            self.given_up.push_back(GivenUp { station, from, segment, started });
        }
    }

    pub(crate) fn take(&mut self) -> Option<GivenUp> {
        self.given_up.pop_front()
    }
}
