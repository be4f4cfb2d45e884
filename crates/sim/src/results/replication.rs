//! Results of one replication, from the world's counters at the end of the warm-up and of the run.

use airtcp_link::LinkStats;
use airtcp_probe::Probe;
use airtcp_queueing::Qdisc;
use airtcp_random::Seed;
use airtcp_scenario::Resolved;
use airtcp_units::{Delays, Nanos, Narrow, Span};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::boundary::boundary;
use super::cell::{CellCounters, CellResult, cell};
use super::delays::histograms;
use super::drops::{self, DropResult, Drops};
use super::fairness::{Sharing, max_difference};
use super::flow::{FlowCounters, FlowResult, flow};
use super::link::{LinkCounters, LinkResult, accounted, link};
use crate::world::interface::Interface;
use crate::world::medium::Medium;
use crate::world::{Endpoint, World};

/// One replication.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Replication {
    /// Its number, from 0.
    pub replication: u32,
    /// A hash of the packets sent, delivered and dropped: equal runs have equal fingerprints.
    pub fingerprint: String,
    /// Simulated time.
    pub duration_s: f64,
    /// Simulated time without the warm-up. Counts and rates are over this time.
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
    /// Payload delivered by all flows, over the measured time. The sum of the flows' goodputs may be greater,
    /// because each is over the time its flow was active.
    pub total_goodput_bps: f64,
    /// Jain's index of the goodputs of the endless flows (bulk without size or stop, not UDP), or of all flows if
    /// none is endless: 1 if all are equal, 1/n if one flow has everything; null for fewer than two flows.
    pub jain_index: Option<f64>,
    /// The same of the endless flows that stations of a cell send, if others receive; else absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub jain_index_up: Option<f64>,
    /// The same of those that stations receive.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub jain_index_down: Option<f64>,
    /// Maximum minus minimum of the goodputs of the same flows; null without flows.
    #[serde(default)]
    pub max_difference_bps: Option<f64>,
    /// Where every packet went.
    pub conservation: Conservation,
    /// Delays in the measured time; the run has the distributions of all replications.
    #[serde(skip)]
    pub(crate) histograms: Vec<Delays>,
}

/// Fate of every packet. `ok` is `created = delivered + dropped + absorbed + in flight`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Conservation {
    /// Packets created by endpoints and by schemes at an access point, and copies made by links.
    pub created: u64,
    /// Packets that reached their endpoint.
    pub delivered: u64,
    /// Packets dropped, for any reason.
    pub dropped: u64,
    /// Packets that a scheme at the transport boundary of an access point took: data and ACKs of a
    /// split connection, duplicate ACKs that it answered, ACKs that it sent instead.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub absorbed: u64,
    /// Packets in queues and on links when the run ended.
    pub in_flight: u64,
    /// True if the sum is right and all bits sent by links with a protocol are accounted for. False is a
    /// defect of the simulator, not of the scenario.
    pub ok: bool,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde wants a reference")]
const fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// Counters of everything at one instant.
pub(crate) struct Snapshot {
    pub(crate) at: Nanos,
    flows: Vec<FlowCounters>,
    links: Vec<LinkCounters>,
    cells: Vec<CellCounters>,
    drops: Drops,
}

impl Snapshot {
    pub(crate) fn take<P: Probe>(world: &World<P>) -> Self {
        let at = world.now();
        let air_bits = |flow| world.media().iter().map(|m| m.cell.flow_bits(flow)).sum();
        let flow = |(flow, ends): (usize, &[Endpoint])| {
            FlowCounters::of(&ends[0], &ends[1], at, air_bits(u32::narrow(flow)))
        };
        let of =
            |way: &(u32, u32)| CellCounters::of(&world.media()[way.0 as usize], way.1 as usize, at);
        Self {
            at,
            flows: world.endpoints().chunks_exact(2).enumerate().map(flow).collect(),
            links: world.interfaces().iter().map(|i| LinkCounters::of(i, at)).collect(),
            cells: world.cells().iter().map(of).collect(),
            drops: world.pool().dropped().clone(),
        }
    }
}

