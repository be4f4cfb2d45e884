//! The packets of one sequence of numbers: a transmitter, a receiver, a traffic identifier, a
//! fragment number.

use std::collections::VecDeque;

use airtcp_wire::ieee80211::block_ack;

use super::clock::Instant;
use super::packet::{Attempt, Fate, Packet};
use super::tally::Tally;
use crate::identity::Identity;

/// Attempts of the same number belong to one packet for this long.
const PACKET_LIMIT_NS: u64 = 1_000_000_000;
/// Numbers that are followed at a time, without and with block acknowledgements.
const WINDOW: usize = 8;
const BLOCK_WINDOW: usize = 256;
/// A larger step of the numbers is a new beginning, not a gap: the largest window of a transmitter
/// with block acknowledgements of 802.11ax.
const MAX_STEP: usize = 256;
/// Copies of an attempt at another interface are at most this far apart.
const COPY_NS: u64 = 10_000_000;
/// No A-MPDU takes longer (9.7.3).
const BURST_NS: u64 = 6_000_000;

/// TCP segments of one packet, an A-MSDU, that are kept.
const MAX_IDENTITIES: usize = 64;

/// What is known of a number.
#[derive(Debug, Clone)]
enum Slot {
    /// No attempt was captured.
    Missing,
    /// Nothing more to follow.
    Closed,
    Open(Packet),
}

/// Where an attempt belongs.
enum Place {
    Ahead(usize),
    Within(usize),
    Before(usize),
    Restart,
}

/// Packets of one sequence of numbers.
#[derive(Debug, Clone)]
pub(super) struct Flow {
    slots: VecDeque<Slot>,
    /// The number of the first slot; its low 12 bits are the sequence number.
    base: u64,
    /// The numbers belong to this flow alone, so that gaps are packets that were not captured.
    has_own_numbers: bool,
    has_block_acks: bool,
    /// Number of the burst: the attempts that one block acknowledgement answers.
    burst: u64,
    burst_at: Instant,
    burst_ampdu: Option<u32>,
    /// One more than the last burst of which a packet was sent again.
    retried: u64,
}

impl Flow {
    pub(super) fn new(has_own_numbers: bool) -> Self {
        Self {
            slots: VecDeque::new(),
            base: 1 << 20,
            has_own_numbers,
            has_block_acks: false,
            burst: 0,
            burst_at: Instant::default(),
            burst_ampdu: None,
            retried: 0,
        }
    }

    /// True if a number is near the last one: what a damaged header must show to be believed.
    pub(super) fn is_near(&self, sequence: u16) -> bool {
        !self.slots.is_empty() && !matches!(self.place(sequence), Place::Restart)
    }

    fn place(&self, sequence: u16) -> Place {
        let Some(head) = self.slots.len().checked_sub(1) else { return Place::Restart };
        let last = u16::try_from((self.base + head as u64) & 0xfff).unwrap_or(0);
        let step = usize::from(sequence.wrapping_sub(last) & 0xfff);
        let back = 4096 - step;
        match step {
            0 => Place::Within(head),
            1..=MAX_STEP => Place::Ahead(step),
            _ if back <= head => Place::Within(head - back),
            _ if back <= MAX_STEP => Place::Before(back - head),
            _ => Place::Restart,
        }
    }

