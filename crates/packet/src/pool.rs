//! Where packet records live while they travel.

use airtcp_units::{Nanos, Narrow};
use std::collections::BTreeMap;

use crate::{End, EndpointId, Fingerprint, Flags, Packet};

/// A handle to a packet in the pool. Generations make a stale handle detectable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct PacketId {
    index: u32,
    generation: u32,
}

/// Packets that were dropped for the same reason at the same place, on the way to the same endpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Dropped {
    /// Where, as a number of whoever drops.
    pub place: u64,
    /// Why, likewise.
    pub reason: u8,
    /// The endpoint they were for.
    pub to: EndpointId,
    /// Whether they carried payload.
    pub payload: bool,
    /// Whether they were ACKs alone: without payload, SYN, FIN and RST.
    pub ack: bool,
}

/// A pool of packet records with counts of what was created, what is still out, and what was dropped, and
/// the fingerprint of what became of all.
#[derive(Debug, Default)]
pub struct Pool {
    slots: Vec<Slot>,
    free: Vec<u32>,
    created: u64,
    absorbed: u64,
    dropped: BTreeMap<Dropped, u64>,
    fingerprint: Fingerprint,
}

#[derive(Debug)]
struct Slot {
    packet: Packet,
    generation: u32,
}

impl Pool {
    /// An empty pool.
    pub const fn new() -> Self {
        Self {
            slots: Vec::new(),
            free: Vec::new(),
            created: 0,
            absorbed: 0,
            dropped: BTreeMap::new(),
            fingerprint: Fingerprint::new(),
        }
    }

    /// Puts a packet into the pool.
    #[inline]
    pub fn insert(&mut self, packet: Packet) -> PacketId {
        self.created += 1;
        if let Some(index) = self.free.pop() {
            let slot = &mut self.slots[index as usize];
            slot.packet = packet;
            PacketId { index, generation: slot.generation }
        } else {
            let index = u32::narrow(self.slots.len());
            self.slots.push(Slot { packet, generation: 0 });
            PacketId { index, generation: 0 }
        }
    }

    /// The packet, for reading.
    ///
    /// # Panics
    /// In debug builds, if the handle is stale: a packet was used after it was taken out.
    #[inline]
    pub fn get(&self, id: PacketId) -> &Packet {
        let slot = &self.slots[id.index as usize];
        debug_assert_eq!(slot.generation, id.generation, "stale packet handle");
        &slot.packet
    }

    /// Whether the packet of a handle is still here.
    pub fn contains(&self, id: PacketId) -> bool {
        self.slots.get(id.index as usize).is_some_and(|slot| slot.generation == id.generation)
    }

    /// The packet, for changing (a queue marks it, for instance).
    ///
    /// # Panics
    /// In debug builds, if the handle is stale.
    #[inline]
    pub fn get_mut(&mut self, id: PacketId) -> &mut Packet {
        let slot = &mut self.slots[id.index as usize];
        debug_assert_eq!(slot.generation, id.generation, "stale packet handle");
        &mut slot.packet
    }

    /// Takes the packet out: delivered, or dropped.
    ///
    /// # Panics
    /// In debug builds, if the handle is stale: a packet ended twice.
    #[inline]
    pub fn remove(&mut self, id: PacketId) -> Packet {
        let slot = &mut self.slots[id.index as usize];
        debug_assert_eq!(slot.generation, id.generation, "stale packet handle");
        slot.generation = slot.generation.wrapping_add(1);
        self.free.push(id.index);
        slot.packet
    }

    /// Puts in a packet that an endpoint sends at `now`.
    #[inline]
    pub fn send(&mut self, now: Nanos, packet: Packet) -> PacketId {
        self.fingerprint.sent(now, packet.to.peer());
        self.insert(packet)
    }

