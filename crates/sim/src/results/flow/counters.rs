//! Counters of a flow at one instant.

use airtcp_sliding::SlidingStats;
use airtcp_transport::tcp::TcpStats;
use airtcp_units::Span;

use super::coding::CodingCounters;
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
            ..Self::default()
        }
    }

    /// The counters of both ends of a flow; `air_bits` were sent through the air for it.
    pub(crate) fn of(client: &Endpoint, server: &Endpoint, air_bits: u64) -> Self {
        let (from, to) = (&client.transport, &server.transport);
        Self {
            carried: Carried {
                ip_bytes: client.carried.ip_bytes + server.carried.ip_bytes,
                mac_bytes: client.carried.mac_bytes + server.carried.mac_bytes,
            },
            air_bits,
            coding: CodingCounters::of(from, to),
            ..Self::of_transports(from, to)
        }
    }

    fn of_transports(client: &Transport, server: &Transport) -> Self {
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
