//! States and records of BBR version 3.

/// Value of an absent bound.
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

/// Phase of bandwidth probing to which the present acknowledgements belong (`BBR.ack_phase`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AckPhase {
    Init,
    Refilling,
    ProbeStarting,
    ProbeFeedback,
    ProbeStopping,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RecoveryKind {
    None,
    /// Fast recovery that began when this many bytes had been delivered.
    Fast(u64),
    Timeout,
}

/// State restored if a loss recovery turns out to be spurious.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Undo {
    /// The state that the loss ended.
    pub(super) state: Option<State>,
    pub(super) bw_shortterm: u64,
    pub(super) inflight_shortterm: u64,
    pub(super) inflight_longterm: u64,
}

/// The present ACK (`RS` of the draft, and the values of `C` at that time).
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Sample {
    /// False if the interval was too short for a rate. The other fields of the sample are then
    /// zero.
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
