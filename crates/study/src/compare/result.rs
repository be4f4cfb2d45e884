//! What a comparison reports. The names here are the documented, versioned JSON format.
//!
//! Quantities are in SI units named in their keys. An [`Estimate`] is a mean with its 95 %
//! interval over the replications (or stretches) of a case.

use airtcp_sim::Estimate;
use airtcp_units::Metric;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::CompareOptions;
use crate::{Cwnd, Skipped, TraceSource};

/// Version of the format of comparisons.
pub const COMPARE_SCHEMA: &str = "airtcp.compare/1";

/// Everything a comparison reports.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CompareResult {
    /// Format of this document.
    pub schema: String,
    /// Version of the program.
    pub airtcp_version: String,
    /// Root seed of the first subject: the same seed gives the same numbers.
    pub seed: u64,
    /// The options with every default filled in.
    pub options: CompareOptions,
    /// The TCP variants, in the order given.
    pub variants: Vec<String>,
    /// The variant that the others are compared with.
    pub reference: String,
    /// The variant that each has to share with, if sharing was asked for.
    pub rival: Option<String>,
    /// The scenarios and links, in the order given; only those with something finished.
    pub subjects: Vec<Subject>,
    /// Files that were passed over, and why: no traces, or an interval that is no slot.
    pub skipped: Vec<Skipped>,
    /// True if the comparison was stopped before its end.
    pub interrupted: bool,
}

/// What was given to compare TCPs on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SubjectKind {
    /// A scenario.
    Scenario,
    /// A delivery trace, one packet a slot.
    Trace,
    /// A delivery trace as the losses of a link with a rate, a delay and a queue.
    TraceAsLink,
    /// A file of a link's capacity over time, behind a queue and with a delay.
    Capacity,
}

/// One scenario or link.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Subject {
    /// The scenario's file or the link's name.
    pub name: String,
    /// What it is.
    pub kind: SubjectKind,
    /// The scenario's title.
    pub title: Option<String>,
    /// Where the trace came from.
    pub source: Option<TraceSource>,
    /// Root seed.
    pub seed: u64,
    /// Time compared in each replication, the warm-up left out; of a trace, its duration.
    pub duration_s: f64,
    /// Duration of a slot, of a trace.
    pub slot_s: Option<f64>,
    /// True if neither the trace nor the options say how long a slot is, and 10 ms is assumed.
    pub slot_assumed: bool,
    /// The flows whose TCP is exchanged, of a scenario.
    pub flows: Vec<String>,
    /// The TCP parameters that each variant has here.
    pub tcp: Vec<VariantTcp>,
    /// The scenario with every default filled in; its flows have their own TCP.
    pub scenario: Option<Value>,
    /// What a reader of the numbers must know.
    pub notes: Vec<String>,
    /// What each TCP got: over the scenario or trace itself, and over links that look like it.
    pub cases: Vec<Case>,
    /// What would help against its losses, or on a link of varying capacity against the wait in its queue;
    /// null if that was not asked for.
    pub remedies: Option<Remedies>,
}

/// What a remedy is to change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Aim {
    /// Losses: goodput is to rise.
    Losses,
    /// The wait in a queue: the delivery time is to fall.
    Delay,
}

/// Remedies beside plain TCP. Against losses they are transports with erasure coding and link protocols;
/// against the wait in the queue of a link of varying capacity, queue disciplines.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Remedies {
    /// What they are to change.
    pub aim: Aim,
    /// The TCP without remedy that each is compared with.
    pub reference: String,
    /// The parameters that each has here.
    pub tcp: Vec<VariantTcp>,
    /// What was left out, and what the channel can and cannot show.
    pub notes: Vec<String>,
    /// What each got; of a study without the single runs and windows.
    #[serde(flatten)]
    pub case: Case,
}

/// A variant's parameters on a subject.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct VariantTcp {
    /// The variant.
    pub variant: String,
    /// What it speaks: `tcp`, `lt-tcp` or `sliding`.
    pub transport: String,
    /// Its congestion law; of `sliding`, which has its own, that of the TCP in its place.
    pub law: String,
    /// Its loss recovery; of TCP alone.
    pub recovery: String,
    /// All its parameters; of the first flow, where flows have parameters of their own.
    pub parameters: Value,
}

