//! The results of one variant: over all replications, and in each.

use airtcp_sim::Estimate;
use airtcp_units::Metric;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::base::slot_use::SlotUse;
use crate::document::Cwnd;

/// The results of one variant: means with 95 % intervals.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Outcome {
    /// The variant.
    pub variant: String,
    /// Payload delivered in order per second, summed over the compared flows.
    pub goodput_bps: Estimate,
    /// The same in packets per second, over a trace.
    pub packets_per_second: Option<Estimate>,
    /// Goodput minus the reference's, in bits per second and percent; null for the reference.
    pub difference: Option<Difference>,
    /// Goodput of the best minus this one's. The interval is Bonferroni-corrected over all
    /// variants. Null for the best.
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
    /// `delivery_p95_s` minus the reference's, paired as `difference`; null for the reference, and
    /// if either variant delivered nothing in a replication.
    pub delivery_p95_difference: Option<Difference>,
    /// Mean time in the queue of the link where packets wait longest; not over a trace alone.
    #[schemars(extend("metric" = Metric::delay("Queue", 9)))]
    pub queue_delay_s: Estimate,
    /// Share of packets, per hop, that links with losses dropped or their protocol gave up: the
    /// loss left for the transport; not over a trace alone.
    #[schemars(extend("metric" = Metric::share("Loss left", 8)))]
    pub residual_loss: Estimate,
    /// Bytes sent on a link, headers, parity and retransmissions included, for each byte of payload
    /// that arrives, per hop of the data's path. For 802.11 cells, all transmissions count. Not
    /// over a trace alone.
    #[schemars(extend("metric" = Metric::count("Bytes on the link per byte", 3)))]
    pub bytes_per_byte: Estimate,
    /// Retransmitted segments.
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
    /// Jain's index of the goodputs of the endless flows (bulk without size or stop, not UDP), or of all flows if
    /// none is endless (when sharing: of the two); none for one flow.
    #[schemars(extend("metric" = Metric::count("Fairness", 5).at_most(1.0)))]
    pub jain_index: Estimate,
    /// The same of the endless flows that stations of a cell send, if others receive; else null.
    #[serde(default)]
    #[schemars(extend("metric" = Metric::count("Fairness up", 16).at_most(1.0)))]
    pub jain_index_up: Option<Estimate>,
    /// The same of those that stations receive.
    #[serde(default)]
    #[schemars(extend("metric" = Metric::count("Fairness down", 17).at_most(1.0)))]
    pub jain_index_down: Option<Estimate>,
    /// Goodput of the flows that are not compared, together; null if there are none.
    #[schemars(extend("metric" = Metric::rate("Other flows get", 4)))]
    pub others_goodput_bps: Option<Estimate>,
    /// The quantity that the verdict uses as waste, minus the reference's; null for the reference.
    pub waste_difference: Option<Difference>,
    /// The quantity that the verdict uses as the share of other flows, minus its value under the
    /// reference; null for the reference, and without other flows.
    pub share_difference: Option<Difference>,
    /// When sharing: its part of the goodput of both; a half is fair.
    pub share: Option<Estimate>,
    /// When sharing: goodput of the rival.
    pub rival_goodput_bps: Option<Estimate>,
    /// When sharing: goodput of the rival minus its goodput beside the reference.
    pub rival_difference: Option<Difference>,
}

/// A paired difference.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Difference {
    /// In the unit of the quantity.
    pub absolute: Estimate,
    /// In percent of the other mean, with Fieller's interval, which includes the uncertainty of
    /// that mean; null if the mean is zero, and without ends if it may be zero.
    pub percent: Option<Estimate>,
    /// The conclusion from its interval.
    pub standing: Standing,
}

/// The conclusion from the interval of a difference.
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
    /// Packets that the links with losses dropped or their protocol gave up.
    pub lossy_packets_lost: Option<u64>,
    /// Bits per second sent on the links of the data's path, or in 802.11 cells, headers, parity
    /// and retransmissions included.
    pub link_bps: Option<f64>,
    /// Payload delivered per second, once for each of these links that it crossed.
    pub carried_bps: Option<f64>,
    /// Data segments sent, retransmissions included.
    pub segments_sent: u64,
    /// Retransmitted segments.
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
    /// Jain's index of the goodputs of the endless flows, or of all if none is endless.
    pub jain_index: Option<f64>,
    /// The same of those that stations of a cell send, if others receive.
    #[serde(default)]
    pub jain_index_up: Option<f64>,
    /// The same of those that stations receive.
    #[serde(default)]
    pub jain_index_down: Option<f64>,
    /// Goodput of the flows that are not compared, together.
    pub others_goodput_bps: Option<f64>,
    /// When sharing: its part of the goodput of both.
    pub share: Option<f64>,
    /// When sharing: goodput of the rival.
    pub rival_goodput_bps: Option<f64>,
    /// Mean time over which the compared flows were active and measured.
    #[serde(skip)]
    pub(crate) active_s: f64,
    /// Over a trace: the use of its slots.
    #[serde(skip)]
    pub(crate) slots: Option<SlotUse>,
}

/// The congestion window of a variant over time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Window {
    /// The variant.
    pub variant: String,
    /// The window over time, thinned for drawing.
    #[serde(flatten)]
    pub course: Cwnd,
}

/// What a job gives: its runs, and the course of the window if it was kept.
pub(crate) type Done = (Vec<CompareRun>, Option<Cwnd>);
