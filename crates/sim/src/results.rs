//! What a run reports: per flow and per link, per replication, and summed up over replications.
//!
//! Every quantity is in SI units named in its key. Rates and means are over the measured part
//! of the run: from the warm-up (or the flow's start, if later) to the end.

use std::collections::BTreeMap;

use airtcp_link::LossConfig;
use airtcp_probe::DropReason;
use airtcp_scenario::Resolved;
use airtcp_units::Metric;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::air::CellResult;
use crate::air_summary::{self, CellEstimates};
use crate::coding::CodingResult;
pub use crate::drops::DropResult;
use crate::estimate::{Estimate, Sample};
use crate::link_protocol::ProtocolResult;

/// Version of the format of run results.
pub const RUN_SCHEMA: &str = "airtcp.run/1";

/// What one flow got in one replication.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FlowResult {
    /// Name of the flow.
    pub name: String,
    /// Node at the sending end.
    pub from: String,
    /// Node at the other end.
    pub to: String,
    /// `tcp`, `udp`, `tfrc`, `lt-tcp` or `sliding`.
    pub transport: String,
    /// Bytes handed to the receiving application, in order and once, while measured; of an
    /// exchange, requests and responses.
    pub delivered_bytes: u64,
    /// Bits handed to the receiving application, in order and once, over the time the flow was active and
    /// measured; of an exchange, requests and responses.
    #[schemars(extend("metric" = Metric::rate("Goodput", 1)))]
    pub goodput_bps: f64,
    /// All payload sent, retransmissions included, over the time the flow was active and measured.
    #[schemars(extend("metric" = Metric::rate("Sent", 6)))]
    pub throughput_bps: f64,
    /// IP packets with payload that reached the end they were for, headers included, those that
    /// came twice twice, over the same time.
    #[serde(default)]
    pub ip_delivered_bps: f64,
    /// The data frames that brought such packets through the air, MAC header, LLC and SNAP, and FCS
    /// included, each hop on its own (S3's throughput); null if no part of the way is an 802.11 cell.
    #[serde(default)]
    pub mac_delivered_bps: Option<f64>,
    /// All bits sent through the air on its behalf, both ways: data frames of every attempt, those of
    /// its TCP ACKs too, RTS, CTS and MAC ACKs, with those of PLCP preamble and header (S0's MAC
    /// throughput); null likewise.
    #[serde(default)]
    pub mac_sent_bps: Option<f64>,
    /// Time over which the rates are taken.
    pub active_s: f64,
    /// Smoothed round-trip time at the end (RFC 6298).
    pub srtt_s: Option<f64>,
    /// Mean of all round-trip samples.
    #[schemars(extend("metric" = Metric::delay("RTT", 2)))]
    pub rtt_mean_s: Option<f64>,
    /// Least round-trip sample since the start.
    pub rtt_min_s: Option<f64>,
    /// Greatest round-trip sample since the start.
    pub rtt_max_s: Option<f64>,
    /// Data segments (or datagrams) sent, retransmissions included.
    pub segments_sent: u64,
    /// Segments sent again.
    pub retransmissions: u64,
    /// Share of data segments that were retransmissions.
    #[schemars(extend("metric" = Metric::share("Retransmitted", 3)))]
    pub retransmission_ratio: f64,
    /// Expirations of the retransmission timer.
    #[schemars(extend("metric" = Metric::count("Timeouts", 4)))]
    pub timeouts: u64,
    /// Recoveries entered without a timeout.
    #[schemars(extend("metric" = Metric::count("Fast retransmits", 5)))]
    pub fast_retransmits: u64,
    /// Recoveries of either kind found to have been unnecessary, by the detectors that are on.
    pub spurious_recoveries: u64,
    /// Reactions to ECN marks.
    pub ecn_reactions: u64,
    /// Datagrams that the receiver found missing while measured, when later ones arrived (UDP and TFRC
    /// only). Those dropped before the warm-up's end may be among them; those dropped last are not yet.
    pub datagrams_lost: u64,
    /// Loss event rate at the end (TFRC only, RFC 5348 section 5).
    pub loss_event_rate: Option<f64>,
    /// When the last byte of a flow of given size was delivered, from its start.
    #[schemars(extend("metric" = Metric::duration("Completion", 7)))]
    pub completion_s: Option<f64>,
    /// Completed request-response exchanges.
    pub exchanges: u64,
    /// Mean duration of an exchange.
    pub exchange_mean_s: Option<f64>,
    /// Longest exchange.
    pub exchange_max_s: Option<f64>,
    /// What erasure coding cost and gave, for transports that code; its keys stand among those of
    /// the flow.
    #[serde(flatten)]
    pub coding: Option<CodingResult>,
}

