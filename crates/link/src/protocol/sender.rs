//! The sending end of a link protocol, without clock or wire.
//!
//! Whoever drives it offers frames while there is [room](Sender::has_room) and the transmitter is
//! free, asks first for what is to be [sent again](Sender::retry), tells when a transmission
//! [ends](Sender::on_sent), and hands in reports and the time. A retransmission goes before new
//! frames, after the transmission under way; several go in the order in which their reports came.
//!
//! Reports may come late, twice, in any order or never, and may contradict each other: only one that
//! is about the latest transmission of a frame still under way counts, but for the word that a frame is
//! settled, and a timer speaks for the one that does not come.

use std::collections::VecDeque;

use airtcp_units::{Nanos, Narrow, Span};

use super::limits::{MIN_DURATION, REACH, patience};
use super::{Block, MAX_SYMBOLS, Missing, Protocol, Report, SymbolSet};

/// What a sender must know of the time things take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SenderTimes {
    /// To the receiver and back, transmissions left out; on a busy reverse direction, what a
    /// report may have to wait as well.
    pub round_trip: Span,
    /// In place of what follows from that: how long to wait for a report.
    pub timer: Option<Span>,
}

/// What a sender counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SenderCounts {
    /// Reports that were about nothing under way: late, doubled, or made up.
    pub stray_reports: u64,
    /// Transmissions about which no report came in time.
    pub timeouts: u64,
    /// Frames given up.
    pub given_up: u64,
}

/// A frame under way.
#[derive(Debug, Clone, Copy)]
struct Pending {
    unit_bytes: u32,
    needed: u16,
    parity: u16,
    attempt: u16,
    /// Units of the latest transmission.
    sent: u16,
    have: SymbolSet,
    fresh: u16,
    /// What is to be sent next, once the transmitter is free.
    plan: Option<SymbolSet>,
}

/// The sending end.
#[derive(Debug)]
pub struct Sender {
    protocol: Protocol,
    times: SenderTimes,
    /// Number of the first of `frames`: all before it are settled.
    oldest: u64,
    frames: VecDeque<Option<Pending>>,
    under_way: usize,
    retries: VecDeque<u64>,
    /// Sorted by time: when to stop waiting for a report, and on which transmission.
    deadlines: VecDeque<(Nanos, u64, u16)>,
    longest: Span,
    counts: SenderCounts,
}

impl Sender {
    /// A sender with nothing under way.
    pub const fn new(protocol: Protocol, times: SenderTimes) -> Self {
        Self {
            protocol,
            times,
            oldest: 0,
            frames: VecDeque::new(),
            under_way: 0,
            retries: VecDeque::new(),
            deadlines: VecDeque::new(),
            longest: MIN_DURATION,
            counts: SenderCounts { stray_reports: 0, timeouts: 0, given_up: 0 },
        }
    }

    /// The rules it follows.
    pub const fn protocol(&self) -> &Protocol {
        &self.protocol
    }

    /// What was counted since the start.
    pub const fn counts(&self) -> &SenderCounts {
        &self.counts
    }

    /// Makes reports that come back on a busy direction late by up to `by`.
    pub fn allow_reports(&mut self, by: Span) {
        self.times.round_trip += by;
    }

    /// True if another frame may be under way.
    pub fn has_room(&self) -> bool {
        self.under_way < self.protocol.window() && (self.frames.len() as u64) < REACH
    }

    /// True if something is to be sent again.
    pub fn has_retry(&self) -> bool {
        !self.retries.is_empty()
    }

    /// The oldest frame not settled, or the next one to come.
    pub const fn oldest(&self) -> u64 {
        self.oldest
    }

    /// The first transmission of a new frame of `bytes`.
    pub fn start(&mut self, bytes: u32) -> Block {
        let first = self.protocol.first();
        let needed = first.needed.clamp(1, MAX_SYMBOLS);
        let all = (needed + first.parity).min(MAX_SYMBOLS);
        let unit_bytes = bytes.div_ceil(u32::from(needed)).max(1) + self.protocol.header();
        let frame = self.oldest + self.frames.len() as u64;
        let pending = Pending {
            unit_bytes,
            needed,
            parity: all - needed,
            attempt: 0,
            sent: 0,
            have: SymbolSet::EMPTY,
            fresh: all,
            plan: None,
        };
        self.frames.push_back(Some(pending));
        self.under_way += 1;
        let symbols = SymbolSet::range(0, all);
        self.send(frame, symbols).unwrap_or(Block {
            frame,
            attempt: 1,
            last: true,
            oldest: self.oldest,
            needed,
            symbols,
            parity: all - needed,
            unit_bytes,
        })
    }

