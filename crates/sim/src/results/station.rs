//! Results of a station: frames sent, losses and their causes.

use std::collections::BTreeMap;

use airtcp_units::{Metric, Nanos};
use airtcp_wifi::cell::{CategoryCounts, ClassCounts, StationStats};
use airtcp_wifi::mac::{Class, LinkRedCounts};
use airtcp_wifi::node::NodeId;
use airtcp_wifi::scheme::AifsnLimits;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

mod parts;

pub use parts::{CategoryResult, RateResult};
use parts::{QueueCounters, categories, part, queues, rates};

use super::delays::Spread;
use super::flow::FlowResult;
use crate::build::coverage::Place;
use crate::world::medium::Medium;

/// Results of the frames of one class that a station sent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FrameResult {
    /// Frames sent, every attempt counted.
    pub sent: u64,
    /// Share of these that the receiver did not decode.
    #[schemars(extend("metric" = Metric::share("Error", 5)))]
    pub error_rate: f64,
    /// Share of the measured time in which they were on the air.
    pub airtime_share: f64,
    /// Their bits per second, MAC header and FCS included.
    pub mac_bps: f64,
    /// Frames lost, by cause: `transmitter_side` (the receiver was transmitting), `with_data`,
    /// `with_tcp_ack`, `with_mac_ack`, `with_rts`, `with_cts`, `with_beacon`, `with_trigger`,
    /// `with_block_ack_req` (frames overlapped), `captured` (the receiver switched to a stronger frame), `interferer`, `noise`.
    pub lost: BTreeMap<String, u64>,
}

/// Results of one station in one replication.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StationResult {
    /// Name of its node.
    pub name: String,
    /// Position, in metres.
    pub x_m: f64,
    /// Position, in metres.
    pub y_m: f64,
    /// Distance to the access point, or in a chain to the neighbour towards it; null for the access point.
    #[schemars(extend("metric" = Metric::other("Distance", "m", 1.0, 18)))]
    pub distance_m: Option<f64>,
    /// Received power at the access point, or in a chain at the neighbour towards it, without fading; null for
    /// the access point and if no power arrives.
    pub signal_dbm: Option<f64>,
    /// Received power over the noise floor; null if `signal_dbm` is.
    #[schemars(extend("metric" = Metric::other("SNR", "dB", 1.0, 12).any()))]
    pub snr_db: Option<f64>,
    /// Number of stations of the cell, access point excluded, whose frames it does not sense.
    #[schemars(extend("metric" = Metric::count("Hidden from it", 9)))]
    pub hidden_stations: u32,
    /// Payload delivered by the flows from it, over the measured time.
    #[schemars(extend("metric" = Metric::rate("Sends", 1)))]
    pub goodput_from_bps: f64,
    /// Payload delivered by the flows to it, over the measured time.
    #[schemars(extend("metric" = Metric::rate("Gets", 2)))]
    pub goodput_to_bps: f64,
    /// Share of the measured time in which its frames of all classes were on the air.
    #[schemars(extend("metric" = Metric::share("Airtime", 6)))]
    pub airtime_share: f64,
    /// Share of the measured time in which data frames for it were on the air: all attempts, whether or not it
    /// decoded them. Of an HE MU PPDU, an equal part counts for each of its stations.
    #[serde(default)]
    #[schemars(extend("metric" = Metric::share("Airtime to it", 8)))]
    pub airtime_received_share: f64,
    /// Bits per second of its frames of all classes, MAC headers and FCS included.
    pub mac_bps: f64,
    /// Frames by class: `data`, `tcp_ack`, `mac_ack` (ACK and BlockAck), `rts`, `cts`, `beacon`, `trigger`,
    /// `block_ack_req`; absent if it sent none.
    pub frames: BTreeMap<String, FrameResult>,
    /// Mean number of attempts of the packets that were acknowledged.
    #[schemars(extend("metric" = Metric::count("Attempts", 14)))]
    pub attempts_mean: Option<f64>,
    /// Share of the packets that never arrived (residual loss).
    #[serde(default)]
    #[schemars(extend("metric" = Metric::share("Lost for good", 17)))]
    pub residual_loss: Option<f64>,
    /// Mean time from the start of the first attempt to the end of the acknowledgement (link latency).
    #[serde(default)]
    #[schemars(extend("metric" = Metric::delay("Latency", 15)))]
    pub latency_mean_s: Option<f64>,
    /// Mean time from reaching the head of the queue to the end of the exchange.
    #[schemars(extend("metric" = Metric::delay("Service", 16)))]
    pub service_mean_s: Option<f64>,
    /// Longest time from reaching the head of the queue to the end of the exchange, in the whole run
    /// (warm-up included).
    #[serde(default)]
    pub service_max_s: Option<f64>,
    /// Time from reaching the head of the queue to the end of the exchange that half of the packets do not
    /// exceed, within 0.8 %.
    #[serde(default)]
    pub service_p50_s: Option<f64>,
    /// The same of 95 % of the packets.
    #[serde(default)]
    #[schemars(extend("metric" = Metric::delay("95 % of services", 19)))]
    pub service_p95_s: Option<f64>,
    /// The same of 99 % of the packets.
    #[serde(default)]
    pub service_p99_s: Option<f64>,
    /// Mean time in the queue, of the packets that reached its head.
    #[serde(default)]
    #[schemars(extend("metric" = Metric::delay("Queue delay", 7)))]
    pub queue_delay_mean_s: Option<f64>,
    /// Time in the queue that half of the packets that reached its head do not exceed, within 0.8 %.
    #[serde(default)]
    pub queue_delay_p50_s: Option<f64>,
    /// The same of 95 % of these packets.
    #[serde(default)]
    #[schemars(extend("metric" = Metric::delay("95 % of queue delays", 20)))]
    pub queue_delay_p95_s: Option<f64>,
    /// The same of 99 % of these packets.
    #[serde(default)]
    pub queue_delay_p99_s: Option<f64>,
    /// Longest time in the queue, within 0.8 %.
    #[serde(default)]
    pub queue_delay_max_s: Option<f64>,
    /// Packets dropped after their last attempt.
    #[schemars(extend("metric" = Metric::count("Dropped after retries", 4)))]
    pub retry_drops: u64,
    /// Packets that the receiver decoded and discarded, because it had stopped waiting for them (A-MPDU);
    /// absent if there are none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reorder_drops: Option<u64>,
    /// Packets dropped because their lifetime expired.
    #[serde(default)]
    #[schemars(extend("metric" = Metric::count("Dropped: too old", 11)))]
    pub lifetime_drops: u64,
    /// Packets dropped because the destination station was not associated.
    #[serde(default)]
    #[schemars(extend("metric" = Metric::count("Dropped: not associated", 10)))]
    pub refused_drops: u64,
    /// Packets dropped by its queue.
    #[schemars(extend("metric" = Metric::count("Dropped by queue", 3)))]
    pub queue_drops: u64,
    /// Time average of its queue's length.
    #[schemars(extend("metric" = Metric::packets("Queue", 13)))]
    pub mean_queue_packets: f64,
    /// AIFSN at the end that a scheme's controller has given it; absent without a controller.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub adjusted_aifsn: Option<u32>,
    /// Share of the controller's adjustments in which the bound `aifsn_min` or `aifsn_max` kept the station
    /// from a more equal share; absent without a controller, or without an adjustment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub aifsn_limited_share: Option<f64>,
    /// Packets that the scheme `link-red` dropped; absent without it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub early_drops: Option<u64>,
    /// Packets that the scheme `link-red` marked; absent without it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub early_marks: Option<u64>,
    /// Mean number of MPDUs in its frames with data (A-MPDU); absent if it sent none with more than one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub aggregate_mean_mpdus: Option<f64>,
    /// Multi-user PPDUs with data that it sent (OFDMA); absent if it sent none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mu_frames: Option<u64>,
    /// Its data frames by rate, slowest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rates: Vec<RateResult>,
    /// The access categories it used under EDCA, lowest priority first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub categories: Vec<CategoryResult>,
}

