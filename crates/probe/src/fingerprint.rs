//! One number for everything that happened, in order: two runs with the same fingerprint recorded
//! the same events.
//!
//! Every event is turned into 64-bit words (time, who, a fixed tag, its fields) that are folded
//! one after another with the multiply-and-shift finaliser of SplitMix64. Only integers take part
//! and every tag is written out, so the number is the same in every process, on every platform and
//! in debug and release builds. It changes when an event gains a field. Not cryptographic.
//!
//! Leaves out: packet handles, which say where a record lay in memory.

use std::fmt;

use airtcp_packet::{Kind, Segment};
use airtcp_units::Nanos;

use crate::{Event, Probe, Who};

/// A running fingerprint.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Fingerprint {
    state: u64,
    events: u64,
}

impl Default for Fingerprint {
    fn default() -> Self {
        Self::new()
    }
}

impl Fingerprint {
    /// The fingerprint of nothing.
    pub const fn new() -> Self {
        Self { state: 0x6169_7274_6370_0001, events: 0 }
    }

    /// Folds in a word; the order matters.
    #[inline]
    pub const fn fold(&mut self, word: u64) {
        // The odd constants are those of SplitMix64; adding one keeps zeros from vanishing.
        let mut z = (self.state ^ word).wrapping_add(0x9e37_79b9_7f4a_7c15);
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        self.state = z ^ (z >> 31);
    }

    /// Folds in an event.
    pub fn event(&mut self, now: Nanos, who: Who, event: &Event) {
        self.events += 1;
        self.fold(now.0);
        self.fold(match who {
            Who::Endpoint(end) => end.index() as u64,
            Who::Link(n) => 1 << 40 | u64::from(n),
            Who::Queue(n) => 2 << 40 | u64::from(n),
        });
        match event {
            Event::SegmentSent { segment, retransmission } => {
                self.fold(1 << 8 | u64::from(*retransmission));
                self.segment(segment);
            }
            Event::SegmentReceived { segment } => {
                self.fold(2 << 8);
                self.segment(segment);
            }
            Event::Window { cwnd, ssthresh, pipe, peer_window } => {
                self.words(3, &[*cwnd, *ssthresh, *pipe, *peer_window]);
            }
            Event::Rtt { sample, srtt, rto } => self.words(4, &[sample.0, srtt.0, rto.0]),
            Event::Timeout { backoff } => self.words(5, &[u64::from(*backoff)]),
            Event::FastRetransmit => self.words(6, &[]),
            Event::Recovered => self.words(7, &[]),
            Event::Spurious => self.words(8, &[]),
            Event::Delivered { bytes } => self.words(9, &[*bytes]),
            Event::Enqueued { packets, bytes, .. } => {
                self.words(10, &[u64::from(*packets), *bytes]);
            }
            Event::Dequeued { packets, bytes, .. } => {
                self.words(11, &[u64::from(*packets), *bytes]);
            }
            Event::Marked { .. } => self.words(12, &[]),
            Event::TxStart { duration, .. } => self.words(13, &[duration.0]),
            Event::Arrived { .. } => self.words(14, &[]),
            Event::Dropped { reason, .. } => self.words(15, &[*reason as u64]),
            Event::Bandwidth { estimate } => self.words(16, &[estimate.bps()]),
            Event::LossJudged { number, packets, cause } => {
                self.words(17, &[*number, *packets, *cause as u64]);
            }
            Event::Coding { estimate_ppm, segment, data, parity } => {
                self.words(18, &[*estimate_ppm, *segment, *data, *parity].map(u64::from));
            }
        }
    }

    fn words(&mut self, tag: u64, words: &[u64]) {
        self.fold(tag << 8);
        for word in words {
            self.fold(*word);
        }
    }

