//! Results of a flow.

use airtcp_scenario::{Application, Cell, Flow, Resolved, TransportKind};
use airtcp_units::{Metric, Nanos, Span};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

mod coding;
mod counters;
mod waits;

pub use coding::CodingResult;
pub(crate) use counters::FlowCounters;
pub use waits::WaitShares;

use crate::world::Endpoint;
use crate::world::application::{App, Exchanges};
use crate::world::transport::Transport;

/// Results of one flow in one replication.
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
    /// Bytes delivered to the receiving application in the measured time, in order and without duplicates; of
    /// an exchange, requests and responses.
    pub delivered_bytes: u64,
    /// Bits delivered to the receiving application, in order and without duplicates, over the time the flow was
    /// active and measured; of an exchange, requests and responses.
    #[schemars(extend("metric" = Metric::rate("Goodput", 1)))]
    pub goodput_bps: f64,
    /// All payload sent, retransmissions included, over the time the flow was active and measured.
    #[schemars(extend("metric" = Metric::rate("Sent", 6)))]
    pub throughput_bps: f64,
    /// IP packets with payload that reached their destination, headers and duplicates included, over the same
    /// time.
    #[serde(default)]
    pub ip_delivered_bps: f64,
    /// Data frames that carried such packets through the air, with MAC header, LLC, SNAP and FCS, summed over
    /// the hops (S3's throughput); null if the path has no 802.11 cell.
    #[serde(default)]
    pub mac_delivered_bps: Option<f64>,
    /// All bits sent through the air for the flow, in both directions: data frames of every attempt, TCP ACKs
    /// included, RTS, CTS and MAC ACKs, with PLCP preamble and header (S0's MAC throughput); null if the path
    /// has no 802.11 cell.
    #[serde(default)]
    pub mac_sent_bps: Option<f64>,
    /// Time over which the flow was active and measured.
    pub active_s: f64,
    /// The same as an interval: flows that run one after the other have no rate together but over all this time.
    /// It stands in no document.
    #[serde(skip)]
    pub active: [Nanos; 2],
    /// Smoothed round-trip time at the end (RFC 6298).
    pub srtt_s: Option<f64>,
    /// Mean of all round-trip samples.
    #[schemars(extend("metric" = Metric::delay("RTT", 2)))]
    pub rtt_mean_s: Option<f64>,
    /// Minimum round-trip sample since the start.
    pub rtt_min_s: Option<f64>,
    /// Maximum round-trip sample since the start.
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
    /// Fast retransmits and timeouts found to be unnecessary by the configured detectors.
    pub spurious_recoveries: u64,
    /// Reactions to ECN marks.
    pub ecn_reactions: u64,
    /// Datagrams that the receiver found missing in the measured time, when later ones arrived (UDP and TFRC
    /// only). Some may have been dropped before the end of the warm-up. The last drops of the run are not
    /// included.
    pub datagrams_lost: u64,
    /// Loss event rate at the end (TFRC only, RFC 5348 section 5).
    pub loss_event_rate: Option<f64>,
    /// Time from the start of a flow of given size to the delivery of its last byte.
    #[schemars(extend("metric" = Metric::duration("Completion", 7)))]
    pub completion_s: Option<f64>,
    /// Completed request-response exchanges.
    pub exchanges: u64,
    /// Mean duration of an exchange.
    pub exchange_mean_s: Option<f64>,
    /// Longest exchange.
    pub exchange_max_s: Option<f64>,
    /// Duration that half of the exchanges do not exceed, within 0.8 %.
    #[serde(default)]
    pub exchange_p50_s: Option<f64>,
    /// Duration that 95 % of the exchanges do not exceed, within 0.8 %.
    #[serde(default)]
    pub exchange_p95_s: Option<f64>,
    /// Duration that 99 % of the exchanges do not exceed, within 0.8 %.
    #[serde(default)]
    pub exchange_p99_s: Option<f64>,
    /// Results of erasure coding, for transports that code. Its keys are among those of the flow.
    #[serde(flatten)]
    pub coding: Option<CodingResult>,
    /// What the sender waited for. Its keys are among those of the flow.
    #[serde(flatten)]
    pub waits: WaitShares,
}

/// Activity of a flow in the measured time.
struct Activity {
    started: Option<Nanos>,
    finished: Option<Nanos>,
    /// Begin and length of the active time.
    from: Nanos,
    active: Span,
    exchanges: Exchanges,
}

impl Activity {
    /// The activity of a flow between two instants.
    fn of(client: &Endpoint, server: &Endpoint, begin: Nanos, end: Nanos) -> Self {
        let (started, finished) = (client.app.started(), server.app.finished());
        // If the receiver sees no end of stream, the sending application knows when it finished.
        let ended = match (&client.transport, &client.app) {
            (Transport::UdpSender(_) | Transport::TfrcSender { .. }, _)
            | (_, App::Requester(_)) => client.app.ended(),
            _ => None,
        };
        let exchanges = exchanges(client);
        let from = begin.max(started.unwrap_or(end));
        let active = finished.or(ended).unwrap_or(end).since(from);
        Self { started, finished, from, active, exchanges }
    }

