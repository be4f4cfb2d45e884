//! Means and confidence intervals over replications, of every number in a record.

use std::collections::BTreeMap;

use airtcp_link::{LossConfig, Rate};
use airtcp_probe::DropReason;
use airtcp_scenario::Resolved;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

mod cells;

pub use cells::CellEstimates;

use super::estimate::{Estimate, Estimates, Sample};
use super::goodput::{Rare, bottlenecks, most_bps, rare, together};
use super::range::Range;
use super::replication::Replication;

/// Means and 95 % confidence intervals over replications.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Summary {
    /// Per flow: name, and an estimate for each quantity.
    pub flows: Vec<Estimates>,
    /// Per direction of each link.
    pub links: Vec<Estimates>,
    /// Per 802.11 cell, with its stations.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cells: Vec<CellEstimates>,
    /// Payload delivered by all flows, over the measured time.
    pub total_goodput_bps: Estimate,
    /// Jain's index of the endless flows (bulk without size or stop, not UDP), or of all flows if none is endless.
    pub jain_index: Estimate,
    /// Jain's index of the endless flows that stations of a cell send, if others receive; else absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub jain_index_up: Option<Estimate>,
    /// The same of those that stations receive.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub jain_index_down: Option<Estimate>,
    /// Maximum minus minimum of the goodputs of the same flows. (S3's *maximum throughput difference* is the
    /// maximum over the replications.)
    pub max_difference_bps: Estimate,
}

impl Summary {
    /// The summary of a plan's replications: of the quantities of flows, links, cells and stations whose key is
    /// in `keep`. An estimate takes longer than the numbers of which it is made.
    pub(crate) fn of(
        plan: &Resolved,
        replications: &[Replication],
        keep: &dyn Fn(&str) -> bool,
    ) -> Self {
        let lossless = |i: usize| {
            plan.links.get(i).is_some_and(|link| {
                link.direction.loss.as_ref().is_none_or(LossConfig::is_lossless)
            })
        };
        let bottlenecks = bottlenecks(plan);
        let rare: Vec<Option<Rare>> =
            (0..plan.flows.len()).map(|flow| rare(plan, replications, flow)).collect();
        let mut flows = estimates(
            replications,
            keep,
            |r| r.flows.as_slice(),
            |_, _| false,
            |flow| most_bps(&[bottlenecks.get(flow).copied().flatten()]),
        );
        for (flow, estimates) in flows.iter_mut().enumerate() {
            if let (Some(goodput), Some(Some(rare))) =
                (estimates.quantities.get_mut("goodput_bps"), rare.get(flow))
            {
                let range = Range::up_to(most_bps(&[bottlenecks[flow]]));
                *goodput = goodput.with_rare(*rare, range);
            }
        }
        let all = Range::up_to(most_bps(&bottlenecks));
        let total = Estimate::within(replications.iter().map(|r| r.total_goodput_bps), all);
        let way = |of: fn(&Replication) -> Option<f64>| {
            let some = replications.iter().any(|r| of(r).is_some());
            some.then(|| Estimate::of_some(replications.iter().map(of), Range::SHARE))
        };
        Self {
            flows,
            links: estimates(
                replications,
                keep,
                |r| r.links.as_slice(),
                |i, key| LOSSES.contains(&key) && lossless(i),
                |i| constant_rate(plan, i),
            ),
            cells: cells::cells(replications, keep),
            total_goodput_bps: match together(&rare) {
                Some(rare) => total.with_rare(rare, all),
                None => total,
            },
            jain_index: Estimate::of_some(replications.iter().map(|r| r.jain_index), Range::SHARE),
            jain_index_up: way(|r| r.jain_index_up),
            jain_index_down: way(|r| r.jain_index_down),
            max_difference_bps: Estimate::of_some(
                replications.iter().map(|r| r.max_difference_bps),
                all,
            ),
        }
    }
}

impl Summary {
    /// The keys and values of Jain's index by direction, where a cell has both.
    pub fn jain_by_direction(&self) -> impl Iterator<Item = (&'static str, Estimate)> {
        let up = self.jain_index_up.map(|index| ("jain_index_up", index));
        up.into_iter().chain(self.jain_index_down.map(|index| ("jain_index_down", index)))
    }
}

/// The constant rate of a link; infinite if it varies.
fn constant_rate(plan: &Resolved, link: usize) -> f64 {
    match plan.links.get(link).and_then(|link| link.direction.rate.as_ref()) {
        Some(Rate::Constant(rate)) => rate.bps() as f64,
        _ => f64::INFINITY,
    }
}

/// Loss rates, which are exactly 0 on a link without loss model.
const LOSSES: [&str; 2] = ["loss_rate", "unit_loss_rate"];

/// True for events that cannot occur in a transport.
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

/// Estimates of every numeric quantity of the records in `keep`, by position and key. The keys come from the
/// serialised record, so a new quantity needs no second list here. If `is_certain` is true for a position
/// and key, such as the loss rate of a link without loss model, no event can occur: that of zeros is zero.
/// `most_bps` gives the greatest rate at a position.
fn estimates<T: Serialize>(
    replications: &[Replication],
    keep: &dyn Fn(&str) -> bool,
    part: impl Fn(&Replication) -> &[T],
    is_certain: impl Fn(usize, &str) -> bool,
    most_bps: impl Fn(usize) -> f64,
) -> Vec<Estimates> {
    let Some(first) = replications.first().map(&part) else { return Vec::new() };
    (0..first.len())
        .map(|i| {
            let mut values: BTreeMap<String, Sample> = BTreeMap::new();
            let mut name = String::new();
            let most = most_bps(i);
            // One record at a time: as JSON it takes several times the memory.
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
                        Value::Number(n) if keep(key) => {
                            let certain = is_certain(i, key) || has_no(transport, key);
                            let sample = values.entry(key.clone()).or_insert_with(|| Sample {
                                counts: !certain,
                                range: Some(if key.ends_with("_bps") {
                                    Range::up_to(most)
                                } else {
                                    Sample::range_of(key)
                                }),
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

/// The number of packets that a quantity is a share of.
fn share_of(key: &str, record: &Map<String, Value>, has_protocol: bool) -> Option<f64> {
    let number = |key: &str| record.get(key)?.as_f64();
    match key {
        "retransmission_ratio" => number("segments_sent"),
        "unit_loss_rate" => number("units"),
        // Frames that the protocol has delivered or abandoned.
        "loss_rate" if has_protocol => {
            let given_up = record.get("drops")?.get(DropReason::RetryLimit.name())?.as_f64()?;
            Some(number("delivered_packets")? + given_up)
        }
        "loss_rate" => number("sent_packets"),
        _ => None,
    }
}
