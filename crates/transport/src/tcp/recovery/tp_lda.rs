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

use airtcp_packet::Segment;
use airtcp_probe::{Cx, Event, LossCause, Probe};
use airtcp_units::{Nanos, Span};

use super::RecoveryState;
use crate::lda::TpLda;
use crate::tcp::config::{LossResponse, TcpConfig};
use crate::tcp::sender::{AckInfo, Env, Sender};
use airtcp_congestion::{CongestionControl, Lost};

/// Weight of a new ACK in the share of those that cover more than a segment.
const HABIT: f64 = 0.125;

/// Ticks of the timestamp clock that trips must lie apart to say anything: rounding alone makes up
/// to one.
const RESOLVED: u64 = 2;

/// What an acknowledgement was the first to report.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Reported {
    /// Bytes acknowledged cumulatively, and when the newest of them left, if that can be told.
    pub(crate) acked: (u64, Option<Nanos>),
    /// When the newest segment SACKed left, likewise.
    pub(crate) sacked: Option<Nanos>,
}

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
        let ticks = ticks.saturating_add(i64::from(value.wrapping_sub(last) as i32));
        self.clock = Some((value, ticks));
        (i128::from(ticks) * i128::from(self.tick.0) / 1000) as u32
    }

    /// Takes a trip; `outstanding` segments may still turn out to be lost.
    fn on_trip(&mut self, now: Nanos, left: (Nanos, u64), value: u32, outstanding: usize) {
        let sent_us = (left.0.0 / 1000) as u32;
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
    fn judge(&mut self, now: Nanos, left: (Nanos, u64)) -> LossCause {
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
    pub(super) const fn settle(&mut self) {
        (self.judged, self.congested) = (false, false);
    }
}

impl RecoveryState {
    /// Whether the law was told of the present fast recovery.
    pub(crate) fn is_told(&self, config: &TcpConfig) -> bool {
        match config.loss_response {
            LossResponse::Always => true,
            LossResponse::EcnOnly => false,
            LossResponse::TpLda => self.differentiation.as_ref().is_none_or(|d| d.told),
        }
    }

    /// Whether the law is told of the losses found last.
    pub(super) fn tells_latest(&self, config: &TcpConfig) -> bool {
        match config.loss_response {
            LossResponse::TpLda => self.differentiation.as_ref().is_none_or(|d| d.latest),
            _ => self.is_told(config),
        }
    }
}

impl Sender {
    /// Takes the trip time that an acknowledgement brought, if it can be told.
    #[inline]
    pub(crate) fn take_trip(
        &mut self,
        now: Nanos,
        segment: &Segment,
        info: &AckInfo,
        reported: Reported,
    ) {
        let Some(d) = &mut self.recovery.differentiation else { return };
        let (bytes, newest) = reported.acked;
        if bytes > 0 && segment.sacks().is_empty() {
            // It may have been held back, for the next segment or until a timer had enough.
            let several = bytes > u64::from(self.mss);
            d.delays += HABIT * (f64::from(several) - d.delays);
            if !several && (self.una == self.nxt || d.delays >= 0.5) {
                return;
            }
        }
        let left = if reported.sacked > newest {
            reported.sacked.zip(self.board.highest_sacked())
        } else {
            newest.map(|sent| (sent, info.ack))
        };
        if let Some(left) = left.filter(|_| segment.has_timestamps()) {
            d.on_trip(now, left, segment.timestamps.0, self.board.len());
        }
    }

    /// Whether the loss of the segment that begins at `start` and left at `sent` is congestion.
    fn is_congestion<P: Probe>(
        &mut self,
        now: Nanos,
        (sent, start): (Nanos, u64),
        env: &mut Env<'_>,
        cx: &mut Cx<'_, P>,
    ) -> bool {
        let open = !self.recovery.is_fast();
        let Some(d) = &mut self.recovery.differentiation else { return true };
        let cause = d.judge(now, (sent, start));
        let congestion = cause != LossCause::Corruption;
        env.stats.losses_judged += 1;
        env.stats.judged_corruption += u64::from(!congestion);
        // The SYN takes an offset, too.
        let number = start.saturating_sub(1);
        cx.record(now, || Event::LossJudged { number, packets: 1, cause });
        if open {
            d.judged = true;
            if congestion {
                d.congested = true;
            }
        }
        congestion
    }

    /// Judges the segments found lost since last asked and tells the law of congestion: of each
    /// segment, and of the episode if it was not told of the recovery that runs.
    pub(crate) fn judge_losses<P: Probe>(
        &mut self,
        now: Nanos,
        env: &mut Env<'_>,
        cx: &mut Cx<'_, P>,
    ) {
        if self.recovery.is_timeout() {
            self.hand_over_losses(now, true);
            return;
        }
        let (mut congestion, total_delivered) = (false, self.rate.delivered());
        for (lost, sent) in self.board.take_losses() {
            if self.is_congestion(now, (sent.unwrap_or(now), lost.start), env, cx) {
                self.law.on_lost(now, &Lost { total_delivered, ..lost });
                congestion = true;
            }
        }
        let (fast, una) = (self.recovery.is_fast(), self.una);
        let Some(d) = &mut self.recovery.differentiation else { return };
        d.latest = congestion;
        let answered = env.ecn.enabled && una < env.ecn.marked_up_to;
        if !(congestion && fast) || d.told || answered {
            return;
        }
        d.told = true;
        // What is reported stands in FlightSize: half of it could lie above the window.
        self.recovery.kept = !self.react(now, self.flight_size().min(self.law.cwnd()), env);
        self.recovery.rack.told_at = now;
        self.spurious.note_reduction();
    }

    /// Whether the law is told of the recovery that begins. What the scoreboard does not know to be
    /// lost is the first segment outstanding.
    pub(super) fn tell_episode<P: Probe>(
        &mut self,
        now: Nanos,
        env: &mut Env<'_>,
        cx: &mut Cx<'_, P>,
    ) -> bool {
        let Some(d) = &self.recovery.differentiation else {
            return env.config.loss_response != LossResponse::EcnOnly;
        };
        let head = self.board.front().map(|s| (s.sent_at, s.start));
        if !d.judged
            && let Some(head) = head
        {
            self.is_congestion(now, head, env, cx);
        }
        let Some(d) = &mut self.recovery.differentiation else { return true };
        d.told = d.congested;
        (d.judged, d.congested) = (false, false);
        d.told
    }

    /// Whether the loss of the tail that begins at `start` and that its probe repaired was
    /// congestion: what left last before it tells.
    pub(super) fn judge_tail<P: Probe>(
        &mut self,
        now: Nanos,
        start: u64,
        env: &mut Env<'_>,
        cx: &mut Cx<'_, P>,
    ) -> bool {
        let congestion = self.is_congestion(now, (now, start), env, cx);
        if let Some(d) = &mut self.recovery.differentiation {
            d.settle();
        }
        congestion
    }
}

#[cfg(test)]
mod tests;
