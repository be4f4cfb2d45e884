//! Results of a station by access category and by rate.
//!
//! ```text
//! residual loss = packets that never arrived / packets that the station has finished
//! link latency  = end of the acknowledgement - start of the first attempt (RTS included)
//! service time  = end of the exchange - arrival at the head of the queue
//! queue delay   = packet-seconds in the queue / packets taken from it          (Little's law)
//! percentiles   = of the packets that ended their exchange, and of those taken from the queue
//! ```

use airtcp_queueing::{Qdisc, Queue};
use airtcp_units::Nanos;
use airtcp_wifi::cell::{CategoryCounts, ModeCounts};
use airtcp_wifi::mac::{Category, category_name};
use airtcp_wifi::phy::PerMode;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::results::delays::{Percentiles, Spread};

/// Results of the data frames that a station sent at one rate.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RateResult {
    /// The rate.
    pub rate_bps: u64,
    /// Format of the frames: `HT`, `VHT`, `HE`, or `non-HT` for the rates of 802.11a, b and g.
    #[serde(default)]
    pub format: String,
    /// Index of the modulation and coding scheme in 802.11n, ac and ax.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mcs: Option<u8>,
    /// Number of spatial streams in 802.11n, ac and ax.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub streams: Option<u8>,
    /// Width of the channel in 802.11n, ac and ax, in MHz.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub width_mhz: Option<u16>,
    /// Frames sent, every attempt counted.
    pub sent: u64,
    /// Those that the receiver did not decode.
    pub lost: u64,
}

/// Results of one access category of a station (EDCA).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CategoryResult {
    /// `background`, `best-effort`, `video`, `voice`, or `exclusive`, which a scheme adds above voice.
    pub category: String,
    /// Data frames sent, every attempt counted.
    pub sent: u64,
    /// Share of these that the receiver did not decode.
    pub error_rate: Option<f64>,
    /// Share of the measured time in which they and their RTS frames were on the air.
    pub airtime_share: f64,
    /// Mean number of attempts of the packets that were acknowledged.
    pub attempts_mean: Option<f64>,
    /// Share of the packets that never arrived (residual loss).
    pub residual_loss: Option<f64>,
    /// Mean time from the start of the first attempt to the end of the acknowledgement.
    pub latency_mean_s: Option<f64>,
    /// Mean time from reaching the head of the queue to the end of the exchange.
    pub service_mean_s: Option<f64>,
    /// Time from reaching the head of the queue to the end of the exchange that half of the packets do not
    /// exceed, within 0.8 %.
    #[serde(default)]
    pub service_p50_s: Option<f64>,
    /// The same of 95 % of the packets.
    #[serde(default)]
    pub service_p95_s: Option<f64>,
    /// The same of 99 % of the packets.
    #[serde(default)]
    pub service_p99_s: Option<f64>,
    /// Mean time in the queue, of the packets that reached its head.
    pub queue_delay_mean_s: Option<f64>,
    /// Time in the queue that half of the packets that reached its head do not exceed, within 0.8 %.
    #[serde(default)]
    pub queue_delay_p50_s: Option<f64>,
    /// The same of 95 % of these packets.
    #[serde(default)]
    pub queue_delay_p95_s: Option<f64>,
    /// The same of 99 % of these packets.
    #[serde(default)]
    pub queue_delay_p99_s: Option<f64>,
    /// Longest time in the queue, within 0.8 %.
    #[serde(default)]
    pub queue_delay_max_s: Option<f64>,
    /// Packets dropped after their last attempt.
    pub retry_drops: u64,
    /// Packets that the receiver decoded and discarded, because it had stopped waiting for them (A-MPDU);
    /// absent if there are none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reorder_drops: Option<u64>,
    /// Packets dropped because their lifetime expired.
    #[serde(default)]
    pub lifetime_drops: u64,
    /// Packets dropped by the queue.
    pub queue_drops: u64,
    /// Time average of the queue's length.
    pub mean_queue_packets: f64,
}

/// Counters of a queue at one instant.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct QueueCounters {
    drops: u64,
    dequeued: u64,
    /// Packet-nanoseconds spent in the queue.
    area: u128,
}

impl QueueCounters {
    pub(crate) fn of(queue: &Queue, at: Nanos) -> Self {
        let stats = queue.stats();
        Self {
            drops: stats.dropped(),
            dequeued: stats.dequeued,
            area: stats.packet_ns(at, queue.backlog()),
        }
    }

