//! Packets without payload that a capture holds twice: on a mirror port that copies both directions, on
//! several interfaces, or at several points of the path.
//!
//! A copy has the identification of the IP header, and all that the checksum of TCP covers. An ACK that
//! was sent twice has another identification. A SYN or FIN without identification (IPv6, or 0) is a copy if
//! it comes sooner than any timer sends it again. Copies of data are recognised by their sequence numbers
//! (`order`).

use arrayvec::ArrayVec;

use crate::dissect::{Flags, Segment};

/// ACKs that are kept at first, and of a connection with more.
const FEW: usize = 16;
const MANY: usize = 256;

/// Share of the packets, as one in so many, above which copies are not those of the network.
pub(crate) const MANY_COPIES: u64 = 10;

/// What an ACK is recognised by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Ack {
    id: u16,
    acknowledgement: u32,
    window: u16,
    checksum: u16,
    ttl: u8,
}

/// Packets that a capture holds twice, and ACKs that it holds before their data.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CopyCounts {
    /// Copies that are the same in all: of a mirror port, of several interfaces, or of the network.
    pub same: u64,
    /// Copies with another time to live: of another point of the path.
    pub elsewhere: u64,
    /// ACKs before their data.
    pub early: u64,
    /// Longest time from such an ACK to its data, in ns.
    pub early_ns: u64,
}

impl CopyCounts {
    /// These and those of another connection.
    pub(crate) fn and(self, more: Self) -> Self {
        Self {
            same: self.same + more.same,
            elsewhere: self.elsewhere + more.elsewhere,
            early: self.early + more.early,
            early_ns: self.early_ns.max(more.early_ns),
        }
    }

    /// Those that came after an earlier count. The longest time is that of all.
    pub(crate) const fn since(self, earlier: Self) -> Self {
        Self {
            same: self.same - earlier.same,
            elsewhere: self.elsewhere - earlier.elsewhere,
            early: self.early - earlier.early,
            early_ns: self.early_ns,
        }
    }
}

/// A copy of a packet without payload.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AckCopy {
    /// It is the same in all.
    Same,
    /// It has another time to live: routers lie between the two.
    Elsewhere,
}

/// Longest time between a SYN and its copy: timers send it again after a second, none in less than 0.2 s.
const SYN_NS: u64 = 100_000_000;
/// The same of a FIN, which a probe repeats after two round-trip times.
const FIN_NS: u64 = 3_000_000;
/// The same with an identification of its own, at this point of the path and elsewhere.
const KNOWN_NS: [u64; 2] = [100_000_000, 1_000_000_000];

/// A SYN, FIN or RST.
#[derive(Debug, Clone, Copy)]
struct Signal {
    time_ns: u64,
    sequence: u32,
    flags: Flags,
    ack: Ack,
}

impl Signal {
    /// Tells if this one, which came later, is a copy of `first`.
    fn copies(&self, first: &Self) -> Option<AckCopy> {
        let same = self.sequence == first.sequence && self.flags == first.flags;
        if !same || self.ack != (Ack { ttl: self.ack.ttl, ..first.ack }) {
            return None;
        }
        let elsewhere = self.ack.ttl != first.ack.ttl;
        let longest = if self.ack.id != 0 {
            KNOWN_NS[usize::from(elsewhere)]
        } else if self.flags.has(Flags::SYN) {
            SYN_NS
        } else if self.flags.has(Flags::FIN) {
            FIN_NS
        } else {
            // A host answers each segment of a closed connection with the same reset.
            return None;
        };
        let soon = self.time_ns.saturating_sub(first.time_ns) <= longest;
        soon.then_some(if elsewhere { AckCopy::Elsewhere } else { AckCopy::Same })
    }
}

/// The last packets without payload of an end: ACKs by their identifications.
#[derive(Debug, Clone, Default)]
pub(super) struct Acks {
    kept: Vec<Ack>,
    seen: u32,
    /// Its last SYN, FIN and RST.
    signals: ArrayVec<Signal, 2>,
}

impl Acks {
    /// Takes a segment; tells if it is a copy of one before.
    pub(super) fn take(&mut self, segment: &Segment) -> Option<AckCopy> {
        // A SYN with data (RFC 7413) is recognised as one without.
        if segment.payload > 0 && !segment.flags.has(Flags::SYN) {
            return None;
        }
        let id = segment.ip_id.unwrap_or(0);
        let ack = Ack {
            id,
            acknowledgement: segment.acknowledgement,
            window: segment.window,
            checksum: segment.checksum,
            ttl: segment.ttl,
        };
        if segment.flags.has_any(Flags::SYN | Flags::FIN | Flags::RST) {
            return self.take_signal(segment, ack);
        }
        if segment.flags != Flags::ACK || id == 0 {
            return None;
        }
        if self.kept.is_empty() {
            self.kept.resize(FEW, Ack::default());
        } else if self.seen == 64 {
            self.kept.resize(MANY, Ack::default());
        }
        self.seen = self.seen.saturating_add(1);
        let place = usize::from(id) % self.kept.len();
        let before = std::mem::replace(&mut self.kept[place], ack);
        if before == ack {
            Some(AckCopy::Same)
        } else if before == (Ack { ttl: before.ttl, ..ack }) {
            Some(AckCopy::Elsewhere)
        } else {
            None
        }
    }

    fn take_signal(&mut self, segment: &Segment, ack: Ack) -> Option<AckCopy> {
        let (sequence, flags) = (segment.sequence, segment.flags);
        let signal = Signal { time_ns: segment.time_ns, sequence, flags, ack };
        let copy = self.signals.iter().find_map(|first| signal.copies(first));
        if copy.is_none() {
            if self.signals.is_full() {
                self.signals.remove(0);
            }
            self.signals.push(signal);
        }
        copy
    }
}
