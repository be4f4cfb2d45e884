//! A transport segment as a typed record: TCP with its options, or a UDP datagram.
//!
//! RFC 9293 (header), RFC 7323 (window scale, timestamps), RFC 2018 (SACK), RFC 3168 (ECN). Transports
//! with erasure coding put their own words into an experimental TCP option (RFC 6994), see
//! [`Kind::Coded`]. Payload is a length. Leaves out: urgent data, other options.

use airtcp_units::Narrow;
use std::fmt;

use crate::{Ecn, Flags, IP_HEADER, Seq, Service, TCP_HEADER, UDP_HEADER};

/// Value of [`Segment::window_scale`] when the option is absent.
pub const NO_WINDOW_SCALE: u8 = u8::MAX;

/// The transport protocol of a segment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Kind {
    /// TCP.
    #[default]
    Tcp,
    /// A UDP datagram; `seq` counts datagrams, the other TCP fields are unused.
    Udp,
    /// A segment of a transport with erasure coding: a TCP header with one experimental option
    /// (RFC 6994) of up to eight 32-bit words, see [`Segment::coded`]. No other option.
    Coded,
    /// Any other packet of a real network, such as ICMP, a fragment or a frame without IP: `len` is its whole length,
    /// see [`Segment::raw`].
    Raw,
}

/// Maximum words of a coded segment. With kind, length and identifier they take 36 of TCP's 40 bytes of
/// options.
pub const CODED_WORDS: usize = 8;

/// Sequence numbers `start..end` received out of order (RFC 2018).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct SackBlock {
    /// First sequence number of the block.
    pub start: Seq,
    /// One past its last.
    pub end: Seq,
}

impl fmt::Debug for SackBlock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}:{:?}", self.start, self.end)
    }
}

/// One segment. Absent fields hold their default.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Segment {
    /// Sequence number of the first payload byte (or of SYN).
    pub seq: Seq,
    /// Next sequence number expected from the peer; valid with [`Flags::ACK`].
    pub ack: Seq,
    /// Timestamp value and echo reply (RFC 7323); valid if [`Segment::has_timestamps`].
    pub timestamps: (u32, u32),
    sacks: [SackBlock; 4],
    /// Payload length in bytes.
    pub len: u16,
    /// Receive window as on the wire: unscaled.
    pub window: u16,
    /// Maximum segment size option of a SYN in bytes; 0 if absent.
    pub mss: u16,
    /// TCP flags.
    pub flags: Flags,
    /// Window scale option of a SYN; [`NO_WINDOW_SCALE`] if absent.
    pub window_scale: u8,
    /// Number of SACK blocks, timestamps present, SACK permitted, loss mark, flag AE; in the upper half the bytes of
    /// headers that the record does not say ([`Segment::set_more_headers`]), and in its two low bits, which such a
    /// length does not need, the class of service.
    options: u16,
    /// ECN field of the IP header.
    pub ecn: Ecn,
    /// Transport protocol.
    pub kind: Kind,
}

const SACK_COUNT: u16 = 0x07;
const TIMESTAMPS: u16 = 0x08;
const SACK_PERMITTED: u16 = 0x10;
const CODING_PERMITTED: u16 = 0x20;
const LOSS_MARK: u16 = 0x40;
const AE: u16 = 0x80;
/// Place of the bytes of headers that the record does not say, and of the class of service.
const MORE_HEADERS: u32 = 8;
const SERVICE: u16 = 0x0300;
/// Kind, length and identifier of an experimental option (RFC 6994).
const EXPERIMENTAL: u32 = 4;

impl Default for Segment {
    fn default() -> Self {
        Self {
            seq: Seq(0),
            ack: Seq(0),
            timestamps: (0, 0),
            sacks: [SackBlock::default(); 4],
            len: 0,
            window: 0,
            mss: 0,
            flags: Flags::NONE,
            window_scale: NO_WINDOW_SCALE,
            options: 0,
            ecn: Ecn::NotEct,
            kind: Kind::Tcp,
        }
    }
}

