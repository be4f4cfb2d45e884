//! Reading a world's counters, at the warm-up and at the end, and what lies between.

use std::collections::BTreeMap;

use airtcp_link::{LinkStats, ProtocolConfig};
use airtcp_probe::{DropReason, Probe};
use airtcp_queueing::{Qdisc, Stats as QueueStats};
use airtcp_random::Seed;
use airtcp_scenario::{Application, Cell, Resolved, TransportKind};
use airtcp_sliding::SlidingStats;
use airtcp_transport::tcp::TcpStats;
use airtcp_units::{Nanos, Span};

use crate::air::{CellCounters, cell};
use crate::application::{App, Exchanges};
use crate::coding::CodingCounters;
use crate::drops::{self, Drops};
use crate::interface::Interface;
use crate::link_protocol::{ProtocolCounters, accounted, protocol};
use crate::medium::Medium;
use crate::results::{
    Conservation, FlowResult, LinkResult, Replication, jain_index, max_difference,
};
use crate::transport::Transport;
use crate::world::{Carried, World};

/// Counters of everything at one instant.
pub(crate) struct Snapshot {
    at: Nanos,
    flows: Vec<FlowCounters>,
    links: Vec<LinkCounters>,
    cells: Vec<CellCounters>,
    drops: Drops,
}

#[derive(Default, Clone)]
struct FlowCounters {
    delivered: u64,
    sent_bytes: u64,
    segments: u64,
    datagrams_lost: u64,
    /// Bytes of IP packets with payload that arrived, and of the MAC frames that brought them.
    carried: Carried,
    /// Bits of all frames sent on its behalf.
    air_bits: u64,
    tcp: TcpStats,
    /// Number and sum of the round-trip samples of the two ends.
    rtt: [(u64, Span); 2],
    coding: Option<CodingCounters>,
}

struct LinkCounters {
    link: LinkStats,
    busy: Span,
    /// Bits that could have left, where the rate varies.
    offered: Option<f64>,
    queue: QueueStats,
    /// Packet-nanoseconds spent in the queue since the start.
    queue_area: u128,
    protocol: Option<ProtocolCounters>,
}

impl Snapshot {
    pub(crate) fn take<P: Probe>(world: &World<P>) -> Self {
        let at = world.now();
        let flows = world
            .endpoints()
            .chunks_exact(2)
            .enumerate()
            .map(|(flow, ends)| FlowCounters {
                carried: Carried {
                    ip_bytes: ends.iter().map(|end| end.carried.ip_bytes).sum(),
                    mac_bytes: ends.iter().map(|end| end.carried.mac_bytes).sum(),
                },
                air_bits: world.media().iter().map(|s| s.cell.flow_bits(flow as u32)).sum(),
                coding: CodingCounters::of(&ends[0].transport, &ends[1].transport),
                ..FlowCounters::of(&ends[0].transport, &ends[1].transport)
            })
            .collect();
        let links = world
            .interfaces()
            .iter()
            .map(|i| {
                let queue = i.queue.stats().clone();
                let queue_area = queue.packet_ns(at, i.queue.backlog());
                LinkCounters {
                    link: i.link.stats().clone(),
                    busy: i.link.busy(at),
                    offered: i.link.offered(Nanos::ZERO, at),
                    queue,
                    queue_area,
                    protocol: ProtocolCounters::of(&i.link),
                }
            })
            .collect();
        let of =
            |way: &(u32, u32)| CellCounters::of(&world.media()[way.0 as usize], way.1 as usize, at);
        let cells = world.cells().iter().map(of).collect();
        Self { at, flows, links, cells, drops: world.pool().dropped().clone() }
    }
}