    fn segment(&mut self, s: &Segment) {
        let pair = |a: u32, b: u32| u64::from(a) << 32 | u64::from(b);
        let bytes = |a: u8, b: u8, c: u8, d: u8| u32::from_be_bytes([a, b, c, d]);
        self.fold(pair(s.seq.0, s.ack.0));
        self.fold(pair(u32::from(s.len) << 16 | u32::from(s.window), u32::from(s.mss)));
        let present = u8::from(s.has_timestamps())
            | u8::from(s.sack_permitted()) << 1
            | u8::from(s.coding_permitted()) << 2;
        let blocks = s.sacks().len() as u8;
        let kind = match s.kind {
            Kind::Tcp => 0,
            Kind::Udp => 1,
            Kind::Coded => 2,
        };
        self.fold(pair(
            bytes(s.flags.0, s.window_scale, s.ecn.bits(), kind),
            bytes(present, blocks, 0, 0),
        ));
        if s.has_timestamps() {
            self.fold(pair(s.timestamps.0, s.timestamps.1));
        }
        for block in s.sacks() {
            self.fold(pair(block.start.0, block.end.0));
        }
        let (words, n) = s.words();
        for word in &words[..n] {
            self.fold(u64::from(*word));
        }
    }

    /// The fingerprint so far.
    pub const fn value(&self) -> u64 {
        self.state
    }

    /// Number of events folded in.
    pub const fn events(&self) -> u64 {
        self.events
    }

    /// Sixteen hexadecimal digits.
    pub fn hex(&self) -> String {
        format!("{:016x}", self.state)
    }
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.state)
    }
}