impl Segment {
    /// A TCP segment with these flags at `seq`, everything else as in [`Segment::default`].
    pub fn tcp(flags: Flags, seq: Seq) -> Self {
        Self { seq, flags, ..Self::default() }
    }

    /// A UDP datagram number `number` with `len` bytes of payload.
    pub fn datagram(number: u32, len: u16) -> Self {
        Self { seq: Seq(number), len, kind: Kind::Udp, ..Self::default() }
    }

    /// A packet of `len` bytes on the wire, all headers included, of which no more is known than this and the ECN field.
    pub fn raw(len: u16, ecn: Ecn) -> Self {
        Self { len, ecn, kind: Kind::Raw, ..Self::default() }
    }

    /// Says that the headers on the wire are `bytes` longer than those of IPv4 and of the record: of IPv6, and of options
    /// that the record leaves out. Such lengths are multiples of four; others, and more than 252, are refused: false.
    pub fn set_more_headers(&mut self, bytes: usize) -> bool {
        let Ok(more) = u8::try_from(bytes) else { return false };
        let fits = more.is_multiple_of(4);
        if fits {
            let others = u16::from(u8::MAX) | SERVICE;
            self.options = self.options & others | u16::from(more) << MORE_HEADERS;
        }
        fits
    }

    /// The class of service of a real packet; best effort of others, whose class is that of their flow.
    pub const fn service(&self) -> Service {
        Service::from_bits(self.options >> MORE_HEADERS)
    }

    /// Sets this class.
    pub const fn set_service(&mut self, service: Service) {
        self.options = self.options & !SERVICE | service.bits() << MORE_HEADERS;
    }

    /// A coded segment with these words, cut to [`CODED_WORDS`]. The record stays one cache line: the
    /// words take the place of a TCP segment's SACK blocks, and their number that of the MSS option.
    pub fn coded(flags: Flags, seq: Seq, words: &[u32]) -> Self {
        let mut all = [0; CODED_WORDS];
        for (to, word) in all.iter_mut().zip(words) {
            *to = *word;
        }
        Self::coded_words(flags, seq, all, words.len())
    }

    /// As [`coded`](Self::coded), with the first `count` words of an array; the others must be zero.
    #[allow(clippy::cast_possible_truncation, reason = "const; a few words")]
    #[inline]
    pub const fn coded_words(
        flags: Flags,
        seq: Seq,
        words: [u32; CODED_WORDS],
        count: usize,
    ) -> Self {
        let [a, b, c, d, e, f, g, h] = words;
        let count = if count < CODED_WORDS { count } else { CODED_WORDS };
        Self {
            seq,
            ack: Seq(0),
            timestamps: (0, 0),
            sacks: [
                SackBlock { start: Seq(a), end: Seq(b) },
                SackBlock { start: Seq(c), end: Seq(d) },
                SackBlock { start: Seq(e), end: Seq(f) },
                SackBlock { start: Seq(g), end: Seq(h) },
            ],
            len: 0,
            window: 0,
            mss: count as u16,
            flags,
            window_scale: NO_WINDOW_SCALE,
            options: 0,
            ecn: Ecn::NotEct,
            kind: Kind::Coded,
        }
    }

    /// The words of a coded segment and their number; the words beyond are zero. Other segments have 0.
    #[inline]
    pub fn words(&self) -> ([u32; CODED_WORDS], usize) {
        if self.kind != Kind::Coded {
            return ([0; CODED_WORDS], 0);
        }
        let [a, b, c, d] = self.sacks;
        // Written out: with `map` the compiler leaves a loop with bounds checks.
        let words =
            [a.start.0, a.end.0, b.start.0, b.end.0, c.start.0, c.end.0, d.start.0, d.end.0];
        (words, usize::from(self.mss).min(CODED_WORDS))
    }