impl FlowCounters {
    /// Those of the two ends of a stream. In an exchange both send data; in a transfer one of them
    /// adds zeros.
    fn of_stream(delivered: u64, a: &TcpStats, b: &TcpStats) -> Self {
        let rtt = *if a.rtt.samples >= b.rtt.samples { a } else { b };
        Self {
            delivered,
            sent_bytes: a.bytes_sent + b.bytes_sent,
            segments: a.data_segments_sent + b.data_segments_sent,
            tcp: TcpStats {
                segments_retransmitted: a.segments_retransmitted + b.segments_retransmitted,
                timeouts: a.timeouts + b.timeouts,
                fast_retransmits: a.fast_retransmits + b.fast_retransmits,
                spurious_timeouts: a.spurious_timeouts + b.spurious_timeouts,
                spurious_fast_retransmits: a.spurious_fast_retransmits
                    + b.spurious_fast_retransmits,
                ecn_reactions: a.ecn_reactions + b.ecn_reactions,
                ..rtt
            },
            rtt: [(a.rtt.samples, a.rtt.sum), (b.rtt.samples, b.rtt.sum)],
            ..Self::default()
        }
    }

    fn of(client: &Transport, server: &Transport) -> Self {
        match (client, server) {
            (Transport::Tcp { connection: c, .. }, Transport::Tcp { connection: s, .. }) => {
                Self::of_stream(c.delivered() + s.delivered(), c.stats(), s.stats())
            }
            (Transport::Lt { connection: c, .. }, Transport::Lt { connection: s, .. }) => {
                Self::of_stream(c.delivered() + s.delivered(), &c.counters(), &s.counters())
            }
            (
                Transport::Sliding { connection: c, .. },
                Transport::Sliding { connection: s, .. },
            ) => {
                let (delivered, [c, s]) = (c.delivered() + s.delivered(), [c.stats(), s.stats()]);
                Self::of_stream(delivered, &as_tcp(&c), &as_tcp(&s))
            }
            (Transport::UdpSender(c), Transport::UdpReceiver(s)) => Self {
                delivered: s.stats().bytes_received,
                sent_bytes: c.stats().bytes_sent,
                segments: c.stats().datagrams_sent,
                datagrams_lost: s.stats().lost(),
                ..Self::default()
            },
            (Transport::TfrcSender { sender, .. }, Transport::TfrcReceiver(r)) => {
                let (s, d) = (sender.stats(), r.datagrams().stats());
                Self {
                    delivered: d.bytes_received,
                    sent_bytes: s.bytes_sent,
                    segments: s.packets_sent,
                    datagrams_lost: d.lost(),
                    tcp: TcpStats { timeouts: s.timeouts, rtt: s.rtt, ..TcpStats::default() },
                    rtt: [(s.rtt.samples, s.rtt.sum), (0, Span::ZERO)],
                    ..Self::default()
                }
            }
            _ => Self::default(),
        }
    }
}

/// What a TCP would have counted, for results that list both.
fn as_tcp(stats: &SlidingStats) -> TcpStats {
    TcpStats {
        data_segments_sent: stats.packets_sent(),
        bytes_sent: stats.bytes_sent,
        segments_retransmitted: stats.resent,
        timeouts: stats.timeouts,
        ecn_reactions: stats.ecn_reactions,
        rtt: stats.rtt,
        ..TcpStats::default()
    }
}

/// The results of one replication, from its state at the warm-up and now.
pub(crate) fn replication<P: Probe>(
    world: &World<P>,
    plan: &Resolved,
    warm: &Snapshot,
    number: u32,
) -> Replication {
    let end = Snapshot::take(world);
    let flows: Vec<FlowResult> =
        (0..plan.flows.len()).map(|i| flow(world, plan, warm, &end, i)).collect();
    let links: Vec<LinkResult> =
        (0..plan.links.len()).map(|i| link(world, plan, warm, &end, i)).collect();
    let cells = plan.cells.iter().zip(warm.cells.iter().zip(&end.cells));
    let seed = Seed { root: plan.scenario.seed, replication: number };
    let cells =
        cells.map(|(plan, (before, after))| cell(plan, seed, &flows, before, after)).collect();
    let goodputs: Vec<f64> = flows.iter().map(|f| f.goodput_bps).collect();
    let delivered: u64 = flows.iter().map(|f| f.delivered_bytes).sum();
    let measured = end.at.since(warm.at);
    Replication {
        replication: number,
        fingerprint: world.fingerprint().hex(),
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
        jain_index: jain_index(&goodputs),
        max_difference_bps: max_difference(&goodputs),
        conservation: conservation(world),
    }
}

