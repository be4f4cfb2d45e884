//! What a comparison of schemes reports. The names here are the documented, versioned JSON format.
//!
//! Quantities are in SI units named in their keys. An estimate is a mean with its 95 % interval over the
//! replications. A difference is paired: in each replication all variants draw the same random numbers.

use std::collections::BTreeMap;

use airtcp_sim::Estimate;
use airtcp_units::Metric;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::document::compare::Difference;
use crate::document::conclusion::SchemesVerdict;
use crate::document::schemes_options::SchemesOptions;

/// Version of the format of comparisons of schemes.
pub const SCHEMES_SCHEMA: &str = "airtcp.schemes/1";

/// Everything a comparison of schemes reports.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SchemesResult {
    /// Format of this document.
    pub schema: String,
    /// Version of the program.
    pub airtcp_version: String,
    /// Root seed of the first scenario: the same seed gives the same numbers.
    pub seed: u64,
    /// The options with every default filled in.
    pub options: SchemesOptions,
    /// The variant that the others are compared with.
    pub reference: String,
    /// The scenarios, in the order given; only those with something finished.
    pub subjects: Vec<SchemesSubject>,
    /// True if the comparison was stopped before its end.
    pub interrupted: bool,
}

/// One scenario under every variant.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SchemesSubject {
    /// The scenario's file.
    pub name: String,
    /// Its title.
    pub title: Option<String>,
    /// Root seed.
    pub seed: u64,
    /// Time compared in each replication, the warm-up left out.
    pub duration_s: f64,
    /// Replications that every variant has finished.
    pub replications: u32,
    /// The flows that compete: those that take all they can get, or all if none does so. Fairness, the
    /// largest difference and the slowest flow are of these.
    pub flows: Vec<String>,
    /// The scenario with every default filled in, as the base runs it.
    pub scenario: Value,
    /// What a reader of the numbers must know.
    pub notes: Vec<String>,
    /// What each variant sets in the scenario.
    pub variants: Vec<SchemeVariant>,
    /// What each variant gave, in the same order.
    pub outcomes: Vec<SchemeOutcome>,
    /// What each station got under each variant.
    pub stations: Vec<SchemeStation>,
    /// What to conclude.
    pub verdict: SchemesVerdict,
    /// Each variant in each replication.
    pub runs: Vec<SchemeRun>,
}

/// A variant, and what it sets.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SchemeVariant {
    /// The variant.
    pub variant: String,
    /// Keys and values that it sets in the scenario; none if it is the scenario as written.
    pub sets: Vec<String>,
}

/// What one variant gave: means with 95 % intervals.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SchemeOutcome {
    /// The variant.
    pub variant: String,
    /// Payload that all flows delivered, per second.
    #[schemars(extend("metric" = Metric::rate("Goodput", 1)))]
    pub total_goodput_bps: Estimate,
    /// Jain's index of the goodputs of the flows that compete: 1 if equal, 1/n if one has all.
    #[schemars(extend("metric" = Metric::count("Fairness", 2).at_most(1.0)))]
    pub jain_index: Estimate,
    /// The same of those of them that stations send, if others receive; else without a value.
    #[schemars(extend("metric" = Metric::count("Fairness up", 17).at_most(1.0)))]
    pub jain_index_up: Estimate,
    /// The same of those that stations receive.
    #[schemars(extend("metric" = Metric::count("Fairness down", 18).at_most(1.0)))]
    pub jain_index_down: Estimate,
    /// Least goodput of the flows that compete.
    #[schemars(extend("metric" = Metric::rate("Slowest flow", 3)))]
    pub slowest_flow_bps: Estimate,
    /// Greatest goodput of the flows that compete less the least.
    #[schemars(extend("metric" = Metric::rate("Largest difference", 10)))]
    pub max_difference_bps: Estimate,
    /// Jain's index of the airtime shares of the stations, the access point not counted.
    #[schemars(extend("metric" = Metric::count("Airtime fairness", 9).at_most(1.0)))]
    pub airtime_jain_index: Estimate,
    /// Share of the frames with TCP ACKs that their receiver did not decode.
    #[schemars(extend("metric" = Metric::share("ACK error", 5)))]
    pub ack_error: Estimate,
    /// Share of the data frames that their receiver did not decode.
    #[schemars(extend("metric" = Metric::share("Data error", 6)))]
    pub data_error: Estimate,
    /// Share of the packets that the air lost for good, after the last attempt.
    #[schemars(extend("metric" = Metric::share("Lost for good", 8)))]
    pub residual_loss: Estimate,
    /// Mean time in the queue of the access point.
    #[schemars(extend("metric" = Metric::delay("AP queue", 7)))]
    pub access_point_queue_delay_s: Estimate,
    /// Mean time from the head of the access point's queue to the end of the exchange.
    #[schemars(extend("metric" = Metric::delay("AP service", 12)))]
    pub access_point_service_s: Estimate,
    /// Mean time in the queues of the stations, each station counted alike.
    #[schemars(extend("metric" = Metric::delay("Station queue", 11)))]
    pub station_queue_delay_s: Estimate,
    /// Mean time from the head of a station's queue to the end of the exchange, each station counted alike.
    #[schemars(extend("metric" = Metric::delay("Station service", 13)))]
    pub station_service_s: Estimate,
    /// Mean duration of an exchange, each flow of requests and responses counted alike.
    #[schemars(extend("metric" = Metric::delay("Exchange", 14)))]
    pub exchange_mean_s: Estimate,
    /// Duration that half of the exchanges do not exceed, likewise.
    #[schemars(extend("metric" = Metric::delay("Half of exchanges", 15)))]
    pub exchange_p50_s: Estimate,
    /// Duration that 95 % of the exchanges do not exceed, likewise.
    #[schemars(extend("metric" = Metric::delay("95 % of exchanges", 4)))]
    pub exchange_p95_s: Estimate,
    /// Duration that 99 % of the exchanges do not exceed, likewise.
    #[schemars(extend("metric" = Metric::delay("99 % of exchanges", 16)))]
    pub exchange_p99_s: Estimate,
    /// By quantity, the paired difference from the reference; empty for the reference. A quantity that some
    /// replication of either lacks has none.
    pub differences: BTreeMap<String, Difference>,
}

