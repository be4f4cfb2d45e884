//! States and records of BBR version 3.

/// What no bound is.
pub(super) const INFINITY: u64 = u64::MAX;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    Startup,
    Drain,
    Down,
    Cruise,
    Refill,
    Up,
    ProbeRtt,
}

/// What the acknowledgements at hand say about probing for bandwidth (`BBR.ack_phase`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AckPhase {
    Init,
    Refilling,
    ProbeStarting,
    ProbeFeedback,
    ProbeStopping,
}

/// Kind of loss recovery.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RecoveryKind {
    None,
    /// Fast recovery, begun when this much was delivered.
    Fast(u64),
    Timeout,
}

/// What is given back if a loss recovery turns out to be spurious.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Undo {
    /// The state that a loss ended.
    pub(super) state: Option<State>,
    pub(super) bw_shortterm: u64,
    pub(super) inflight_shortterm: u64,
    pub(super) inflight_longterm: u64,
}

/// The ACK at hand (`RS`, and what of `C` goes with it).
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Sample {
    /// False if the interval was too short to tell a rate: the rest is then zero.
    pub(super) valid: bool,
    pub(super) delivery_rate: u64,
    pub(super) delivered: u64,
    pub(super) prior_delivered: u64,
    pub(super) tx_in_flight: u64,
    pub(super) lost: u64,
    pub(super) app_limited: bool,
    pub(super) newly_acked: u64,
    /// `C.inflight`
    pub(super) inflight: u64,
    /// `C.delivered`
    pub(super) total_delivered: u64,
    /// `C.is_cwnd_limited`
    pub(super) cwnd_limited: bool,
}
