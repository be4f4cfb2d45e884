//! Stand-stills: a packet that waits at the bottleneck is served late.
//!
//! The expected arrival of a trigger is the later of the arrival before it and its own send time plus the least
//! round-trip time, plus the transmission of what was sent between. What it comes later is the stall. Without SACK,
//! cumulative ACKs hide arrivals, and no stall is measured.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::transmissions::Transmissions;

/// Delayed ACK of a lone segment.
const DELAYED_ACK_S: f64 = 0.045;
/// Shortest stall: in time, and in packets.
const SHORTEST_S: f64 = 0.01;
const SHORTEST_PACKETS: f64 = 8.0;
/// Stall from which the link stood still; with lost ACKs, `LONG_S`.
const STOOD_S: f64 = 0.03;
const LONG_S: f64 = 0.1;
/// Share of lost ACKs from which short stalls are no evidence.
pub(super) const MANY_LOST: f64 = 0.02;
/// Time after a stall in which packets still find its backlog.
const AFTER_S: f64 = 2e-3;

/// A time in which the bottleneck served nothing though a packet waited.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Stall {
    /// When the packet was expected, in s.
    pub(super) begin: f64,
    /// When it came, in s.
    pub(super) end: f64,
    /// How long the link stood still, in s.
    pub(super) length: f64,
}

/// The stand-stills of a link.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StandStills {
    /// Their number.
    pub count: u64,
    /// Their time together, in s.
    pub total_s: f64,
    /// True if there are two or more, for 1 % of the transfer together.
    pub found: bool,
}

/// All stalls, the short ones included.
pub(super) fn stalls(sent: &Transmissions, rate_bps: f64, packet_bytes: f64) -> Vec<Stall> {
    let mut bits = vec![0.0];
    for packet in &sent.list {
        bits.push(bits[bits.len() - 1] + 8.0 * packet.bytes);
    }
    let shortest = SHORTEST_S.max(SHORTEST_PACKETS * 8.0 * packet_bytes / rate_bps);
    let mut found = Vec::new();
    for pair in sent.triggers().windows(2) {
        let (before, this) = (&sent.list[pair[0]], &sent.list[pair[1]]);
        let (Some(earlier), Some(came)) = (before.acked_s, this.acked_s) else { continue };
        let begin = earlier.max(this.sent_s + sent.least_rtt_s);
        let mut length = came - begin - (bits[pair[1] + 1] - bits[pair[0] + 1]) / rate_bps;
        if pair[1] - pair[0] == 1 && !this.is_immediate {
            length -= DELAYED_ACK_S;
        }
        if length > shortest {
            found.push(Stall { begin, end: came, length });
        }
    }
    found
}

/// The stalls in which the link stood still.
pub(super) fn stood_still(sent: &Transmissions, all: &[Stall]) -> Vec<Stall> {
    let lost = sent.ack_loss.is_some_and(|acks| acks.lost as f64 > MANY_LOST * acks.sent as f64);
    let least = if lost { LONG_S } else { STOOD_S };
    all.iter().filter(|stall| stall.length > least).copied().collect()
}

/// What the stand-stills come to.
pub(super) fn summary(sent: &Transmissions, stood: &[Stall]) -> StandStills {
    let total_s = stood.iter().fold(0.0, |sum, stall| sum + stall.length);
    let found = stood.len() >= 2 && total_s > 0.01 * sent.duration_s();
    StandStills { count: stood.len() as u64, total_s, found }
}

/// For each transmission, whether it came to the queue during a stall.
pub(super) fn during(sent: &Transmissions, all: &[Stall]) -> Vec<bool> {
    let (mut next, mut until) = (0, f64::NEG_INFINITY);
    let mut found = Vec::with_capacity(sent.list.len());
    for packet in &sent.list {
        let at = packet.sent_s + sent.least_rtt_s;
        while let Some(stall) = all.get(next)
            && stall.begin <= at
        {
            until = f64::max(until, stall.end + AFTER_S);
            next += 1;
        }
        found.push(at <= until);
    }
    found
}