const fn spurious(tcp: &TcpStats) -> u64 {
    tcp.spurious_timeouts + tcp.spurious_fast_retransmits
}

fn flow<P: Probe>(
    world: &World<P>,
    plan: &Resolved,
    warm: &Snapshot,
    end: &Snapshot,
    i: usize,
) -> FlowResult {
    let spec = &plan.flows[i];
    let (before, after) = (&warm.flows[i], &end.flows[i]);
    let (client, server) = (&world.endpoints()[2 * i], &world.endpoints()[2 * i + 1]);
    let started = client.app.started();
    let finished = server.app.finished();
    // Without an end of stream to see, the sending application knows when it was through.
    let ended = match (&client.transport, &client.app) {
        (Transport::UdpSender(_) | Transport::TfrcSender { .. }, _) | (_, App::Requester(_)) => {
            client.app.ended()
        }
        _ => None,
    };
    let from = warm.at.max(started.unwrap_or(end.at));
    let active = finished.or(ended).unwrap_or(end.at).since(from);
    let per_second = |bytes: u64| {
        if active == Span::ZERO { 0.0 } else { bytes as f64 * 8.0 / active.as_secs_f64() }
    };
    let delivered = after.delivered - before.delivered;
    let tcp = &after.tcp;
    let measured = |now: u64, then: u64| now - then;
    let segments = measured(after.segments, before.segments);
    let retransmissions = measured(tcp.segments_retransmitted, before.tcp.segments_retransmitted);
    let rtt = |span: Span| (tcp.rtt.samples > 0).then(|| span.as_secs_f64());
    let sized = matches!(spec.app, Application::Bulk { size: Some(_), .. });
    let done = match &client.app {
        App::Requester(r) => r.done,
        _ => Exchanges::default(),
    };
    let count = done.completed;
    let ends = [spec.from, spec.to];
    let in_cell = |cell: &Cell| cell.nodes[1..].iter().any(|node| ends.contains(node));
    let through_air = plan.cells.iter().any(in_cell);
    FlowResult {
        name: spec.name.clone(),
        from: plan.nodes[spec.from].clone(),
        to: plan.nodes[spec.to].clone(),
        transport: match spec.transport {
            TransportKind::Tcp => "tcp".into(),
            TransportKind::Udp => "udp".into(),
            TransportKind::Tfrc => "tfrc".into(),
            TransportKind::Sliding => "sliding".into(),
            TransportKind::LtTcp => "lt-tcp".into(),
        },
        delivered_bytes: delivered,
        goodput_bps: per_second(delivered),
        throughput_bps: per_second(measured(after.sent_bytes, before.sent_bytes)),
        ip_delivered_bps: per_second(measured(after.carried.ip_bytes, before.carried.ip_bytes)),
        mac_delivered_bps: through_air
            .then(|| per_second(measured(after.carried.mac_bytes, before.carried.mac_bytes))),
        mac_sent_bps: through_air
            .then(|| per_second(measured(after.air_bits, before.air_bits)) / 8.0),
        active_s: active.as_secs_f64(),
        srtt_s: rtt(tcp.rtt.smoothed),
        rtt_mean_s: rtt_mean(before, after),
        rtt_min_s: rtt(tcp.rtt.min),
        rtt_max_s: rtt(tcp.rtt.max),
        segments_sent: segments,
        retransmissions,
        retransmission_ratio: if segments == 0 {
            0.0
        } else {
            retransmissions as f64 / segments as f64
        },
        timeouts: measured(tcp.timeouts, before.tcp.timeouts),
        fast_retransmits: measured(tcp.fast_retransmits, before.tcp.fast_retransmits),
        spurious_recoveries: measured(spurious(tcp), spurious(&before.tcp)),
        ecn_reactions: measured(tcp.ecn_reactions, before.tcp.ecn_reactions),
        // What was late at the warm-up may have come since: there may be fewer now than then.
        datagrams_lost: after.datagrams_lost.saturating_sub(before.datagrams_lost),
        loss_event_rate: match &server.transport {
            Transport::TfrcReceiver(r) => Some(r.loss_event_rate()),
            _ => None,
        },
        completion_s: match (sized, started, finished) {
            (true, Some(start), Some(end)) => Some(end.since(start).as_secs_f64()),
            _ => None,
        },
        exchanges: count,
        exchange_mean_s: (count > 0).then(|| done.total_time.as_secs_f64() / count as f64),
        exchange_max_s: (count > 0).then(|| done.longest.as_secs_f64()),
        coding: after.coding.map(|c| c.result(&before.coding.unwrap_or_default(), per_second)),
    }
}