    /// All fields as words: the common fields, and the SACK blocks or coded words if there are any. Two
    /// segments that differ in a field differ in a word.
    #[inline]
    pub fn to_words(&self) -> ([u64; 4], Option<[u64; 4]>) {
        // Every field must appear here. Neighbours in the record are one load.
        let Self {
            seq,
            ack,
            timestamps,
            sacks,
            len,
            window,
            mss,
            flags,
            window_scale,
            options,
            ecn,
            kind,
        } = *self;
        let pair = |low: u32, high: u32| u64::from(high) << 32 | u64::from(low);
        let lengths = u64::from(len) | u64::from(window) << 16 | u64::from(mss) << 32;
        let service = u64::from(options & SERVICE) >> MORE_HEADERS;
        let options = options & !SERVICE;
        // The two bits of ECN have the place of the lowest bits of a length that is a multiple of four.
        let bits = u64::from(flags.0) | u64::from(window_scale) << 8 | u64::from(options) << 16;
        let words = [
            pair(seq.0, ack.0),
            pair(timestamps.0, timestamps.1),
            lengths | (kind as u64) << 48 | service << 50,
            bits | u64::from(ecn.bits()) << 24,
        ];
        let more = options & SACK_COUNT > 0 || kind == Kind::Coded;
        let [a, b, c, d] = sacks;
        let blocks = [
            pair(a.start.0, a.end.0),
            pair(b.start.0, b.end.0),
            pair(c.start.0, c.end.0),
            pair(d.start.0, d.end.0),
        ];
        (words, more.then_some(blocks))
    }

    /// True if a SYN offers a transport with erasure coding.
    pub const fn coding_permitted(&self) -> bool {
        self.options & CODING_PERMITTED != 0
    }

    /// Offers a transport with erasure coding: an experimental option without words.
    pub fn set_coding_permitted(&mut self) {
        self.options |= CODING_PERMITTED;
    }

    /// The SACK blocks, most recent first (a DSACK block, RFC 2883, comes first of all).
    #[inline]
    pub fn sacks(&self) -> &[SackBlock] {
        &self.sacks[..(self.options & SACK_COUNT) as usize]
    }

    /// Adds a SACK block if there is room: 4 blocks, 3 beside timestamps (RFC 2018 section 3).
    /// Returns whether it was added.
    pub fn push_sack(&mut self, block: SackBlock) -> bool {
        let n = (self.options & SACK_COUNT) as usize;
        let room = if self.has_timestamps() { 3 } else { 4 };
        if n >= room {
            return false;
        }
        self.sacks[n] = block;
        self.options += 1;
        true
    }

    /// True if the timestamps option is present.
    pub const fn has_timestamps(&self) -> bool {
        self.options & TIMESTAMPS != 0
    }

    /// Sets the timestamps option.
    pub fn set_timestamps(&mut self, value: u32, echo_reply: u32) {
        self.timestamps = (value, echo_reply);
        self.options |= TIMESTAMPS;
    }

    /// True if a SYN carries SACK-permitted.
    pub const fn sack_permitted(&self) -> bool {
        self.options & SACK_PERMITTED != 0
    }

    /// Sets SACK-permitted.
    pub fn set_sack_permitted(&mut self) {
        self.options |= SACK_PERMITTED;
    }

    /// True if an ACK states that every gap that it shows was lost on the air: the explicit loss
    /// notification of Balakrishnan and Katz 1998. On the wire it is a reserved bit of the TCP header.
    pub const fn has_loss_mark(&self) -> bool {
        self.options & LOSS_MARK != 0
    }

    /// Sets this mark. It takes no space.
    pub fn set_loss_mark(&mut self) {
        self.options |= LOSS_MARK;
    }

    /// The flags AE, CWR and ECE as a number of three bits: the counter ACE of RFC 9768 section 3.2.2.
    #[inline]
    pub const fn ace(&self) -> u8 {
        // ECE and CWR are the two highest bits of the flags.
        (self.flags.0 >> 6) | if self.options & AE == 0 { 0 } else { 4 }
    }

    /// Sets the flags AE, CWR and ECE to the three low bits of a number.
    #[inline]
    pub const fn set_ace(&mut self, bits: u8) {
        self.flags.0 = self.flags.0 & 0x3f | (bits & 3) << 6;
        self.options = self.options & !AE | if bits & 4 == 0 { 0 } else { AE };
    }