impl Probe for Fingerprint {
    const ON: bool = true;
    fn record(&mut self, now: Nanos, who: Who, event: &Event) {
        self.event(now, who, event);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{DropReason, LossCause};
    use airtcp_packet::{Ecn, EndpointId, Flags, Packet, Pool, SackBlock, Seq, Side};
    use airtcp_units::{BitRate, Span};
    use std::collections::BTreeSet;

    const END: Who = Who::Endpoint(EndpointId::new(4, Side::Client));

    /// Events that differ from one another in one thing each.
    fn different() -> Vec<(Nanos, Who, Event)> {
        let packet = Packet { to: EndpointId::new(0, Side::Server), segment: Segment::default() };
        let packet = Pool::new().insert(packet);
        let base = Segment::default();
        let change = |f: &dyn Fn(&mut Segment)| {
            let mut s = base;
            f(&mut s);
            s
        };
        let block = SackBlock { start: Seq(1), end: Seq(2) };
        let segments = [
            base,
            change(&|s| s.seq = Seq(1)),
            change(&|s| s.ack = Seq(1)),
            change(&|s| s.len = 1),
            change(&|s| s.window = 1),
            change(&|s| s.mss = 1),
            change(&|s| s.flags = Flags::FIN),
            change(&|s| s.window_scale = 1),
            change(&|s| s.ecn = Ecn::Ect1),
            change(&|s| s.kind = Kind::Udp),
            change(&|s| s.kind = Kind::Coded),
            change(&|s| *s = Segment::coded(Flags::NONE, Seq(0), &[0])),
            change(&|s| *s = Segment::coded(Flags::NONE, Seq(0), &[1])),
            change(&|s| *s = Segment::coded(Flags::NONE, Seq(0), &[1, 0])),
            change(&|s| s.set_coding_permitted()),
            change(&|s| s.set_sack_permitted()),
            change(&|s| s.set_timestamps(0, 0)),
            change(&|s| s.set_timestamps(0, 1)),
            change(&|s| _ = s.push_sack(SackBlock::default())),
            change(&|s| _ = s.push_sack(block)),
        ];
        let mut events: Vec<Event> = Vec::new();
        for segment in segments {
            events.push(Event::SegmentReceived { segment });
            events.extend([true, false].map(|r| Event::SegmentSent { segment, retransmission: r }));
        }
        for i in 0..4 {
            let at = |n| u64::from(n == i);
            events.push(Event::Window {
                cwnd: at(0),
                ssthresh: at(1),
                pipe: at(2),
                peer_window: at(3),
            });
        }
        for i in 0..4 {
            let at = |n| u32::from(n == i);
            events.push(Event::Coding {
                estimate_ppm: at(0),
                segment: at(1),
                data: at(2),
                parity: at(3),
            });
        }
        for i in 0..3 {
            let at = |n| Span(u64::from(n == i));
            events.push(Event::Rtt { sample: at(0), srtt: at(1), rto: at(2) });
        }
        events.extend([Event::FastRetransmit, Event::Recovered, Event::Spurious]);
        events.extend([Event::Marked { packet }, Event::Arrived { packet }]);
        for n in [0, 1] {
            let (packets, bytes, duration) = (n, u64::from(n), Span(u64::from(n)));
            events.extend([Event::Timeout { backoff: n }, Event::Delivered { bytes }]);
            events.push(Event::Enqueued { packet, packets, bytes: 0 });
            events.push(Event::Enqueued { packet, packets: 7, bytes });
            events.push(Event::Dequeued { packet, packets, bytes: 0 });
            events.push(Event::Dequeued { packet, packets: 7, bytes });
            events.push(Event::TxStart { packet, duration });
        }
        events.extend(DropReason::ALL.map(|reason| Event::Dropped { packet, reason }));
        for cause in [LossCause::Overflow, LossCause::Collision, LossCause::Corruption] {
            for (number, packets) in [(0, 1), (1, 1), (0, 2)] {
                events.push(Event::LossJudged { number, packets, cause });
            }
        }
        let mut all: Vec<_> = events.into_iter().map(|e| (Nanos(5), END, e)).collect();
        all.push((Nanos(6), END, Event::Recovered));
        let others = [
            Who::Endpoint(EndpointId::new(4, Side::Server)),
            Who::Endpoint(EndpointId::new(0, Side::Client)),
            Who::Link(0),
            Who::Link(8),
            Who::Queue(0),
            Who::Queue(8),
        ];
        all.extend(others.map(|who| (Nanos(5), who, Event::Recovered)));
        all
    }

    fn of(events: &[(Nanos, Who, Event)]) -> u64 {
        let mut fingerprint = Fingerprint::new();
        for (now, who, event) in events {
            fingerprint.record(*now, *who, event);
        }
        fingerprint.value()
    }

    #[test]
    fn every_field_counts() {
        let mut events = different();
        // Not in `different()`, which the pinned number is of.
        events.extend(
            [1, 2].map(|n| (Nanos(5), END, Event::Bandwidth { estimate: BitRate::from_mbps(n) })),
        );
        let seen: BTreeSet<u64> = events.iter().map(|e| of(&[*e])).collect();
        assert_eq!(seen.len(), events.len());
    }

    #[test]
    fn order_counts() {
        let events = different();
        let mut swapped = events.clone();
        swapped.swap(3, 17);
        assert_ne!(of(&events), of(&swapped));
        assert_ne!(of(&events), of(&events[..events.len() - 1]));
        assert_eq!(of(&events), of(&different()));
    }

    #[test]
    fn packet_handles_do_not_count() {
        let mut pool = Pool::new();
        let packet = Packet { to: EndpointId::new(0, Side::Server), segment: Segment::default() };
        let ids = [pool.insert(packet), pool.insert(packet)];
        let [a, b] = ids.map(|packet| of(&[(Nanos(1), END, Event::Arrived { packet })]));
        assert_eq!(a, b);
    }

    #[test]
    fn the_number_is_pinned() {
        // The same in every process, build and platform. A change here makes every published
        // fingerprint another one; it needs a line under "Changed behaviour".
        let mut fingerprint = Fingerprint::new();
        for (now, who, event) in different() {
            fingerprint.record(now, who, &event);
        }
        assert_eq!(fingerprint.hex(), PINNED);
        assert_eq!(fingerprint.events(), different().len() as u64);
    }

    const PINNED: &str = "13e00116c85aabeb";
}
