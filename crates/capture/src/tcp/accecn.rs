//! More accurate ECN feedback (RFC 9768): the flags AE, CWR and ECE of a segment are a counter, ACE, and no
//! echo of congestion.
//!
//! | SYN (AE CWR ECE) | SYN/ACK | feedback (RFC 9768 table 2) |
//! |---|---|---|
//! | 1 1 1 | 0 1 0, 0 1 1, 1 0 0, 1 1 0; reserved: 1 0 1 | accurate |
//! | 1 1 1 | 0 0 1 | that of RFC 3168 |
//! | 1 1 1 | 0 0 0, 1 1 1 (broken) | none |
//! | others | any | as before RFC 9768 |
//!
//! ACE is the number of packets with congestion experienced that an end received, plus 5, modulo 8 (section
//! 3.2.2.1). Between two ACKs it tells up to 7 of them. The last step of the handshake has the ECN field of
//! the SYN/ACK instead (section 3.2.2.2).

use super::sequence::later;
use super::vantage::CLIENT;
use crate::dissect::{Flags, Segment};

/// ACE before any packet was marked (RFC 9768 section 3.2.1).
const INITIAL: u8 = 5;
/// The values of ACE.
const MODULUS: u8 = 8;

/// What one end counted.
#[derive(Debug, Clone, Copy, Default)]
struct Counted {
    /// Its last ACE and acknowledgement number.
    last: Option<(u8, u32)>,
    marked: u64,
    /// True once the last step of the handshake was seen, which has no count.
    began: bool,
    /// True if its first ACE was 0, which no end sends: something on the path clears the flags (section
    /// 3.2.2.4).
    cleared: bool,
}

/// Whether a connection has accurate feedback, and what its ends counted.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct AccEcn {
    asked: bool,
    agreed: bool,
    ends: [Counted; 2],
}

/// AE, CWR and ECE as a number of three bits.
fn ace(segment: &Segment) -> u8 {
    let bit = |set: bool, value| if set { value } else { 0 };
    let flags = segment.flags;
    bit(segment.ae, 4) | bit(flags.has(Flags::CWR), 2) | bit(flags.has(Flags::ECE), 1)
}

impl AccEcn {
    /// Takes a segment. True if its flag ECE echoes congestion as in RFC 3168.
    pub(super) fn take(&mut self, from: usize, segment: &Segment) -> bool {
        let bits = ace(segment);
        if segment.flags.has(Flags::SYN) {
            if !segment.flags.has(Flags::ACK) {
                self.asked |= bits == 0b111;
            } else if self.asked {
                self.agreed = (0b010..=0b110).contains(&bits);
            }
            return false;
        }
        if !self.agreed {
            return segment.flags.has(Flags::ECE);
        }
        let count = &mut self.ends[from];
        if !count.began {
            count.began = true;
            if from == CLIENT {
                return false;
            }
        }
        if segment.flags.has(Flags::RST) || !segment.flags.has(Flags::ACK) {
            return false;
        }
        let (before, ack) = count.last.unwrap_or((INITIAL, segment.acknowledgement));
        count.cleared |= count.last.is_none() && bits == 0;
        // An ACK that others overtook has an old count.
        if !later(ack, segment.acknowledgement) {
            count.marked += u64::from(bits.wrapping_sub(before) % MODULUS);
            count.last = Some((bits, segment.acknowledgement));
        }
        false
    }

    /// Packets with congestion experienced that an end counted; none without accurate feedback.
    pub(super) fn counted_by(&self, end: usize) -> Option<u64> {
        let count = &self.ends[end];
        (self.agreed && !count.cleared).then_some(count.marked)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tcp::vantage::SERVER;

    fn segment(flags: Flags, bits: u8, acknowledgement: u32) -> Segment {
        let cwr = if bits & 2 == 0 { Flags::NONE } else { Flags::CWR };
        let ece = if bits & 1 == 0 { Flags::NONE } else { Flags::ECE };
        let (flags, ae) = (flags | cwr | ece, bits & 4 != 0);
        Segment { acknowledgement, flags, ae, ..Segment::default() }
    }

    fn opened(syn: u8, syn_ack: u8) -> AccEcn {
        let mut accurate = AccEcn::default();
        assert!(!accurate.take(CLIENT, &segment(Flags::SYN, syn, 0)));
        assert!(!accurate.take(SERVER, &segment(Flags::SYN | Flags::ACK, syn_ack, 1)));
        accurate
    }

    /// The rows of table 2 of RFC 9768.
    #[test]
    fn handshakes() {
        for (syn, syn_ack, is_accurate) in [
            (0b111, 0b010, true),
            (0b111, 0b011, true),
            (0b111, 0b100, true),
            (0b111, 0b110, true),
            (0b111, 0b101, true),
            (0b111, 0b001, false),
            (0b111, 0b000, false),
            (0b111, 0b111, false),
            (0b011, 0b001, false),
            (0b000, 0b000, false),
        ] {
            let mut opened = opened(syn, syn_ack);
            assert_eq!(opened.counted_by(SERVER).is_some(), is_accurate, "{syn} {syn_ack}");
            assert_eq!(opened.take(SERVER, &segment(Flags::ACK, 1, 1)), !is_accurate);
        }
    }

    /// The counter begins at 5 and wraps at 8. An ACK that others overtook, and the client's first one, which
    /// tells the mark of the SYN/ACK, count nothing. A first count of 0 shows that the flags were cleared.
    #[test]
    fn counters() {
        let mut ends = opened(0b111, 0b010);
        for (bits, ack) in [(5, 1), (6, 100), (2, 200), (6, 100), (2, 300), (1, 400)] {
            ends.take(SERVER, &segment(Flags::ACK, bits, ack));
        }
        assert_eq!(ends.counted_by(SERVER), Some(12));
        for bits in [0b011, 5, 5, 6] {
            ends.take(CLIENT, &segment(Flags::ACK, bits, 1));
        }
        assert_eq!(ends.counted_by(CLIENT), Some(1));
        let mut ends = opened(0b111, 0b010);
        ends.take(SERVER, &segment(Flags::ACK, 0, 1));
        assert_eq!(ends.counted_by(SERVER), None);
    }
}
