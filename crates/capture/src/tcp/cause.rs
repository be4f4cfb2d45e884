//! Why a segment was sent again: the state of the sender as a capture shows it.
//!
//! | state | begins | ends |
//! |---|---|---|
//! | recovery | first retransmission after signs of loss (SACK blocks or duplicate ACKs) | everything sent before is acknowledged (RFC 6675), or all of it proves spurious by timestamps (RFC 4015) or DSACK (RFC 3708) |
//! | loss | a retransmission of the first segment in flight after a silence of a timeout (RFC 6298) | the same, or the timeout proves spurious (RFC 5682) |
//!
//! A silence of two round-trip times without signs of loss, ended by the last segment in flight, is a
//! tail-loss probe (RFC 8985 section 7).
//!
//! In a recovery, only RACK and the timer repeat the first segment in flight once more. RACK needs an ACK
//! for data that were sent after the last copy, and reacts to it at once (RFC 8985 section 6.2).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Why a segment was sent again.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Cause {
    /// Fast retransmit, or recovery by SACK or RACK.
    Fast,
    /// Retransmission timeout.
    Timeout,
    /// Sent again after a timeout, in slow start.
    AfterTimeout,
    /// Tail-loss probe.
    TailLossProbe,
    /// The capture does not tell.
    Unknown,
}

impl Cause {
    /// All causes.
    pub const ALL: [Self; 5] =
        [Self::Fast, Self::Timeout, Self::AfterTimeout, Self::TailLossProbe, Self::Unknown];

    /// Its place in [`Cause::ALL`].
    pub(super) const fn place(self) -> usize {
        self as usize
    }

    /// Its name in results.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Fast => "fast",
            Self::Timeout => "timeout",
            Self::AfterTimeout => "after_timeout",
            Self::TailLossProbe => "tail_loss_probe",
            Self::Unknown => "unknown",
        }
    }
}

/// State of a sender.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum State {
    #[default]
    Open,
    /// In recovery until `high` is acknowledged.
    Recovery { high: u64 },
    /// After a timeout, until `high` is acknowledged.
    Loss { high: u64 },
}

/// What is known when a segment is sent again.
#[derive(Debug, Clone, Copy)]
pub(super) struct Moment {
    /// First byte of the segment and the byte after it.
    pub(super) start: u64,
    pub(super) end: u64,
    /// First byte in flight, and the byte after the last one sent.
    pub(super) una: u64,
    pub(super) next: u64,
    /// Time since the timer of retransmission was last set: by an advancing ACK, or by the last copy of
    /// the first segment in flight.
    pub(super) silence_ns: u64,
    /// Time since the last advancing ACK, which sets the timer of a sender that does not set it again when
    /// it retransmits (RFC 6298 section 5).
    pub(super) since_advance_ns: u64,
    /// Time since the last ACK, minus the time that it needs to the sender and back.
    pub(super) since_ack_ns: u64,
    /// Time since an ACK first covered data that were sent after the last copy of the first segment in
    /// flight; none if no ACK did.
    pub(super) overtaken_ns: Option<u64>,
    /// Duplicate ACKs since the last advancing one, and segments in SACK blocks.
    pub(super) duplicates: u32,
    pub(super) sacked: u64,
    /// Timeout by RFC 6298 from the round trips seen so far.
    pub(super) rto_ns: u64,
    pub(super) srtt_ns: u64,
    /// True if SACK blocks or duplicate ACKs hint at a loss.
    pub(super) loss_hints: bool,
    /// True if the handshake, as far as it was seen, allows SACK: without SACK there are no probes.
    pub(super) sack: bool,
    /// True if the segment was sent again before.
    pub(super) again: bool,
}

/// Follows the state of a sender.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct CauseTracker {
    state: State,
    /// Timeouts without an advancing ACK since.
    backoff: u32,
    /// True after a probe, until an ACK advances: a sender probes once (RFC 8985 section 7.3).
    probed: bool,
    /// Where the last timeout ends, if it proved spurious and not everything before is acknowledged.
    undone: Option<u64>,
    /// True if more was sent again after the last timeout.
    went_on: bool,
    pub(super) timeouts: u64,
    pub(super) recoveries: u64,
}