    /// Sequence space taken: payload, plus one each for SYN and FIN.
    pub fn sequence_len(&self) -> u32 {
        u32::from(self.len)
            + u32::from(self.flags.has(Flags::SYN))
            + u32::from(self.flags.has(Flags::FIN))
    }

    /// Bytes of TCP options, padded to a multiple of four.
    #[inline]
    pub fn options_len(&self) -> u32 {
        if self.kind == Kind::Coded {
            return EXPERIMENTAL + 4 * u32::from(self.mss).min(u32::narrow(CODED_WORDS));
        }
        let mut n = 0;
        if self.coding_permitted() {
            n += EXPERIMENTAL;
        }
        if self.mss != 0 {
            n += 4;
        }
        if self.window_scale != NO_WINDOW_SCALE {
            n += 3;
        }
        if self.sack_permitted() {
            n += 2;
        }
        if self.has_timestamps() {
            n += 10;
        }
        let blocks = u32::from(self.options & SACK_COUNT);
        if blocks > 0 {
            n += 2 + 8 * blocks;
        }
        n.div_ceil(4) * 4
    }

    /// Length on the wire in bytes: IP header, transport header with options, payload.
    #[inline]
    pub fn wire_len(&self) -> u32 {
        // Most segments have no options.
        if (self.kind, self.mss, self.options, self.window_scale)
            == (Kind::Tcp, 0, 0, NO_WINDOW_SCALE)
        {
            return IP_HEADER + TCP_HEADER + u32::from(self.len);
        }
        let header = match self.kind {
            Kind::Raw => return u32::from(self.len),
            Kind::Udp => UDP_HEADER,
            Kind::Tcp | Kind::Coded => TCP_HEADER + self.options_len(),
        };
        let more = (self.options & !SERVICE) >> MORE_HEADERS;
        IP_HEADER + header + u32::from(more) + u32::from(self.len)
    }
}