/// Counters of a station at one instant: its frames, and its queues.
pub(crate) struct StationCounters {
    frames: StationStats,
    queues: Vec<QueueCounters>,
    spreads: Vec<Spread>,
    adjusted_aifsn: Option<u32>,
    aifsn_limits: Option<AifsnLimits>,
    link_red: Option<LinkRedCounts>,
}

impl StationCounters {
    pub(crate) fn of(medium: &Medium, station: NodeId, at: Nanos) -> Self {
        let queues = medium.queues(station).iter().map(|queue| QueueCounters::of(queue, at));
        Self {
            frames: medium.cell.stats_until(station, at),
            queues: queues.collect(),
            spreads: Spread::all_of(medium, station),
            adjusted_aifsn: medium.cell.adjusted_aifsn(station),
            aifsn_limits: medium.cell.aifsn_limits(station),
            link_red: medium.cell.link_red_counts(station),
        }
    }

    /// Delays since `then`, by category.
    pub(crate) fn spreads(&self, then: &Self) -> Vec<Spread> {
        self.spreads.iter().zip(&then.spreads).map(|(now, then)| now.since(then)).collect()
    }
}

/// The results of a station, from its counters at the start and end of `span` nanoseconds.
pub(crate) fn station(
    name: String,
    place: &Place,
    flows: &[FlowResult],
    [before, after]: [&StationCounters; 2],
    span: f64,
) -> StationResult {
    let (then, now) = (&before.frames, &after.frames);
    let queue = queues(&before.queues, &after.queues);
    let spreads = after.spreads(before);
    let all = part("", [&then.all(), &now.all()], queue, &Spread::sum(&spreads), span);
    let frames = frames(then, now, span);
    let goodput = |ours: &dyn Fn(&FlowResult) -> bool| {
        let bytes = flows.iter().filter(|f| ours(f)).map(|f| f.delivered_bytes).sum::<u64>();
        bytes as f64 * 8e9 / span
    };
    let early =
        |of: fn(LinkRedCounts) -> u64| Some(of(after.link_red?) - before.link_red.map_or(0, of));
    StationResult {
        x_m: place.at.x_m,
        y_m: place.at.y_m,
        distance_m: place.heard.map(|h| h.distance_m),
        signal_dbm: place.heard.map(|h| h.signal_dbm).filter(|s| s.is_finite()),
        snr_db: place.heard.map(|h| h.snr_db).filter(|s| s.is_finite()),
        hidden_stations: place.hidden,
        goodput_from_bps: goodput(&|f| f.from == name),
        goodput_to_bps: goodput(&|f| f.to == name),
        airtime_share: (airtime_ns(now) - airtime_ns(then)) as f64 / span,
        airtime_received_share: (now.received_airtime_ns - then.received_airtime_ns) as f64 / span,
        mac_bps: frames.values().map(|f| f.mac_bps).sum(),
        name,
        frames,
        attempts_mean: all.attempts_mean,
        residual_loss: all.residual_loss,
        latency_mean_s: all.latency_mean_s,
        service_mean_s: all.service_mean_s,
        service_max_s: all.service_mean_s.map(|_| now.service_max_ns as f64 / 1e9),
        service_p50_s: all.service_p50_s,
        service_p95_s: all.service_p95_s,
        service_p99_s: all.service_p99_s,
        queue_delay_mean_s: all.queue_delay_mean_s,
        queue_delay_p50_s: all.queue_delay_p50_s,
        queue_delay_p95_s: all.queue_delay_p95_s,
        queue_delay_p99_s: all.queue_delay_p99_s,
        queue_delay_max_s: all.queue_delay_max_s,
        retry_drops: all.retry_drops,
        reorder_drops: all.reorder_drops,
        lifetime_drops: all.lifetime_drops,
        refused_drops: now.refused - then.refused,
        queue_drops: all.queue_drops,
        mean_queue_packets: all.mean_queue_packets,
        adjusted_aifsn: after.adjusted_aifsn,
        aifsn_limited_share: limited_share([before, after]),
        early_drops: early(|counts| counts.dropped),
        early_marks: early(|counts| counts.marked),
        aggregate_mean_mpdus: mean_mpdus(&then.all(), &now.all()),
        mu_frames: Some(now.mu_frames - then.mu_frames).filter(|count| *count > 0),
        rates: rates(&then.modes, &now.modes),
        categories: categories(
            &then.categories,
            &now.categories,
            [&before.queues, &after.queues],
            &spreads,
            span,
        ),
    }
}