/// The channel under which the variants are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Channel {
    /// The scenario.
    Scenario,
    /// The trace itself.
    Trace,
    /// Independent losses of the trace's PRR.
    Independent,
    /// Gilbert-Elliott chains of the trace's PRR and `mu`.
    GilbertElliott,
}

impl Channel {
    /// Its name in documents.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Scenario => "scenario",
            Self::Trace => "trace",
            Self::Independent => "independent",
            Self::GilbertElliott => "gilbert-elliott",
        }
    }
}

/// What the intervals are over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Over {
    /// Replications with randomness of their own, the same for every variant.
    Replications,
    /// Equal stretches of one trace.
    Stretches,
}

/// All variants over one channel.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Case {
    /// The channel.
    pub channel: Channel,
    /// What the intervals are over.
    pub over: Over,
    /// How many there are of it.
    pub replications: u32,
    /// What each variant got, in order.
    pub outcomes: Vec<Outcome>,
    /// The variants by goodput alone.
    pub ranking: Ranking,
    /// What to conclude: goodput weighed against delay, waste and what is left to others.
    pub verdict: Verdict,
    /// Each variant in each replication.
    pub runs: Vec<CompareRun>,
    /// Congestion windows of the first replication (of the whole trace), of the first flow.
    pub windows: Vec<Window>,
}

/// What one variant got: means with 95 % intervals.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Outcome {
    /// The variant.
    pub variant: String,
    /// Payload delivered in order per second, summed over the compared flows.
    pub goodput_bps: Estimate,
    /// The same in packets per second, over a trace.
    pub packets_per_second: Option<Estimate>,
    /// Goodput less the reference's, in bits per second and percent; null for the reference.
    pub difference: Option<Difference>,
    /// Goodput of the best less this one's; the interval is that of a ranking (95 % for all
    /// variants together). Null for the best.
    pub less_than_best_bps: Option<Estimate>,
    /// Mean round-trip time.
    #[schemars(extend("metric" = Metric::delay("RTT", 10)))]
    pub rtt_mean_s: Estimate,
    /// Round-trip time that 95 % of the samples do not exceed.
    #[schemars(extend("metric" = Metric::delay("95 % of RTTs", 11)))]
    pub rtt_p95_s: Estimate,
    /// Mean delivery time: from when data first leave the transport until the application has them
    /// in order.
    pub delivery_mean_s: Estimate,
    /// Delivery time that half of the segments do not exceed.
    #[schemars(extend("metric" = Metric::delay("Half delivered within", 12)))]
    pub delivery_p50_s: Estimate,
    /// Delivery time that 95 % of them do not exceed.
    #[schemars(extend("metric" = Metric::delay("95 % delivered within", 1)))]
    pub delivery_p95_s: Estimate,
    /// The latter less the reference's, paired as `difference` is; null for the reference, and where
    /// either delivered nothing in some replication.
    pub delivery_p95_difference: Option<Difference>,
    /// Mean time in the queue of the link where packets wait longest; not over a trace alone.
    #[schemars(extend("metric" = Metric::delay("Queue", 9)))]
    pub queue_delay_s: Estimate,
    /// Share of packets that links with losses took, or that their protocol gave up: what is left for
    /// the transport, a hop; not over a trace alone.
    #[schemars(extend("metric" = Metric::share("Loss left", 8)))]
    pub residual_loss: Estimate,
    /// Bytes put on a link, headers, parity and repetitions included, for each byte of payload that
    /// arrives, a hop of the data's way; of 802.11 cells, all that is sent through the air. Not over a
    /// trace alone.
    #[schemars(extend("metric" = Metric::count("Bytes on the link per byte", 3)))]
    pub bytes_per_byte: Estimate,
    /// Segments sent again.
    pub retransmissions: Estimate,
    /// Share of data segments that were retransmissions.
    #[schemars(extend("metric" = Metric::share("Retransmitted", 2)))]
    pub retransmission_ratio: Estimate,
    /// Expirations of the retransmission timer.
    #[schemars(extend("metric" = Metric::count("Timeouts", 13)))]
    pub timeouts: Estimate,
    /// Recoveries entered without a timeout.
    #[schemars(extend("metric" = Metric::count("Fast retransmits", 14)))]
    pub fast_retransmits: Estimate,
    /// Reactions to ECN marks; not over a trace alone.
    #[schemars(extend("metric" = Metric::count("ECN reactions", 15)))]
    pub ecn_reactions: Estimate,
    /// Time a flow of given size takes, mean over such flows.
    #[schemars(extend("metric" = Metric::duration("Completion", 6)))]
    pub completion_s: Estimate,
    /// Mean duration of an exchange of request and response.
    #[schemars(extend("metric" = Metric::delay("Exchange", 7)))]
    pub exchange_mean_s: Estimate,
    /// Jain's index of the goodputs of all flows (when sharing: of the two); none for one flow.
    #[schemars(extend("metric" = Metric::count("Fairness", 5).at_most(1.0)))]
    pub jain_index: Estimate,
    /// Goodput of the flows that are not compared, together; null if there are none.
    #[schemars(extend("metric" = Metric::rate("Other flows get", 4)))]
    pub others_goodput_bps: Option<Estimate>,
    /// The quantity that the verdict takes for waste, less the reference's; null for the reference.
    pub waste_difference: Option<Difference>,
    /// The quantity that the verdict takes for the share of others, less what it is under the
    /// reference; null for the reference, and where there are no others.
    pub share_difference: Option<Difference>,
    /// When sharing: its part of what the two got together; a half is fair.
    pub share: Option<Estimate>,
    /// When sharing: goodput of the rival.
    pub rival_goodput_bps: Option<Estimate>,
    /// When sharing: goodput of the rival less what it has beside the reference.
    pub rival_difference: Option<Difference>,
}

