//! TP-LDA for TCP: the sender repairs a loss that trip times do not show to be congestion without
//! any other reaction (`loss_response = "tp-lda"`). The classifier is [`crate::lda`].
//!
//! The sender's own clock gives the departure of a segment. The timestamp on the ACK (RFC 7323
//! TSval) gives the time of the receiver's answer on the receiver's clock:
//!
//! ```text
//! ROTT = TSval * tick - (departure of the newest segment that the ACK is the first to report)
//! ```
//!
//! The offset between the clocks cancels when trips are compared. The echo (TSecr) is not used: on
//! a delayed ACK it belongs to the first segment covered, and on duplicates to the segment before
//! the hole, so that the age of the hole would look like queueing. With SACK every duplicate gives
//! a trip. Without SACK only segments before the hole do.
//!
//! The sender cannot see how long a delayed ACK waited. The delay would look like queueing and
//! would raise the maximum trip for the length of the window of extremes. [choice] An ACK of one
//! segment without SACK blocks gives no trip if nothing stays outstanding, or while at least half
//! of the recent ACKs covered more (`STRETCH_ACK_WEIGHT`). [choice] The peer's tick is assumed to
//! equal our own `timestamp_tick`. Trips have no finer resolution. If a queue takes only a few
//! ticks to empty, the classifier is little better than chance. [choice] While the trips of the
//! window lie less than two ticks apart (`MIN_SPREAD_TICKS`), losses count as congestion.
//!
//! The trips of the segments sent just before and just after a loss classify it. [choice] Without
//! trips a loss counts as congestion. One congestion loss in a recovery reduces the window, once,
//! when it is found: at its beginning or later (then without PRR). A timeout always reduces the
//! window, and losses found in the slow start after it are not classified. Phase 2 needs
//! [`Connection::differentiation`](crate::tcp::Connection::differentiation) with reports of beacons
//! and frames. Nanoseconds, trips in microseconds, offsets in bytes.

use std::collections::VecDeque;

use airtcp_probe::LossCause;
use airtcp_units::{LowBits, Nanos, Span};

use crate::lda::TpLda;
use crate::tcp::config::{LossResponse, TcpConfig};

/// Weight of a new ACK in the share of ACKs that cover more than a segment.
const STRETCH_ACK_WEIGHT: f64 = 0.125;

/// Minimum spread of trips in ticks of the timestamp clock: rounding alone causes up to one.
const MIN_SPREAD_TICKS: u64 = 2;

/// Trip of a segment: its departure, its end, and the trip time.
#[derive(Debug, Clone, Copy)]
struct Trip {
    left: (Nanos, u64),
    us: u32,
}

/// State of loss differentiation of a connection.
#[derive(Debug, Clone)]
pub(crate) struct Differentiation {
    lda: TpLda,
    tick: Span,
    /// The peer's clock: its last timestamp, and the ticks since the first.
    clock: Option<(u32, i64)>,
    /// Trips in the order of departure, as many as can lie between losses still to be found.
    trips: VecDeque<Trip>,
    /// Share of recent ACKs that covered more than a segment.
    stretch_share: f64,
    /// The law received a report of the present recovery.
    reported: bool,
    /// Outside recovery: losses were classified since the last one, and one of them was congestion.
    judged: bool,
    congested: bool,
    /// One of the losses classified last was congestion.
    latest: bool,
}

impl Differentiation {
    /// The state for a connection whose configuration asks for it.
    pub(crate) fn of(config: &TcpConfig) -> Option<Box<Self>> {
        (config.loss_response == LossResponse::TpLda).then(|| {
            Box::new(Self {
                lda: TpLda::new(config.loss_differentiation),
                tick: config.timestamp_tick,
                clock: None,
                trips: VecDeque::new(),
                stretch_share: 1.0,
                reported: true,
                judged: false,
                congested: false,
                latest: false,
            })
        })
    }

    /// The classifier, which takes reports of beacons and frames.
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

    /// Takes a trip; up to `outstanding` segments may still turn out to be lost.
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

    /// Classifies the loss of the segment that left at `left.0` and begins at `left.1`.
    pub(crate) fn judge(&mut self, now: Nanos, left: (Nanos, u64)) -> LossCause {
        let after = self.trips.partition_point(|t| t.left <= left);
        let before = after.checked_sub(1).and_then(|at| self.trips.get(at));
        let beside = before.into_iter().chain(self.trips.get(after)).map(|t| t.us);
        let unknown = before.is_none() && after == self.trips.len();
        let resolved = self.tick * MIN_SPREAD_TICKS;
        if unknown || self.lda.range_us(now).is_none_or(|range| range * 1000 < resolved.0) {
            return LossCause::Overflow;
        }
        self.lda.classify(now, beside)
    }

    /// The sender reported a timeout to the law, which settles all earlier classified losses.
    pub(crate) const fn settle(&mut self) {
        (self.judged, self.congested) = (false, false);
    }

    /// An ACK of new data without SACK blocks; `several` if it covers more than a segment, `all` if
    /// nothing is outstanding after it. Returns whether the receiver may have delayed the ACK, for
    /// another segment or until its timer expired. In that case its trip is not used.
    pub(crate) fn may_be_delayed(&mut self, several: bool, all: bool) -> bool {
        self.stretch_share += STRETCH_ACK_WEIGHT * (f64::from(several) - self.stretch_share);
        !several && (all || self.stretch_share >= 0.5)
    }

    /// A loss was classified outside fast recovery.
    pub(crate) const fn note_judged(&mut self, congestion: bool) {
        self.judged = true;
        self.congested |= congestion;
    }

    /// The losses found last were classified.
    pub(crate) const fn set_latest(&mut self, congestion: bool) {
        self.latest = congestion;
    }

    /// Whether the sender reports the losses found last to the law.
    pub(crate) const fn is_latest_congestion(&self) -> bool {
        self.latest
    }

    /// Whether losses were classified since the last recovery.
    pub(crate) const fn has_judged(&self) -> bool {
        self.judged
    }

    /// A recovery begins. Returns whether the sender reports it to the law.
    pub(crate) const fn begin(&mut self) -> bool {
        self.reported = self.congested;
        self.settle();
        self.reported
    }

    /// Whether the sender reported the present fast recovery to the law.
    pub(crate) const fn is_reported(&self) -> bool {
        self.reported
    }

    /// The sender reports the present fast recovery to the law now.
    pub(crate) const fn set_reported(&mut self) {
        self.reported = true;
    }
}

#[cfg(test)]
mod tests;
