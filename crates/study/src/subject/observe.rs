//! What a comparison observes of a run: round-trip times, counts by stretch of time, the window.
//!
//! Round-trip samples go into a histogram whose bins are a 64th of a power of two wide, so that a
//! quantile is accurate to 1.6 % at any scale. Only the compared flows count, after the warm-up.
//! The sender is the client end of a flow. Round-trip times are those of the end with more samples,
//! which may be the server in an exchange.
//!
//! The *delivery time* of data lasts from their first transmission until the receiver hands them to
//! the application in order. It includes the queue, the link with its protocol, retransmissions or
//! repairs, and the wait for missing data before them. Every transport sends new data in order, so
//! the n-th new byte sent is the n-th byte delivered. The observer notes each first transmission
//! with the number of bytes sent until then. Parity and combinations of symbols are no new data.

use std::collections::VecDeque;

use airtcp_packet::{Kind, Segment, Seq, Side};
use airtcp_probe::{Event, EventSource, Probe};
use airtcp_sim::Durations;
use airtcp_transport::lt;
use airtcp_units::{Nanos, Narrow, Span};

use crate::document::Cwnd;
use crate::document::compare::CompareRun;
use crate::subject::cwnd::ThinnedCwnd;

/// Maximum number of points of a window that a comparison keeps.
const POINTS: u64 = 400;

/// Times in bins of a 64th of a power of two.
type Times = Durations<6>;

/// Counts of one stretch of time.
#[derive(Debug, Clone, Default)]
pub(crate) struct Stretch {
    pub(crate) delivered: u64,
    pub(crate) segments: u64,
    pub(crate) retransmissions: u64,
    pub(crate) timeouts: u64,
    pub(crate) fast_retransmits: u64,
    /// Round-trip times of the client and of the server.
    rtt: [Times; 2],
    /// Delivery times of the data of the client and of the server, by segment.
    delivery: [Times; 2],
}

impl Stretch {
    /// A run with the round-trip times of the end that took more of them, and the delivery times of the data of the
    /// end that sent more of them.
    pub(crate) fn times(&self) -> CompareRun {
        let more = |[client, server]: &[Times; 2]| -> [Option<f64>; 3] {
            let times = if server.count() > client.count() { server } else { client };
            [times.mean_s(), times.quantile_s(0.5), times.quantile_s(0.95)]
        };
        let ([rtt_mean_s, _, rtt_p95_s], delivery) = (more(&self.rtt), more(&self.delivery));
        let [delivery_mean_s, delivery_p50_s, delivery_p95_s] = delivery;
        CompareRun {
            rtt_mean_s,
            rtt_p95_s,
            delivery_mean_s,
            delivery_p50_s,
            delivery_p95_s,
            ..CompareRun::default()
        }
    }
}

/// The data of one end that are in flight.
#[derive(Debug, Clone, Default)]
struct InFlight {
    /// Sequence number of the first byte, of TCP.
    first: Option<Seq>,
    sent: u64,
    delivered: u64,
    /// For each new segment, the bytes sent up to its end and the time of its transmission.
    segments: VecDeque<(u64, Nanos)>,
}

impl InFlight {
    /// Notes a segment if it brings new data of the stream.
    fn on_sent(&mut self, now: Nanos, segment: &Segment, retransmission: bool) {
        let until = match segment.kind {
            Kind::Tcp if segment.len > 0 => {
                let first = *self.first.get_or_insert(segment.seq);
                let end = segment.seq.plus(u32::from(segment.len));
                end.unwrap_near(first, self.sent).unwrap_or(self.sent)
            }
            Kind::Coded
                if !retransmission
                    && (lt::is_data(segment) || airtcp_sliding::is_symbol(segment)) =>
            {
                self.sent + u64::from(segment.len)
            }
            _ => return,
        };
        if until > self.sent {
            self.sent = until;
            self.segments.push_back((until, now));
        }
    }
}

/// Observes the compared flows.
#[derive(Debug)]
pub(crate) struct Observer {
    /// By flow number: the data in flight from both ends; `None` if the flow is not compared.
    flows: Vec<Option<[InFlight; 2]>>,
    from: Nanos,
    length: Span,
    stretches: Vec<Stretch>,
    /// The flow whose window is kept, and its window.
    window: Option<(usize, ThinnedCwnd)>,
}

impl Observer {
    /// Observes `flows` from `from` on, over `stretches` of equal `length`.
    pub(crate) fn new(flows: &[usize], from: Nanos, length: Span, stretches: usize) -> Self {
        let count = flows.iter().max().map_or(0, |most| most + 1);
        Self {
            flows: (0..count).map(|i| flows.contains(&i).then(Default::default)).collect(),
            from,
            length: length.max(Span(1)),
            stretches: vec![Stretch::default(); stretches],
            window: None,
        }
    }

    /// Observes the congestion window of `flow` as well, over a run of `duration`.
    pub(crate) fn with_window(self, flow: usize, mss: u16, duration: Span) -> Self {
        Self { window: Some((flow, ThinnedCwnd::new(mss, duration, POINTS))), ..self }
    }

    /// The stretches, and the window if it was kept.
    pub(crate) fn finish(self) -> (Vec<Stretch>, Option<Cwnd>) {
        (self.stretches, self.window.map(|(_, window)| window.finish()))
    }
}

impl Probe for Observer {
    const ON: bool = true;

    fn record(&mut self, now: Nanos, source: EventSource, event: &Event) {
        let EventSource::Endpoint(end) = source else { return };
        let flow = end.flow() as usize;
        let Some(Some(in_flight)) = self.flows.get_mut(flow) else { return };
        if let Event::SegmentSent { segment, retransmission } = event {
            in_flight[end.side() as usize].on_sent(now, segment, *retransmission);
        }
        if let (Event::Window { cwnd, .. }, Side::Client, Some((of, window))) =
            (event, end.side(), &mut self.window)
            && *of == flow
        {
            window.add(now, *cwnd);
        }
        let after = now.0.checked_sub(self.from.0);
        let mut stretch =
            after.and_then(|t| self.stretches.get_mut(usize::narrow(t / self.length.0)));
        if let Event::Delivered { bytes } = event {
            let sender = end.side().peer() as usize;
            let InFlight { delivered, segments, .. } = &mut in_flight[sender];
            *delivered += bytes;
            while let Some((_, left)) = segments.pop_front_if(|(until, _)| *until <= *delivered) {
                if let Some(stretch) = &mut stretch {
                    stretch.delivery[sender].add(now.since(left));
                }
            }
        }
        let Some(stretch) = stretch else { return };
        match (event, end.side()) {
            (Event::Delivered { bytes }, Side::Server) => stretch.delivered += bytes,
            (Event::Rtt { sample, .. }, side) => stretch.rtt[side as usize].add(*sample),
            (Event::SegmentSent { segment, retransmission }, Side::Client) if segment.len > 0 => {
                stretch.segments += 1;
                stretch.retransmissions += u64::from(*retransmission);
            }
            (Event::Timeout { .. }, Side::Client) => stretch.timeouts += 1,
            (Event::FastRetransmit, Side::Client) => stretch.fast_retransmits += 1,
            _ => {}
        }
    }
}
