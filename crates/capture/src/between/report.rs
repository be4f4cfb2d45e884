//! What the captures of both ends of a connection show together. The names here are the documented,
//! versioned JSON format.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::air::report::DurationReport;

/// A connection that was captured at two points.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BetweenReport {
    /// Address and port of the end that opened the connection.
    pub client: String,
    /// Address and port of the other end.
    pub server: String,
    /// Numbers of the two points in `points`: the one nearer to the client, and the other.
    pub points: [u32; 2],
    /// The clock of the first point against that of the second.
    pub clock: ClockReport,
    /// The data of the client, then of the server.
    pub directions: Vec<BetweenDirection>,
    /// Segments that were left out to bound the memory; no number here counts them.
    pub omitted: u64,
}

/// Two clocks.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ClockReport {
    /// Clock of the second point minus clock of the first at the first packet of the first, in s.
    pub offset_s: f64,
    /// Change of the offset, in 10^-6.
    pub drift_ppm: f64,
    /// Largest error of the offset within the capture, in s; each delay has it too. `null` if only
    /// packets of one direction are known: then the least delay is part of the offset. 0 for two interfaces
    /// of one file, which have one clock.
    pub uncertainty_s: Option<f64>,
}

/// The data of one end between the two points. Only segments count that were sent while both captures
/// ran.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BetweenDirection {
    /// Address and port of the sender.
    pub from: String,
    /// Segments with payload at the point nearer to the sender.
    pub sent: u64,
    /// Those of them of which a byte did not reach the other point.
    pub lost: u64,
    /// Bytes of payload that did not reach the other point, every copy counted.
    pub lost_bytes: u64,
    /// Segments with payload at the other point all of whose copies sent had arrived already: the
    /// network duplicated them.
    pub duplicated: u64,
    /// Segments with payload at the other point that the first capture lacks.
    pub not_seen_sent: u64,
    /// Time from the first point to the second. It has the uncertainty of the clock.
    pub delay_s: DurationReport,
    /// Segments all of whose bytes had been sent before.
    pub retransmissions: u64,
    /// Those of them whose bytes reached the other point in copies that were sent before: they were
    /// not needed. `null` if the other point is not at the receiver: a loss can follow.
    pub spurious: Option<u64>,
    /// If the other point is at the receiver, the retransmissions by what the capture near the sender shows of them (`dsack`, `timestamps`,
    /// `early_ack`, `frto`, joined by `+`; `none`), and by the truth.
    pub by_evidence: BTreeMap<String, EvidenceCounts>,
}

/// Retransmissions with the same evidence.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct EvidenceCounts {
    /// An earlier copy reached the other point: spurious.
    pub arrived: u64,
    /// No earlier copy reached it: needed.
    pub lost: u64,
}
