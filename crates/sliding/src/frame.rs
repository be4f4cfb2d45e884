//! The wire format over sockets: a packet's flags and words ([`super::wire`]) before its payload.
//!
//! ```text
//! byte 0      flags, as in the TCP header
//! byte 1      number of words, at most 8
//! bytes 2, 3  length of the payload
//! then        the words, 32 bits each; the payload
//! ```
//!
//! Numbers are big-endian. The simulator puts the same words into a TCP option, whose header also
//! has four bytes: apart from the TCP header, a packet has the same length in both.

use airtcp_packet::{CODED_WORDS, Flags, Segment, Seq};
use airtcp_units::Narrow;

/// Bytes before the words.
const START: usize = 4;

/// Parses a packet into its header and payload; `None` if the lengths do not agree.
pub(crate) fn parse(bytes: &[u8]) -> Option<(Segment, &[u8])> {
    let (start, rest) = bytes.split_first_chunk::<START>()?;
    let [flags, count, high, low] = *start;
    let count = usize::from(count);
    let len = u16::from_be_bytes([high, low]);
    if count > CODED_WORDS || rest.len() != 4 * count + usize::from(len) {
        return None;
    }
    let (list, payload) = rest.split_at(4 * count);
    let mut words = [0; CODED_WORDS];
    for (word, bytes) in words.iter_mut().zip(list.as_chunks::<4>().0) {
        *word = u32::from_be_bytes(*bytes);
    }
    let mut header = Segment::coded_words(Flags(flags), Seq(0), words, count);
    header.len = len;
    Some((header, payload))
}

/// Writes a packet. The payload is as long as the header states.
pub(crate) fn emit(header: &Segment, payload: &[u8]) -> Vec<u8> {
    let (words, count) = header.words();
    let mut bytes = Vec::with_capacity(START + 4 * count + payload.len());
    bytes.extend([header.flags.0, u8::narrow(count)]);
    bytes.extend(u16::narrow(payload.len()).to_be_bytes());
    words.iter().take(count).for_each(|word| bytes.extend(word.to_be_bytes()));
    bytes.extend(payload);
    bytes
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_packet_by_hand() {
        let mut header = Segment::coded(Flags::PSH | Flags::ACK, Seq(0), &[7, 0x0102_0304]);
        header.len = 3;
        let bytes = emit(&header, b"abc");
        assert_eq!(bytes, b"\x18\x02\x00\x03\x00\x00\x00\x07\x01\x02\x03\x04abc");
        assert_eq!(parse(&bytes), Some((header, &b"abc"[..])));
        for cut in 0..bytes.len() {
            assert_eq!(parse(&bytes[..cut]), None, "{cut} bytes of it");
        }
        let longer = [&bytes[..], b"d"].concat();
        assert_eq!(parse(&longer), None, "a byte too many");
        assert_eq!(parse(&[0x18, 9, 0, 0]), None, "nine words");
    }

    proptest! {
        #[test]
        fn parsing_inverts_emitting(bytes in proptest::collection::vec(any::<u8>(), 0..80)) {
            if let Some((header, payload)) = parse(&bytes) {
                prop_assert_eq!(emit(&header, payload), bytes);
            }
        }

        #[test]
        fn headers_round_trip(
            flags: u8, words: [u32; 8], count in 0_usize..9, payload in proptest::collection::vec(any::<u8>(), 0..2000),
        ) {
            let mut header = Segment::coded(Flags(flags), Seq(0), &words[..count]);
            header.len = u16::narrow(payload.len());
            let bytes = emit(&header, &payload);
            prop_assert_eq!(parse(&bytes), Some((header, &payload[..])));
        }
    }
}