/// Shortest silence that counts as a timeout, as a share of the estimated timeout: the estimate is that
/// of an observer.
const TIMEOUT_SHARE: f64 = 0.8;
/// Shortest silence before a probe, in smoothed round-trip times: RFC 8985 waits two.
const PROBE_RTTS: f64 = 1.6;
/// Shortest silence that only a timer explains, in smoothed round-trip times.
const TIMER_RTTS: f64 = 1.2;
/// Largest timeout: the least that RFC 6298 section 2.5 allows. With doubling, longer ones are longer than
/// its share as well.
const MAX_RTO_NS: u64 = 60_000_000_000;
/// Longest time in which RACK reacts to an ACK, in smoothed round-trip times: RFC 8985 section 6.2 waits a
/// quarter of the least one.
const RACK_RTTS: f64 = 0.5;
/// Segments in SACK blocks behind a segment that make it lost (RFC 6675 section 4).
const DUPLICATES: u64 = 3;
/// An ACK within this time before a retransmission caused it.
const ACK_CLOCK_NS: u64 = 1_500_000;

impl CauseTracker {
    pub(super) const fn state(&self) -> State {
        self.state
    }

    /// The cause of a retransmission, which also moves the state.
    pub(super) fn on_retransmission(&mut self, at: &Moment) -> Cause {
        self.resume(at);
        let expired = at.start <= at.una && self.is_expired(at);
        match self.state {
            State::Open => self.in_open(at, expired),
            _ if expired => self.expire(at),
            State::Recovery { .. } => Cause::Fast,
            State::Loss { .. } => {
                self.went_on = true;
                Cause::AfterTimeout
            }
        }
    }

    /// True if the timer is the reason to send the first segment in flight again.
    fn is_expired(&self, at: &Moment) -> bool {
        let doubled = at.rto_ns.saturating_mul(1 << self.backoff.min(10)).min(MAX_RTO_NS);
        let timeout = TIMEOUT_SHARE * doubled as f64;
        let silent = at.silence_ns as f64 >= timeout;
        let by_ack = at.since_ack_ns <= ACK_CLOCK_NS;
        if self.state == State::Open || !at.again {
            return silent && !(by_ack && at.loss_hints);
        }
        let soon = ACK_CLOCK_NS as f64 + RACK_RTTS * at.srtt_ns as f64;
        match at.overtaken_ns {
            Some(since) => silent && since as f64 > soon,
            None if by_ack => silent,
            None => {
                let mute = at.since_ack_ns.saturating_add(ACK_CLOCK_NS) >= at.silence_ns;
                let waited = at.silence_ns as f64 >= TIMER_RTTS * at.srtt_ns as f64;
                silent || at.since_advance_ns as f64 >= timeout || (mute && waited)
            }
        }
    }

    /// Returns to the state after a timeout if the sender goes on although the timeout proved spurious: it
    /// sends again what follows an advancing ACK, not what SACK blocks show as lost.
    fn resume(&mut self, at: &Moment) {
        let Some(high) = self.undone.filter(|high| at.end <= *high && !at.again) else { return };
        let by_advance = at.since_ack_ns <= ACK_CLOCK_NS && at.duplicates == 0;
        if self.state == State::Open && by_advance && (self.went_on || at.sacked < DUPLICATES) {
            self.state = State::Loss { high };
        }
    }

    fn expire(&mut self, at: &Moment) -> Cause {
        self.state = State::Loss { high: at.next };
        self.backoff += 1;
        self.timeouts += 1;
        self.undone = None;
        self.went_on = false;
        Cause::Timeout
    }

    fn in_open(&mut self, at: &Moment, expired: bool) -> Cause {
        if at.loss_hints && !expired {
            self.state = State::Recovery { high: at.next };
            self.recoveries += 1;
            return Cause::Fast;
        }
        // Without signs of loss, only a timer makes a sender repeat a segment. If the first segment in
        // flight is also the last one, a sender probes it once before its timeout (RFC 8985 section 7.2).
        let rtts = at.silence_ns as f64 / at.srtt_ns.max(1) as f64;
        let can_probe = at.sack && !self.probed && !at.loss_hints && at.end >= at.next;
        if can_probe && (expired || rtts >= PROBE_RTTS) {
            self.probed = true;
            return Cause::TailLossProbe;
        }
        if expired || (at.start <= at.una && rtts >= TIMER_RTTS) {
            return self.expire(at);
        }
        Cause::Unknown
    }

