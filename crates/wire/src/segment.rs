//! The simulator's record of a segment as a header, and back.
//!
//! A record has no ports, and that of a datagram has a number that is not on the wire.

use airtcp_packet::{Ecn, Flags, Kind, NO_WINDOW_SCALE, SackBlock, Segment, Seq};

use crate::tcp::{self, Options};
use crate::udp;

/// The header of a segment of TCP or of a transport with erasure coding, from one port to the other.
pub fn tcp(segment: &Segment, [source_port, destination_port]: [u16; 2]) -> tcp::Repr {
    let (words, count) = segment.words();
    let coded = segment.kind == Kind::Coded;
    let options = if coded {
        Options::default()
    } else {
        Options {
            mss: Some(segment.mss).filter(|mss| *mss != 0),
            window_scale: Some(segment.window_scale).filter(|shift| *shift != NO_WINDOW_SCALE),
            sack_permitted: segment.sack_permitted(),
            timestamps: segment.has_timestamps().then_some(segment.timestamps),
            sack: segment.sacks().iter().map(|block| (block.start.0, block.end.0)).collect(),
        }
    };
    tcp::Repr {
        source_port,
        destination_port,
        seq: segment.seq,
        ack: segment.ack,
        flags: segment.flags,
        ae: segment.ace() & 4 != 0,
        loss_mark: segment.has_loss_mark(),
        window: segment.window,
        urgent: 0,
        options,
        coding: (coded || segment.coding_permitted())
            .then(|| words[..count].iter().copied().collect()),
    }
}

/// The header of a datagram, from one port to the other.
pub fn udp(segment: &Segment, [source_port, destination_port]: [u16; 2]) -> udp::Repr {
    udp::Repr { source_port, destination_port, payload_len: segment.len.into() }
}

/// The record of a segment with `len` bytes of payload and this field of its IP header. Words of a transport with
/// erasure coding stand for such a segment; their option without words offers that transport, in a SYN.
pub fn record(repr: &tcp::Repr, len: u16, ecn: Ecn) -> Segment {
    let offers = |words: &[u32]| words.is_empty() && repr.flags.has(Flags::SYN);
    let mut segment = match &repr.coding {
        Some(words) if !offers(words) => Segment::coded(repr.flags, repr.seq, words),
        offer => {
            let mut segment = with_options(repr);
            if offer.is_some() {
                segment.set_coding_permitted();
            }
            segment
        }
    };
    (segment.ack, segment.window, segment.len, segment.ecn) = (repr.ack, repr.window, len, ecn);
    if repr.ae {
        segment.set_ace(segment.ace() | 4);
    }
    if repr.loss_mark {
        segment.set_loss_mark();
    }
    segment
}

/// The record with the options of TCP.
fn with_options(repr: &tcp::Repr) -> Segment {
    let mut segment = Segment::tcp(repr.flags, repr.seq);
    let options = &repr.options;
    segment.mss = options.mss.unwrap_or(0);
    segment.window_scale = options.window_scale.unwrap_or(NO_WINDOW_SCALE);
    if options.sack_permitted {
        segment.set_sack_permitted();
    }
    if let Some((value, echo)) = options.timestamps {
        segment.set_timestamps(value, echo);
    }
    for (start, end) in &options.sack {
        segment.push_sack(SackBlock { start: Seq(*start), end: Seq(*end) });
    }
    segment
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use super::*;
    use crate::checksum::{Addresses, Payload};
    use proptest::prelude::*;

    const BETWEEN: Addresses =
        Addresses::V4(Ipv4Addr::new(10, 0, 0, 1), Ipv4Addr::new(10, 1, 0, 1));

    fn segment() -> impl Strategy<Value = Segment> {
        let numbers =
            (any::<[u32; 2]>(), any::<[u16; 2]>(), any::<u8>(), 0..4u8, any::<[bool; 2]>());
        let options = (any::<u16>(), prop::option::of(0..15u8), any::<[bool; 3]>(), 0..5usize);
        (numbers, options, any::<[u32; 10]>()).prop_map(|(numbers, options, words)| {
            let ([seq, ack], [len, window], flags, ecn, [mark, ae]) = numbers;
            let (mss, scale, [permitted, stamped, offered], blocks) = options;
            let mut s = Segment::tcp(Flags(flags), Seq(seq));
            s.mss = mss;
            s.window_scale = scale.unwrap_or(NO_WINDOW_SCALE);
            if permitted {
                s.set_sack_permitted();
            }
            if stamped {
                s.set_timestamps(words[8], words[9]);
            }
            if offered && s.flags.has(Flags::SYN) {
                s.set_coding_permitted();
            }
            for two in words.chunks_exact(2).take(blocks) {
                s.push_sack(SackBlock { start: Seq(two[0]), end: Seq(two[1]) });
            }
            if offered && !s.flags.has(Flags::SYN) {
                s = Segment::coded(s.flags, s.seq, &words[..blocks]);
            }
            (s.ack, s.len, s.window, s.ecn) = (Seq(ack), len, window, Ecn::from_bits(ecn));
            if ae {
                s.set_ace(s.ace() | 4);
            }
            if mark {
                s.set_loss_mark();
            }
            s
        })
    }

    proptest! {
        /// A record whose options 40 bytes hold is on the wire as long as it says, and is read as it was.
        #[test]
        fn round_trip(segment in segment()) {
            prop_assume!(segment.options_len() <= 40);
            let repr = tcp(&segment, [49_152, 9]);
            let mut out = Vec::new();
            repr.emit(&mut out, &BETWEEN, Payload::zeros(segment.len.into()));
            let length = out.len() + usize::from(segment.len) + crate::ipv4::HEADER;
            prop_assert_eq!(length, segment.wire_len() as usize);
            let read = tcp::Repr::parse(&tcp::Packet::new_checked(&out).unwrap());
            prop_assert_eq!(&read, &repr);
            prop_assert_eq!(record(&read, segment.len, segment.ecn), segment);
        }
    }

    #[test]
    fn datagrams() {
        let repr = udp(&Segment::datagram(7, 1000), [49_152, 9]);
        assert_eq!((repr.source_port, repr.destination_port, repr.payload_len), (49_152, 9, 1000));
    }
}