/// What one station got under one variant.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SchemeStation {
    /// The variant.
    pub variant: String,
    /// Name of the cell.
    pub cell: String,
    /// Name of the station.
    pub station: String,
    /// True for the access point of the cell.
    pub is_access_point: bool,
    /// Payload of the flows that begin or end at it, delivered, per second.
    #[schemars(extend("metric" = Metric::rate("Goodput", 1)))]
    pub goodput_bps: Estimate,
    /// Its goodput less that under the reference; null for the reference.
    pub goodput_difference: Option<Difference>,
    /// Share of the measured time that its own frames of all classes were on the air.
    #[schemars(extend("metric" = Metric::share("Airtime", 2)))]
    pub airtime_share: Estimate,
    /// Its airtime share less that under the reference; null for the reference.
    pub airtime_difference: Option<Difference>,
}

/// One variant in one replication.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SchemeRun {
    /// The variant.
    pub variant: String,
    /// Number of the replication, from 0.
    pub replication: u32,
    /// Payload that all flows delivered, per second.
    pub total_goodput_bps: f64,
    /// Jain's index of the goodputs of the flows that compete.
    pub jain_index: Option<f64>,
    /// The same of those that stations send, if others receive.
    #[serde(default)]
    pub jain_index_up: Option<f64>,
    /// The same of those that stations receive.
    #[serde(default)]
    pub jain_index_down: Option<f64>,
    /// Least goodput of these flows.
    pub slowest_flow_bps: Option<f64>,
    /// Greatest goodput of these flows less the least.
    pub max_difference_bps: Option<f64>,
    /// Jain's index of the airtime shares of the stations.
    pub airtime_jain_index: Option<f64>,
    /// Frames with TCP ACKs sent, every attempt counted.
    pub tcp_acks: f64,
    /// Share of these that their receiver did not decode.
    pub ack_error: Option<f64>,
    /// Data frames sent, every attempt counted.
    pub data_frames: f64,
    /// Share of these that their receiver did not decode.
    pub data_error: Option<f64>,
    /// Packets that were acknowledged, given up or too old. If none was lost, as their frames and
    /// attempts say.
    pub packets: f64,
    /// Share of these that were lost for good.
    pub residual_loss: Option<f64>,
    /// Mean time in the queue of the access point.
    pub access_point_queue_delay_s: Option<f64>,
    /// Mean time from the head of the access point's queue to the end of the exchange.
    pub access_point_service_s: Option<f64>,
    /// Mean time in the queues of the stations.
    pub station_queue_delay_s: Option<f64>,
    /// Mean time from the head of a station's queue to the end of the exchange.
    pub station_service_s: Option<f64>,
    /// Mean duration of an exchange.
    pub exchange_mean_s: Option<f64>,
    /// Duration that half of the exchanges did not exceed.
    pub exchange_p50_s: Option<f64>,
    /// Duration that 95 % of the exchanges did not exceed.
    pub exchange_p95_s: Option<f64>,
    /// Duration that 99 % of the exchanges did not exceed.
    pub exchange_p99_s: Option<f64>,
    /// By station, in the order of the scenario.
    #[serde(skip)]
    pub(crate) stations: Vec<StationRun>,
}

/// What one station got in one replication.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(crate) struct StationRun {
    pub(crate) goodput_bps: f64,
    pub(crate) airtime_share: f64,
}
