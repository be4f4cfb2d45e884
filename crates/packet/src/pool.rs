//! The pool of packet records.

use airtcp_units::{Nanos, Narrow};
use std::collections::BTreeMap;

use crate::device::{Completed, Devices};
use crate::{EndpointId, Fate, Fingerprint, Flags, Packet, Segment};

/// A handle to a packet in the pool. Generations make a stale handle detectable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct PacketId {
    index: u32,
    generation: u32,
}

/// Packets that were dropped for the same reason at the same place, on the way to the same endpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Dropped {
    /// Number of the link, queue or station that dropped them.
    pub place: u64,
    /// Number of the reason.
    pub reason: u8,
    /// Destination endpoint.
    pub to: EndpointId,
    /// True if they carried payload.
    pub payload: bool,
    /// True for pure ACKs: without payload, SYN, FIN and RST.
    pub ack: bool,
}

/// Number and length of dropped packets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct DropCount {
    /// Packets.
    pub packets: u64,
    /// Bytes of these packets, IP headers included.
    pub bytes: u64,
}

/// A pool of packet records. It counts created, live and dropped packets and keeps the run's
/// [`Fingerprint`].
#[derive(Debug, Default)]
pub struct Pool {
    slots: Vec<Slot>,
    free: Vec<u32>,
    created: u64,
    absorbed: u64,
    dropped: BTreeMap<Dropped, DropCount>,
    fingerprint: Fingerprint,
    devices: Devices,
}

#[derive(Debug)]
struct Slot {
    packet: Packet,
    /// When the packet was put into its last queue.
    queued: Nanos,
    generation: u32,
    /// Length on the wire. Every queue and link on the way needs it.
    wire_len: u32,
}