impl fmt::Debug for Segment {
    /// The way tcpdump prints: `[S.] seq 0:1 ack 1 win 65535 <sack 5:9> len 0`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.kind == Kind::Udp {
            return write!(f, "udp {:?} len {}", self.seq, self.len);
        }
        if self.kind == Kind::Raw {
            return write!(f, "raw len {}", self.len);
        }
        let end = self.seq.plus(self.sequence_len());
        write!(f, "[{:?}] seq {:?}:{:?}", self.flags, self.seq, end)?;
        if self.flags.has(Flags::ACK) {
            write!(f, " ack {:?}", self.ack)?;
        }
        write!(f, " win {}", self.window)?;
        if self.has_timestamps() {
            write!(f, " ts {} ecr {}", self.timestamps.0, self.timestamps.1)?;
        }
        if !self.sacks().is_empty() {
            write!(f, " sack {:?}", self.sacks())?;
        }
        if self.coding_permitted() {
            write!(f, " coding")?;
        }
        if self.options & AE != 0 {
            write!(f, " ae")?;
        }
        if self.has_loss_mark() {
            write!(f, " eln")?;
        }
        let (words, n) = self.words();
        if n > 0 {
            write!(f, " coded {:x?}", &words[..n])?;
        }
        if self.ecn != Ecn::NotEct {
            write!(f, " {:?}", self.ecn)?;
        }
        write!(f, " len {}", self.len)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_on_the_wire() {
        let mut s = Segment { len: 1448, flags: Flags::ACK, ..Segment::default() };
        assert_eq!(s.wire_len(), 1488);
        s.set_timestamps(1, 2);
        assert_eq!(s.wire_len(), 1500);
        let mut syn =
            Segment { flags: Flags::SYN, mss: 1460, window_scale: 7, ..Segment::default() };
        syn.set_sack_permitted();
        syn.set_timestamps(1, 0);
        // 4 + 3 + 2 + 10 = 19, padded to 20: the usual 60-byte SYN.
        assert_eq!(syn.wire_len(), 60);
        assert_eq!(Segment::datagram(0, 100).wire_len(), 128);
    }

    /// A packet of IPv6 is 20 bytes longer than the record says, and other packets have the length that they are given.
    #[test]
    fn given_lengths_on_the_wire() {
        let mut s = Segment { len: 1000, flags: Flags::ACK, ..Segment::default() };
        for ecn in [Ecn::NotEct, Ecn::Ect0, Ecn::Ce] {
            let plain = Segment { ecn, ..s };
            for more in [4, 20, 252] {
                let mut longer = plain;
                assert!(longer.set_more_headers(more));
                assert_eq!(longer.wire_len() as usize, 1040 + more);
                assert!(longer.sacks().is_empty() && !longer.has_timestamps());
                assert_ne!(longer.to_words(), plain.to_words());
                longer.set_timestamps(1, 2);
                assert_eq!(longer.wire_len() as usize, 1052 + more);
                assert!(longer.set_more_headers(0));
                assert_eq!(longer.wire_len(), 1052);
            }
        }
        assert!(!s.set_more_headers(3) && !s.set_more_headers(256));
        for dscp in [46, 8, 32, 0] {
            let service = Service::of_dscp(dscp);
            s.set_service(service);
            assert!(s.set_more_headers(20));
            assert_eq!((s.service(), s.wire_len()), (service, 1060));
            assert_eq!(s.options & SACK_COUNT, 0);
        }
        let mut datagram = Segment::datagram(0, 100);
        datagram.set_more_headers(20);
        assert_eq!(datagram.wire_len(), 148);
        assert_eq!(
            [1, 60, u16::MAX].map(|n| Segment::raw(n, Ecn::Ect0).wire_len()),
            [1, 60, 65_535]
        );
    }

    #[test]
    fn words_of_coded_segments() {
        for n in 0..=CODED_WORDS + 1 {
            let words: Vec<u32> = (1..=u32::narrow(n)).collect();
            let s = Segment::coded(Flags::ACK, Seq(5), &words);
            let (back, count) = s.words();
            assert_eq!(count, n.min(CODED_WORDS));
            assert_eq!(back[..count], words[..count]);
            assert!(s.sacks().is_empty() && !s.has_timestamps());
            assert_eq!(s.wire_len(), 44 + 4 * u32::narrow(count));
            assert!(s.options_len() <= 40);
        }
        assert_eq!(Segment::default().words().1, 0);
        let mut syn = Segment { flags: Flags::SYN, mss: 1460, ..Segment::default() };
        syn.set_coding_permitted();
        assert_eq!((syn.options_len(), syn.words().1), (8, 0));
    }

    #[test]
    fn a_loss_mark_takes_no_space() {
        let plain = Segment { flags: Flags::ACK, ..Segment::default() };
        let mut marked = plain;
        marked.set_loss_mark();
        assert!(marked.has_loss_mark() && !plain.has_loss_mark() && marked != plain);
        assert_ne!(marked.to_words(), plain.to_words());
        assert_eq!(marked.wire_len(), plain.wire_len());
        assert!(marked.sacks().is_empty() && !marked.has_timestamps() && !marked.sack_permitted());
    }

    #[test]
    fn three_flags_are_a_number() {
        let mut s = Segment { flags: Flags::ACK | Flags::PSH, ..Segment::default() };
        let plain = s;
        for (bits, flags) in [
            (1, Flags::ECE),
            (2, Flags::CWR),
            (3, Flags::ECE | Flags::CWR),
            (4, Flags::NONE),
            (5, Flags::ECE),
            (0, Flags::NONE),
        ] {
            s.set_ace(bits);
            assert_eq!((s.ace(), s.flags), (bits, Flags::ACK | Flags::PSH | flags));
            assert_eq!((s.wire_len(), s == plain), (plain.wire_len(), bits == 0));
            assert_eq!(s.to_words() == plain.to_words(), bits == 0);
        }
    }

    #[test]
    fn room_for_sack_blocks() {
        let mut s = Segment::default();
        assert_eq!((0..6).filter(|_| s.push_sack(SackBlock::default())).count(), 4);
        let mut s = Segment::default();
        s.set_timestamps(0, 0);
        assert_eq!((0..6).filter(|_| s.push_sack(SackBlock::default())).count(), 3);
        // TCP options are at most 40 bytes.
        assert!(s.options_len() <= 40);
    }
}