    /// An ACK for everything before `una`; `advanced` if it acknowledged something new.
    pub(super) fn on_ack(&mut self, una: u64, advanced: bool) {
        if advanced {
            self.backoff = 0;
            self.probed = false;
        }
        if let State::Recovery { high } | State::Loss { high } = self.state
            && una >= high
        {
            self.state = State::Open;
        }
        self.undone = self.undone.filter(|high| una < *high);
    }

    /// The last timeout or recovery was spurious, and the sender has learnt it.
    pub(super) fn undo(&mut self) {
        if let State::Loss { high } = self.state {
            self.undone = Some(high);
        }
        self.state = State::Open;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;

    /// The first segment in flight of a path of 80 ms, 280 ms after the timer was set, 10 ms after an ACK.
    fn moment() -> Moment {
        Moment {
            start: 1000,
            end: 2000,
            una: 1000,
            next: 9000,
            silence_ns: 280 * MS,
            since_advance_ns: 380 * MS,
            since_ack_ns: 10 * MS,
            overtaken_ns: None,
            duplicates: 6,
            sacked: 6,
            rto_ns: 280 * MS,
            srtt_ns: 80 * MS,
            loss_hints: true,
            sack: true,
            again: true,
        }
    }

    /// A sender in recovery, whose first segment was sent again 280 ms ago.
    fn in_recovery() -> CauseTracker {
        let mut tracker = CauseTracker::default();
        let first = Moment { again: false, silence_ns: 90 * MS, since_ack_ns: 0, ..moment() };
        assert_eq!(tracker.on_retransmission(&first), Cause::Fast);
        tracker
    }

    /// In recovery a repetition is RACK's only if an ACK for later data has just come. If no ACK covered
    /// later data, even a short silence shows the timer, which may run since the last advancing ACK.
    #[test]
    fn what_repeats_a_segment_in_recovery() {
        let cause = |moment| in_recovery().on_retransmission(&moment);
        let overtaken = Some(20 * MS);
        assert_eq!(cause(Moment { overtaken_ns: overtaken, ..moment() }), Cause::Fast);
        let overtaken = Some(150 * MS);
        assert_eq!(cause(Moment { overtaken_ns: overtaken, ..moment() }), Cause::Timeout);
        assert_eq!(cause(Moment { silence_ns: 120 * MS, ..moment() }), Cause::Timeout);
        let early = Moment { silence_ns: 120 * MS, since_advance_ns: 200 * MS, ..moment() };
        assert_eq!(cause(early), Cause::Fast);
        // No ACK at all since the last copy.
        assert_eq!(cause(Moment { since_ack_ns: 120 * MS, ..early }), Cause::Timeout);
    }

    /// After several timeouts the silence is the largest timeout (60 s by RFC 6298, 64 s in BSD), which is
    /// less than the doubled estimate.
    #[test]
    fn timeouts_are_capped() {
        let mut tracker = in_recovery();
        for silence in [1u64, 2, 4, 8, 16, 32, 60, 60, 64] {
            let ns = silence * 1000 * MS;
            let at = Moment { silence_ns: ns, since_advance_ns: ns, rto_ns: 1000 * MS, ..moment() };
            assert_eq!(tracker.on_retransmission(&at), Cause::Timeout, "{silence} s");
        }
        assert_eq!((tracker.timeouts, tracker.recoveries), (9, 1));
    }

    /// A sender that does not notice that a timeout was spurious goes on to send what follows again. A
    /// sender that noticed it repairs what SACK blocks show as lost.
    #[test]
    fn what_follows_a_spurious_timeout() {
        let after = |sacked| {
            let mut tracker = CauseTracker::default();
            let silent = Moment { again: false, since_ack_ns: 280 * MS, ..moment() };
            assert_eq!(tracker.on_retransmission(&silent), Cause::Timeout);
            tracker.on_ack(2000, true);
            tracker.undo();
            let next = Moment { start: 2000, end: 3000, una: 2000, silence_ns: 0, ..moment() };
            let next = Moment { since_ack_ns: 0, duplicates: 0, again: false, sacked, ..next };
            tracker.on_retransmission(&next)
        };
        assert_eq!(after(0), Cause::AfterTimeout);
        assert_eq!(after(5), Cause::Fast);
    }
}
