//! A hash of the history of all packets: two runs with the same fingerprint sent, delivered and dropped
//! the same packets at the same times and places.
//!
//! | event | hashed |
//! |---|---|
//! | an endpoint sends a packet | time in nanoseconds, endpoint |
//! | a packet arrives at the end of a link or of a hop through the air, or is dropped, or a machine at a node absorbs it | time, place (link, queue or station), reason of the drop, destination endpoint, every field of the packet |
//!
//! Leaves out: the fields of packets in flight when the run ends; what no packet shows (timers, windows
//! and estimates of a sender, frames that a link protocol or a cell retransmits); packet handles.
//!
//! One multiplication hashes two words, and its halves are combined (the mixing step of wyhash). All
//! arithmetic is on integers, so the number is the same in every process, on every platform, and in debug
//! and release builds. Not cryptographic.

use std::fmt;

use airtcp_units::Nanos;

use crate::{EndpointId, Packet};

/// Fate of a packet on a link, in the air or in a queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// The packet arrives at the far end.
    Arrived,
    /// The packet is dropped, for the reason with this number.
    Dropped(u8),
    /// A machine at a node takes it, and it goes no further.
    Absorbed,
}

/// A running fingerprint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fingerprint(u64);

impl Default for Fingerprint {
    fn default() -> Self {
        Self::new()
    }
}

/// Odd numbers without a pattern (the secret of wyhash).
const KEYS: [u64; 6] = [
    0xa076_1d64_78bd_642f,
    0xe703_7ed1_a0b4_28db,
    0x8ebc_6af0_9c88_c6e3,
    0x5899_65cc_7537_4cc3,
    0x1d8e_4e27_c47d_124f,
    0xeb44_acca_b455_d165,
];

impl Fingerprint {
    /// The fingerprint of nothing.
    pub const fn new() -> Self {
        Self(0x6169_7274_6370_0002)
    }

    /// Hashes the sending of a packet by an endpoint.
    #[inline]
    pub fn record_sent(&mut self, now: Nanos, from: EndpointId) {
        self.mix(now.0, u64::from(from.0), KEYS[0]);
    }

    /// Hashes the arrival or the drop of a packet at `place` (see [`Dropped::place`](crate::Dropped::place)).
    #[inline]
    pub fn record_fate(&mut self, now: Nanos, fate: Fate, place: u64, packet: &Packet) {
        let fate = match fate {
            Fate::Arrived => 0x100,
            Fate::Absorbed => 0x101,
            Fate::Dropped(reason) => u64::from(reason),
        };
        let ([numbers, times, lengths, options], more) = packet.segment.to_words();
        self.mix(now.0, place, KEYS[1]);
        self.mix(numbers, times, KEYS[2]);
        self.mix(lengths | fate << 52, options | u64::from(packet.to.0) << 32, KEYS[3]);
        if let Some([a, b, c, d]) = more {
            self.mix(a, b, KEYS[4]);
            self.mix(c, d, KEYS[5]);
        }
    }

    #[inline]
    #[allow(clippy::cast_possible_truncation, reason = "both halves are taken")]
    const fn mix(&mut self, a: u64, b: u64, key: u64) {
        let product = (self.0 ^ a) as u128 * (b ^ key) as u128;
        self.0 = product as u64 ^ (product >> 64) as u64;
    }
}

impl fmt::Display for Fingerprint {
    /// Sixteen hexadecimal digits.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::{Ecn, EndpointId, Flags, Kind, Pool, SackBlock, Segment, Seq, Service, Side};

    type Happened = (Nanos, Fate, u64, Packet);

    fn of(all: &[Happened]) -> String {
        let mut fingerprint = Fingerprint::new();
        for (now, fate, place, packet) in all {
            fingerprint.record_fate(*now, *fate, *place, packet);
        }
        fingerprint.to_string()
    }

