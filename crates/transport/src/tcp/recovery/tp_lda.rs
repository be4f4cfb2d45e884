//! TP-LDA for TCP: a loss that trip times do not show to be congestion is repaired and nothing
//! else (`loss_response = "tp-lda"`). The classifier is [`crate::lda`].
//!
//! The sender measures what it can. When a segment left it knows by its own clock; when the
//! receiver answered, by the receiver's, from the timestamp on the ACK (RFC 7323 TSval):
//!
//! ```text
//! ROTT = TSval * tick - (when the newest segment that the ACK is the first to report left)
//! ```
//!
//! The clocks' distance cancels where trips are compared. The echo (TSecr) is not used: it is that
//! of the first of the segments a delayed ACK covers, and on duplicates that of the segment before
//! the hole, so that the age of the hole would seem to be a queue. With SACK every duplicate
//! brings a trip; without, those of before the hole are all there is.
//!
//! What the sender cannot know is when a delayed ACK was held back: the hold looks like a queue
//! and would raise the greatest trip for as long as the window of the extremes is. [choice] An ACK
//! of one segment with nothing SACKed is not measured if it leaves nothing outstanding, or while
//! at least half of the late ACKs covered more (`HABIT`). [choice] The peer's tick
//! is taken to be our own `timestamp_tick`. Trips are no finer than it, and a queue that takes
//! few ticks to empty is told apart from corruption by little more than chance. [choice] While the
//! trips of the window lie less than two ticks apart (`RESOLVED`), losses are congestion.
//!
//! A loss is judged by the trips of the segments that left just before and just after it among
//! those measured. [choice] Without any it is congestion. One congestion loss in a recovery reduces
//! the window, once, when it is found: at its beginning or later (then without PRR). A timeout
//! always reduces, and what is found lost in the slow start after it is not judged. Phase 2
//! waits for [`Connection::differentiation`](crate::tcp::Connection::differentiation) to be told
//! of beacons and frames. Nanoseconds, trips in microseconds, offsets in bytes.

use std::collections::VecDeque;

use airtcp_probe::LossCause;
use airtcp_units::{LowBits, Nanos, Span};

use crate::lda::TpLda;
use crate::tcp::config::{LossResponse, TcpConfig};

/// Weight of a new ACK in the share of those that cover more than a segment.
const HABIT: f64 = 0.125;

/// Ticks of the timestamp clock that trips must lie apart to say anything: rounding alone makes up
/// to one.
const RESOLVED: u64 = 2;

/// A segment's trip: when it left and where it ends, and how long it took.
#[derive(Debug, Clone, Copy)]
struct Trip {
    left: (Nanos, u64),
    us: u32,
}

/// What a connection keeps to tell losses apart.
#[derive(Debug, Clone)]
pub(crate) struct Differentiation {
    lda: TpLda,
    tick: Span,
    /// The peer's clock: its last timestamp, and the ticks since the first.
    clock: Option<(u32, i64)>,
    /// Trips in the order of leaving, as many as losses still to be found may lie between.
    trips: VecDeque<Trip>,
    /// Share of late ACKs that covered more than a segment.
    delays: f64,
    /// The law was told of the present recovery.
    told: bool,
    /// Outside recovery: losses were judged since the last one, and one of them was congestion.
    judged: bool,
    congested: bool,
    /// One of those judged last was.
    latest: bool,
}

impl Differentiation {
    /// For a connection that asks for it.
    pub(crate) fn of(config: &TcpConfig) -> Option<Box<Self>> {
        (config.loss_response == LossResponse::TpLda).then(|| {
            Box::new(Self {
                lda: TpLda::new(config.loss_differentiation),
                tick: config.timestamp_tick,
                clock: None,
                trips: VecDeque::new(),
                delays: 1.0,
                told: true,
                judged: false,
                congested: false,
                latest: false,
            })
        })
    }

    /// The classifier, to be told of beacons and frames.
    pub(crate) const fn classifier(&mut self) -> &mut TpLda {
        &mut self.lda
    }

    /// The peer's clock in microseconds since its first timestamp, modulo 2^32.
    fn clock_us(&mut self, value: u32) -> u32 {
        let (last, ticks) = self.clock.unwrap_or((value, 0));
        let ticks = ticks.saturating_add(i64::from(value.wrapping_sub(last).cast_signed()));
        self.clock = Some((value, ticks));
        u32::low_bits(i128::from(ticks) * i128::from(self.tick.0) / 1000)
    }

    /// Takes a trip; `outstanding` segments may still turn out to be lost.
    pub(crate) fn on_trip(
        &mut self,
        now: Nanos,
        left: (Nanos, u64),
        value: u32,
        outstanding: usize,
    ) {
        let sent_us = u32::low_bits(left.0.0 / 1000);
        let us = self.clock_us(value).wrapping_sub(sent_us);
        self.lda.on_trip(now, us);
        if self.trips.back().is_none_or(|last| last.left < left) {
            self.trips.push_back(Trip { left, us });
        }
        while self.trips.len() > outstanding + 2 {
            self.trips.pop_front();
        }
    }

    /// What took the segment that left at `left.0` and begins at `left.1`.
    pub(crate) fn judge(&mut self, now: Nanos, left: (Nanos, u64)) -> LossCause {
        let after = self.trips.partition_point(|t| t.left <= left);
        let before = after.checked_sub(1).and_then(|at| self.trips.get(at));
        let beside = before.into_iter().chain(self.trips.get(after)).map(|t| t.us);
        let unknown = before.is_none() && after == self.trips.len();
        let resolved = self.tick * RESOLVED;
        if unknown || self.lda.range_us(now).is_none_or(|range| range * 1000 < resolved.0) {
            return LossCause::Overflow;
        }
        self.lda.classify(now, beside)
    }

    /// A timeout was told to the law: what was judged before it is answered.
    pub(crate) const fn settle(&mut self) {
        (self.judged, self.congested) = (false, false);
    }

    /// An ACK of new data without reports; `several` if it covers more than a segment, `all` if
    /// nothing is outstanding after it. Returns whether it may have been held back, for the next
    /// segment or until a timer had enough: its trip says nothing.
    pub(crate) fn may_be_delayed(&mut self, several: bool, all: bool) -> bool {
        self.delays += HABIT * (f64::from(several) - self.delays);
        !several && (all || self.delays >= 0.5)
    }

    /// A loss was judged outside fast recovery.
    pub(crate) const fn note_judged(&mut self, congestion: bool) {
        self.judged = true;
        self.congested |= congestion;
    }

    /// The losses found last were judged.
    pub(crate) const fn set_latest(&mut self, congestion: bool) {
        self.latest = congestion;
    }

    /// Whether the law is told of the losses found last.
    pub(crate) const fn is_latest_congestion(&self) -> bool {
        self.latest
    }

    /// Whether losses were judged since the last recovery.
    pub(crate) const fn has_judged(&self) -> bool {
        self.judged
    }

    /// A recovery begins. Returns whether the law is told of it.
    pub(crate) const fn begin(&mut self) -> bool {
        self.told = self.congested;
        self.settle();
        self.told
    }

    /// Whether the law was told of the present fast recovery.
    pub(crate) const fn is_told(&self) -> bool {
        self.told
    }

    /// It is told of it now.
    pub(crate) const fn set_told(&mut self) {
        self.told = true;
    }
}

#[cfg(test)]
mod tests;