    /// The next retransmission, if there is one.
    pub fn retry(&mut self) -> Option<Block> {
        while let Some(frame) = self.retries.pop_front() {
            let plan = self.pending(frame).and_then(|p| p.plan.take());
            if let Some(block) = plan.and_then(|symbols| self.send(frame, symbols)) {
                return Some(block);
            }
        }
        None
    }

    fn send(&mut self, frame: u64, symbols: SymbolSet) -> Option<Block> {
        let (attempts, oldest) = (self.protocol.attempts(), self.oldest);
        let p = self.pending(frame)?;
        p.attempt += 1;
        p.sent = symbols.len();
        if let Some(highest) = symbols.highest() {
            p.fresh = p.fresh.max(highest + 1);
        }
        Some(Block {
            frame,
            attempt: p.attempt,
            last: p.attempt >= attempts,
            oldest,
            needed: p.needed,
            symbols,
            parity: if p.attempt == 1 { p.parity } else { 0 },
            unit_bytes: p.unit_bytes,
        })
    }

    /// The transmission `block` took `time` and is over at `end`.
    pub fn on_sent(&mut self, block: &Block, end: Nanos, time: Span) {
        self.longest = self.longest.max(time);
        let wait = self.times.timer.unwrap_or(self.times.round_trip + self.longest * 2);
        let entry = (end + wait, block.frame, block.attempt);
        if self.deadlines.back().is_none_or(|last| last.0 <= entry.0) {
            self.deadlines.push_back(entry);
            return;
        }
        let place = self.deadlines.partition_point(|d| d.0 <= entry.0);
        self.deadlines.insert(place, entry);
    }

    /// A report has come.
    pub fn on_report(&mut self, report: &Report) {
        let Report { frame, attempt, received, have, settled } = *report;
        let Some(p) = self.pending(frame).filter(|p| p.attempt == attempt && p.plan.is_none())
        else {
            // Of an older transmission, or late while the next one waits for the transmitter: still
            // good to know what is there.
            let known = attempt != 0 && self.pending(frame).is_some_and(|p| attempt <= p.attempt);
            self.counts.stray_reports += 1;
            if known && settled {
                self.settle(frame);
            }
            return;
        };
        let sent = p.sent;
        // No more can be there than was sent.
        p.have = p.have.union(have.without(SymbolSet::range(p.fresh, MAX_SYMBOLS)));
        self.protocol.on_report(attempt, sent, received.min(sent));
        if settled { self.settle(frame) } else { self.go_on(frame) }
    }

    /// The time has come that [`next_timer`](Self::next_timer) gave.
    pub fn on_timer(&mut self, now: Nanos) {
        while let Some((_, frame, attempt)) = self.deadlines.pop_front_if(|d| d.0 <= now) {
            let waits =
                self.pending(frame).is_some_and(|p| p.attempt == attempt && p.plan.is_none());
            if waits {
                self.counts.timeouts += 1;
                self.go_on(frame);
            }
        }
    }

    /// How long a frame that it no longer tries is waited for at most: several times the longest that all
    /// attempts may take, as in the receiver.
    pub fn patience(&self) -> Span {
        patience(self.times.round_trip, self.longest, self.protocol.attempts())
    }

    /// When a wait for a report ends at the earliest.
    pub fn next_timer(&self) -> Nanos {
        self.deadlines.front().map_or(Nanos::NEVER, |d| d.0)
    }

    /// The frame is not there after its latest transmission.
    fn go_on(&mut self, frame: u64) {
        let attempts = self.protocol.attempts();
        let Some(p) = self.pending(frame).copied() else { return };
        if p.attempt >= attempts {
            self.counts.given_up += 1;
            self.settle(frame);
            return;
        }
        let Pending { needed, parity, have, fresh, .. } = p;
        let plan = self.protocol.again(&Missing { needed, parity, have, fresh });
        if let Some(p) = self.pending(frame) {
            p.plan = Some(plan);
            self.retries.push_back(frame);
        }
    }

    fn settle(&mut self, frame: u64) {
        let place =
            frame.checked_sub(self.oldest).and_then(|i| self.frames.get_mut(usize::narrow(i)));
        if place.is_some_and(|p| p.take().is_some()) {
            self.under_way -= 1;
        }
        while self.frames.pop_front_if(|p| p.is_none()).is_some() {
            self.oldest += 1;
        }
        // Deadlines of settled frames would wake the driver for nothing.
        let oldest = self.oldest;
        while self.deadlines.pop_front_if(|d| d.1 < oldest).is_some() {}
    }

    fn pending(&mut self, frame: u64) -> Option<&mut Pending> {
        let place = frame.checked_sub(self.oldest)?;
        self.frames.get_mut(usize::narrow(place))?.as_mut()
    }
}
