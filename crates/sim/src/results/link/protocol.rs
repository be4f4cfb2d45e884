//! Results of link protocols: bits by purpose, transmissions per frame, latencies.
//!
//! Rates are over the measured time. Every bit that a transmitter sends is data, PFEC, RFEC or a report of
//! the other direction's protocol, and the sum is the throughput. `accounted` compares the sum with the
//! transmitter's own count; a run with a difference is not `ok`.

use airtcp_link::{Latency, Link, ProtocolStats};
use airtcp_units::Metric;
use airtcp_units::Span;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Results of the link protocol of one direction in one replication.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ProtocolResult {
    /// The protocol: `ll-arq` or `ll-harq`.
    pub kind: String,
    /// All bits sent, reports of the other direction's protocol included.
    #[schemars(extend("metric" = Metric::rate("Sent", 7)))]
    pub throughput_bps: f64,
    /// Bits of data units in first transmissions.
    #[schemars(extend("metric" = Metric::rate("Data", 3)))]
    pub data_bps: f64,
    /// Bits of parity sent with first transmissions (proactive FEC).
    #[schemars(extend("metric" = Metric::rate("PFEC", 4)))]
    pub pfec_bps: f64,
    /// Bits sent after reports: parity (reactive FEC) or retransmitted fragments.
    #[schemars(extend("metric" = Metric::rate("RFEC", 5)))]
    pub rfec_bps: f64,
    /// Bits of the reports of the other direction's protocol; 0 if its reports take no capacity.
    #[serde(default)]
    pub reports_bps: f64,
    /// Bits of first transmissions that arrived after the frame was complete.
    #[schemars(extend("metric" = Metric::rate("PFEC not needed", 8)))]
    pub pfec_wasted_bps: f64,
    /// Bits sent after reports that arrived after the frame was complete.
    #[schemars(extend("metric" = Metric::rate("RFEC not needed", 9)))]
    pub rfec_wasted_bps: f64,
    /// Transmissions per frame.
    #[schemars(extend("metric" = Metric::count("Transmissions", 2)))]
    pub attempts_mean: Option<f64>,
    /// Mean time from the start of a frame's first unit to its delivery, in order if configured.
    #[schemars(extend("metric" = Metric::delay("Latency", 1)))]
    pub latency_mean_s: Option<f64>,
    /// Half of the frames took at most this long.
    pub latency_p50_s: Option<f64>,
    /// 95 % of the frames took at most this long.
    #[schemars(extend("metric" = Metric::delay("95 % of latencies", 6)))]
    pub latency_p95_s: Option<f64>,
    /// 99 % of the frames took at most this long.
    #[schemars(extend("metric" = Metric::delay("99 % of latencies", 10)))]
    pub latency_p99_s: Option<f64>,
    /// Mean time from the start of a frame's first unit until the receiver can decode it, without the wait for
    /// earlier frames.
    #[schemars(extend("metric" = Metric::delay("Decoded within", 11)))]
    pub decode_mean_s: Option<f64>,
    /// 95 % of the frames could be decoded within this time.
    pub decode_p95_s: Option<f64>,
    /// Units sent: frames, fragments or coded pieces of them, parity included.
    #[serde(default)]
    pub units: u64,
    /// Share of the units that the loss model lost.
    pub unit_loss_rate: f64,
    /// The protocol's estimate of that share at the end, if it makes one.
    pub loss_estimate: Option<f64>,
    /// Reports sent back.
    pub reports: u64,
    /// Transmissions whose report timer expired.
    pub report_timeouts: u64,
}

/// Counters of a link protocol at one instant.
#[derive(Clone)]
pub(crate) struct ProtocolCounters {
    stats: ProtocolStats,
    sent_bytes: u64,
    report_bytes: u64,
    sent_packets: u64,
}

impl ProtocolCounters {
    pub(crate) fn of(link: &Link) -> Option<Self> {
        let stats = link.protocol()?.clone();
        let total = link.stats();
        Some(Self {
            stats,
            sent_bytes: total.sent_bytes,
            report_bytes: link.reports_sent_bytes(),
            sent_packets: total.sent,
        })
    }
}

/// True if data, PFEC, RFEC and reports are all that the transmitter of a link sent.
pub(crate) fn accounted(link: &Link) -> bool {
    link.protocol().is_none_or(|p| {
        let units = p.data_bytes + p.pfec_bytes + p.rfec_bytes;
        units + link.reports_sent_bytes() == link.stats().sent_bytes
    })
}

/// The results between two instants.
pub(crate) fn protocol(
    kind: &str,
    link: &Link,
    before: &ProtocolCounters,
    after: &ProtocolCounters,
    span: Span,
) -> ProtocolResult {
    let (then, now) = (&before.stats, &after.stats);
    let bps = |of: fn(&ProtocolStats) -> u64| rate(of(now) - of(then), span);
    let share = |part: u64, whole: u64| (whole > 0).then(|| part as f64 / whole as f64);
    let between = |of: fn(&ProtocolStats) -> &Latency| of(now).since(of(then));
    let (release, decode) = (between(|s| &s.release), between(|s| &s.decode));
    let units = now.units - then.units;
    ProtocolResult {
        kind: kind.to_owned(),
        throughput_bps: rate(after.sent_bytes - before.sent_bytes, span),
        data_bps: bps(|s| s.data_bytes),
        pfec_bps: bps(|s| s.pfec_bytes),
        rfec_bps: bps(|s| s.rfec_bytes),
        reports_bps: rate(after.report_bytes - before.report_bytes, span),
        pfec_wasted_bps: bps(|s| s.pfec_wasted_bytes),
        rfec_wasted_bps: bps(|s| s.rfec_wasted_bytes),
        attempts_mean: share(now.blocks - then.blocks, after.sent_packets - before.sent_packets),
        latency_mean_s: release.mean(),
        latency_p50_s: release.quantile(0.5),
        latency_p95_s: release.quantile(0.95),
        latency_p99_s: release.quantile(0.99),
        decode_mean_s: decode.mean(),
        decode_p95_s: decode.quantile(0.95),
        units,
        unit_loss_rate: share(now.units_lost - then.units_lost, units).unwrap_or(0.0),
        loss_estimate: link.estimate(),
        reports: now.reports - then.reports,
        report_timeouts: now.timeouts - then.timeouts,
    }
}

fn rate(bytes: u64, span: Span) -> f64 {
    if span == Span::ZERO { 0.0 } else { bytes as f64 * 8.0 / span.as_secs_f64() }
}