    /// The difference from `then`.
    fn since(&self, then: &Self) -> Self {
        Self {
            drops: self.drops - then.drops,
            dequeued: self.dequeued - then.dequeued,
            area: self.area - then.area,
        }
    }

    fn plus(self, other: Self) -> Self {
        Self {
            drops: self.drops + other.drops,
            dequeued: self.dequeued + other.dequeued,
            area: self.area + other.area,
        }
    }
}

/// Sum of the counters of a station's queues between two instants.
pub(crate) fn queues(before: &[QueueCounters], after: &[QueueCounters]) -> QueueCounters {
    let each = after.iter().zip(before).map(|(now, then)| now.since(then));
    each.fold(QueueCounters::default(), QueueCounters::plus)
}

/// The results of a category's packets, or with an empty name of all packets of a station.
pub(crate) fn part(
    category: &str,
    [then, now]: [&CategoryCounts; 2],
    queue: QueueCounters,
    spread: &Spread,
    span: f64,
) -> CategoryResult {
    let per = |sum: f64, n: u64| (n > 0).then(|| sum / n as f64);
    let acknowledged = now.acknowledged - then.acknowledged;
    let finished = acknowledged + now.given_up - then.given_up;
    let expired = now.expired - then.expired;
    let dropped = now.dropped - then.dropped;
    let outdated = now.outdated - then.outdated;
    let outlived = now.expired_lost - then.expired_lost;
    let sent = now.sent - then.sent;
    let (service, waiting) = (Percentiles::of(&spread.service), Percentiles::of(&spread.queue));
    CategoryResult {
        category: category.to_owned(),
        sent,
        error_rate: per((now.lost - then.lost) as f64, sent),
        airtime_share: (now.airtime_ns - then.airtime_ns) as f64 / span,
        attempts_mean: per((now.attempts - then.attempts) as f64, acknowledged),
        residual_loss: per((dropped + outlived) as f64, finished + expired),
        latency_mean_s: per((now.latency_ns - then.latency_ns) as f64 / 1e9, acknowledged),
        service_mean_s: per((now.service_ns - then.service_ns) as f64 / 1e9, finished),
        service_p50_s: service.p50,
        service_p95_s: service.p95,
        service_p99_s: service.p99,
        queue_delay_mean_s: per(queue.area as f64 / 1e9, queue.dequeued),
        queue_delay_p50_s: waiting.p50,
        queue_delay_p95_s: waiting.p95,
        queue_delay_p99_s: waiting.p99,
        queue_delay_max_s: waiting.max,
        retry_drops: dropped - outdated,
        reorder_drops: (outdated > 0).then_some(outdated),
        lifetime_drops: outlived,
        queue_drops: queue.drops,
        mean_queue_packets: queue.area as f64 / span,
    }
}

/// The results of the categories that were used.
pub(crate) fn categories(
    then: &[CategoryCounts],
    now: &[CategoryCounts],
    [queues_then, queues_now]: [&[QueueCounters]; 2],
    spreads: &[Spread],
    span: f64,
) -> Vec<CategoryResult> {
    if queues_now.len() < Category::ALL.len() {
        // DCF has no categories.
        return Vec::new();
    }
    let used = |i: &usize| now[*i].sent > 0 || queues_now[*i].dequeued + queues_now[*i].drops > 0;
    let one = |i: usize| {
        let queue = queues_now[i].since(&queues_then[i]);
        part(category_name(i), [&then[i], &now[i]], queue, &spreads[i], span)
    };
    (0..queues_now.len()).filter(used).map(one).collect()
}

/// Data frames by used rate, slowest first.
pub(crate) fn rates(then: &PerMode<ModeCounts>, now: &PerMode<ModeCounts>) -> Vec<RateResult> {
    let mut found: Vec<RateResult> = now
        .modes()
        .map(|mode| RateResult {
            rate_bps: mode.rate().bps(),
            format: mode.mcs_index().map_or("non-HT".to_owned(), |_| mode.format().to_string()),
            mcs: mode.mcs_index(),
            streams: mode.mcs_index().map(|_| mode.streams()),
            width_mhz: mode.mcs_index().map(|_| mode.width_mhz()),
            sent: now.get(mode).sent - then.get(mode).sent,
            lost: now.get(mode).lost - then.get(mode).lost,
        })
        .filter(|rate| rate.sent > 0)
        .collect();
    found.sort_by_key(|rate| rate.rate_bps);
    found
}