/// Mean of the samples taken while measured, of the end that took more in all.
fn rtt_mean(before: &FlowCounters, after: &FlowCounters) -> Option<f64> {
    let end = usize::from(after.rtt[0].0 < after.rtt[1].0);
    let ((then, sum_then), (now, sum_now)) = (before.rtt[end], after.rtt[end]);
    let samples = now - then;
    (samples > 0).then(|| sum_now.saturating_sub(sum_then).as_secs_f64() / samples as f64)
}

fn link<P: Probe>(
    world: &World<P>,
    plan: &Resolved,
    warm: &Snapshot,
    end: &Snapshot,
    i: usize,
) -> LinkResult {
    let (before, after) = (&warm.links[i], &end.links[i]);
    let span = end.at.since(warm.at);
    let direction = &plan.links[i].direction;
    let kind = direction.protocol.as_ref().map_or("none", ProtocolConfig::kind);
    let link = &world.interfaces()[i].link;
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
    // A frame of a link protocol may be under way for seconds: where all are given up, none came through.
    let delivered = after.link.delivered - before.link.delivered;
    let all = if protocol.is_some() { delivered + lost } else { sent };
    let drops: BTreeMap<String, u64> =
        drops.into_iter().map(|(reason, n)| (reason.name().to_owned(), n)).collect();
    let sent_bits = (after.link.sent_bytes - before.link.sent_bytes) as f64 * 8.0;
    // Where the rate varies a transmitter that waits for it is busy; what counts is what it used.
    let offered = before.offered.zip(after.offered).map(|(before, after)| after - before);
    let utilisation = match offered {
        Some(offered) if offered > 0.0 => sent_bits / offered,
        Some(_) => 0.0,
        None => over(after.busy.saturating_sub(before.busy).as_secs_f64()),
    };
    LinkResult {
        name: plan.links[i].name.clone(),
        sent_packets: sent,
        delivered_packets: delivered,
        delivered_bps: over(
            (after.link.delivered_bytes - before.link.delivered_bytes) as f64 * 8.0,
        ),
        sent_bps: over(sent_bits),
        capacity_bps: offered.map(over),
        utilisation,
        loss_rate: if all == 0 { 0.0 } else { lost as f64 / all as f64 },
        drops,
        marked_packets: after.queue.marked - before.queue.marked,
        mean_queue_packets: over((after.queue_area - before.queue_area) as f64 / 1e9),
        max_queue_packets: after.queue.peak_packets,
        protocol,
    }
}

/// Counts every packet in two ways: by what became of it, and by where the rest is.
fn conservation<P: Probe>(world: &World<P>) -> Conservation {
    let dropped: u64 = world.unroutable()
        + world
            .interfaces()
            .iter()
            .map(|i| i.queue.stats().dropped() + i.link.stats().lost + i.link.stats().too_long)
            .sum::<u64>()
        + world.media().iter().map(Medium::dropped).sum::<u64>();
    let in_flight: u64 = world.interfaces().iter().map(Interface::in_flight).sum::<u64>()
        + world.media().iter().map(Medium::in_flight).sum::<u64>();
    let (created, delivered) = (world.pool().created(), world.delivered());
    Conservation {
        created,
        delivered,
        dropped,
        in_flight,
        ok: created == delivered + dropped + in_flight
            && in_flight == world.pool().in_flight()
            && dropped == world.pool().dropped().values().sum::<u64>()
            && world.interfaces().iter().all(|i| accounted(&i.link)),
    }
}
