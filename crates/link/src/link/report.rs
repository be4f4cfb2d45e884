//! Reports of corruption: the link names the packets that its loss model took to those senders
//! that asked for it (explicit transport error notification with an oracle).
//!
//! A report reaches its sender when the packet would have come out of the link, plus a delay of
//! the sender's own. What queues drop, and what is too long, is never reported; nor is a bare
//! acknowledgement, which nobody would send again. Reports change nothing about the packets.

use std::collections::VecDeque;

use airtcp_packet::{EndpointId, Flags, Packet, Segment};
use airtcp_units::{Nanos, Span};

/// A packet that the loss model took.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Report {
    /// When its sender is told.
    pub at: Nanos,
    /// Who sent it.
    pub from: EndpointId,
    /// What it carried.
    pub segment: Segment,
    /// When its transmission started.
    pub started: Nanos,
}

/// Reports on their way.
#[derive(Debug)]
pub(super) struct Reports {
    /// For each endpoint, how long a report takes; `None` for one that does not ask.
    delays: Vec<Option<Span>>,
    /// Sorted by time; equal times in the order of the packets.
    waiting: VecDeque<Report>,
}

impl Reports {
    /// Reports to the endpoints that have a delay here, by their index.
    pub(super) const fn new(delays: Vec<Option<Span>>) -> Self {
        Self { delays, waiting: VecDeque::new() }
    }

    /// A packet that started at `started` was lost, and would have come out at `out`.
    pub(super) fn on_lost(&mut self, packet: &Packet, started: Nanos, out: Nanos) {
        let (from, segment) = (packet.to.peer(), packet.segment);
        let Some(&Some(delay)) = self.delays.get(from.index()) else { return };
        if segment.len == 0 && !segment.flags.has(Flags::FIN) {
            return;
        }
        let report = Report { at: out + delay, from, segment, started };
        let place = self.waiting.partition_point(|r| r.at <= report.at);
        self.waiting.insert(place, report);
    }

    /// When the next one is due.
    pub(super) fn next(&self) -> Nanos {
        self.waiting.front().map_or(Nanos::NEVER, |r| r.at)
    }

    /// The next one, if it is due.
    pub(super) fn take(&mut self, now: Nanos) -> Option<Report> {
        self.waiting.pop_front_if(|r| r.at <= now)
    }
}

#[cfg(test)]
mod tests {
    use airtcp_packet::{Pool, Seq, Side};
    use airtcp_probe::{NoProbe, PoolCx, Who};
    use airtcp_random::Seed;
    use proptest::prelude::*;

    use super::*;
    use crate::{Link, LinkConfig};

    const JITTERY: &str = "rate = \"1 Mb/s\"\ndelay = \"20 ms\"\n\
        jitter = { mean = \"30 ms\", distribution = \"exponential\" }\n\
        loss = { model = \"bernoulli\", probability = 0.3 }";

    /// What comes out, by number and time; what is reported.
    type Seen = (Vec<(u32, Nanos)>, Vec<Report>);

    /// Sends packets of two flows in turn, one each 10 ms; every third carries no payload.
    fn drive(seed: u64, delays: Option<Vec<Option<Span>>>) -> Seen {
        let config: LinkConfig = toml::from_str(JITTERY).unwrap();
        let mut link = Link::new(&config, Seed::new(seed), "l", &|p| Err(p.into())).unwrap();
        if let Some(delays) = delays {
            link.report_to(delays);
        }
        let (mut pool, mut probe) = (Pool::new(), NoProbe);
        let mut cx = PoolCx::new(&mut probe, &mut pool, Who::Link(0));
        let mut seen = Seen::default();
        for n in 0..200u32 {
            let now = Nanos(u64::from(n) * 10_000_000);
            take(&mut link, now, &mut cx, &mut seen);
            let mut segment = Segment::tcp(Flags::ACK, Seq(n));
            segment.len = if n % 3 == 2 { 0 } else { 500 };
            let id = cx.pool.insert(Packet { to: EndpointId::new(n % 2, Side::Server), segment });
            link.handle(now, id, &mut cx);
        }
        take(&mut link, Nanos(u64::MAX - 1), &mut cx, &mut seen);
        seen
    }

    fn take(link: &mut Link, until: Nanos, cx: &mut PoolCx<'_, NoProbe>, seen: &mut Seen) {
        while link.next_timer() <= until {
            let now = link.next_timer();
            while let Some(id) = link.poll(now, cx) {
                seen.0.push((cx.pool.remove(id).segment.seq.0, now));
            }
            while let Some(report) = link.take_report(now) {
                assert_eq!(report.at, now);
                seen.1.push(report);
            }
        }
    }

    proptest! {
        /// Reports are about exactly what is missing of those who ask, and change nothing.
        #[test]
        fn reports_name_what_is_missing_and_change_nothing(seed: u64, delay in 0u64..100) {
            let delay = Span::from_millis(delay);
            let silent = drive(seed, None);
            let (out, reports) = drive(seed, Some(vec![Some(delay), None, None, None]));
            prop_assert_eq!(&out, &silent.0);
            prop_assert!(silent.1.is_empty());
            let mut named: Vec<u32> = reports.iter().map(|r| r.segment.seq.0).collect();
            named.sort_unstable();
            let missing: Vec<u32> = (0..200)
                .filter(|n| n % 2 == 0 && n % 3 != 2 && !out.iter().any(|o| o.0 == *n))
                .collect();
            prop_assert_eq!(named, missing);
            for r in &reports {
                // 540 bytes at 1 Mb/s, and the way.
                let least = Span::from_micros(4320) + Span::from_millis(20) + delay;
                prop_assert_eq!(r.started, Nanos(u64::from(r.segment.seq.0) * 10_000_000));
                prop_assert!(r.at >= r.started + least);
                prop_assert_eq!(r.from, EndpointId::new(0, Side::Client));
            }
        }
    }
}
