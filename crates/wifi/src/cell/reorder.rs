//! Reorder buffers: a receiver hands packets over in the order of their sequence numbers.
//!
//! ```text
//! expected      handed over, with those behind it that wait
//! ahead         waits, until the missing ones come, or
//!                 - a later MPDU moves the window: its start becomes sequence - window + 1
//!                 - a BlockAckReq moves the window: its start becomes the one that it names
//!                 - it has waited for the timeout, and so has no other one before it
//! behind        is old: the receiver discards it
//! ```
//! The sender numbers its sessions. With a new session the receiver hands over all that waits, and the window
//! starts at the first MPDU of the first frame that it receives.
//!
//! Each sender and category has a buffer of its own, which is found once for all MPDUs of a PPDU. Distances are modulo 4096; one below 2048 is ahead. Source:
//! IEEE 802.11-2020 clause 10.25.6.6 (receive reordering buffer). The standard has no timeout; the rule and its 100 ms
//! are those of Linux's mac80211 (`HT_RX_REORDER_BUF_TIMEOUT`).

use std::collections::{BTreeMap, VecDeque};

use airtcp_units::{Nanos, Span};

use super::outbox::Outbox;
use super::packet::Delivery;
use crate::mac::distance;
use crate::node::NodeId;

/// Receiver, sender and category.
pub(crate) type Session = (NodeId, NodeId, u8);

/// The packets of an MPDU: the first, and those behind it (A-MSDU).
#[derive(Debug, Clone)]
pub(crate) struct Deliveries {
    pub(crate) first: Delivery,
    pub(crate) more: Vec<Delivery>,
}

impl Deliveries {
    /// Hands over the packets. Returns their number.
    pub(crate) fn hand_over(self, out: &mut Outbox) -> u64 {
        out.deliver(self.first);
        let packets = 1 + self.more.len() as u64;
        self.more.into_iter().for_each(|delivery| out.deliver(delivery));
        packets
    }
}

/// An MPDU that waits.
#[derive(Debug, Clone)]
struct Held {
    packets: Deliveries,
    since: Nanos,
}

/// The buffer of a session.
#[derive(Debug, Default)]
struct Buffer {
    /// The expected sequence number.
    start: u16,
    /// From `start` on, what waits.
    slots: VecDeque<Option<Held>>,
    /// Which of the sender's sessions it belongs to.
    number: u8,
}

/// The buffers of a medium.
#[derive(Debug)]
pub(crate) struct ReorderBuffers {
    buffers: Vec<Buffer>,
    /// By session, the place of its buffer.
    places: BTreeMap<Session, usize>,
    held: u64,
    /// No packet has waited for the timeout before this.
    next: Nanos,
}

impl Buffer {
    /// Moves the start of the window ahead, and hands over what waits before it.
    fn move_to(&mut self, start: u16, out: &mut Outbox) -> u64 {
        let mut released = 0;
        while self.start != start {
            self.start = (self.start + 1) % 4096;
            if let Some(held) = self.slots.pop_front().flatten() {
                released += held.packets.hand_over(out);
            } else if self.slots.is_empty() {
                self.start = start;
            }
        }
        released + self.release(out)
    }

    /// Hands over all that waits, and begins anew at `start`.
    fn restart(&mut self, start: u16, out: &mut Outbox) -> u64 {
        self.start = start;
        self.slots.drain(..).flatten().map(|held| held.packets.hand_over(out)).sum()
    }

    /// Hands over what waits at the start.
    fn release(&mut self, out: &mut Outbox) -> u64 {
        let mut released = 0;
        while matches!(self.slots.front(), Some(Some(_))) {
            let held = self.slots.pop_front().flatten();
            released += held.map_or(0, |held| held.packets.hand_over(out));
            self.start = (self.start + 1) % 4096;
        }
        released
    }

    /// The first packet that waits: its distance from the start, and since when.
    fn first(&self) -> Option<(u16, Nanos)> {
        let place =
            |(place, held): (u16, &Option<Held>)| held.as_ref().map(|held| (place, held.since));
        (0..).zip(&self.slots).find_map(place)
    }

    /// When the first packet that waits has waited for the timeout; never if none waits.
    fn deadline(&self, timeout: Span) -> Nanos {
        self.first().map_or(Nanos::NEVER, |(_, since)| since + timeout)
    }
}

