//! The receiving half: the decoded symbols, and feedback.
//!
//! The decoder eliminates on coefficients and heads exactly as one with payload would. It decodes a
//! symbol if and only if the arrivals determine the symbol's bytes.

use airtcp_fec::{WindowDecoder, coefficients};
use airtcp_packet::{Ecn, ack_bitmap};

use super::content::Content;
use super::stats::SlidingStats;
use super::wire::{Feedback, Packet, Payload};

/// Density of RFC 8681 that leaves no coefficient zero.
pub(super) const DENSITY: u8 = 15;
/// Number of packets that feedback covers.
const BITMAP_LEN: u64 = ack_bitmap::BITMAP_LEN as u64;
/// Maximum number of combinations that wait for more: bounds memory and work under any sender.
const MAX_WAITING: usize = 512;

#[derive(Debug)]
pub(crate) struct Receiver<S: Content> {
    decoder: WindowDecoder<S>,
    /// The first symbol not delivered.
    next: u64,
    delivered: u64,
    /// Data delivered and not read.
    unread: S::Data,
    closed: bool,
    greatest: Option<u64>,
    arrived: u128,
    /// Number of packets that arrived with CE.
    marked: u32,
    owed: bool,
}

impl<S: Content> Receiver<S> {
    /// A receiver of symbols of which at most `max_symbols` are on their way. It holds twice as many, since the
    /// sender learns late what was delivered.
    pub(crate) fn new(max_symbols: u16) -> Self {
        Self {
            decoder: WindowDecoder::new(2 * usize::from(max_symbols)),
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

    /// In-order bytes delivered to the application.
    pub(crate) const fn delivered(&self) -> u64 {
        self.delivered
    }

    /// The data delivered since the last call.
    pub(crate) fn read(&mut self) -> S::Data {
        std::mem::take(&mut self.unread)
    }

    /// True if the stream is complete and delivered.
    pub(crate) const fn is_closed(&self) -> bool {
        self.closed
    }

    /// Numbers near the next packet and the next symbol.
    pub(crate) fn near(&self) -> (u64, u64) {
        (self.greatest.unwrap_or(0), self.next)
    }

    /// Processes a data packet and its content.
    pub(crate) fn take(&mut self, packet: &Packet, content: S, ecn: Ecn, stats: &mut SlidingStats) {
        self.owed = true;
        if !self.note_arrival(packet.number) {
            stats.useless += 1;
            return;
        }
        if ecn == Ecn::Ce {
            self.marked = self.marked.wrapping_add(1);
        }
        // Refuses symbols that the sender cannot know to have arrived.
        self.decoder.forget(packet.oldest.min(self.next));
        let new = match packet.payload {
            Payload::Symbol(symbol) => self.decoder.source(symbol, content),
            Payload::Combination { .. } if self.decoder.rows() >= MAX_WAITING => {
                // A dropped combination counts as not arrived: otherwise the sender would rely on
                // it for ever.
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

    /// Notes the arrival of a packet; returns false if it arrived before, or too late to be known.
    fn note_arrival(&mut self, number: u64) -> bool {
        let greatest = self.greatest.unwrap_or(number);
        if number >= greatest {
            let step = number - greatest;
            let first = self.greatest.is_none();
            let again = step == 0 && !first;
            // Everything before the first packet counts as missing.
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

    /// Reverts the arrival of a packet. If its number is the greatest, the number stays known.
    fn forget_arrival(&mut self, number: u64) {
        let back = self.greatest.and_then(|greatest| greatest.checked_sub(number));
        if let Some(back) = back.filter(|back| *back < BITMAP_LEN) {
            self.arrived &= !(1 << back);
        }
    }

    /// Feedback, if a packet arrived since the last.
    pub(crate) fn poll(&mut self) -> Option<Feedback> {
        let greatest = self.greatest.filter(|_| self.owed)?;
        self.owed = false;
        // Packets before number 0 count as arrived, so that the words can be omitted.
        let before = if greatest + 1 < BITMAP_LEN { u128::MAX << (greatest + 1) } else { 0 };
        let (next, arrived) = (self.next, self.arrived | before);
        Some(Feedback { next, greatest, arrived, marked: self.marked })
    }
}