/// What one direction of a link carried in one replication.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LinkResult {
    /// Name of the link; the opposite direction has "(reverse)" added.
    pub name: String,
    /// Packets whose transmission began while measured.
    pub sent_packets: u64,
    /// Packets that came out at the far end.
    pub delivered_packets: u64,
    /// Bits on the wire that came out, per second; copies of a link that duplicates count.
    #[schemars(extend("metric" = Metric::rate("Delivered", 1)))]
    pub delivered_bps: f64,
    /// Bits put on the wire, per second: those that were lost too, units and reports of a link
    /// protocol included.
    #[serde(default)]
    pub sent_bps: f64,
    /// Where the rate varies: what the link could have carried, per second.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub capacity_bps: Option<f64>,
    /// Share of the measured time in which the transmitter was busy; where the rate varies, share of its
    /// capacity that was used, by packets whose transmission began.
    #[schemars(extend("metric" = Metric::share("Busy", 2)))]
    pub utilisation: f64,
    /// Share of transmitted packets that the loss model took; with a link protocol, share of those it is
    /// through with that it gave up (residual loss).
    #[schemars(extend("metric" = Metric::share("Lost", 3)))]
    pub loss_rate: f64,
    /// Packets dropped, by reason.
    pub drops: BTreeMap<String, u64>,
    /// Packets marked by the queue (ECN).
    pub marked_packets: u64,
    /// Time average of the queue's length.
    #[schemars(extend("metric" = Metric::packets("Mean queue", 4)))]
    pub mean_queue_packets: f64,
    /// Greatest length of the queue since the start.
    #[schemars(extend("metric" = Metric::packets("Longest queue", 5)))]
    pub max_queue_packets: u32,
    /// What the link protocol did, if there is one. Summaries have its quantities beside the
    /// link's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub protocol: Option<ProtocolResult>,
}

/// Where every packet went. `ok` is `created = delivered + dropped + in flight`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Conservation {
    /// Packets created by endpoints, and copies made by links.
    pub created: u64,
    /// Packets that reached their endpoint.
    pub delivered: u64,
    /// Packets dropped, for any reason.
    pub dropped: u64,
    /// Packets in queues and on links when the run ended.
    pub in_flight: u64,
    /// Whether the sum is right, and all bits that links with a protocol sent are accounted for.
    /// False is a defect in the simulator, not in the scenario.
    pub ok: bool,
}

/// One replication.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Replication {
    /// Its number, from 0.
    pub replication: u32,
    /// A hash of everything that happened: equal runs have equal fingerprints.
    pub fingerprint: String,
    /// Simulated time.
    pub duration_s: f64,
    /// Simulated time without the warm-up: what counts and rates are of.
    #[serde(default)]
    pub measured_s: f64,
    /// Events processed.
    pub events: u64,
    /// Per flow.
    pub flows: Vec<FlowResult>,
    /// Per direction of each link.
    pub links: Vec<LinkResult>,
    /// Per 802.11 cell.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cells: Vec<CellResult>,
    /// Packets dropped, by flow, place and reason.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub drops: Vec<DropResult>,
    /// Payload that all flows delivered, over the measured time: at most what the links carry. Goodputs of
    /// flows that are active for a part of it, each over its own activity, may add up to more.
    pub total_goodput_bps: f64,
    /// Jain's fairness index of the flows' goodputs: 1 if equal, 1/n if one has all.
    pub jain_index: Option<f64>,
    /// Greatest of the flows' goodputs less the least; null without flows.
    #[serde(default)]
    pub max_difference_bps: Option<f64>,
    /// Where every packet went.
    pub conservation: Conservation,
}

/// Everything a run reports.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RunResult {
    /// Format of this document.
    pub schema: String,
    /// Version of the program.
    pub airtcp_version: String,
    /// Root seed.
    pub seed: u64,
    /// The scenario with every default filled in.
    pub scenario: Value,
    /// Per replication, in order; only finished ones.
    pub replications: Vec<Replication>,
    /// Means and intervals over replications.
    pub summary: Summary,
    /// What to know before believing the results, such as stations that nobody can hear.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// True if the run was stopped before all replications were done.
    pub interrupted: bool,
}

/// Means and 95 % intervals over replications.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Summary {
    /// Per flow: name, and an estimate for each quantity.
    pub flows: Vec<Estimates>,
    /// Per direction of each link.
    pub links: Vec<Estimates>,
    /// Per 802.11 cell, with its stations.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cells: Vec<CellEstimates>,
    /// Payload that all flows delivered, over the measured time.
    pub total_goodput_bps: Estimate,
    /// Jain's fairness index.
    pub jain_index: Estimate,
    /// Greatest of the flows' goodputs less the least. (S3's *maximum throughput difference* is
    /// the greatest over the replications, which give it each.)
    pub max_difference_bps: Estimate,
}

/// The estimates of one flow, link or station.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Estimates {
    /// Its name.
    pub name: String,
    /// Estimates by quantity; the same keys as in a replication.
    #[serde(flatten)]
    pub quantities: BTreeMap<String, Estimate>,
}

/// Jain's index `(sum x)^2 / (n sum x^2)`; `None` without flows or when all have nothing.
pub fn jain_index(shares: &[f64]) -> Option<f64> {
    let sum: f64 = shares.iter().sum();
    let squares: f64 = shares.iter().map(|x| x * x).sum();
    (squares > 0.0).then(|| sum * sum / (shares.len() as f64 * squares))
}

