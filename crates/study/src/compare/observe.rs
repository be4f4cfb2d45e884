//! What a comparison observes of a run: round-trip times, counts by stretch of time, the window.
//!
//! Round-trip samples go into a histogram whose bins are a 64th of a power of two wide, so that a
//! quantile is right within 1.6 % whatever the scale. Only the flows that are compared count,
//! and only what happens after the warm-up. The sender is a flow's client end; round-trip times are
//! those of the end that took more samples, which in an exchange may be the other one.
//!
//! The *delivery time* of data is from when the transport first sent them until they are handed to
//! the application in order: the queue, the link with its protocol, retransmissions or repairs, and
//! the wait for what is missing before them. New data leave in order under every transport, so that
//! the n-th byte that leaves for the first time is the n-th that is delivered: first departures are
//! noted with the number of bytes sent until then, and read off as bytes are delivered. Parity and
//! combinations of symbols are no new data.

use std::collections::VecDeque;

use airtcp_packet::{Kind, Segment, Seq, Side};
use airtcp_probe::{Event, Probe, Who};
use airtcp_sim::Durations;
use airtcp_transport::lt;
use airtcp_units::{Nanos, Narrow, Span};

use crate::Cwnd;

/// Points kept of a window's course, at most.
const POINTS: u64 = 400;

/// Times in bins of a 64th of a power of two.
type Times = Durations<6>;

/// What one stretch of time saw.
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
    /// Round-trip times of the end that took more of them.
    pub(crate) fn rtt(&self) -> &Times {
        let [client, server] = &self.rtt;
        if server.count() > client.count() { server } else { client }
    }

    /// Delivery times of the data of the end that sent more of them.
    pub(crate) fn delivery(&self) -> &Times {
        let [client, server] = &self.delivery;
        if server.count() > client.count() { server } else { client }
    }
}

/// The data of one end that are on their way: how many bytes had left for the first time when a
/// segment had left, and when that was.
#[derive(Debug, Clone, Default)]
struct Leaving {
    /// Sequence number of the first byte, of TCP.
    first: Option<Seq>,
    sent: u64,
    delivered: u64,
    on_way: VecDeque<(u64, Nanos)>,
}

impl Leaving {
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
            self.on_way.push_back((until, now));
        }
    }
}

/// Observes the flows that are compared.
#[derive(Debug)]
pub(crate) struct Observer {
    /// Whether a flow is compared, by its number; what its ends have on the way.
    flows: Vec<Option<[Leaving; 2]>>,
    from: Nanos,
    length: Span,
    stretches: Vec<Stretch>,
    course: Option<Course>,
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
            course: None,
        }
    }

    /// Observes the congestion window of `flow` as well, over a run of `duration`.
    pub(crate) fn with_window(self, flow: usize, mss: u16, duration: Span) -> Self {
        let part = Span((duration.0 / POINTS).max(1));
        let course =
            Course { flow, mss: f64::from(mss), part, kept: Cwnd::default(), current: None };
        Self { course: Some(course), ..self }
    }

    /// What was seen: the stretches, and the course of the window.
    pub(crate) fn finish(self) -> (Vec<Stretch>, Option<Cwnd>) {
        (self.stretches, self.course.map(Course::finish))
    }
}

impl Probe for Observer {
    const ON: bool = true;

    fn record(&mut self, now: Nanos, who: Who, event: &Event) {
        let Who::Endpoint(end) = who else { return };
        let flow = end.flow() as usize;
        let Some(Some(leaving)) = self.flows.get_mut(flow) else { return };
        if let Event::SegmentSent { segment, retransmission } = event {
            leaving[end.side() as usize].on_sent(now, segment, *retransmission);
        }
        if let (Event::Window { cwnd, .. }, Side::Client, Some(course)) =
            (event, end.side(), &mut self.course)
            && course.flow == flow
        {
            course.add(now, *cwnd);
        }
        let after = now.0.checked_sub(self.from.0);
        let mut stretch =
            after.and_then(|t| self.stretches.get_mut(usize::narrow(t / self.length.0)));
        if let Event::Delivered { bytes } = event {
            let sender = end.side().peer() as usize;
            let Leaving { delivered, on_way, .. } = &mut leaving[sender];
            *delivered += bytes;
            while let Some((_, left)) = on_way.pop_front_if(|(until, _)| *until <= *delivered) {
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

/// The course of a window, thinned: of each part of the run the least.
#[derive(Debug)]
struct Course {
    flow: usize,
    mss: f64,
    part: Span,
    kept: Cwnd,
    current: Option<(u64, f64)>,
}

impl Course {
    fn add(&mut self, now: Nanos, cwnd: u64) {
        let (part, packets) = (now.0 / self.part.0, cwnd as f64 / self.mss);
        match &mut self.current {
            Some((p, least)) if *p == part => *least = least.min(packets),
            _ => {
                self.flush();
                self.current = Some((part, packets));
            }
        }
    }

    fn flush(&mut self) {
        if let Some((part, packets)) = self.current.take() {
            self.kept.t_s.push(Nanos(part * self.part.0).as_secs_f64());
            self.kept.cwnd_packets.push(packets);
        }
    }

    fn finish(mut self) -> Cwnd {
        self.flush();
        self.kept
    }
}
