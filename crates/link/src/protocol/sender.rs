//! The sending end of a link protocol, without clock or wire.
//!
//! The driver offers frames while the [window is open](Sender::has_room) and the transmitter is
//! free. It first asks for [retransmissions](Sender::retry), reports the [end](Sender::on_sent) of
//! each transmission, and passes on reports and timers. Retransmissions precede new frames, in the
//! order of their reports, and do not interrupt a transmission.
//!
//! Reports may arrive late, twice, in any order or never, and may contradict each other. Only a
//! report on the latest transmission of an unsettled frame counts, except that any report can
//! settle its frame. A timer stands in for a missing report.

use std::collections::VecDeque;

use airtcp_units::{Nanos, Narrow, Span};

use super::limits::{MAX_FRAME_SPAN, MIN_DURATION, max_frame_wait};
use super::{Block, MAX_SYMBOLS, Missing, Protocol, Report, SymbolSet};

/// Times from which the sender derives its report timer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SenderTimes {
    /// Round-trip time to the receiver, without transmission times; with a busy reverse direction,
    /// plus the maximum wait of a report.
    pub round_trip: Span,
    /// Report timer, if configured.
    pub timer: Option<Span>,
}

/// Counters of a sender.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SenderCounts {
    /// Reports that match no transmission in progress: late, duplicated or forged.
    pub stray_reports: u64,
    /// Transmissions whose report timer expired.
    pub timeouts: u64,
    /// Frames abandoned.
    pub given_up: u64,
}

/// An unsettled frame.
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
    /// Units to send as soon as the transmitter is free.
    plan: Option<SymbolSet>,
}

/// Sending end of a link protocol.
#[derive(Debug)]
pub struct Sender {
    protocol: Protocol,
    times: SenderTimes,
    /// Number of the first frame in `frames`; all earlier frames are settled.
    oldest: u64,
    frames: VecDeque<Option<Pending>>,
    under_way: usize,
    retries: VecDeque<u64>,
    /// Report timers, sorted by time: expiry, frame and attempt.
    deadlines: VecDeque<(Nanos, u64, u16)>,
    longest: Span,
    counts: SenderCounts,
}

impl Sender {
    /// A sender without unsettled frames.
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

    /// The protocol's rules.
    pub const fn protocol(&self) -> &Protocol {
        &self.protocol
    }

    /// Counters since the start.
    pub const fn counts(&self) -> &SenderCounts {
        &self.counts
    }

    /// Lengthens the report timer by `by`, the maximum wait of a report on a busy reverse
    /// direction.
    pub fn allow_reports(&mut self, by: Span) {
        self.times.round_trip += by;
    }

    /// True if the window allows another frame.
    pub fn has_room(&self) -> bool {
        self.under_way < self.protocol.window() && (self.frames.len() as u64) < MAX_FRAME_SPAN
    }

    /// True if a retransmission waits.
    pub fn has_retry(&self) -> bool {
        !self.retries.is_empty()
    }

    /// The oldest unsettled frame, or else the next new frame.
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

    /// Handles the end of the transmission `block`, which took `time`, at `end`.
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

    /// Handles a report.
    pub fn on_report(&mut self, report: &Report) {
        let Report { frame, attempt, received, have, settled } = *report;
        let Some(p) = self.pending(frame).filter(|p| p.attempt == attempt && p.plan.is_none())
        else {
            // The report is on an older transmission, or the next one already waits for the
            // transmitter. Its list of arrived units is still valid.
            let known = attempt != 0 && self.pending(frame).is_some_and(|p| attempt <= p.attempt);
            self.counts.stray_reports += 1;
            if known && settled {
                self.settle(frame);
            }
            return;
        };
        let sent = p.sent;
        // Only units that were sent can have arrived.
        p.have = p.have.union(have.without(SymbolSet::range(p.fresh, MAX_SYMBOLS)));
        self.protocol.on_report(attempt, sent, received.min(sent));
        if settled { self.settle(frame) } else { self.plan_retransmission(frame) }
    }

    /// The time has come that [`next_timer`](Self::next_timer) gave.
    pub fn on_timer(&mut self, now: Nanos) {
        while let Some((_, frame, attempt)) = self.deadlines.pop_front_if(|d| d.0 <= now) {
            let waits =
                self.pending(frame).is_some_and(|p| p.attempt == attempt && p.plan.is_none());
            if waits {
                self.counts.timeouts += 1;
                self.plan_retransmission(frame);
            }
        }
    }

    /// Maximum wait for a frame that the sender abandoned: several times the maximum duration of
    /// all attempts, as in the receiver.
    pub fn max_frame_wait(&self) -> Span {
        max_frame_wait(self.times.round_trip, self.longest, self.protocol.attempts())
    }

    /// Expiry of the earliest report timer.
    pub fn next_timer(&self) -> Nanos {
        self.deadlines.front().map_or(Nanos::NEVER, |d| d.0)
    }

    /// Plans the retransmission of a frame that is incomplete after its latest transmission, or
    /// abandons it.
    fn plan_retransmission(&mut self, frame: u64) {
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
        // Timers of settled frames would wake the driver needlessly.
        let oldest = self.oldest;
        while self.deadlines.pop_front_if(|d| d.1 < oldest).is_some() {}
    }

    fn pending(&mut self, frame: u64) -> Option<&mut Pending> {
        let place = frame.checked_sub(self.oldest)?;
        self.frames.get_mut(usize::narrow(place))?.as_mut()
    }
}
