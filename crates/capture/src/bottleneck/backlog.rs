//! The backlog: packets that wait at the bottleneck when a packet comes to its queue, by counting.
//!
//! ```text
//! B_i = #{delivered j sent before i} - #{delivered j : a_j <= s_i + R0 + 0.1 ms}        (>= 0)
//! ```
//!
//! with the send times s, the arrival times a of ACKs, and the least round-trip time R0. Both counts are shifted by the
//! same R0, so no rate is needed, and the rate may vary. Lost packets are not counted.
//!
//! A packet that is no trigger arrived between e_j = max(s_j + R0, arrival of the one before) and a_j. The *late* bound
//! counts a_j: drops follow an exact time. The *early* bound counts e_j: it never calls an idle link busy, where
//! delayed and lost ACKs report packets late.

use super::transmissions::{Fate, Transmissions};

/// Slack for the resolution of clocks.
const SLACK_S: f64 = 1e-4;

/// The backlog that each transmission finds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Backlog {
    /// By the times of ACKs.
    pub late: Vec<u64>,
    /// By the earliest possible arrivals.
    pub early: Vec<u64>,
}

impl Backlog {
    /// Counts the backlog of all transmissions.
    pub fn new(sent: &Transmissions) -> Self {
        let acked: Vec<f64> = sent.list.iter().filter_map(|packet| packet.acked_s).collect();
        Self { late: counted(sent, acked), early: counted(sent, earliest(sent)) }
    }

    /// The backlog of a queue of this rate, where cumulative ACKs hide deliveries: without SACK, an ACK in recovery
    /// reports many packets that arrived long before.
    pub fn virtual_queue(sent: &Transmissions, rate_bps: f64, packet_bytes: f64) -> Vec<u64> {
        let (mut queue, mut before) = (0.0f64, 0.0);
        let mut found = Vec::with_capacity(sent.list.len());
        for packet in &sent.list {
            queue = (queue - (packet.sent_s - before) * rate_bps / 8.0).max(0.0);
            before = packet.sent_s;
            found.push(whole((queue / packet_bytes - 1e-6).ceil()));
            if packet.fate != Fate::Lost {
                queue += packet.bytes;
            }
        }
        found
    }
}

/// The earliest arrivals of the delivered packets.
fn earliest(sent: &Transmissions) -> Vec<f64> {
    let mut last = f64::NEG_INFINITY;
    let mut found = Vec::new();
    for packet in &sent.list {
        let Some(acked) = packet.acked_s else { continue };
        let is_exact = packet.is_trigger || packet.is_late;
        let early = (packet.sent_s + sent.least_rtt_s).max(last).min(acked);
        let arrival = if is_exact { acked } else { early };
        if !packet.is_late {
            last = last.max(arrival);
        }
        found.push(arrival);
    }
    found
}

fn counted(sent: &Transmissions, mut arrivals: Vec<f64>) -> Vec<u64> {
    arrivals.sort_unstable_by(f64::total_cmp);
    let (mut before, mut gone) = (0u64, 0usize);
    let mut found = Vec::with_capacity(sent.list.len());
    for packet in &sent.list {
        let at = packet.sent_s + sent.least_rtt_s + SLACK_S;
        while arrivals.get(gone).is_some_and(|arrival| *arrival <= at) {
            gone += 1;
        }
        found.push(before.saturating_sub(gone as u64));
        before += u64::from(packet.fate == Fate::Delivered);
    }
    found
}

fn whole(value: f64) -> u64 {
    use airtcp_units::Saturate as _;
    u64::saturate(value)
}
