//! The receiving half: which symbols are known, and what the sender is told.
//!
//! The decoder eliminates on coefficients and heads exactly as one with payload would: it knows a
//! symbol when, and only when, its bytes could be computed from what arrived.

use airtcp_fec::{WindowDecoder, coefficients};
use airtcp_packet::{Ecn, ack_bitmap};

use super::content::Content;
use super::stats::SlidingStats;
use super::wire::{Feedback, Packet, Payload};

/// Density of RFC 8681 that leaves no coefficient zero.
pub(super) const DENSITY: u8 = 15;
/// Packets that feedback tells of.
const BITMAP_LEN: u64 = ack_bitmap::BITMAP_LEN as u64;
/// Symbols held: twice what a sender may have under way, as it learns late what was delivered.
const HELD: usize = 1 << 16;
/// Combinations that wait for more: bounds memory and work, whatever a sender does.
const MAX_WAITING: usize = 512;

/// The receiving half of an end.
#[derive(Debug)]
pub(crate) struct Receiver<S: Content> {
    decoder: WindowDecoder<S>,
    /// The first symbol not delivered.
    next: u64,
    delivered: u64,
    /// What was delivered and not read.
    unread: S::Data,
    closed: bool,
    greatest: Option<u64>,
    arrived: u128,
    /// Packets that came with CE.
    marked: u32,
    owed: bool,
}

impl<S: Content> Receiver<S> {
    pub(crate) fn new() -> Self {
        Self {
            decoder: WindowDecoder::new(HELD),
            next: 0,
            delivered: 0,
            unread: S::Data::default(),
            closed: false,
            greatest: None,
            arrived: 0,
            marked: 0,
            owed: false,
        }
    }

    /// In-order bytes handed to the application.
    pub(crate) const fn delivered(&self) -> u64 {
        self.delivered
    }

    /// What was delivered since this was last called.
    pub(crate) fn read(&mut self) -> S::Data {
        std::mem::take(&mut self.unread)
    }

    /// The stream is over and delivered.
    pub(crate) const fn is_closed(&self) -> bool {
        self.closed
    }

    /// Numbers near to which the next ones will be: of packets and of symbols.
    pub(crate) fn near(&self) -> (u64, u64) {
        (self.greatest.unwrap_or(0), self.next)
    }

    /// Takes a data packet and what it carries.
    pub(crate) fn take(&mut self, packet: &Packet, content: S, ecn: Ecn, stats: &mut SlidingStats) {
        self.owed = true;
        if !self.note_arrival(packet.number) {
            stats.useless += 1;
            return;
        }
        if ecn == Ecn::Ce {
            self.marked = self.marked.wrapping_add(1);
        }
        // A sender that names symbols it cannot know to have arrived is not believed.
        self.decoder.forget(packet.oldest.min(self.next));
        let new = match packet.payload {
            Payload::Symbol(symbol) => self.decoder.source(symbol, content),
            Payload::Combination { .. } if self.decoder.rows() >= MAX_WAITING => {
                // What is not kept has not arrived: the sender would count on it for ever.
                self.forget_arrival(packet.number);
                stats.refused += 1;
                return;
            }
            Payload::Combination { first, count, key } => {
                let list: Vec<u8> = coefficients(key, DENSITY).take(usize::from(count)).collect();
                self.decoder.repair(first, &list, content)
            }
        };
        if new {
            stats.useful += 1;
        } else {
            stats.useless += 1;
        }
        while self.decoder.next_decoded().is_some() {
            stats.computed += 1;
        }
        while !self.closed {
            let Some(symbol) = self.decoder.get(self.next) else { break };
            self.delivered += symbol.append_to(&mut self.unread);
            self.closed = symbol.head().fin();
            self.next += 1;
        }
    }

    /// Notes that a packet came; false if it came before, or so late that nobody knows.
    fn note_arrival(&mut self, number: u64) -> bool {
        let greatest = self.greatest.unwrap_or(number);
        if number >= greatest {
            let step = number - greatest;
            let first = self.greatest.is_none();
            let again = step == 0 && !first;
            // What was before the first packet counts as missing, which it is.
            self.arrived = if step >= BITMAP_LEN { 0 } else { self.arrived << step } | 1;
            self.greatest = Some(number);
            return !again;
        }
        let back = greatest - number;
        if back >= BITMAP_LEN {
            return true;
        }
        let new = self.arrived >> back & 1 == 0;
        self.arrived |= 1 << back;
        new
    }

    /// Takes back that a packet came. Its number stays known, if it is the greatest: that much is true.
    fn forget_arrival(&mut self, number: u64) {
        let back = self.greatest.and_then(|greatest| greatest.checked_sub(number));
        if let Some(back) = back.filter(|back| *back < BITMAP_LEN) {
            self.arrived &= !(1 << back);
        }
    }

    /// Feedback, if a packet came since the last.
    pub(crate) fn poll(&mut self) -> Option<Feedback> {
        let greatest = self.greatest.filter(|_| self.owed)?;
        self.owed = false;
        // Packets before number 0 are told as arrived: the words are then left out.
        let before = if greatest + 1 < BITMAP_LEN { u128::MAX << (greatest + 1) } else { 0 };
        let (next, arrived) = (self.next, self.arrived | before);
        Some(Feedback { next, greatest, arrived, marked: self.marked })
    }
}
