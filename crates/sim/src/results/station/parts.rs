//! What a station did, by access category and by rate.
//!
//! ```text
//! residual loss = packets the other end never got / packets whose part at this sender has ended
//! link latency  = end of the acknowledgement - beginning of the first attempt (RTS included)
//! service time  = end of the exchange - arrival at the head of the queue
//! queue delay   = packet-seconds in the queue / packets taken from it          (Little's law)
//! ```

use airtcp_queueing::{Qdisc, Queue};
use airtcp_units::Nanos;
use airtcp_wifi::cell::{CategoryCounts, ModeCounts};
use airtcp_wifi::mac::{Category, category_name};
use airtcp_wifi::phy::Mode;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What became of the data frames that a station sent at one rate.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RateResult {
    /// The rate.
    pub rate_bps: u64,
    /// Frames sent, every attempt counted.
    pub sent: u64,
    /// Of these, not decoded by the station they were for.
    pub lost: u64,
}

/// What became of the packets of one access category of a station (EDCA).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CategoryResult {
    /// `background`, `best-effort`, `video`, `voice`, or `exclusive`, which a scheme adds above voice.
    pub category: String,
    /// Data frames sent, every attempt counted.
    pub sent: u64,
    /// Share of these that the station they were for did not decode.
    pub error_rate: Option<f64>,
    /// Share of the measured time that they and the RTS before them were on the air.
    pub airtime_share: f64,
    /// Mean number of attempts of the packets that were acknowledged.
    pub attempts_mean: Option<f64>,
    /// Share of the packets that were lost for good.
    pub residual_loss: Option<f64>,
    /// Mean time from the beginning of the first attempt to the end of the acknowledgement.
    pub latency_mean_s: Option<f64>,
    /// Mean time from reaching the head of the queue to the end of the exchange.
    pub service_mean_s: Option<f64>,
    /// Mean time in the queue of the packets that came to its head.
    pub queue_delay_mean_s: Option<f64>,
    /// Packets lost after their last attempt.
    pub retry_drops: u64,
    /// Packets dropped because they were older than their lifetime.
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
    /// Packet-nanoseconds spent in it.
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

    /// What was added since `then`.
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

/// Counters of the queues of a station between two instants, summed up.
pub(crate) fn queues(before: &[QueueCounters], after: &[QueueCounters]) -> QueueCounters {
    let each = after.iter().zip(before).map(|(now, then)| now.since(then));
    each.fold(QueueCounters::default(), QueueCounters::plus)
}

/// The result of some packets of a station: those of a category, or all (without a name).
pub(crate) fn part(
    category: &str,
    then: &CategoryCounts,
    now: &CategoryCounts,
    queue: QueueCounters,
    span: f64,
) -> CategoryResult {
    let per = |sum: f64, n: u64| (n > 0).then(|| sum / n as f64);
    let acknowledged = now.acknowledged - then.acknowledged;
    let finished = acknowledged + now.given_up - then.given_up;
    let expired = now.expired - then.expired;
    let dropped = now.dropped - then.dropped;
    let outlived = now.expired_lost - then.expired_lost;
    let sent = now.sent - then.sent;
    CategoryResult {
        category: category.to_owned(),
        sent,
        error_rate: per((now.lost - then.lost) as f64, sent),
        airtime_share: (now.airtime_ns - then.airtime_ns) as f64 / span,
        attempts_mean: per((now.attempts - then.attempts) as f64, acknowledged),
        residual_loss: per((dropped + outlived) as f64, finished + expired),
        latency_mean_s: per((now.latency_ns - then.latency_ns) as f64 / 1e9, acknowledged),
        service_mean_s: per((now.service_ns - then.service_ns) as f64 / 1e9, finished),
        queue_delay_mean_s: per(queue.area as f64 / 1e9, queue.dequeued),
        retry_drops: dropped,
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
    span: f64,
) -> Vec<CategoryResult> {
    if queues_now.len() < Category::ALL.len() {
        // Under DCF there are none.
        return Vec::new();
    }
    let used = |i: &usize| now[*i].sent > 0 || queues_now[*i].dequeued + queues_now[*i].drops > 0;
    let one = |i: usize| {
        let queue = queues_now[i].since(&queues_then[i]);
        part(category_name(i), &then[i], &now[i], queue, span)
    };
    (0..queues_now.len()).filter(used).map(one).collect()
}

/// Data frames by rate, slowest first; the rates that were used.
pub(crate) fn rates(then: &[ModeCounts], now: &[ModeCounts]) -> Vec<RateResult> {
    let modes = Mode::DSSS.into_iter().chain(Mode::OFDM);
    let mut found: Vec<RateResult> = modes
        .map(|mode| RateResult {
            rate_bps: mode.rate().bps(),
            sent: now[mode.index()].sent - then[mode.index()].sent,
            lost: now[mode.index()].lost - then[mode.index()].lost,
        })
        .filter(|rate| rate.sent > 0)
        .collect();
    found.sort_by_key(|rate| rate.rate_bps);
    found
}
