//! The wire format, as the words of coded segments ([`Segment::coded`]).
//!
//! ```text
//! symbol        PSH  packet number | oldest symbol kept | symbol | head
//! combination   PSH  packet number | oldest symbol kept | first symbol | count, key (16 bits each) | head
//! feedback      ACK  next symbol wanted | greatest packet number n | [marked packets] | bits ...
//! opening       SYN  attempt        answer  SYN+ACK  the attempt it answers
//! ```
//!
//! A packet number is used once, so that arrivals are never ambiguous. Bit `i` of up to four words
//! means that packet `n - i` has arrived; the bits of omitted words are all set. With ECE, feedback
//! has one more word, the count of packets that arrived with CE. The head of a symbol, its length
//! with [`FIN`] in the highest bit, is combined too: a receiver learns length and end of a symbol
//! that it decodes. A combination carries the combination of the heads (with zero upper bytes), and
//! as its payload that of the payloads, as long as the longest. A symbol's option takes 20 bytes, a
//! combination's 24. Numbers wrap at 32 bits.

use airtcp_fec::{Symbol, gf256};
use airtcp_packet::{Flags, Kind, Segment, Seq, ack_bitmap};
use airtcp_units::LowBits;

/// Bytes of the option of a combination, the longer one.
pub const SYMBOL_OPTION: u16 = 24;
/// Highest bit of a head: the stream ends with this symbol.
pub const FIN: u16 = 1 << 15;
/// Maximum number of symbols in one combination. Bounds the receiver's work per combination.
pub(crate) const MAX_COMBINED: u16 = 256;

/// Length and flag of a symbol, or a combination of these.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Head(pub [u8; 2]);

impl Head {
    /// The head of a symbol with `len` bytes, which may be the last.
    pub const fn new(len: u16, fin: bool) -> Self {
        Self((len | if fin { FIN } else { 0 }).to_be_bytes())
    }

    /// Length of the symbol.
    pub const fn len(self) -> u16 {
        u16::from_be_bytes(self.0) & !FIN
    }

    /// The symbol carries nothing.
    pub const fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// The stream ends with the symbol.
    pub const fn fin(self) -> bool {
        u16::from_be_bytes(self.0) & FIN != 0
    }
}

impl Symbol for Head {
    fn add_scaled(&mut self, other: &Self, c: u8) {
        gf256::add_scaled(&mut self.0, &other.0, c);
    }
    fn scale(&mut self, c: u8) {
        gf256::scale(&mut self.0, c);
    }
}

/// Content of a data packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Payload {
    /// A symbol of the stream, by its number.
    Symbol(u64),
    /// A combination of symbols.
    Combination {
        /// The first symbol.
        first: u64,
        /// Number of symbols.
        count: u16,
        /// Key of the coefficients.
        key: u16,
    },
}

/// A data packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Packet {
    /// Packet number.
    pub number: u64,
    /// No combination in flight or still to be sent includes an earlier symbol.
    pub oldest: u64,
    /// Content of the packet.
    pub payload: Payload,
    /// Head of the symbol, or combination of heads.
    pub head: Head,
    /// Bytes of payload.
    pub len: u16,
}

/// True if a segment carries a symbol of the stream itself, not a combination.
pub fn is_symbol(segment: &Segment) -> bool {
    segment.kind == Kind::Coded && segment.flags.has(Flags::PSH) && segment.words().1 == 4
}

impl Packet {
    #[inline]
    pub(crate) fn segment(&self) -> Segment {
        let head = u32::from(u16::from_be_bytes(self.head.0));
        let (number, oldest) = (u32::low_bits(self.number), u32::low_bits(self.oldest));
        let flags = Flags::PSH | Flags::ACK;
        let (words, words_used) = match self.payload {
            Payload::Symbol(symbol) => {
                ([number, oldest, u32::low_bits(symbol), head, 0, 0, 0, 0], 4)
            }
            Payload::Combination { first, count, key } => {
                let count_and_key = u32::from(count) << 16 | u32::from(key);
                ([number, oldest, u32::low_bits(first), count_and_key, head, 0, 0, 0], 5)
            }
        };
        let mut segment = Segment::coded_words(flags, Seq(0), words, words_used);
        segment.len = self.len;
        segment
    }

