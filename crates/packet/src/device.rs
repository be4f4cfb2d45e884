//! Packets in the device of the host that sent them, for senders that limit how many these are.
//!
//! ```text
//! hold            the sender's host puts the packet into the queue of its device
//! take_held       the transmitter takes the packet out of the queue
//! complete        the transmitter is done with it: its sender hears of it
//! ```
//! A packet that leaves the pool while it is held (a queue dropped it) is completed thereby. Nothing is stored as long as
//! no packet is held.

use std::collections::VecDeque;

use crate::{EndpointId, Packet};

/// A packet that has left the device of its sender's host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Completed {
    /// Endpoint that sent the packet.
    pub from: EndpointId,
    /// Payload of the packet in bytes.
    pub bytes: u16,
}

impl Completed {
    const fn of(packet: &Packet) -> Self {
        Self { from: packet.to.peer(), bytes: packet.segment.len }
    }
}

/// The held packets of a pool, and the completed ones that the senders have not heard of.
#[derive(Debug, Default)]
pub(crate) struct Devices {
    /// By slot of the pool, true if the packet there is held.
    held: Vec<bool>,
    completed: VecDeque<Completed>,
}

impl Devices {
    pub(crate) const fn new() -> Self {
        Self { held: Vec::new(), completed: VecDeque::new() }
    }

    pub(crate) fn hold(&mut self, slot: u32) {
        let slot = slot as usize;
        if self.held.len() <= slot {
            self.held.resize(slot + 1, false);
        }
        self.held[slot] = true;
    }

    #[inline]
    pub(crate) fn holds(&self, slot: u32) -> bool {
        self.held.get(slot as usize).is_some_and(|held| *held)
    }

    #[cold]
    pub(crate) fn take_held(&mut self, slot: u32, packet: &Packet) -> Completed {
        if let Some(held) = self.held.get_mut(slot as usize) {
            *held = false;
        }
        Completed::of(packet)
    }

    /// A held packet leaves the pool.
    #[cold]
    pub(crate) fn drop_held(&mut self, slot: u32, packet: &Packet) {
        let completed = self.take_held(slot, packet);
        self.complete(completed);
    }

    pub(crate) fn complete(&mut self, completed: Completed) {
        self.completed.push_back(completed);
    }

    #[inline]
    pub(crate) fn has_completed(&self) -> bool {
        !self.completed.is_empty()
    }

    pub(crate) fn take_completed(&mut self) -> Option<Completed> {
        self.completed.pop_front()
    }
}

#[cfg(test)]
mod tests {
    use crate::{Completed, EndpointId, Packet, Pool, Segment, Side};

    fn packet(flow: u32, len: u16) -> Packet {
        Packet { to: EndpointId::new(flow, Side::Server), segment: Segment::datagram(0, len) }
    }

    #[test]
    fn each_held_packet_is_completed_once() {
        let mut pool = Pool::new();
        let [kept, sent, other] = [10, 20, 30].map(|len| pool.insert(packet(7, len)));
        pool.hold(kept);
        pool.hold(sent);
        let taken = pool.take_held(sent).unwrap();
        assert_eq!((pool.take_held(sent), pool.take_held(other)), (None, None));
        for id in [sent, other] {
            pool.remove(id);
        }
        assert!(!pool.has_completed(), "the transmitter has the packet, and the other is not held");
        pool.remove(kept);
        pool.complete(taken);
        let from = EndpointId::new(7, Side::Client);
        let of = |bytes| Some(Completed { from, bytes });
        assert_eq!([(); 3].map(|()| pool.take_completed()), [of(10), of(20), None]);
        // The slots are free for packets that nobody holds.
        let again = pool.insert(packet(7, 40));
        pool.remove(again);
        assert!(!pool.has_completed());
    }
}