impl PacketId {
    /// Number of the packet's place in the pool. Another packet may have it once this one has left the pool.
    pub const fn index(self) -> u32 {
        self.index
    }
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
            devices: Devices::new(),
        }
    }

    /// Puts a packet into the pool.
    #[inline]
    pub fn insert(&mut self, Packet { to, segment }: Packet) -> PacketId {
        self.put(to, &segment)
    }

    #[inline(always)]
    #[expect(clippy::inline_always, reason = "once a packet, and the call costs a third of it")]
    fn put(&mut self, to: EndpointId, segment: &Segment) -> PacketId {
        self.created += 1;
        let wire_len = segment.wire_len();
        if let Some(index) = self.free.pop() {
            let slot = &mut self.slots[index as usize];
            (slot.packet.to, slot.packet.segment) = (to, *segment);
            slot.wire_len = wire_len;
            PacketId { index, generation: slot.generation }
        } else {
            self.put_beside(Packet { to, segment: *segment }, wire_len)
        }
    }

    /// Puts a packet into a new slot.
    #[cold]
    fn put_beside(&mut self, packet: Packet, wire_len: u32) -> PacketId {
        let index = u32::narrow(self.slots.len());
        self.slots.push(Slot { packet, queued: Nanos::ZERO, generation: 0, wire_len });
        PacketId { index, generation: 0 }
    }

    /// The packet, for reading.
    ///
    /// # Panics
    /// In debug builds, if the handle is stale: the packet was removed before.
    #[inline]
    pub fn get(&self, id: PacketId) -> &Packet {
        let slot = &self.slots[id.index as usize];
        debug_assert_eq!(slot.generation, id.generation, "stale packet handle");
        &slot.packet
    }

    /// Length of the packet on the wire in bytes: [`Packet::wire_len`].
    ///
    /// # Panics
    /// In debug builds, if the handle is stale.
    #[inline]
    pub fn wire_len(&self, id: PacketId) -> u32 {
        let slot = &self.slots[id.index as usize];
        debug_assert_eq!(slot.generation, id.generation, "stale packet handle");
        slot.wire_len
    }

    /// Records that the packet is put into a queue at `now`.
    #[inline]
    pub fn set_queued(&mut self, now: Nanos, id: PacketId) {
        self.slots[id.index as usize].queued = now;
    }

    /// When the packet was put into its last queue.
    #[inline]
    pub fn queued(&self, id: PacketId) -> Nanos {
        self.slots[id.index as usize].queued
    }

    /// True if the packet is still in the pool.
    pub fn contains(&self, id: PacketId) -> bool {
        self.slots.get(id.index as usize).is_some_and(|slot| slot.generation == id.generation)
    }

    /// The packet, for changes such as an ECN mark. They must not change its length on the wire.
    ///
    /// # Panics
    /// In debug builds, if the handle is stale.
    #[inline]
    pub fn get_mut(&mut self, id: PacketId) -> &mut Packet {
        let slot = &mut self.slots[id.index as usize];
        debug_assert_eq!(slot.generation, id.generation, "stale packet handle");
        &mut slot.packet
    }

    /// Removes a delivered or dropped packet.
    ///
    /// # Panics
    /// In debug builds, if the handle is stale: the packet was removed before.
    #[inline]
    pub fn remove(&mut self, id: PacketId) -> Packet {
        let packet = *self.get(id);
        self.free(id);
        packet
    }

    /// Removes a delivered or dropped packet that the caller has read.
    ///
    /// # Panics
    /// In debug builds, if the handle is stale: the packet was removed before.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "once a packet, and the call costs a third of it")]
    pub fn free(&mut self, id: PacketId) {
        let slot = &mut self.slots[id.index as usize];
        debug_assert_eq!(slot.generation, id.generation, "stale packet handle");
        debug_assert_eq!(slot.wire_len, slot.packet.wire_len(), "the length has changed");
        slot.generation = slot.generation.wrapping_add(1);
        self.free.push(id.index);
        if self.devices.holds(id.index) {
            self.devices.drop_held(id.index, &slot.packet);
        }
    }

    /// The device of its sender's host has the packet. Its sender hears when the packet leaves the device, or the pool
    /// before that.
    pub fn hold(&mut self, id: PacketId) {
        self.devices.hold(id.index);
    }

    /// Takes a packet that its sender's device has to what transmits it, which calls [`complete`](Self::complete) with
    /// the result when it is done. `None` for other packets.
    #[inline]
    pub fn take_held(&mut self, id: PacketId) -> Option<Completed> {
        if !self.devices.holds(id.index) {
            return None;
        }
        let packet = *self.get(id);
        Some(self.devices.take_held(id.index, &packet))
    }

    /// A device has transmitted a packet, or has given it up.
    pub fn complete(&mut self, completed: Completed) {
        self.devices.complete(completed);
    }

    /// True if devices have completed packets that [`take_completed`](Self::take_completed) has not returned.
    #[inline]
    pub fn has_completed(&self) -> bool {
        self.devices.has_completed()
    }

    /// The next packet that a device has completed, in the order of completion.
    pub fn take_completed(&mut self) -> Option<Completed> {
        self.devices.take_completed()
    }

    /// Adds a packet that the peer of `to` sends at `now`.
    #[inline]
    pub fn send(&mut self, now: Nanos, to: EndpointId, segment: &Segment) -> PacketId {
        self.fingerprint.record_sent(now, to.peer());
        self.put(to, segment)
    }

    /// Records the arrival of a packet from the link or station with number `place`. Returns its destination and its
    /// length on the wire.
    #[inline]
    pub fn arrived(&mut self, now: Nanos, place: u64, id: PacketId) -> (EndpointId, u32) {
        let Slot { packet, wire_len, .. } = &self.slots[id.index as usize];
        self.fingerprint.record_fate(now, Fate::Arrived, place, packet);
        (packet.to, *wire_len)
    }

    /// The fingerprint so far.
    pub const fn fingerprint(&self) -> Fingerprint {
        self.fingerprint
    }

    /// Removes a packet that is dropped at `now`, and counts it under `place` and `reason`.
    ///
    /// # Panics
    /// In debug builds, if the handle is stale: the packet was removed before.
    pub fn discard(&mut self, now: Nanos, id: PacketId, place: u64, reason: u8) -> Packet {
        let packet = self.remove(id);
        self.fingerprint.record_fate(now, Fate::Dropped(reason), place, &packet);
        let Packet { to, segment } = packet;
        let payload = segment.len > 0;
        let others = [Flags::SYN, Flags::FIN, Flags::RST];
        let ack = !payload && !others.iter().any(|flag| segment.flags.has(*flag));
        let key = Dropped { place, reason, to, payload, ack };
        let count = self.dropped.entry(key).or_default();
        count.packets += 1;
        count.bytes += u64::from(packet.wire_len());
        packet
    }

    /// Removes a packet that a machine at a node absorbs at `now`; `place` is the number of the node.
    pub fn absorb(&mut self, now: Nanos, id: PacketId, place: u64) {
        let packet = self.remove(id);
        self.fingerprint.record_fate(now, Fate::Absorbed, place, &packet);
        self.absorbed += 1;
    }

    /// Number of absorbed packets.
    pub const fn absorbed(&self) -> u64 {
        self.absorbed
    }

    /// Number and bytes of dropped packets, by place, reason and flow.
    pub const fn dropped(&self) -> &BTreeMap<Dropped, DropCount> {
        &self.dropped
    }

    /// Packets added so far.
    pub const fn created(&self) -> u64 {
        self.created
    }

    /// Packets in the pool.
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

    /// A segment that opens or closes a connection does not count as an ACK, even with the ACK flag.
    #[test]
    fn drops_are_counted_by_kind_of_packet() {
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
        let of = |(k, n): (&Dropped, &DropCount)| (k.payload, k.ack, n.packets);
        let found: Vec<_> = pool.dropped().iter().map(of).collect();
        assert_eq!(found, [(false, false, 4), (false, true, 1), (true, false, 1)]);
        // IPv4 and TCP headers are 40 bytes.
        assert_eq!(pool.dropped().values().map(|n| n.bytes).collect::<Vec<_>>()[1..], [40, 1040]);
    }

    #[test]
    #[cfg(debug_assertions)]
    #[should_panic(expected = "stale")]
    fn removing_a_packet_twice_panics() {
        let mut pool = Pool::new();
        let a = pool.insert(packet(1));
        pool.remove(a);
        pool.remove(a);
    }
}