    /// Takes an attempt; the number of its packet. A copy from another interface is only counted.
    pub(super) fn on_attempt(&mut self, attempt: &Attempt, tally: &mut Tally) -> u64 {
        let index = match self.place(attempt.sequence) {
            Place::Within(index) => index,
            Place::Ahead(step) => {
                if step > 1 {
                    self.on_gap();
                }
                self.slots.extend((0..step).map(|_| Slot::Missing));
                self.slots.len() - 1
            }
            Place::Before(steps) => {
                for _ in 0..steps {
                    self.slots.push_front(Slot::Closed);
                }
                self.base -= steps as u64;
                0
            }
            Place::Restart => {
                self.close(tally);
                self.base = ((self.base >> 12) + 2) << 12 | u64::from(attempt.sequence);
                self.slots.push_back(Slot::Missing);
                0
            }
        };
        if matches!(&self.slots[index], Slot::Open(packet) if is_copy(packet, attempt)) {
            tally.copies += 1;
            return self.base + index as u64;
        }
        self.follow_burst(attempt, index);
        let number = self.base + index as u64;
        let burst = self.burst;
        match &mut self.slots[index] {
            Slot::Open(packet) if continues(packet, attempt) => {
                self.retried = self.retried.max(packet.burst + 1);
                packet.on_retry(attempt, burst, tally);
            }
            slot => {
                if let Slot::Open(packet) = slot {
                    packet.close(true, tally);
                }
                *slot = Slot::Open(Packet::new(attempt, burst, tally));
            }
        }
        self.forget(&attempt.at, tally);
        number
    }

    /// An attempt begins a new burst, or belongs to the current one.
    fn follow_burst(&mut self, attempt: &Attempt, index: usize) {
        let again = matches!(&self.slots[index], Slot::Open(packet) if packet.burst == self.burst);
        let is_other = match (attempt.ampdu, self.burst_ampdu) {
            (Some(now), Some(then)) => now != then,
            _ => false,
        };
        let late = attempt.at.since(&self.burst_at).ns > BURST_NS;
        if again || is_other || late {
            self.burst += 1;
            self.burst_at = attempt.at;
        }
        self.burst_ampdu = attempt.ampdu;
    }

    /// Numbers were skipped: an acknowledgement without data belongs to them.
    fn on_gap(&mut self) {
        if !self.has_own_numbers || self.has_block_acks {
            return;
        }
        if let Some(Slot::Open(packet)) = self.slots.back_mut() {
            packet.arrived_unseen = false;
        }
    }

    /// Forgets the packets that are too old, and those that leave the window.
    fn forget(&mut self, now: &Instant, tally: &mut Tally) {
        let window = if self.has_block_acks { BLOCK_WINDOW } else { WINDOW };
        while self.slots.len() > 1 {
            let is_old = match self.slots.front() {
                Some(Slot::Open(packet)) => now.since(&packet.last.at).ns > PACKET_LIMIT_NS,
                Some(Slot::Closed) => true,
                _ => false,
            };
            if !is_old && self.slots.len() <= window {
                break;
            }
            match self.slots.pop_front() {
                Some(Slot::Open(packet)) => packet.close(true, tally),
                Some(Slot::Missing) => tally.gaps += u64::from(self.has_own_numbers),
                _ => {}
            }
            self.base += 1;
        }
    }

    fn packet(&mut self, number: u64) -> Option<&mut Packet> {
        let index = usize::try_from(number.checked_sub(self.base)?).ok()?;
        match self.slots.get_mut(index) {
            Some(Slot::Open(packet)) => Some(packet),
            _ => None,
        }
    }

    /// True the first time for each packet: its payload has not been passed on yet.
    pub(super) fn is_new(&mut self, number: u64) -> bool {
        self.packet(number).is_some_and(|p| !std::mem::replace(&mut p.is_passed_on, true))
    }

    /// Keeps which TCP segment a packet holds.
    pub(super) fn identify(&mut self, number: u64, identity: Identity) {
        if let Some(kept) = self.packet(number).and_then(|packet| packet.kept.as_mut())
            && kept.identities.len() < MAX_IDENTITIES
        {
            kept.identities.push(identity);
        }
    }

    /// The last attempt of a packet was acknowledged.
    pub(super) fn on_ack(&mut self, number: u64, at: &Instant, ack_ns: u64, tally: &mut Tally) {
        if let Some(packet) = self.packet(number) {
            packet.on_ack(at, ack_ns, tally);
        }
    }

