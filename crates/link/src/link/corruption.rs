//! Corruption notices: the link reports the packets that its loss model lost to the senders
//! that asked for notices (explicit transport error notification with an oracle).
//!
//! A notice reaches its sender when the packet would have come out of the link, plus a delay of
//! the sender's own. The link sends no notice of packets that queues drop, of packets that are too long, and
//! of pure acknowledgements, which no sender retransmits. Notices change nothing about the packets.

use std::collections::VecDeque;

use airtcp_packet::{EndpointId, Flags, Packet, Segment};
use airtcp_units::{Nanos, Span};

/// Notice of a packet that the loss model lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CorruptionNotice {
    /// When the notice reaches the sender.
    pub at: Nanos,
    /// Endpoint that sent the packet.
    pub from: EndpointId,
    /// The packet's segment.
    pub segment: Segment,
    /// When the packet's transmission started.
    pub started: Nanos,
}

/// Notices that have not yet reached their senders.
#[derive(Debug)]
pub struct CorruptionNotices {
    /// For each endpoint, how long a notice takes; `None` if it asked for no notices.
    delays: Vec<Option<Span>>,
    /// Sorted by time; equal times in the order of the packets.
    waiting: VecDeque<CorruptionNotice>,
}

impl CorruptionNotices {
    /// Notices for the endpoints that have a delay here, by their index.
    pub const fn new(delays: Vec<Option<Span>>) -> Self {
        Self { delays, waiting: VecDeque::new() }
    }

    /// A packet that started at `started` was lost, and would have arrived at `out`.
    pub(super) fn on_lost(&mut self, packet: &Packet, started: Nanos, out: Nanos) {
        let (from, segment) = (packet.to.peer(), packet.segment);
        let Some(delay) = self.delay(from) else { return };
        if segment.len == 0 && !segment.flags.has(Flags::FIN) {
            return;
        }
        self.add(CorruptionNotice { at: out + delay, from, segment, started });
    }

    /// How long a notice to an endpoint takes; `None` if it asked for no notices.
    pub fn delay(&self, to: EndpointId) -> Option<Span> {
        self.delays.get(to.index()).copied().flatten()
    }

    /// Adds a notice.
    pub fn add(&mut self, notice: CorruptionNotice) {
        let index = self.waiting.partition_point(|n| n.at <= notice.at);
        self.waiting.insert(index, notice);
    }

    /// When the next notice is due.
    pub fn next(&self) -> Nanos {
        self.waiting.front().map_or(Nanos::NEVER, |n| n.at)
    }

    /// The next notice, if it is due.
    pub fn take(&mut self, now: Nanos) -> Option<CorruptionNotice> {
        self.waiting.pop_front_if(|n| n.at <= now)
    }
}

#[cfg(test)]
mod tests {
    use airtcp_packet::{Pool, Seq, Side};
    use airtcp_probe::{EventSource, NoProbe, PoolCx};
    use airtcp_random::Seed;
    use proptest::prelude::*;

    use super::*;
    use crate::{Link, LinkConfig};

    const JITTERY: &str = "rate = \"1 Mb/s\"\ndelay = \"20 ms\"\n\
        jitter = { mean = \"30 ms\", distribution = \"exponential\" }\n\
        loss = { model = \"bernoulli\", probability = 0.3 }";

    /// Numbers and times of packets that arrived, and the notices.
    type Seen = (Vec<(u32, Nanos)>, Vec<CorruptionNotice>);

    /// Sends packets of two flows alternately, one every 10 ms; every third has no payload.
    fn drive(seed: u64, delays: Option<Vec<Option<Span>>>) -> Seen {
        let config: LinkConfig = toml::from_str(JITTERY).unwrap();
        let mut link = Link::new(&config, Seed::new(seed), "l", &|p| Err(p.into())).unwrap();
        if let Some(delays) = delays {
            link.set_corruption_notices(delays);
        }
        let (mut pool, mut probe) = (Pool::new(), NoProbe);
        let mut cx = PoolCx::new(&mut probe, &mut pool, EventSource::Link(0));
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
            while let Some(notice) = link.take_corruption_notice(now) {
                assert_eq!(notice.at, now);
                seen.1.push(notice);
            }
        }
    }

    proptest! {
        /// Notices name exactly the lost data packets of the senders that asked, and change no arrival.
        #[test]
        fn notices_name_lost_packets_and_change_no_arrival(seed: u64, delay in 0u64..100) {
            let delay = Span::from_millis(delay);
            let silent = drive(seed, None);
            let (out, notices) = drive(seed, Some(vec![Some(delay), None, None, None]));
            prop_assert_eq!(&out, &silent.0);
            prop_assert!(silent.1.is_empty());
            let mut named: Vec<u32> = notices.iter().map(|n| n.segment.seq.0).collect();
            named.sort_unstable();
            let missing: Vec<u32> = (0..200)
                .filter(|n| n % 2 == 0 && n % 3 != 2 && !out.iter().any(|o| o.0 == *n))
                .collect();
            prop_assert_eq!(named, missing);
            for n in &notices {
                // 540 bytes at 1 Mb/s, and the propagation delay.
                let least = Span::from_micros(4320) + Span::from_millis(20) + delay;
                prop_assert_eq!(n.started, Nanos(u64::from(n.segment.seq.0) * 10_000_000));
                prop_assert!(n.at >= n.started + least);
                prop_assert_eq!(n.from, EndpointId::new(0, Side::Client));
            }
        }
    }
}