/// The airtime of all frames that a station sent.
fn airtime_ns(stats: &StationStats) -> u64 {
    stats.classes.iter().map(|class| class.airtime_ns).sum()
}

/// Mean number of MPDUs in the frames with data between two instants.
fn mean_mpdus(then: &CategoryCounts, now: &CategoryCounts) -> Option<f64> {
    let (aggregates, within) = (now.aggregates - then.aggregates, now.aggregated - then.aggregated);
    let sent = now.sent - then.sent;
    (aggregates > 0).then(|| sent as f64 / (sent - within + aggregates) as f64)
}

/// Share of a controller's adjustments that its bounds prevented at a station.
fn limited_share([before, after]: [&StationCounters; 2]) -> Option<f64> {
    let (then, now) = (before.aifsn_limits?, after.aifsn_limits?);
    let adjustments = now.adjustments - then.adjustments;
    (adjustments > 0).then(|| (now.limited - then.limited) as f64 / adjustments as f64)
}

fn frames(then: &StationStats, now: &StationStats, span: f64) -> BTreeMap<String, FrameResult> {
    let classes = Class::ALL.into_iter().map(|class| (class, then.class(class), now.class(class)));
    classes
        .filter(|(_, then, now)| now.sent > then.sent)
        .map(|(class, then, now)| (class.name().to_owned(), frame(then, now, span)))
        .collect()
}

fn frame(then: &ClassCounts, now: &ClassCounts, span: f64) -> FrameResult {
    let mut lost = BTreeMap::new();
    let mut count = |name: String, n: u64| {
        if n > 0 {
            lost.insert(name, n);
        }
    };
    count("transmitter_side".into(), now.transmitter_side - then.transmitter_side);
    for class in Class::ALL {
        let i = class as usize;
        count(format!("with_{}", class.name()), now.collided[i] - then.collided[i]);
    }
    count("captured".into(), now.captured - then.captured);
    count("interferer".into(), now.interferer - then.interferer);
    count("noise".into(), now.noise - then.noise);
    let sent = now.sent - then.sent;
    FrameResult {
        sent,
        error_rate: lost.values().sum::<u64>() as f64 / sent as f64,
        airtime_share: (now.airtime_ns - then.airtime_ns) as f64 / span,
        mac_bps: (now.bytes - then.bytes) as f64 * 8e9 / span,
        lost,
    }
}
