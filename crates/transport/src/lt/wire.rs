//! LT-TCP's wire format: the words of coded segments, see [`Segment::coded`].
//!
//! A data segment carries one symbol in its payload and in its option
//!
//! ```text
//! packet number | block | index, K, padding, flags (8 bits each)
//! ```
//!
//! A packet number is used once, so that arrivals are never ambiguous. `padding` is the number of
//! bytes that the last data segment lacks of a symbol. The symbol length is even, since the code's
//! elements are two bytes. Feedback has no payload:
//!
//! ```text
//! next block to deliver | greatest packet number n | CE, ECT(0) received (16 bits each) | bits ...
//! ```
//!
//! Bit `i` of the up to four words of bits, counted from the least significant bit of the first
//! word, means that packet `n - i` has arrived. Omitted words have all bits set. The bits are the
//! selective acknowledgements (S2 uses TCP's SACK blocks). In this form they survive the loss of
//! 127 successive acknowledgements. Numbers wrap at 32 and 16 bits.

use airtcp_packet::{Flags, Kind, Segment, Seq, ack_bitmap};
use airtcp_units::{LowBits, Narrow};

use super::block::DATA_HEADER;

const FINAL: u8 = 1;
const REACTIVE: u8 = 2;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Data {
    pub(crate) number: u32,
    pub(crate) block: u32,
    /// Index of the symbol in its block.
    pub(crate) index: u8,
    /// Data symbols of the block.
    pub(crate) k: u8,
    pub(crate) padding: u8,
    /// The stream ends with this block.
    pub(crate) last: bool,
    /// Sent because the block could not be decoded.
    pub(crate) reactive: bool,
    /// Payload.
    pub(crate) len: u16,
}

/// True if a segment carries data of the stream, not parity.
pub fn is_data(segment: &Segment) -> bool {
    Data::of(segment).is_some_and(|data| data.index < data.k)
}

impl Data {
    pub(crate) fn segment(&self) -> Segment {
        let mut flags = 0;
        if self.last {
            flags |= FINAL;
        }
        if self.reactive {
            flags |= REACTIVE;
        }
        let geometry = u32::from_be_bytes([self.index, self.k, self.padding, flags]);
        let words = [self.number, self.block, geometry, 0, 0, 0, 0, 0];
        let mut segment = Segment::coded_words(Flags::ACK, Seq(0), words, 3);
        segment.len = self.len;
        debug_assert_eq!(segment.options_len(), u32::from(DATA_HEADER));
        segment
    }

    /// Parses a symbol; `None` if the segment is no symbol, or an invalid one.
    pub(crate) fn of(segment: &Segment) -> Option<Self> {
        let (words, count) = segment.words();
        if segment.kind != Kind::Coded || segment.len == 0 || count != 3 {
            return None;
        }
        let [index, k, padding, flags] = words[2].to_be_bytes();
        let last_data = u16::from(index) + 1 == u16::from(k);
        let symbol = u32::from(segment.len) + if last_data { u32::from(padding) } else { 0 };
        let sound = k > 0
            && index < u8::MAX
            && u16::try_from(symbol).is_ok()
            && symbol.is_multiple_of(2)
            && u32::from(padding) < symbol;
        sound.then_some(Self {
            number: words[0],
            block: words[1],
            index,
            k,
            padding,
            last: flags & FINAL != 0,
            reactive: flags & REACTIVE != 0,
            len: segment.len,
        })
    }

    /// Length of a symbol of the block.
    pub(crate) const fn symbol(&self) -> u32 {
        if self.index as u16 + 1 == self.k as u16 {
            self.len as u32 + self.padding as u32
        } else {
            self.len as u32
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Feedback {
    /// First block not delivered.
    pub(crate) next_block: u32,
    /// Highest packet number received.
    pub(crate) greatest: u32,
    /// Packets received with CE and with ECT(0).
    pub(crate) marked: u16,
    pub(crate) capable: u16,
    /// Bit `i`: packet `greatest - i` has arrived.
    pub(crate) arrived: u128,
    /// Receive window as on the wire.
    pub(crate) window: u16,
}

impl Feedback {
    pub(crate) fn segment(&self) -> Segment {
        let counts = u32::from(self.marked) << 16 | u32::from(self.capable);
        let (bits, count) = ack_bitmap::to_words(self.arrived);
        let words = [self.next_block, self.greatest, counts, bits[0], bits[1], bits[2], bits[3], 0];
        let mut segment = Segment::coded_words(Flags::ACK, Seq(0), words, 3 + count);
        segment.window = self.window;
        segment
    }

    /// Parses feedback; `None` if the segment is none.
    pub(crate) fn of(segment: &Segment) -> Option<Self> {
        let (words, count) = segment.words();
        if segment.kind != Kind::Coded || segment.len != 0 || !(4..=7).contains(&count) {
            return None;
        }
        let arrived = ack_bitmap::from_words([words[3], words[4], words[5], words[6]], count - 3);
        let counts = words[2];
        Some(Self {
            next_block: words[0],
            greatest: words[1],
            marked: u16::narrow(counts >> 16),
            capable: u16::low_bits(counts),
            arrived,
            window: segment.window,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn feedback_round_trips(
            (next_block, greatest, marked, capable, window)
                in any::<(u32, u32, u16, u16, u16)>(),
            arrived in any::<u128>(), ones in 0u32..129,
        ) {
            let arrived = if ones == 128 { u128::MAX } else { arrived | !(u128::MAX >> ones) };
            let feedback = Feedback { next_block, greatest, marked, capable, arrived, window };
            let segment = feedback.segment();
            prop_assert_eq!(Feedback::of(&segment), Some(feedback));
            prop_assert!(Data::of(&segment).is_none());
            // Nothing is missing among the reported packets: the shortest form.
            prop_assert!((20..=32).contains(&segment.options_len()));
            prop_assert!(arrived != u128::MAX || segment.options_len() == 20);
        }

        #[test]
        fn symbols_round_trip(
            (number, block) in any::<(u32, u32)>(), (index, k) in (0u8..255, 1u8..=255),
            (padding, last, reactive) in any::<(u8, bool, bool)>(), len in 1u16..60_000,
        ) {
            let header = Data { number, block, index, k, padding, last, reactive, len };
            let segment = header.segment();
            prop_assert_eq!(segment.wire_len(), 40 + u32::from(DATA_HEADER) + u32::from(len));
            let back = Data::of(&segment);
            if u32::from(padding) < header.symbol() && header.symbol().is_multiple_of(2) {
                prop_assert_eq!(back, Some(header));
            } else {
                prop_assert_eq!(back, None);
            }
            prop_assert!(Feedback::of(&segment).is_none());
        }
    }

    #[test]
    fn invalid_symbols_are_refused() {
        let sound = Data {
            number: 1,
            block: 2,
            index: 0,
            k: 4,
            padding: 0,
            last: false,
            reactive: false,
            len: 100,
        };
        assert!(Data::of(&sound.segment()).is_some());
        assert!(Data::of(&Data { k: 0, ..sound }.segment()).is_none());
        assert!(Data::of(&Data { len: 0, ..sound }.segment()).is_none());
        assert!(Data::of(&Data { len: 99, ..sound }.segment()).is_none());
        assert!(Data::of(&Data { index: 255, ..sound }.segment()).is_none());
        assert!(Data::of(&Data { padding: 100, ..sound }.segment()).is_none());
        assert!(Data::of(&Segment::datagram(1, 100)).is_none());
    }
}
