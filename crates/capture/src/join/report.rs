//! What the captures of the air and of hosts show together. The names here are the documented,
//! versioned JSON format.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use super::fates::Fate;
use crate::air::report::DurationReport;

/// Captures of the air and of hosts, joined.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct JoinedReport {
    /// Captures of the air.
    pub air: Vec<String>,
    /// Captures of hosts.
    pub hosts: Vec<HostReport>,
    /// Timeouts of the senders by cause.
    pub timeout_causes: TimeoutCauses,
    /// The timeouts, at most 10,000.
    pub timeouts: Vec<TimeoutReport>,
    /// The packets of the hosts on the air, in the order of the frames.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub packets: Vec<PacketReport>,
    /// Packets and attempts that were left out to bound the memory; no number here counts them.
    pub omitted: u64,
}

/// The capture of a host.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct HostReport {
    /// Its path as given.
    pub path: String,
    /// Its clock against that of the sniffer. `null` if no packet is on the air.
    pub clock: Option<ClockReport>,
    /// TCP segments that the host sent, within the time of the capture of the air.
    pub sent: u64,
    /// Those of them that were found on the air.
    pub sent_on_air: u64,
    /// Those that were not found: dropped before the air, or missed by the sniffer.
    pub sent_not_on_air: u64,
    /// TCP segments that the host received, within the time of the capture of the air.
    pub received: u64,
    /// Those of them that were found on the air.
    pub received_on_air: u64,
    /// The links next to the host, the one with the most packets first.
    pub links: Vec<HostLinkReport>,
}

/// The clock of a host against that of the sniffer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ClockReport {
    /// Clock of the sniffer minus clock of the host at the first packet of the host, in s.
    pub offset_s: f64,
    /// Change of the offset, in 10^-6.
    pub drift_ppm: f64,
    /// Largest error of the drift, in 10^-6.
    pub drift_uncertainty_ppm: f64,
    /// Largest error of the offset within the capture, in s; each queueing time has it too. `null` if
    /// only packets of one direction are known: then the least delay is part of the offset.
    pub uncertainty_s: Option<f64>,
    /// Sent packets that the clock was taken from.
    pub sent_packets: u64,
    /// Received packets that the clock was taken from.
    pub received_packets: u64,
    /// By how much the timestamps contradict every constant drift, in s; 0 if they do not.
    pub contradiction_s: f64,
}

/// The packets of a host on one link.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct HostLinkReport {
    /// Address of the transmitter.
    pub transmitter: String,
    /// Address of the receiver.
    pub receiver: String,
    /// True if the host sends these packets, false if it receives them.
    pub is_sent: bool,
    /// Packets.
    pub packets: u64,
    /// Of sent packets: from the capture of the host to the start of the first attempt.
    pub queueing_s: DurationReport,
    /// Start of the first attempt to the end of the MAC ACK, if both were captured.
    pub latency_s: DurationReport,
    /// Of received packets: from the last attempt to the capture of the host.
    pub after_air_s: DurationReport,
    /// Attempts a packet.
    pub mean_attempts: Option<f64>,
    /// Packets with one, two, ... attempts; the 64th entry holds those with 64 or more.
    pub packets_by_attempts: Vec<u64>,
    /// Mean time from the attempt before, for the second attempt, the third, ...
    pub attempt_intervals_s: Vec<Option<f64>>,
    /// Packets that were delivered.
    pub delivered: u64,
    /// Packets that the transmitter gave up after its last attempt.
    pub lost_on_link: u64,
    /// Packets of which the captures do not tell.
    pub undecided: u64,
    /// Packets without captured MAC ACK that the receiving host has.
    pub delivered_without_ack: u64,
}

/// Timeouts by cause.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TimeoutCauses {
    /// The transmitter of the link gave up every copy.
    pub lost_on_link: u64,
    /// The packet was delivered or still on the way; its own attempts took the most time.
    pub slow_packet: u64,
    /// The packet was delivered or still on the way; it waited the most time for others.
    pub stuck_behind_others: u64,
    /// The packet was delivered, and the time went by after that: the TCP ACK was late or lost.
    pub acknowledgement: u64,
    /// The last copy was not found on the air: dropped before it, or missed by the sniffer.
    pub not_on_air: u64,
    /// The captures do not tell.
    pub unknown: u64,
}

/// Why a timeout happened (S2, section IV-B).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TimeoutCause {
    /// The transmitter of the link gave up every copy.
    LostOnLink,
    /// Spurious: the packet itself was slow.
    SlowPacket,
    /// Spurious: the packet waited for others.
    StuckBehindOthers,
    /// Spurious: the TCP ACK was late or lost.
    Acknowledgement,
    /// The last copy was not found on the air.
    NotOnAir,
    /// The captures do not tell.
    Unknown,
}

/// A timeout.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TimeoutReport {
    /// Time of the retransmission, in s since 1970-01-01, by the host's clock.
    pub time_s: f64,
    /// Address and port of the sender.
    pub from: String,
    /// Address and port of the receiver.
    pub to: String,
    /// Sequence number of the first byte.
    pub sequence: u32,
    /// Its cause.
    pub cause: TimeoutCause,
    /// The copies of the segment in the order of sending, the retransmission included; at most 16.
    pub copies: Vec<CopyReport>,
}

/// A copy of a segment.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CopyReport {
    /// Time at which the host sent it, in s since 1970-01-01, by the host's clock.
    pub sent_s: f64,
    /// From there to the start of the first attempt. `null` if it was not found on the air.
    pub queueing_s: Option<f64>,
    /// Attempts on the air.
    pub attempts: u16,
    /// From the start of the first attempt to the MAC ACK, or to the last attempt without one.
    pub on_air_s: Option<f64>,
    /// What became of it. `null` if it was not found on the air.
    pub fate: Option<Fate>,
}

/// A packet on the air.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PacketReport {
    /// Number of the host in `hosts`.
    pub host: u32,
    /// Start of the first captured attempt, in s since 1970-01-01, by the sniffer's clock.
    pub time_s: f64,
    /// Address of the transmitter.
    pub transmitter: String,
    /// Address of the receiver.
    pub receiver: String,
    /// Address and port of the TCP sender.
    pub from: String,
    /// Identification of the IPv4 header; 0 without one.
    pub ip_id: u16,
    /// Sequence number of its first byte.
    pub sequence: u32,
    /// Bytes of payload.
    pub length: u32,
    /// True if the host sent it.
    pub is_sent: bool,
    /// Of a sent packet: from the capture of the host to the start of the first attempt.
    pub queueing_s: Option<f64>,
    /// Attempts.
    pub attempts: u16,
    /// Start of the first attempt to the end of the MAC ACK, if both were captured.
    pub latency_s: Option<f64>,
    /// What became of it.
    pub fate: Fate,
}