/// The greatest less the least; `None` if there are none.
pub fn max_difference(values: &[f64]) -> Option<f64> {
    let most = values.iter().copied().reduce(f64::max)?;
    let least = values.iter().copied().reduce(f64::min)?;
    Some(most - least)
}

impl Summary {
    /// Sums up replications of a plan.
    pub(crate) fn of(plan: &Resolved, replications: &[Replication]) -> Self {
        let lossless = |i: usize| {
            plan.links.get(i).is_some_and(|link| {
                link.direction.loss.as_ref().is_none_or(LossConfig::is_lossless)
            })
        };
        Self {
            flows: estimates(replications, |r| r.flows.as_slice(), |_, _| false),
            links: estimates(
                replications,
                |r| r.links.as_slice(),
                |i, key| LOSSES.contains(&key) && lossless(i),
            ),
            cells: air_summary::cells(replications),
            total_goodput_bps: Estimate::of(replications.iter().map(|r| r.total_goodput_bps)),
            jain_index: Estimate::of_some(replications.iter().map(|r| r.jain_index)),
            max_difference_bps: Estimate::of_some(
                replications.iter().map(|r| r.max_difference_bps),
            ),
        }
    }
}

/// Shares that a link without a loss model cannot have.
const LOSSES: [&str; 2] = ["loss_rate", "unit_loss_rate"];

/// Events that a flow cannot have: how it sends rules them out.
fn has_no(transport: &str, key: &str) -> bool {
    match transport {
        "udp" if key == "timeouts" => true,
        "udp" | "tfrc" => matches!(
            key,
            "retransmissions"
                | "retransmission_ratio"
                | "fast_retransmits"
                | "spurious_recoveries"
                | "ecn_reactions"
        ),
        _ => key == "datagrams_lost",
    }
}

/// Estimates of every numeric quantity of the records, by position and key. The keys are read
/// off the serialised record, so a new quantity needs no second list here. A quantity that
/// `is_certain` (by position and key), such as the loss rate of a link without a loss model, cannot
/// count an event: its interval is Student's alone, and that of zeros is zero.
fn estimates<T: Serialize>(
    replications: &[Replication],
    part: impl Fn(&Replication) -> &[T],
    is_certain: impl Fn(usize, &str) -> bool,
) -> Vec<Estimates> {
    let Some(first) = replications.first().map(&part) else { return Vec::new() };
    (0..first.len())
        .map(|i| {
            let mut values: BTreeMap<String, Sample> = BTreeMap::new();
            let mut name = String::new();
            // One record at a time: as JSON it takes several times the memory it takes here.
            for record in replications.iter().filter_map(|r| part(r).get(i)) {
                let Ok(Value::Object(mut record)) = serde_json::to_value(record) else { continue };
                let protocol = record.remove("protocol");
                let has_protocol = protocol.is_some();
                if let Some(Value::Object(protocol)) = protocol {
                    record.extend(protocol);
                }
                let transport = record.get("transport").and_then(Value::as_str).unwrap_or("");
                for (key, value) in &record {
                    match value {
                        Value::Number(n) => {
                            let certain = is_certain(i, key) || has_no(transport, key);
                            let sample = values.entry(key.clone()).or_insert_with(|| Sample {
                                counts: !certain,
                                ..Sample::default()
                            });
                            sample.counts &= Sample::is_count(key, value);
                            sample.values.extend(n.as_f64());
                            if !certain {
                                sample.of.extend(share_of(key, &record, has_protocol));
                            }
                        }
                        Value::String(text) if key == "name" => name.clone_from(text),
                        _ => {}
                    }
                }
            }
            let estimate = |(key, sample): (String, Sample)| (key, sample.estimate());
            let quantities = values.into_iter().map(estimate).collect();
            Estimates { name, quantities }
        })
        .collect()
}

/// The number of packets that a share is of.
fn share_of(key: &str, record: &Map<String, Value>, has_protocol: bool) -> Option<f64> {
    let number = |key: &str| record.get(key)?.as_f64();
    match key {
        "retransmission_ratio" => number("segments_sent"),
        "unit_loss_rate" => number("units"),
        // Frames that the protocol has delivered or given up.
        "loss_rate" if has_protocol => {
            let given_up = record.get("drops")?.get(DropReason::RetryLimit.name())?.as_f64()?;
            Some(number("delivered_packets")? + given_up)
        }
        "loss_rate" => number("sent_packets"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences() {
        assert_eq!(max_difference(&[]), None);
        assert_eq!(max_difference(&[3.0]), Some(0.0));
        assert_eq!(max_difference(&[2.0, 5.0, 1.0]), Some(4.0));
    }

    #[test]
    fn jain() {
        assert_eq!(jain_index(&[]), None);
        assert!((jain_index(&[1.0, 1.0, 1.0]).unwrap() - 1.0).abs() < 1e-12);
        assert!((jain_index(&[1.0, 0.0, 0.0, 0.0]).unwrap() - 0.25).abs() < 1e-12);
    }
}
