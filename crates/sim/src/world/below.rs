//! Packets below the queue discipline: those that the driver and the device of a station hold.
//!
//! ```text
//! queue discipline -> up to `mac.hardware_queue` packets, the oldest one offered first -> access
//! ```
//! An aggregate takes the packets for its receiver, also those behind packets for others, as drivers with a queue for
//! each station do.
//!
//! The discipline gives packets as soon as there is a place, so what it decides later does not concern them. Each
//! access category has a queue of its own.

use std::collections::VecDeque;

use airtcp_packet::PacketId;
use airtcp_units::Nanos;

/// The packets below each queue of a medium.
#[derive(Debug, Default)]
pub(crate) struct Below {
    /// By queue, the number of places.
    places: Vec<usize>,
    /// By queue, packets with the times at which they entered the discipline.
    packets: Vec<VecDeque<(PacketId, Nanos)>>,
    /// True if a queue has a place.
    any: bool,
}

impl Below {
    /// Adds `count` queues with `places` places each.
    pub(crate) fn extend(&mut self, count: usize, places: usize) {
        self.places.resize(self.places.len() + count, places);
        self.packets.resize_with(self.places.len(), VecDeque::new);
        self.any |= places > 0;
    }

    /// True if there is a free place below a queue.
    pub(crate) fn has_place(&self, queue: usize) -> bool {
        self.any && self.packets[queue].len() < self.places[queue]
    }

    /// True if a queue has places at all.
    pub(crate) fn has_places(&self, queue: usize) -> bool {
        self.any && self.places[queue] > 0
    }

    pub(crate) fn push(&mut self, queue: usize, packet: PacketId, entered: Nanos) {
        self.packets[queue].push_back((packet, entered));
    }

    /// Takes the first packet below a queue.
    pub(crate) fn pop(&mut self, queue: usize) -> Option<(PacketId, Nanos)> {
        if self.any { self.packets[queue].pop_front() } else { None }
    }

    /// The first packet below a queue that meets a condition; it stays.
    pub(crate) fn find(&self, queue: usize, meets: impl Fn(PacketId) -> bool) -> Option<usize> {
        self.packets.get(queue)?.iter().position(|(packet, _)| meets(*packet))
    }

    /// The packet at a place below a queue.
    pub(crate) fn get(&self, queue: usize, place: usize) -> Option<PacketId> {
        self.packets.get(queue)?.get(place).map(|(packet, _)| *packet)
    }

    /// Takes the packet at a place below a queue.
    pub(crate) fn remove(&mut self, queue: usize, place: usize) -> Option<(PacketId, Nanos)> {
        self.packets.get_mut(queue)?.remove(place)
    }

    /// Number of packets.
    pub(crate) fn len(&self) -> u64 {
        if self.any { self.packets.iter().map(|queue| queue.len() as u64).sum() } else { 0 }
    }
}