/// A paired difference.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Difference {
    /// In the unit of the quantity.
    pub absolute: Estimate,
    /// In percent of the other's mean, with Fieller's interval, which takes into account that this
    /// mean is uncertain, too; null where it is zero, and without ends where it may be zero.
    pub percent: Option<Estimate>,
    /// What its interval says.
    pub standing: Standing,
}

/// What the interval of a difference says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Standing {
    /// More: the interval lies above zero.
    More,
    /// Less: the interval lies below zero.
    Less,
    /// No difference at all in any replication.
    Equal,
    /// Zero is inside the interval, or there is none.
    Undecided,
}

impl Standing {
    /// Its name in documents.
    pub const fn name(self) -> &'static str {
        match self {
            Self::More => "more",
            Self::Less => "less",
            Self::Equal => "equal",
            Self::Undecided => "undecided",
        }
    }
}

/// Variants by mean goodput, and how far the order is certain.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Ranking {
    /// All of them, the highest mean first.
    pub order: Vec<String>,
    /// Those that may be as good as the first.
    pub not_distinguishable: Vec<String>,
    /// Those that get less than the first: certain at 95 % for all of them together.
    pub worse: Vec<String>,
}

/// What variants are weighed by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Criterion {
    /// Payload delivered in order per second.
    Goodput,
    /// Time within which 95 % of the data are with the application.
    Delay,
    /// Share of retransmissions; with coding or link protocols, bytes on the link per byte.
    Waste,
    /// What is left to other flows, or how evenly the compared flows share.
    Share,
}

/// The quantity that stands for a criterion, and the difference from which it counts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Measure {
    /// What it stands for.
    pub criterion: Criterion,
    /// Its key in an outcome.
    pub quantity: String,
    /// The least mean difference that counts, in the quantity's unit or as a share of the larger.
    pub matters: f64,
    /// True if `matters` is a share of the larger of the two.
    pub relative: bool,
    /// True if more is better.
    pub more_is_better: bool,
}

/// A variant held against another.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Compared {
    /// The variant.
    pub variant: String,
    /// The other.
    pub than: String,
    /// In what it is better: beyond the interval, and by as much as matters.
    pub better: Vec<Criterion>,
    /// In what it is worse.
    pub worse: Vec<Criterion>,
}

/// A variant that is not ranked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NotRanked {
    /// The variant.
    pub variant: String,
    /// Why: what the path lacks of what it needs, or that it delivers nothing.
    pub why: String,
}

