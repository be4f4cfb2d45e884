//! Results of one direction of a link.

use std::collections::BTreeMap;

use airtcp_link::{LinkStats, ProtocolConfig};
use airtcp_probe::DropReason;
use airtcp_queueing::{Qdisc, Stats as QueueStats};
use airtcp_scenario::OneWay;
use airtcp_units::{Delays, Metric, Nanos, Span};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

mod protocol;

pub use protocol::ProtocolResult;
pub(crate) use protocol::accounted;
use protocol::{ProtocolCounters, protocol};

use super::delays::Percentiles;
use crate::world::interface::Interface;

/// Results of one direction of a link in one replication.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LinkResult {
    /// Name of the link; the opposite direction has "(reverse)" added.
    pub name: String,
    /// Packets whose transmission began in the measured time.
    pub sent_packets: u64,
    /// Packets delivered at the far end.
    pub delivered_packets: u64,
    /// Bits delivered at the far end per second, duplicates included.
    #[schemars(extend("metric" = Metric::rate("Delivered", 1)))]
    pub delivered_bps: f64,
    /// Bits transmitted per second, lost ones, units and reports of a link protocol included.
    #[serde(default)]
    pub sent_bps: f64,
    /// Mean capacity of a varying rate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub capacity_bps: Option<f64>,
    /// Share of the measured time in which the transmitter was busy; with a varying rate, share of the
    /// capacity used.
    #[schemars(extend("metric" = Metric::share("Busy", 2)))]
    pub utilisation: f64,
    /// Share of transmitted packets that the loss model lost. With a link protocol, share of finished packets
    /// that the protocol abandoned (residual loss).
    #[schemars(extend("metric" = Metric::share("Lost", 3)))]
    pub loss_rate: f64,
    /// Packets dropped, by reason.
    pub drops: BTreeMap<String, u64>,
    /// Packets marked by the queue (ECN).
    pub marked_packets: u64,
    /// Time average of the queue's length.
    #[schemars(extend("metric" = Metric::packets("Mean queue", 4)))]
    pub mean_queue_packets: f64,
    /// Mean time in the queue, of the packets that left it for the link.
    #[serde(default)]
    #[schemars(extend("metric" = Metric::delay("Queue delay", 6)))]
    pub queue_delay_mean_s: Option<f64>,
    /// Time in the queue that half of these packets do not exceed, within 0.8 %.
    #[serde(default)]
    pub queue_delay_p50_s: Option<f64>,
    /// The same of 95 % of these packets.
    #[serde(default)]
    #[schemars(extend("metric" = Metric::delay("95 % of queue delays", 7)))]
    pub queue_delay_p95_s: Option<f64>,
    /// The same of 99 % of these packets.
    #[serde(default)]
    pub queue_delay_p99_s: Option<f64>,
    /// Longest time in the queue, within 0.8 %.
    #[serde(default)]
    pub queue_delay_max_s: Option<f64>,
    /// Maximum length of the queue since the start.
    #[schemars(extend("metric" = Metric::packets("Longest queue", 5)))]
    pub max_queue_packets: u32,
    /// Results of the link protocol, if there is one. In summaries its quantities are among those of the
    /// link.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub protocol: Option<ProtocolResult>,
}

/// Counters of one direction of a link since the start.
pub(crate) struct LinkCounters {
    link: LinkStats,
    busy: Span,
    /// For a varying rate, the capacity offered and used, in bits.
    offered: Option<[f64; 2]>,
    queue: QueueStats,
    /// Packet-nanoseconds spent in the queue.
    queue_area: u128,
    protocol: Option<ProtocolCounters>,
}

impl LinkCounters {
    pub(crate) fn of(interface: &Interface, at: Nanos) -> Self {
        let (link, queue) = (&interface.link, interface.queue.stats().clone());
        Self {
            link: interface.link_stats(),
            busy: link.busy(at),
            offered: link.offered(Nanos::ZERO, at).map(|offered| [offered, link.used(at)]),
            queue_area: queue.packet_ns(at, interface.queue.backlog()),
            queue,
            protocol: ProtocolCounters::of(link),
        }
    }