    /// Bits per second of activity.
    fn per_second(&self, bytes: u64) -> f64 {
        if self.active == Span::ZERO { 0.0 } else { bytes as f64 * 8.0 / self.active.as_secs_f64() }
    }

    /// Time from the start to the delivery of the last byte.
    fn completion_s(&self) -> Option<f64> {
        Some(self.finished?.since(self.started?).as_secs_f64())
    }
}

/// The exchanges that a client has completed in the measured time.
pub(crate) fn exchanges(client: &Endpoint) -> Exchanges {
    match &client.app {
        App::Requester(r) => r.done.clone(),
        _ => Exchanges::default(),
    }
}

/// The results of a flow, from its counters at two instants and its endpoints.
pub(crate) fn flow(
    plan: &Resolved,
    spec: &Flow,
    [client, server]: [&Endpoint; 2],
    [begin, end]: [Nanos; 2],
    [before, after]: [&FlowCounters; 2],
) -> FlowResult {
    let activity = Activity::of(client, server, begin, end);
    let per_second = |bytes: u64| activity.per_second(bytes);
    let (count, done) = (activity.exchanges.completed, &activity.exchanges);
    // A quantile is read off a bin, whose end may lie beyond the longest.
    let longest = done.longest.as_secs_f64();
    let exchange = |q: f64| done.durations.quantile_s(q).map(|s| s.min(longest));
    let delivered = after.delivered - before.delivered;
    let (tcp, then) = (&after.tcp, &before.tcp);
    let segments = after.segments - before.segments;
    let retransmissions = tcp.segments_retransmitted - then.segments_retransmitted;
    let rtt = |span: Span| (tcp.rtt.samples > 0).then(|| span.as_secs_f64());
    let sized = matches!(spec.app, Application::Bulk { size: Some(_), .. });
    let ends = [spec.from, spec.to];
    let in_cell = |cell: &Cell| cell.nodes[1..].iter().any(|node| ends.contains(node));
    let through_air = plan.cells.iter().any(in_cell);
    FlowResult {
        name: spec.name.clone(),
        from: plan.nodes[spec.from].clone(),
        to: plan.nodes[spec.to].clone(),
        transport: name(spec.transport).into(),
        delivered_bytes: delivered,
        goodput_bps: per_second(delivered),
        throughput_bps: per_second(after.sent_bytes - before.sent_bytes),
        ip_delivered_bps: per_second(after.carried.ip_bytes - before.carried.ip_bytes),
        mac_delivered_bps: through_air
            .then(|| per_second(after.carried.mac_bytes - before.carried.mac_bytes)),
        mac_sent_bps: through_air.then(|| per_second(after.air_bits - before.air_bits) / 8.0),
        active_s: activity.active.as_secs_f64(),
        active: [activity.from, activity.from + activity.active],
        srtt_s: rtt(tcp.rtt.smoothed),
        rtt_mean_s: after.rtt_mean(before),
        rtt_min_s: rtt(tcp.rtt.min),
        rtt_max_s: rtt(tcp.rtt.max),
        segments_sent: segments,
        retransmissions,
        retransmission_ratio: if segments == 0 {
            0.0
        } else {
            retransmissions as f64 / segments as f64
        },
        timeouts: tcp.timeouts - then.timeouts,
        fast_retransmits: tcp.fast_retransmits - then.fast_retransmits,
        spurious_recoveries: after.spurious() - before.spurious(),
        ecn_reactions: tcp.ecn_reactions - then.ecn_reactions,
        // Datagrams missing at the end of the warm-up may have arrived since, so the count can fall.
        datagrams_lost: after.datagrams_lost.saturating_sub(before.datagrams_lost),
        loss_event_rate: match &server.transport {
            Transport::TfrcReceiver(r) => Some(r.loss_event_rate()),
            _ => None,
        },
        completion_s: activity.completion_s().filter(|_| sized),
        exchanges: count,
        exchange_mean_s: (count > 0).then(|| done.total_time.as_secs_f64() / count as f64),
        exchange_max_s: (count > 0).then_some(longest),
        exchange_p50_s: exchange(0.5),
        exchange_p95_s: exchange(0.95),
        exchange_p99_s: exchange(0.99),
        coding: after.coding.map(|c| c.result(&before.coding.unwrap_or_default(), per_second)),
        waits: WaitShares::of(spec.transport, &after.waited(before)),
    }
}

const fn name(transport: TransportKind) -> &'static str {
    match transport {
        TransportKind::Tcp => "tcp",
        TransportKind::Udp => "udp",
        TransportKind::Tfrc => "tfrc",
        TransportKind::Sliding => "sliding",
        TransportKind::LtTcp => "lt-tcp",
    }
}