    /// Segments that differ from one another in one field each.
    fn segments() -> Vec<Segment> {
        let base = Segment::default();
        let change = |f: &dyn Fn(&mut Segment)| {
            let mut s = base;
            f(&mut s);
            s
        };
        let block = SackBlock { start: Seq(1), end: Seq(2) };
        vec![
            base,
            change(&|s| s.seq = Seq(1)),
            change(&|s| s.ack = Seq(1)),
            change(&|s| s.len = 1),
            change(&|s| s.window = 1),
            change(&|s| s.mss = 1),
            change(&|s| s.flags = Flags::FIN),
            change(&|s| s.window_scale = 1),
            change(&|s| s.ecn = Ecn::Ect1),
            change(&|s| s.ecn = Ecn::Ce),
            change(&|s| s.kind = Kind::Udp),
            change(&|s| s.kind = Kind::Coded),
            change(&|s| *s = Segment::coded(Flags::NONE, Seq(0), &[0])),
            change(&|s| *s = Segment::coded(Flags::NONE, Seq(0), &[1])),
            change(&|s| *s = Segment::coded(Flags::NONE, Seq(0), &[1, 0])),
            change(&|s| *s = Segment::coded(Flags::NONE, Seq(0), &[1, 2, 3, 4, 5, 6, 7, 8])),
            change(&|s| *s = Segment::coded(Flags::NONE, Seq(0), &[1, 2, 3, 4, 5, 6, 7, 9])),
            change(&|s| s.set_coding_permitted()),
            change(&|s| s.set_sack_permitted()),
            change(&|s| s.set_timestamps(0, 0)),
            change(&|s| s.set_timestamps(0, 1)),
            change(&|s| s.set_timestamps(1, 0)),
            change(&|s| _ = s.push_sack(SackBlock::default())),
            change(&|s| _ = s.push_sack(block)),
            change(&|s| _ = s.push_sack(SackBlock { start: Seq(1), end: Seq(3) })),
        ]
    }

    /// Events that differ from each other in one property.
    fn different() -> Vec<Happened> {
        let to = EndpointId::new(0, Side::Server);
        let packet = Packet { to, segment: Segment::default() };
        let mut all = Vec::new();
        for segment in segments() {
            let packet = Packet { to, segment };
            for fate in [Fate::Arrived, Fate::Dropped(0), Fate::Dropped(1)] {
                all.push((Nanos(1), fate, 5, packet));
            }
        }
        all.push((Nanos(2), Fate::Arrived, 5, packet));
        all.push((Nanos(1), Fate::Arrived, 6, packet));
        let to = EndpointId::new(u32::MAX >> 10, Side::Server);
        all.push((Nanos(1), Fate::Arrived, 5, Packet { to, ..packet }));
        all
    }

    /// Real packets with each class of service but best effort, which simulated packets have.
    fn services() -> [Happened; 3] {
        let to = EndpointId::new(0, Side::Server);
        [Service::Background, Service::Video, Service::Voice].map(|service| {
            let mut segment = Segment::default();
            segment.set_service(service);
            (Nanos(1), Fate::Arrived, 5, Packet { to, segment })
        })
    }

    #[test]
    fn every_field_changes_the_fingerprint() {
        let mut all = different();
        all.extend(services());
        let found: BTreeSet<String> = all.iter().map(|one| of(&[*one])).collect();
        assert_eq!(found.len(), all.len());
    }

    #[test]
    fn the_order_of_events_matters() {
        let all = different();
        let mut swapped = all.clone();
        swapped.swap(3, 17);
        assert_ne!(of(&all), of(&swapped));
        assert_ne!(of(&all), of(&all[..all.len() - 1]));
    }

    #[test]
    fn pool_events_are_hashed_without_handles() {
        let packet =
            Packet { to: EndpointId::new(0, Side::Server), segment: Segment::datagram(1, 2) };
        let mut pool = Pool::new();
        let others = [0; 3].map(|_| pool.insert(packet));
        let last = pool.insert(packet);
        pool.discard(Nanos(7), last, 5, 1);
        assert_eq!(pool.fingerprint().to_string(), of(&[(Nanos(7), Fate::Dropped(1), 5, packet)]));
        pool.arrived(Nanos(8), 6, others[2]);
        let both = [(Nanos(7), Fate::Dropped(1), 5, packet), (Nanos(8), Fate::Arrived, 6, packet)];
        assert_eq!(pool.fingerprint().to_string(), of(&both));
    }

    #[test]
    fn sends_are_hashed_by_time_and_endpoint() {
        let of = |now, flow| {
            let mut fingerprint = Fingerprint::new();
            fingerprint.record_sent(Nanos(now), EndpointId::new(flow, Side::Client));
            fingerprint
        };
        assert_ne!(of(1, 0), Fingerprint::new());
        assert_ne!(of(1, 0), of(2, 0));
        assert_ne!(of(1, 0), of(1, 1));
    }

    /// The same in every process, build and platform. A new value invalidates every published fingerprint
    /// and needs a line under "Changed behaviour".
    #[test]
    fn the_number_is_pinned() {
        assert_eq!(of(&different()), "86075f6b105e0a55");
    }
}
