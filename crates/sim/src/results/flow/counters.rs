//! Counters of a flow at one instant.

use airtcp_sliding::SlidingStats;
use airtcp_transport::tcp::TcpStats;
use airtcp_units::{Nanos, Span, Spent, Wait, Waits};

use super::coding::CodingCounters;
use crate::world::application::App;
use crate::world::transport::Transport;
use crate::world::{Carried, Endpoint};

/// Counters of a flow since the start.
#[derive(Default, Clone)]
pub(crate) struct FlowCounters {
    pub(super) delivered: u64,
    pub(super) sent_bytes: u64,
    pub(super) segments: u64,
    pub(super) datagrams_lost: u64,
    /// Bytes of IP packets with payload that arrived, and of the MAC frames that brought them.
    pub(super) carried: Carried,
    /// Bits of all frames sent for the flow.
    pub(super) air_bits: u64,
    pub(super) tcp: TcpStats,
    /// Number and sum of the round-trip samples of the two ends.
    rtt: [(u64, Span); 2],
    /// Payload that each end has sent, and what it has waited for.
    ends: [(u64, Spent); 2],
    pub(super) coding: Option<CodingCounters>,
}

impl FlowCounters {
    /// The sum of the counters of both ends of a stream: in an exchange both send data.
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
            ends: [(a.bytes_sent, Spent::default()), (b.bytes_sent, Spent::default())],
            ..Self::default()
        }
    }

    /// With what each end has waited for.
    fn waiting(self, [client, server]: [Spent; 2]) -> Self {
        Self { ends: [(self.ends[0].0, client), (self.ends[1].0, server)], ..self }
    }

    /// The counters of both ends of a flow at `now`; `air_bits` were sent through the air for it.
    pub(crate) fn of(client: &Endpoint, server: &Endpoint, now: Nanos, air_bits: u64) -> Self {
        let (from, to) = (&client.transport, &server.transport);
        Self {
            carried: Carried {
                ip_bytes: client.carried.ip_bytes + server.carried.ip_bytes,
                mac_bytes: client.carried.mac_bytes + server.carried.mac_bytes,
            },
            air_bits,
            coding: CodingCounters::of(from, to),
            ..Self::of_transports(from, to, &client.app, now)
        }
    }

    fn of_transports(client: &Transport, server: &Transport, app: &App, now: Nanos) -> Self {
        match (client, server) {
            (Transport::Tcp { connection: c, .. }, Transport::Tcp { connection: s, .. }) => {
                Self::of_stream(c.delivered() + s.delivered(), c.stats(), s.stats())
                    .waiting([c.waited(now), s.waited(now)])
            }
            (Transport::Lt { connection: c, .. }, Transport::Lt { connection: s, .. }) => {
                Self::of_stream(c.delivered() + s.delivered(), &c.counters(), &s.counters())
                    .waiting([c.waited(now), s.waited(now)])
            }
            (
                Transport::Sliding { connection: c, .. },
                Transport::Sliding { connection: s, .. },
            ) => Self::of_stream(
                c.delivered() + s.delivered(),
                &as_tcp(&c.stats()),
                &as_tcp(&s.stats()),
            )
            .waiting([c.waited(now), s.waited(now)]),
            (Transport::UdpSender(c), Transport::UdpReceiver(s)) => Self {
                delivered: s.stats().bytes_received,
                sent_bytes: c.stats().bytes_sent,
                segments: c.stats().datagrams_sent,
                datagrams_lost: s.stats().lost(),
                ends: [(0, waits_for_data(app, now)), (0, Spent::default())],
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
                    ends: [(0, sender.waited(now)), (0, Spent::default())],
                    ..Self::default()
                }
            }
            _ => Self::default(),
        }
    }

    /// What the end that has sent more since `before` has waited for since then.
    pub(crate) fn waited(&self, before: &Self) -> Spent {
        let sent = |end: usize| self.ends[end].0 - before.ends[end].0;
        let end = usize::from(sent(1) > sent(0));
        self.ends[end].1.since(&before.ends[end].1)
    }

    pub(super) const fn spurious(&self) -> u64 {
        self.tcp.spurious_timeouts + self.tcp.spurious_fast_retransmits
    }

    /// Mean in seconds of the round-trip samples since `before`, at the end with more samples.
    pub(super) fn rtt_mean(&self, before: &Self) -> Option<f64> {
        let end = usize::from(self.rtt[0].0 < self.rtt[1].0);
        let ((then, sum_then), (now, sum_now)) = (before.rtt[end], self.rtt[end]);
        let samples = now - then;
        (samples > 0).then(|| sum_now.saturating_sub(sum_then).as_secs_f64() / samples as f64)
    }
}

/// The waits of a datagram flow: only those for its application.
fn waits_for_data(app: &App, now: Nanos) -> Spent {
    let mut waits = Waits::default();
    if let Some(started) = app.started() {
        waits.set(started.min(now), Wait::Application);
    }
    if let Some(ended) = app.ended() {
        waits.close(ended.min(now));
    }
    waits.until(now)
}

/// The counters of the sliding transport as those of a TCP.
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
