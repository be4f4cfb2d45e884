//! Why a segment was sent again: the state of the sender as a capture shows it.
//!
//! | state | begins | ends |
//! |---|---|---|
//! | recovery | first retransmission after signs of loss (SACK blocks or duplicate ACKs) | everything sent before is acknowledged (RFC 6675) |
//! | loss | a retransmission of the first segment in flight after a silence of a timeout (RFC 6298) | the same, or the timeout proves spurious (RFC 5682) |
//!
//! A silence of two round-trip times without signs of loss, ended by the last segment in flight, is a
//! tail-loss probe (RFC 8985 section 7).

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
    /// Time since the last ACK, minus the time that it needs to the sender and back.
    pub(super) since_ack_ns: u64,
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
/// An ACK within this time before a retransmission caused it.
const ACK_CLOCK_NS: u64 = 1_500_000;

impl CauseTracker {
    pub(super) const fn state(&self) -> State {
        self.state
    }

    /// The cause of a retransmission, which also moves the state.
    pub(super) fn on_retransmission(&mut self, at: &Moment) -> Cause {
        let timeout = TIMEOUT_SHARE * at.rto_ns as f64 * f64::from(1u32 << self.backoff.min(10));
        let silent = at.silence_ns as f64 >= timeout;
        // An ACK right before it may be the reason. In a recovery it is not, if the segment had been sent
        // again: after so long a silence only the timer repeats it once more.
        let repaired = at.again && self.state != State::Open;
        let by_ack = at.since_ack_ns <= ACK_CLOCK_NS && at.loss_hints && !repaired;
        let expired = at.start <= at.una && silent && !by_ack;
        match self.state {
            State::Open => self.in_open(at, expired),
            _ if expired => self.expire(at),
            State::Recovery { .. } => Cause::Fast,
            State::Loss { .. } => Cause::AfterTimeout,
        }
    }

    fn expire(&mut self, at: &Moment) -> Cause {
        self.state = State::Loss { high: at.next };
        self.backoff += 1;
        self.timeouts += 1;
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
    }

    /// The last timeout was spurious.
    pub(super) fn undo_timeout(&mut self) {
        if matches!(self.state, State::Loss { .. }) {
            self.state = State::Open;
        }
    }
}