/// What to conclude of a case: variants weighed by goodput, delay, waste and share.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Verdict {
    /// What was measured. Without `share` no other flow was there.
    pub measures: Vec<Measure>,
    /// Replications or stretches it rests on; with one there is no order.
    pub replications: u32,
    /// Of the variants that no other is better than (better in one criterion, worse in none), that of
    /// the highest mean goodput; null if there is no order.
    pub first: Option<String>,
    /// Those that differ from the first in nothing that counts.
    pub not_distinguishable: Vec<String>,
    /// Those that are better than the first in one criterion and worse in another.
    pub alternatives: Vec<Compared>,
    /// Those than which another is better.
    pub worse: Vec<Compared>,
    /// Those that are not ranked, and why.
    pub not_ranked: Vec<NotRanked>,
}

impl Verdict {
    /// What the verdict has of a variant, in a word; empty if there is no order.
    pub fn place(&self, variant: &str) -> &'static str {
        let among = |list: &[Compared]| list.iter().any(|c| c.variant == variant);
        if self.not_ranked.iter().any(|entry| entry.variant == variant) {
            "not-ranked"
        } else if self.first.as_deref() == Some(variant) {
            "first"
        } else if self.not_distinguishable.iter().any(|name| name == variant) {
            "as-good"
        } else if among(&self.alternatives) {
            "alternative"
        } else if among(&self.worse) {
            "worse"
        } else {
            ""
        }
    }
}

/// One variant in one replication.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct CompareRun {
    /// The variant.
    pub variant: String,
    /// Number of the replication or stretch, from 0.
    pub replication: u32,
    /// Payload delivered in order per second, summed over the compared flows.
    pub goodput_bps: f64,
    /// The same in packets per second, over a trace.
    pub packets_per_second: Option<f64>,
    /// Mean round-trip time.
    pub rtt_mean_s: Option<f64>,
    /// Round-trip time that 95 % of the samples do not exceed.
    pub rtt_p95_s: Option<f64>,
    /// Mean delivery time.
    pub delivery_mean_s: Option<f64>,
    /// Delivery time that half of the segments do not exceed.
    pub delivery_p50_s: Option<f64>,
    /// Delivery time that 95 % of them do not exceed.
    pub delivery_p95_s: Option<f64>,
    /// Mean time in the queue of the link where packets wait longest.
    pub queue_delay_s: Option<f64>,
    /// Packets sent over links with losses.
    pub lossy_packets: Option<u64>,
    /// Those that the loss took, or that the link's protocol gave up.
    pub lossy_packets_lost: Option<u64>,
    /// Bits put on the links of the data's way per second, headers, parity and repetitions included;
    /// of 802.11 cells, through the air.
    pub link_bps: Option<f64>,
    /// Payload delivered per second, once for each of those links that it crossed.
    pub carried_bps: Option<f64>,
    /// Data segments sent, retransmissions included.
    pub segments_sent: u64,
    /// Segments sent again.
    pub retransmissions: u64,
    /// Share of data segments that were retransmissions.
    pub retransmission_ratio: f64,
    /// Expirations of the retransmission timer.
    pub timeouts: u64,
    /// Recoveries entered without a timeout.
    pub fast_retransmits: u64,
    /// Reactions to ECN marks.
    pub ecn_reactions: Option<u64>,
    /// Time a flow of given size took, mean over those that ended.
    pub completion_s: Option<f64>,
    /// Mean duration of an exchange of request and response.
    pub exchange_mean_s: Option<f64>,
    /// Jain's index of the goodputs of all flows.
    pub jain_index: Option<f64>,
    /// Goodput of the flows that are not compared, together.
    pub others_goodput_bps: Option<f64>,
    /// When sharing: its part of what the two got together.
    pub share: Option<f64>,
    /// When sharing: goodput of the rival.
    pub rival_goodput_bps: Option<f64>,
    /// Over a trace: its slots.
    #[serde(skip)]
    pub(crate) slots: Option<crate::chance::SlotUse>,
}

/// The congestion window of a variant over time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Window {
    /// The variant.
    pub variant: String,
    /// Its course, thinned for drawing.
    #[serde(flatten)]
    pub course: Cwnd,
}
