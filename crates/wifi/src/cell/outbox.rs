//! What a medium tells the world: received packets, and the stations that want one.

use std::collections::VecDeque;

use super::packet::Delivery;
use crate::node::NodeId;

/// What the world has not taken yet.
#[derive(Debug, Default)]
pub(super) struct Outbox {
    delivered: VecDeque<Delivery>,
    /// Stations ready for their next packet.
    ready: Vec<NodeId>,
    /// Stations whose aggregate the world may fill at this instant.
    filling: Vec<NodeId>,
}

impl Outbox {
    /// A packet has reached its station.
    #[inline]
    pub(super) fn deliver(&mut self, delivery: Delivery) {
        self.delivered.push_back(delivery);
    }

    /// The next packet received.
    #[inline]
    pub(super) fn poll(&mut self) -> Option<Delivery> {
        self.delivered.pop_front()
    }

    /// A station may want another packet.
    #[inline]
    pub(super) fn ready_again(&mut self, station: NodeId) {
        self.ready.push(station);
    }

    /// A station is done with a packet. Its packets of one instant count once.
    #[inline]
    pub(super) fn done_with_packet(&mut self, station: NodeId) {
        if self.ready.last() != Some(&station) {
            self.ready.push(station);
        }
    }

    /// True if a station may want another packet.
    #[inline]
    pub(super) const fn has_ready(&self) -> bool {
        !self.ready.is_empty()
    }

    /// The next station that may want another packet.
    #[inline]
    pub(super) fn take_ready(&mut self) -> Option<NodeId> {
        self.ready.pop()
    }

    /// The frame of a station waits for packets of the world, before it begins at this instant.
    pub(super) fn wants_filling(&mut self, station: NodeId) {
        self.filling.push(station);
    }

    /// True if frames wait for packets.
    #[inline]
    pub(super) const fn is_filling(&self) -> bool {
        !self.filling.is_empty()
    }

    /// The station of number `place` whose frame waits for packets. `None` beyond the last one.
    pub(super) fn filling(&self, place: usize) -> Option<NodeId> {
        self.filling.get(place).copied()
    }

    /// The frames of this instant have their packets.
    pub(super) fn filled(&mut self) {
        self.filling.clear();
    }
}