/// The results of one replication, from the snapshot `warm` and the world.
pub(crate) fn replication<P: Probe>(
    world: &World<P>,
    plan: &Resolved,
    warm: &Snapshot,
    number: u32,
) -> Replication {
    let end = Snapshot::take(world);
    let measured = end.at.since(warm.at);
    let ends = world.endpoints().chunks_exact(2).map(|ends| [&ends[0], &ends[1]]);
    let counters = warm.flows.iter().zip(&end.flows);
    let flows: Vec<FlowResult> = (plan.flows.iter().zip(ends).zip(counters))
        .map(|((spec, ends), (then, now))| flow(plan, spec, ends, [warm.at, end.at], [then, now]))
        .collect();
    let counters = warm.links.iter().zip(&end.links);
    let links = (plan.links.iter().zip(world.interfaces()).zip(counters))
        .map(|((plan, interface), (then, now))| link(plan, interface, measured, [then, now]))
        .collect();
    let seed = Seed { root: plan.scenario.seed, replication: number };
    let cells = (plan.cells.iter().zip(warm.cells.iter().zip(&end.cells)))
        .enumerate()
        .map(|(i, (plan, (before, after)))| CellResult {
            boundary: boundary(world, i),
            ..cell(plan, seed, &flows, before, after)
        })
        .collect();
    let goodputs: Vec<f64> = flows.iter().map(|f| f.goodput_bps).collect();
    let sharing = Sharing::of(plan);
    let [jain_index_up, jain_index_down] = sharing.jain_by_direction(&goodputs);
    let delivered: u64 = flows.iter().map(|f| f.delivered_bytes).sum();
    Replication {
        replication: number,
        fingerprint: world.pool().fingerprint().to_string(),
        duration_s: end.at.as_secs_f64(),
        measured_s: measured.as_secs_f64(),
        events: world.events(),
        flows,
        links,
        cells,
        drops: drops::since(world, plan, &warm.drops, &end.drops),
        total_goodput_bps: if measured == Span::ZERO {
            0.0
        } else {
            delivered as f64 * 8.0 / measured.as_secs_f64()
        },
        jain_index: sharing.jain_index(&goodputs),
        jain_index_up,
        jain_index_down,
        max_difference_bps: max_difference(&sharing.shares(&goodputs)),
        conservation: conservation(world),
        histograms: histograms(
            world,
            warm.links.iter().zip(&end.links).map(|(then, now)| now.queue_delays(then)),
            warm.cells.iter().zip(&end.cells).flat_map(|(then, now)| now.spreads(then)),
        ),
    }
}

/// Counts packets by fate, and those in flight by place.
fn conservation<P: Probe>(world: &World<P>) -> Conservation {
    let dropped: u64 = world.unroutable()
        + world
            .interfaces()
            .iter()
            .map(|i| {
                let LinkStats { lost, too_long, policed, .. } = i.link.stats();
                i.queue.stats().dropped() + lost + too_long + policed
            })
            .sum::<u64>()
        + world.media().iter().map(Medium::dropped).sum::<u64>();
    let in_flight: u64 = world.interfaces().iter().map(Interface::in_flight).sum::<u64>()
        + world.media().iter().map(Medium::in_flight).sum::<u64>();
    let (created, delivered) = (world.pool().created(), world.delivered());
    let absorbed = world.boundaries().absorbed();
    Conservation {
        created,
        delivered,
        dropped,
        absorbed,
        in_flight,
        ok: created == delivered + dropped + absorbed + in_flight
            && absorbed == world.pool().absorbed()
            && in_flight == world.pool().in_flight()
            && dropped == world.pool().dropped().values().map(|count| count.packets).sum::<u64>()
            && world.interfaces().iter().all(|i| accounted(&i.link)),
    }
}

#[cfg(test)]
mod waits_tests;
