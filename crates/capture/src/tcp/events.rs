//! Retransmissions one by one.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::cause::Cause;
use super::counters::{Counters, Retransmission};
use super::spurious::Evidence;
use super::timeouts::TimeoutCause;

/// A segment that was sent again.
#[derive(Debug, Clone, PartialEq)]
pub struct RetransmissionEvent {
    /// Time in s since 1970-01-01.
    pub time_s: f64,
    /// Sequence number of its first byte.
    pub sequence: u32,
    /// Bytes of payload.
    pub length: u32,
    /// Its cause.
    pub cause: Cause,
    /// True if a copy had arrived.
    pub spurious: bool,
    /// What shows it.
    pub evidence: Evidence,
    /// Why the timer was needed, for a timeout.
    pub timeout_cause: Option<TimeoutCause>,
    /// Data segments of the direction before it.
    pub data_segments_before: u64,
    /// Time since its bytes were sent first, in s; none if the capture lacks that copy.
    pub since_original_s: Option<f64>,
    /// Smoothed round-trip time before it, in s.
    pub srtt_s: Option<f64>,
}

/// A row of the table of retransmissions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RetransmissionRow {
    /// Time in s since 1970-01-01.
    pub time_s: f64,
    /// Place of its connection in `connections`.
    pub connection: u64,
    /// Address and port of the sender.
    pub from: String,
    /// Sequence number of its first byte.
    pub sequence: u32,
    /// Bytes of payload.
    pub length: u32,
    /// Its cause.
    pub cause: Cause,
    /// True if a copy had arrived.
    pub spurious: bool,
    /// Why the timer was needed, for a timeout.
    pub timeout_cause: Option<TimeoutCause>,
    /// Data segments of the direction before it.
    pub data_segments_before: u64,
    /// Time since its bytes were sent first, in s; none if the capture lacks that copy.
    pub since_original_s: Option<f64>,
    /// Smoothed round-trip time before it, in s.
    pub srtt_s: Option<f64>,
}

impl RetransmissionRow {
    pub(super) fn of(connection: u64, from: &str, event: &RetransmissionEvent) -> Self {
        Self {
            time_s: event.time_s,
            connection,
            from: from.to_owned(),
            sequence: event.sequence,
            length: event.length,
            cause: event.cause,
            spurious: event.spurious,
            timeout_cause: event.timeout_cause,
            data_segments_before: event.data_segments_before,
            since_original_s: event.since_original_s,
            srtt_s: event.srtt_s,
        }
    }
}

/// Seconds of a time in ns.
fn seconds(ns: u64) -> f64 {
    ns as f64 / 1e9
}

/// The retransmissions that were kept.
pub(super) fn events(counters: &Counters) -> Vec<RetransmissionEvent> {
    let event = |sent: &Retransmission| RetransmissionEvent {
        time_s: seconds(sent.time_ns),
        sequence: sent.sequence,
        length: sent.length,
        cause: sent.cause,
        spurious: sent.evidence.is_spurious(),
        evidence: sent.evidence,
        timeout_cause: sent.timeout(),
        data_segments_before: sent.segment,
        since_original_s: sent.since_original_ns.map(seconds),
        srtt_s: sent.srtt_ns.map(seconds),
    };
    counters.kept.iter().map(event).collect()
}
