//! The records of a pcap file: a header with time and lengths, then the bytes of a packet. Old versions of the
//! format have the two lengths in the other order.

use airtcp_wire::bytes::{be16, be32, le16, le32};

use super::buffer::Buffer;
use super::damage::{Damage, MAX_PACKET, Step};
use super::interfaces::Interface;
use super::packet::Packet;

/// Bytes of the header of the file.
pub(super) const FILE_HEADER: usize = 24;
/// Bits of the link type in the header; the others tell the length of the frame check sequence.
const LINK_TYPE: u32 = 0xffff;
/// Longest packet of a record at which reading goes on after damage.
const MAX_RESUMED: u32 = 1 << 18;
/// Furthest time of such a record from the last packet before the damage, in s.
const MAX_JUMP_S: u32 = 86_400;
/// Records in a row that must be plausible there, unless the file ends before.
const IN_A_ROW: usize = 3;

/// Magic numbers of the format.
const MAGICS: [(u32, u64, usize); 3] = [
    (0xa1b2_c3d4, 1_000_000, 16),
    (0xa1b2_3c4d, 1_000_000_000, 16),
    // Kuznetzov's variant has the interface, the protocol and the direction in each record.
    (0xa1b2_cd34, 1_000_000, 24),
];

/// Order of the two lengths in a record: before version 2.3, the length on the wire came first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Lengths {
    CapturedFirst,
    WireFirst,
    /// Some files of version 2.3 have the old order: the greater one is that on the wire.
    Either,
}

impl Lengths {
    /// By the version of the format; 543.0 is that of DG/UX.
    const fn of(version: (u16, u16)) -> Self {
        match version {
            (2, 0..=2) | (543, _) => Self::WireFirst,
            (2, 3) => Self::Either,
            _ => Self::CapturedFirst,
        }
    }
}

/// Interface types of SNMP, which AIX writes in place of link types (version 2.2; RFC 1573).
/// That of token ring, 9, is also the link type of PPP.
const AIX: [(u16, u16); 3] = [(6, 1), (15, 10), (24, 0)];

/// How a pcap file is laid out.
#[derive(Debug, Clone, Copy)]
pub(super) struct Records {
    big_endian: bool,
    /// Bytes of a record before its packet.
    header: usize,
    interface: Interface,
    lengths: Lengths,
    /// Seconds of the last packet.
    last_s: Option<u32>,
}

/// The fixed part of a record's header.
#[derive(Debug, Clone, Copy)]
struct Head {
    seconds: u32,
    fraction: u32,
    captured: u32,
    original: u32,
}

impl Records {
    /// The layout, if these bytes begin a pcap file.
    pub(super) fn of(start: &[u8]) -> Option<Self> {
        let magic = |word: Option<u32>| MAGICS.into_iter().find(|(magic, ..)| word == Some(*magic));
        let (big_endian, (_, per_second, header)) = match magic(le32(start, 0)) {
            Some(known) => (false, known),
            None => (true, magic(be32(start, 0))?),
        };
        let word = if big_endian { be32 } else { le32 };
        let link_type = word(start, 20).unwrap_or(0) & LINK_TYPE;
        let link_type = u16::try_from(link_type).unwrap_or(u16::MAX);
        let half = if big_endian { be16 } else { le16 };
        let version = half(start, 4).zip(half(start, 6)).unwrap_or((2, 4));
        // AIX counts nanoseconds, and has interface types that are no usual link types of that version.
        let aix = AIX.iter().find(|(known, _)| version == (2, 2) && *known == link_type);
        let interface = match aix {
            Some((_, link_type)) => Interface::new(*link_type, 1_000_000_000, 0),
            None => Interface::new(link_type, per_second, 0),
        };
        Some(Self { big_endian, header, interface, lengths: Lengths::of(version), last_s: None })
    }

    #[inline]
    fn head(&self, data: &[u8], at: usize) -> Option<Head> {
        let bytes: &[u8; 16] = data.get(at..)?.first_chunk()?;
        let word = |n: usize| {
            let four = [bytes[n], bytes[n + 1], bytes[n + 2], bytes[n + 3]];
            if self.big_endian { u32::from_be_bytes(four) } else { u32::from_le_bytes(four) }
        };
        let (first, second) = (word(8), word(12));
        let is_swapped = match self.lengths {
            Lengths::CapturedFirst => false,
            Lengths::WireFirst => true,
            Lengths::Either => first > second,
        };
        let (captured, original) = if is_swapped { (second, first) } else { (first, second) };
        Some(Head { seconds: word(0), fraction: word(4), captured, original })
    }

    /// The next packet; the caller consumes its bytes.
    #[inline]
    pub(super) fn next<'a>(&mut self, buffer: &'a mut Buffer) -> Step<'a> {
        if !buffer.fill(self.header) {
            return Step::at_end(buffer);
        }
        let Some(head) = self.head(buffer.data(), 0) else { return Step::End };
        // Zeros are what a file has where nothing was written.
        let nothing = head.seconds | head.fraction | head.captured | head.original == 0;
        if nothing {
            return Step::Damaged(Damage::NoPacket);
        }
        if head.captured > MAX_PACKET {
            return Step::Damaged(Damage::TooLong);
        }
        let length = self.header + head.captured as usize;
        if !buffer.fill(length) {
            return Step::Damaged(Damage::Ends);
        }
        self.last_s = Some(head.seconds);
        let packet = Packet {
            time_ns: self.interface.time_of(head.seconds, head.fraction),
            is_timed: true,
            link_type: self.interface.link_type,
            interface: 0,
            wire_len: head.original.max(head.captured),
            data: &buffer.data()[self.header..length],
        };
        Step::Packet(packet, length)
    }

    /// True if reading can go on `place` bytes from here, after damage: the records in a row there are
    /// plausible.
    pub(super) fn is_start(&self, buffer: &mut Buffer, place: usize) -> bool {
        let mut at = place;
        for _ in 0..IN_A_ROW {
            if !buffer.fill(at + self.header) {
                // The end of the file must be that of a record.
                return at > place && buffer.data().len() == at;
            }
            let Some(head) = self.head(buffer.data(), at) else { return false };
            if !self.is_plausible(&head) {
                return false;
            }
            at += self.header + head.captured as usize;
        }
        true
    }

    fn is_plausible(&self, head: &Head) -> bool {
        let is_near = |last: u32| head.seconds.abs_diff(last) <= MAX_JUMP_S;
        head.captured > 0
            && head.captured <= head.original
            && head.original <= MAX_RESUMED
            && u64::from(head.fraction) < self.interface.per_second()
            && self.last_s.is_none_or(is_near)
    }
}
