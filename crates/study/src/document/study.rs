//! The result of a study. The names are the documented, versioned JSON format.

use std::collections::BTreeMap;

use airtcp_sim::Estimate;
use airtcp_trace::LinkStats;
use airtcp_trace::metrics::Start;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::document::capacity::CapacityStudy;
use crate::document::{Cwnd, Skipped, TraceSource};
use crate::{Case, Remedies, StudyOptions};

/// Version of the format of study results.
pub const STUDY_SCHEMA: &str = "airtcp.study/1";

/// Everything a study reports.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StudyResult {
    /// Format of this document.
    pub schema: String,
    /// Version of the program.
    pub airtcp_version: String,
    /// Root seed: the same seed gives the same numbers.
    pub seed: u64,
    /// The options with every default filled in.
    pub options: StudyOptions,
    /// The links, in the order given; only finished ones.
    pub links: Vec<LinkStudy>,
    /// Links of varying capacity, whose files have no losses.
    #[serde(default)]
    pub capacities: Vec<CapacityStudy>,
    /// Skipped files and the reasons: the file is no trace, or its interval is no possible slot.
    pub skipped: Vec<Skipped>,
    /// True if the study was stopped before all links were done.
    pub interrupted: bool,
}

/// One link.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LinkStudy {
    /// Name of the link.
    pub name: String,
    /// Where its trace came from.
    pub source: TraceSource,
    /// Labels of the link in the file (noise level, nodes, channel ...).
    pub labels: BTreeMap<String, String>,
    /// Notes for the reader of the numbers.
    pub notes: Vec<String>,
    /// False if the file gives only the number of packets of a burst that arrived. The order inside
    /// bursts is then drawn at random, and the statistics that depend on it (`mu`, bursts ...) are
    /// null.
    pub order_known: bool,
    /// Interval between packets as the file gives it.
    pub interval_s: Option<f64>,
    /// Statistics of the trace.
    #[serde(flatten)]
    pub stats: LinkStats,
    /// A start of the trace that differs from the rest; null if there is none.
    pub start: Option<StartEffect>,
    /// Share of packets received in consecutive windows, for a chart over time.
    pub prr_over_time: PrrOverTime,
    /// TCP over the link.
    pub tcp: TcpStudy,
    /// The comparison of TCPs over equal stretches of the trace; null if none were compared. Single
    /// runs and windows are left out: `airtcp compare` gives them.
    pub compared: Option<Case>,
    /// Remedies against the losses of this link, over equal stretches of the trace; null if none
    /// were requested. Single runs and windows are left out.
    pub remedies: Option<Remedies>,
}

/// Windowed packet reception ratio.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PrrOverTime {
    /// Packets in a window.
    pub window_packets: u64,
    /// Share received, window by window.
    pub prr: Vec<f64>,
}

/// A start of the trace that differs from the rest, and TCP's throughput without it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StartEffect {
    /// The start.
    #[serde(flatten)]
    pub start: Start,
    /// TCP's throughput over the trace without it, packets per second.
    pub packets_per_second_without: f64,
}

/// TCP over one link and over its synthetic links.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TcpStudy {
    /// Parameter profile.
    pub profile: String,
    /// Duration of a slot: one packet is sent in each.
    pub slot_s: f64,
    /// True if neither the trace nor the options give the slot, and 10 ms is assumed. Every rate
    /// and time here is in proportion to the slot.
    pub slot_assumed: bool,
    /// Over the trace itself.
    pub empirical: TcpOutcome,
    /// Over independent links of the same PRR and length.
    pub independent: Ensemble,
    /// Over Gilbert-Elliott links of the same PRR, `mu` and length; null where `mu` is undefined.
    pub gilbert_elliott: Option<Ensemble>,
    /// Why there is no Gilbert-Elliott link, or that its `mu` had to be moved into its range.
    pub gilbert_elliott_note: Option<String>,
    /// Empirical minus synthetic.
    pub difference: Differences,
}

/// TCP's result in one run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TcpOutcome {
    /// Packets delivered in order to the application, per second of trace.
    pub packets_per_second: f64,
    /// Packets delivered in order to the application.
    pub delivered_packets: f64,
    /// Duration of the trace.
    pub duration_s: f64,
    /// Data packets sent, retransmissions included.
    pub sent_packets: u64,
    /// Retransmitted packets.
    pub retransmissions: u64,
    /// Share of sent data packets that were retransmissions.
    pub retransmission_ratio: f64,
    /// Expirations of the retransmission timer.
    pub timeouts: u64,
    /// Recoveries entered without a timeout.
    pub fast_retransmits: u64,
    /// Share of slots in which a packet was sent.
    pub slot_use: f64,
    /// The congestion window over time.
    pub cwnd: Option<Cwnd>,
}

/// TCP over several synthetic links of one kind: means with 95 % intervals over the replicas.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Ensemble {
    /// Number of links.
    pub replicas: u32,
    /// Packets delivered in order per second. There is no interval if a mean replica leaves fewer
    /// than 200 slots unused or delivers fewer than 30 packets, because rare replicas then
    /// determine the mean.
    pub packets_per_second: Estimate,
    /// Expirations of the retransmission timer.
    pub timeouts: Estimate,
    /// Recoveries entered without a timeout.
    pub fast_retransmits: Estimate,
    /// Share of sent data packets that were retransmissions.
    pub retransmission_ratio: Estimate,
    /// Longest run of received packets.
    pub longest_success_burst: Estimate,
    /// Longest run of lost packets.
    pub longest_loss_burst: Estimate,
    /// Packets per second of each replica.
    pub replica_packets_per_second: Vec<f64>,
}

/// Differences between the link itself and the synthetic ones.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Differences {
    /// Against independent links of the same PRR.
    pub independent: Difference,
    /// Against Gilbert-Elliott links of the same PRR and `mu`.
    pub gilbert_elliott: Option<Difference>,
}

/// Empirical minus synthetic. The trace is one run and the ensemble many runs. The record therefore
/// gives the distance of the trace from the ensemble's mean, and whether that distance exceeds
/// those between synthetic links.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Difference {
    /// In packets per second; the interval is that of the ensemble's mean.
    pub packets_per_second: Estimate,
    /// In percent of the synthetic mean, with the interval of the ratio. An end is null if the mean
    /// may be zero; both are null if the mean has no interval. Null if the mean is zero.
    pub percent: Option<Estimate>,
    /// The prediction interval, which holds the difference to one further synthetic link with at
    /// least 95 % probability: normal in the logarithm of used over unused slots, widened to the
    /// rates of the replicas.
    pub prediction: Option<[f64; 2]>,
    /// True if zero lies outside `prediction`: the link differs from synthetic links by more than
    /// these differ from one another. Null with a single replica.
    pub beyond_chance: Option<bool>,
}