    /// A packet has come out at the end of the link or station queue of number `place`.
    #[inline]
    pub fn arrived(&mut self, now: Nanos, place: u64, id: PacketId) -> &Packet {
        let packet = &self.slots[id.index as usize].packet;
        self.fingerprint.ended(now, End::Arrived, place, packet);
        packet
    }

    /// The fingerprint of what has become of packets so far.
    pub const fn fingerprint(&self) -> Fingerprint {
        self.fingerprint
    }

    /// Takes out a packet that is dropped at `now`, and counts it under `place` and `reason`.
    ///
    /// # Panics
    /// In debug builds, if the handle is stale: a packet ended twice.
    pub fn discard(&mut self, now: Nanos, id: PacketId, place: u64, reason: u8) -> Packet {
        let packet = self.remove(id);
        self.fingerprint.ended(now, End::Dropped(reason), place, &packet);
        let Packet { to, segment } = packet;
        let payload = segment.len > 0;
        let others = [Flags::SYN, Flags::FIN, Flags::RST];
        let ack = !payload && !others.iter().any(|flag| segment.flags.has(*flag));
        let key = Dropped { place, reason, to, payload, ack };
        *self.dropped.entry(key).or_default() += 1;
        packet
    }

    /// Takes out a packet that a machine at a node absorbs at `now`; `place` is a number of the node.
    pub fn absorb(&mut self, now: Nanos, id: PacketId, place: u64) {
        let packet = self.remove(id);
        self.fingerprint.ended(now, End::Absorbed, place, &packet);
        self.absorbed += 1;
    }

    /// Packets absorbed on their way.
    pub const fn absorbed(&self) -> u64 {
        self.absorbed
    }

    /// How many packets were dropped, by place, reason and flow.
    pub const fn dropped(&self) -> &BTreeMap<Dropped, u64> {
        &self.dropped
    }

    /// Packets ever put in.
    pub const fn created(&self) -> u64 {
        self.created
    }

    /// Packets in the pool now: under way somewhere.
    pub fn in_flight(&self) -> u64 {
        (self.slots.len() - self.free.len()) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{EndpointId, Segment, Side};

    fn packet(flow: u32) -> Packet {
        Packet { to: EndpointId::new(flow, Side::Server), segment: Segment::default() }
    }

    #[test]
    fn counts_and_reuse() {
        let mut pool = Pool::new();
        let a = pool.insert(packet(1));
        let b = pool.insert(packet(2));
        assert_eq!(pool.get(b).to.flow(), 2);
        assert_eq!(pool.remove(a).to.flow(), 1);
        let c = pool.insert(packet(3));
        assert_ne!(a, c, "a reused slot gives a different handle");
        assert_eq!([a, b, c].map(|id| pool.contains(id)), [false, true, true]);
        assert_eq!((pool.created(), pool.in_flight()), (3, 2));
    }

    /// What opens or closes a connection is no ACK, even with the flag of one.
    #[test]
    fn dropped_packets_are_counted_by_what_they_are() {
        let mut pool = Pool::new();
        let ack = Flags::ACK;
        let kinds = [
            (1000, ack),
            (0, ack),
            (0, Flags::SYN),
            (0, Flags::SYN | ack),
            (0, Flags::FIN | ack),
            (0, Flags::RST),
        ];
        for (len, flags) in kinds {
            let mut dropped = packet(1);
            (dropped.segment.len, dropped.segment.flags) = (len, flags);
            let id = pool.insert(dropped);
            pool.discard(Nanos::ZERO, id, 0, 0);
        }
        let found: Vec<_> = pool.dropped().iter().map(|(k, n)| (k.payload, k.ack, *n)).collect();
        assert_eq!(found, [(false, false, 4), (false, true, 1), (true, false, 1)]);
    }

    #[test]
    #[cfg(debug_assertions)]
    #[should_panic(expected = "stale")]
    fn a_packet_ends_once() {
        let mut pool = Pool::new();
        let a = pool.insert(packet(1));
        pool.remove(a);
        pool.remove(a);
    }
}