    /// Times in the queue since `then`.
    pub(crate) fn queue_delays(&self, then: &Self) -> Delays {
        self.queue.delays.since(&then.queue.delays)
    }
}

/// Drops that only some links have.
fn rare_drops(
    plan: &OneWay,
    before: &LinkCounters,
    after: &LinkCounters,
) -> impl Iterator<Item = (String, u64)> {
    let filtered = after.queue.dropped_filtered - before.queue.dropped_filtered;
    let policed = after.link.policed - before.link.policed;
    let found = [
        (DropReason::AckFiltered, filtered, filtered > 0),
        (DropReason::Policed, policed, plan.direction.policer.is_some()),
    ];
    let found = found.into_iter().filter(|(_, _, is_shown)| *is_shown);
    found.map(|(reason, n, _)| (reason.name().to_owned(), n))
}

/// The results of one direction, from its counters at the start and end of `span`.
pub(crate) fn link(
    plan: &OneWay,
    interface: &Interface,
    span: Span,
    [before, after]: [&LinkCounters; 2],
) -> LinkResult {
    let kind = plan.direction.protocol.as_ref().map_or("none", ProtocolConfig::kind);
    let link = &interface.link;
    let ends = before.protocol.as_ref().zip(after.protocol.as_ref());
    let protocol = ends.map(|(before, after)| protocol(kind, link, before, after, span));
    let over = |x: f64| if span == Span::ZERO { 0.0 } else { x / span.as_secs_f64() };
    let sent = after.link.sent - before.link.sent;
    let lost = after.link.lost - before.link.lost;
    let drops = [
        (DropReason::QueueFull, after.queue.dropped_full - before.queue.dropped_full),
        (DropReason::QueueEarly, after.queue.dropped_early - before.queue.dropped_early),
        (DropReason::Loss, lost),
        (DropReason::TooLong, after.link.too_long - before.link.too_long),
    ];
    let drops = drops.map(|(reason, n)| match reason {
        DropReason::Loss if protocol.is_some() => (DropReason::RetryLimit, n),
        _ => (reason, n),
    });
    // A frame of a link protocol may be in flight for seconds; loss counts the frames delivered or abandoned.
    let delivered = after.link.delivered - before.link.delivered;
    let all = if protocol.is_some() { delivered + lost } else { sent };
    let mut drops: BTreeMap<String, u64> =
        drops.into_iter().map(|(reason, n)| (reason.name().to_owned(), n)).collect();
    drops.extend(rare_drops(plan, before, after));
    let sent_bits = (after.link.sent_bytes - before.link.sent_bytes) as f64 * 8.0;
    // A transmitter that waits for a varying rate is busy, so its utilisation is the capacity used.
    let offered = before.offered.zip(after.offered);
    let offered = offered.map(|(before, after)| [after[0] - before[0], after[1] - before[1]]);
    let utilisation = match offered {
        Some([offered, used]) if offered > 0.0 => used / offered,
        Some(_) => 0.0,
        None => over(after.busy.saturating_sub(before.busy).as_secs_f64()),
    };
    let queued = after.queue.dequeued - before.queue.dequeued;
    let area = (after.queue_area - before.queue_area) as f64 / 1e9;
    let waiting = Percentiles::of(&after.queue_delays(before));
    LinkResult {
        name: plan.name.clone(),
        sent_packets: sent,
        delivered_packets: delivered,
        delivered_bps: over(
            (after.link.delivered_bytes - before.link.delivered_bytes) as f64 * 8.0,
        ),
        sent_bps: over(sent_bits),
        capacity_bps: offered.map(|[offered, _]| over(offered)),
        utilisation,
        loss_rate: if all == 0 { 0.0 } else { lost as f64 / all as f64 },
        drops,
        marked_packets: after.queue.marked - before.queue.marked,
        mean_queue_packets: over(area),
        queue_delay_mean_s: (queued > 0).then(|| area / queued as f64),
        queue_delay_p50_s: waiting.p50,
        queue_delay_p95_s: waiting.p95,
        queue_delay_p99_s: waiting.p99,
        queue_delay_max_s: waiting.max,
        max_queue_packets: after.queue.peak_packets,
        protocol,
    }
}