    /// Parses a data packet; `None` if the segment is none or is malformed. Truncated numbers are expanded
    /// to the values nearest to `near_number` and `near_symbol`.
    #[inline]
    pub fn of(segment: &Segment, near_number: u64, near_symbol: u64) -> Option<Self> {
        let (words, count) = segment.words();
        if segment.kind != Kind::Coded || !segment.flags.has(Flags::PSH) {
            return None;
        }
        let near = |word: u32, near| Seq(word).unwrap_near(Seq(0), near);
        let (payload, head) = match count {
            4 => (Payload::Symbol(near(words[2], near_symbol)?), words[3]),
            5 => {
                let first = near(words[2], near_symbol)?;
                let (count, key) = ((words[3] >> 16) as u16, u16::low_bits(words[3]));
                (Payload::Combination { first, count, key }, words[4])
            }
            _ => return None,
        };
        let packet = Self {
            number: near(words[0], near_number)?,
            oldest: near(words[1], near_symbol)?,
            payload,
            head: Head((u16::try_from(head).ok()?).to_be_bytes()),
            len: segment.len,
        };
        let is_valid = match payload {
            Payload::Symbol(_) => packet.head.len() == packet.len,
            Payload::Combination { count, .. } => (1..=MAX_COMBINED).contains(&count),
        };
        is_valid.then_some(packet)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Feedback {
    /// The first symbol that the receiver has not decoded.
    pub(crate) next: u64,
    /// Greatest packet number that arrived.
    pub(crate) greatest: u64,
    /// Bit `i`: packet `greatest - i` has arrived.
    pub(crate) arrived: u128,
    /// Total number of packets that arrived with CE.
    pub(crate) marked: u32,
}

impl Feedback {
    pub(crate) fn segment(&self) -> Segment {
        let (flags, head) =
            if self.marked > 0 { (Flags::ACK | Flags::ECE, 3) } else { (Flags::ACK, 2) };
        let ([a, b, c, d], count) = ack_bitmap::to_words(self.arrived);
        let (next, greatest) = (u32::low_bits(self.next), u32::low_bits(self.greatest));
        let words = if head == 3 {
            [next, greatest, self.marked, a, b, c, d, 0]
        } else {
            [next, greatest, a, b, c, d, 0, 0]
        };
        Segment::coded_words(flags, Seq(0), words, head + count)
    }

    /// Parses feedback; `None` if the segment is none.
    pub(crate) fn of(segment: &Segment, near_symbol: u64, near_number: u64) -> Option<Self> {
        let (words, count) = segment.words();
        let head = if segment.flags.has(Flags::ECE) { 3 } else { 2 };
        if segment.kind != Kind::Coded
            || segment.flags.without(Flags::ECE) != Flags::ACK
            || segment.len != 0
            || !(head + 1..=head + 4).contains(&count)
        {
            return None;
        }
        let bits = [words[head], words[head + 1], words[head + 2], words[head + 3]];
        let arrived = ack_bitmap::from_words(bits, count - head);
        Some(Self {
            next: Seq(words[0]).unwrap_near(Seq(0), near_symbol)?,
            greatest: Seq(words[1]).unwrap_near(Seq(0), near_number)?,
            arrived,
            marked: if head == 3 { words[2] } else { 0 },
        })
    }
}

/// An opening packet, or its answer.
pub(crate) fn opening(attempt: u32, answer: bool) -> Segment {
    let flags = if answer { Flags::SYN | Flags::ACK } else { Flags::SYN };
    Segment::coded(flags, Seq(0), &[attempt])
}

/// Parses an opening packet: its number, and whether it is an answer.
pub(crate) fn parse_opening(segment: &Segment) -> Option<(u32, bool)> {
    let (words, count) = segment.words();
    let is_one = segment.kind == Kind::Coded && segment.flags.has(Flags::SYN) && count == 1;
    is_one.then(|| (words[0], segment.flags.has(Flags::ACK)))
}