impl ReorderBuffers {
    pub(crate) const fn new() -> Self {
        Self { buffers: Vec::new(), places: BTreeMap::new(), held: 0, next: Nanos::NEVER }
    }

    /// Packets that wait.
    pub(crate) const fn held(&self) -> u64 {
        self.held
    }

    /// Time at which [`Self::expire`] may hand over packets.
    pub(crate) const fn next(&self) -> Nanos {
        self.next
    }

    /// True if a session has begun.
    pub(crate) fn has(&self, session: Session) -> bool {
        self.places.contains_key(&session)
    }

    /// Begins session number `number` of a sender at `start`, unless that is the current one. Returns the place of its
    /// buffer.
    pub(crate) fn open(
        &mut self,
        session: Session,
        number: u8,
        start: u16,
        out: &mut Outbox,
    ) -> usize {
        let place = *self.places.entry(session).or_insert_with(|| {
            self.buffers.push(Buffer::default());
            self.buffers.len() - 1
        });
        let buffer = &mut self.buffers[place];
        if buffer.number != number {
            buffer.number = number;
            self.held -= buffer.restart(start, out);
        }
        place
    }

    /// Takes a packet with a sequence number if that is the expected one and nothing waits: the first case of
    /// [`Self::take`]. False otherwise.
    #[inline]
    pub(crate) fn take_next(
        &mut self,
        place: usize,
        sequence: u16,
        packet: Delivery,
        out: &mut Outbox,
    ) -> bool {
        let buffer = &mut self.buffers[place];
        let is_next = buffer.start == sequence && buffer.slots.is_empty();
        if is_next {
            buffer.start = (sequence + 1) % 4096;
            out.deliver(packet);
        }
        is_next
    }

    /// Takes an MPDU with a sequence number into the buffer at a place. Returns its packets if it is old, so that the
    /// receiver discards it.
    pub(crate) fn take(
        &mut self,
        now: Nanos,
        place: usize,
        sequence: u16,
        (window, timeout): (u16, Span),
        packets: Deliveries,
        out: &mut Outbox,
    ) -> Result<(), Deliveries> {
        let buffer = &mut self.buffers[place];
        let mut ahead = distance(buffer.start, sequence);
        if ahead >= 2048 {
            return Err(packets);
        }
        if ahead >= window {
            let start = (buffer.start + (ahead - window + 1)) % 4096;
            self.held -= buffer.move_to(start, out);
            ahead = distance(buffer.start, sequence);
        }
        if ahead == 0 {
            packets.hand_over(out);
            buffer.start = (buffer.start + 1) % 4096;
            buffer.slots.pop_front();
            self.held -= buffer.release(out);
            self.next = self.next.min(buffer.deadline(timeout));
            return Ok(());
        }
        let place = usize::from(ahead);
        if buffer.slots.len() <= place {
            buffer.slots.resize(place + 1, None);
        }
        if buffer.slots[place].is_some() {
            return Err(packets);
        }
        self.held += 1 + packets.more.len() as u64;
        buffer.slots[place] = Some(Held { packets, since: now });
        self.next = self.next.min(buffer.deadline(timeout));
        Ok(())
    }

    /// Moves the start of the window at a place, if it moves ahead.
    pub(crate) fn move_window(
        &mut self,
        place: usize,
        start: u16,
        timeout: Span,
        out: &mut Outbox,
    ) {
        let buffer = &mut self.buffers[place];
        if distance(buffer.start, start) < 2048 {
            self.held -= buffer.move_to(start, out);
            self.next = self.next.min(buffer.deadline(timeout));
        }
    }

    /// Hands over packets that have waited for the timeout; `timeout` gives it for a receiver.
    pub(crate) fn expire(
        &mut self,
        now: Nanos,
        timeout: impl Fn(NodeId) -> Span,
        out: &mut Outbox,
    ) {
        self.next = Nanos::NEVER;
        for ((receiver, ..), place) in &self.places {
            let (buffer, timeout) = (&mut self.buffers[*place], timeout(*receiver));
            while let Some((ahead, since)) = buffer.first() {
                if since + timeout > now {
                    self.next = self.next.min(since + timeout);
                    break;
                }
                let start = (buffer.start + ahead) % 4096;
                self.held -= buffer.move_to(start, out);
            }
        }
    }
}

#[cfg(test)]
mod tests;
