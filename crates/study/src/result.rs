//! What a study reports. The names here are the documented, versioned JSON format.

use std::collections::BTreeMap;

use airtcp_sim::Estimate;
use airtcp_trace::LinkStats;
use airtcp_trace::metrics::Start;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::capacity::CapacityStudy;
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
    /// Links of varying capacity, of which the files say nothing about losses.
    #[serde(default)]
    pub capacities: Vec<CapacityStudy>,
    /// Files that were passed over, and why: no traces, or an interval that is no slot.
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
    /// What the file says of the link (noise level, nodes, channel ...).
    pub labels: BTreeMap<String, String>,
    /// What a reader of the numbers must know.
    pub notes: Vec<String>,
    /// False if the file gives only how many packets of a burst arrived: the order inside
    /// bursts was then drawn at random, and what depends on it (`mu`, bursts ...) is null.
    pub order_known: bool,
    /// Interval between packets as the file gives it.
    pub interval_s: Option<f64>,
    /// What kind of link it is.
    #[serde(flatten)]
    pub stats: LinkStats,
    /// A start that differs from the rest; null if there is none.
    pub start: Option<StartEffect>,
    /// Share of packets received in consecutive windows, for a picture of the link over time.
    pub prr_over_time: PrrOverTime,
    /// What TCP gets over it.
    pub tcp: TcpStudy,
    /// Which TCP suits it: several over the trace, in equal stretches; null if none were compared.
    /// Without the single runs and windows: `airtcp compare` gives those.
    pub compared: Option<Case>,
    /// What would help this link against its losses, over the trace in equal stretches; null if that
    /// was not asked for. Without the single runs and windows.
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

/// A start of the trace that differs from the rest, and what TCP gets without it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StartEffect {
    /// The start.
    #[serde(flatten)]
    pub start: Start,
    /// TCP's throughput over the trace without it, packets per second.
    pub packets_per_second_without: f64,
}

/// TCP over one link and over links that look like it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TcpStudy {
    /// Parameter profile.
    pub profile: String,
    /// Duration of a slot: one packet is sent in each.
    pub slot_s: f64,
    /// True if neither the trace nor the options say how long a slot is, and 10 ms is assumed:
    /// every rate and time here is in proportion to that.
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

/// What TCP got in one run.
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
    /// Packets sent again.
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
    /// Packets delivered in order per second. No interval where a replica leaves fewer than 200 slots
    /// unused, or delivers fewer than 30 packets, in the mean: rare replicas make the mean there.
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

/// How the link itself differs from the synthetic ones.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Differences {
    /// Against independent links of the same PRR.
    pub independent: Difference,
    /// Against Gilbert-Elliott links of the same PRR and `mu`.
    pub gilbert_elliott: Option<Difference>,
}

/// Empirical minus synthetic. The trace is one run and the ensemble many, so two questions have
/// two answers: how far the trace lies from the ensemble's mean, and whether that is more than
/// synthetic links lie from one another.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Difference {
    /// In packets per second; the interval is that of the ensemble's mean.
    pub packets_per_second: Estimate,
    /// In percent of the synthetic mean, the interval that of the ratio to it: an end is null where
    /// the mean may be zero, both where the mean itself has no interval. Null where the mean is zero.
    pub percent: Option<Estimate>,
    /// Where the difference to one further synthetic link lies with at least 95 % probability: the
    /// prediction interval, normal in the logarithm of slots used over slots left, widened to what the
    /// replicas themselves reached.
    pub prediction: Option<[f64; 2]>,
    /// True if zero lies outside `prediction`: the link differs from synthetic ones by more than
    /// they do from one another. Null with a single replica.
    pub beyond_chance: Option<bool>,
}