    /// An attempt that was not captured was acknowledged.
    pub(super) fn on_ack_without_data(&mut self, tally: &mut Tally) {
        tally.acks_without_data += 1;
        if let Some(Slot::Open(packet)) = self.slots.back_mut() {
            packet.arrived_unseen = packet.fate != Fate::Acked;
        }
    }

    /// Takes a block acknowledgement.
    pub(super) fn on_block_ack(
        &mut self,
        block: &block_ack::Packet<'_>,
        at: &Instant,
        ack_ns: u64,
        tally: &mut Tally,
    ) {
        self.has_block_acks = true;
        let (start, skip) = match self.place(block.start()) {
            Place::Ahead(step) => (self.slots.len() - 1 + step, 0),
            Place::Within(index) => (index, 0),
            Place::Before(steps) => (0, steps),
            Place::Restart => return,
        };
        let (current, retried) = (self.burst, self.retried);
        for bit in skip..block.bits() {
            let index = start + bit - skip;
            let has = block.has(bit);
            while has && index >= self.slots.len() {
                self.slots.push_back(Slot::Missing);
            }
            match self.slots.get_mut(index) {
                Some(slot @ Slot::Missing) if has => {
                    tally.acks_without_data += 1;
                    tally.gaps += 1;
                    *slot = Slot::Closed;
                }
                Some(Slot::Open(packet)) => {
                    let is_answer = packet.burst == current;
                    let was_retried = retried > packet.burst;
                    match (packet.fate, has) {
                        (Fate::Unanswered, false) if is_answer => packet.fate = Fate::Refused,
                        // An earlier block acknowledgement was not captured, unless others of the
                        // same burst were sent again: then the retry was not captured.
                        (Fate::Unanswered, true) if is_answer || !was_retried => {
                            packet.on_ack(at, ack_ns, tally);
                        }
                        (Fate::Unanswered | Fate::Refused, true) if !packet.arrived_unseen => {
                            packet.arrived_unseen = true;
                            tally.acks_without_data += 1;
                        }
                        _ => {}
                    }
                }
                _ => {}
            }
        }
        self.burst += 1;
        self.burst_at = *at;
        self.forget(at, tally);
    }

    /// Ends all packets.
    fn close(&mut self, tally: &mut Tally) {
        for slot in std::mem::take(&mut self.slots) {
            match slot {
                Slot::Open(packet) => packet.close(true, tally),
                Slot::Missing => tally.gaps += u64::from(self.has_own_numbers),
                Slot::Closed => {}
            }
        }
    }

    /// Ends all packets at the end of the capture.
    pub(super) fn finish(mut self, end: &Instant, tally: &mut Tally) {
        let head = self.slots.len().saturating_sub(1);
        for (index, slot) in std::mem::take(&mut self.slots).into_iter().enumerate() {
            match slot {
                Slot::Open(packet) => {
                    let is_over = end.since(&packet.last.at).ns > PACKET_LIMIT_NS;
                    let is_next_seen = index < head && !self.has_block_acks;
                    let is_passed = packet.burst + 2 < self.burst;
                    packet.close(is_over || is_next_seen || is_passed, tally);
                }
                Slot::Missing => tally.gaps += u64::from(self.has_own_numbers),
                Slot::Closed => {}
            }
        }
    }
}

/// True if an attempt was captured at another interface too.
fn is_copy(packet: &Packet, attempt: &Attempt) -> bool {
    let last = &packet.last;
    last.at.interface != attempt.at.interface
        && last.retry == attempt.retry
        && attempt.at.host_ns.abs_diff(last.at.host_ns) < COPY_NS
}

/// True if an attempt belongs to the packet that had its number before.
fn continues(packet: &Packet, attempt: &Attempt) -> bool {
    attempt.retry && attempt.at.since(&packet.last.at).ns <= PACKET_LIMIT_NS
}

#[cfg(test)]
mod tests;
