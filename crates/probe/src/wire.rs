//! Segments as bytes: IPv4 with TCP or UDP, correct checksums, payload of zeros.
//!
//! IPv4: RFC 791. TCP: RFC 9293, options RFC 7323 (timestamps, window scale) and RFC 2018 (SACK).
//! UDP: RFC 768. Checksums: RFC 1071.
//!
//! Addresses follow from the flow's number `n`: with `h = n mod 65000 + 1` the client is
//! `10.0.(h / 256).(h mod 256)` and the server `10.1.(h / 256).(h mod 256)`. The server's port is 9
//! (discard), the client's 49152 plus `n / 65000`, so that a thousand million flows have different pairs.
//!
//! Options are in Linux's order, with NOPs in front as padding; their total length is
//! [`Segment::options_len`]. Transports with erasure coding add an experimental option, kind 253 with the
//! identifier `EC` (RFC 6994): empty in a SYN, with their words in other segments.
//! The mark of a loss on the air ([`Segment::has_loss_mark`]) is the reserved bit beside AE (RFC 9768).
//! Leaves out: fragments. A packet too long for the 16-bit length field has 0 there, as in captures
//! of large offloaded segments.

use airtcp_packet::{
    EndpointId, IP_HEADER, Kind, NO_WINDOW_SCALE, Segment, Side, TCP_HEADER, UDP_HEADER,
};
use airtcp_units::Narrow;

const TTL: u8 = 64;
const TCP: u8 = 6;
const UDP: u8 = 17;
const NOP: u8 = 1;
/// The mark of a loss on the air, among the reserved bits behind the data offset.
const LOSS_MARK: u8 = 0x02;
const EXPERIMENTAL: u8 = 253;
const CODING: [u8; 2] = *b"EC";
/// Number of address pairs. Flows beyond it share addresses and differ in the client's port.
const HOSTS: u32 = 65_000;
const SERVER_PORT: u16 = 9;
const FIRST_CLIENT_PORT: u32 = 49_152;
const CLIENT_PORTS: u32 = 16_384;

/// IPv4 address and port of an end of a flow.
pub fn address(end: EndpointId) -> ([u8; 4], u16) {
    let host = end.flow() % HOSTS + 1;
    let [_, _, high, low] = host.to_be_bytes();
    match end.side() {
        Side::Client => {
            let port = FIRST_CLIENT_PORT + end.flow() / HOSTS % CLIENT_PORTS;
            ([10, 0, high, low], u16::narrow(port))
        }
        Side::Server => ([10, 1, high, low], SERVER_PORT),
    }
}

/// Sum of 16-bit words before folding (RFC 1071). Only the last part may have an odd length.
fn sum(bytes: &[u8]) -> u32 {
    let words = bytes.chunks(2);
    words.map(|w| u32::from(w[0]) << 8 | u32::from(w.get(1).copied().unwrap_or(0))).sum()
}

/// Folds a sum into the header's checksum.
fn checksum(mut sum: u32) -> u16 {
    while sum > 0xffff {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    !(u16::narrow(sum))
}

fn put_options(out: &mut Vec<u8>, s: &Segment) {
    let (words, count) = s.words();
    if s.kind == Kind::Coded || s.coding_permitted() {
        out.extend([EXPERIMENTAL, 4 + 4 * u8::narrow(count)]);
        out.extend(CODING);
        out.extend(words[..count].iter().flat_map(|word| word.to_be_bytes()));
    }
    if s.kind == Kind::Coded {
        return;
    }
    if s.mss != 0 {
        out.extend([2, 4]);
        out.extend(s.mss.to_be_bytes());
    }
    let stamps_with_blocks = s.has_timestamps() && !s.sack_permitted() && !s.sacks().is_empty();
    if s.sack_permitted() {
        if !s.has_timestamps() {
            out.extend([NOP, NOP]);
        }
        out.extend([4, 2]);
    } else if s.has_timestamps() && !stamps_with_blocks {
        out.extend([NOP, NOP]);
    }
    if s.has_timestamps() {
        out.extend([8, 10]);
        out.extend(s.timestamps.0.to_be_bytes());
        out.extend(s.timestamps.1.to_be_bytes());
    }
    if s.window_scale != NO_WINDOW_SCALE {
        out.extend([NOP, 3, 3, s.window_scale]);
    }
    if !s.sacks().is_empty() {
        if !stamps_with_blocks {
            out.extend([NOP, NOP]);
        }
        out.extend([5, 2 + 8 * u8::narrow(s.sacks().len())]);
        for block in s.sacks() {
            out.extend(block.start.0.to_be_bytes());
            out.extend(block.end.0.to_be_bytes());
        }
    }
}

/// Writes the packet with `segment` from `from` to its peer into `out`, which is cleared first. The packet
/// has [`Segment::wire_len`] bytes, of which the first `snap` are written.
pub fn encode(out: &mut Vec<u8>, from: EndpointId, segment: &Segment, ip_id: u16, snap: usize) {
    out.clear();
    let ((source, source_port), (destination, destination_port)) =
        (address(from), address(from.peer()));
    let total = segment.wire_len();
    let protocol = match segment.kind {
        Kind::Tcp | Kind::Coded => TCP,
        Kind::Udp => UDP,
    };

    out.extend([0x45, segment.ecn.bits()]);
    out.extend(u16::try_from(total).unwrap_or(0).to_be_bytes());
    out.extend(ip_id.to_be_bytes());
    // Don't fragment, offset 0.
    out.extend([0x40, 0, TTL, protocol, 0, 0]);
    out.extend(source);
    out.extend(destination);
    let header = checksum(sum(out));
    out[10..12].copy_from_slice(&header.to_be_bytes());

    let start = out.len();
    out.extend(source_port.to_be_bytes());
    out.extend(destination_port.to_be_bytes());
    let at = match segment.kind {
        Kind::Tcp | Kind::Coded => {
            out.extend(segment.seq.0.to_be_bytes());
            out.extend(segment.ack.0.to_be_bytes());
            let words = (TCP_HEADER + segment.options_len()) / 4;
            let reserved = if segment.has_loss_mark() { LOSS_MARK } else { 0 };
            out.extend([u8::narrow(words) << 4 | reserved, segment.flags.0]);
            out.extend(segment.window.to_be_bytes());
            out.extend([0; 4]);
            put_options(out, segment);
            start + 16
        }
        Kind::Udp => {
            let length = UDP_HEADER + u32::from(segment.len);
            out.extend(u16::try_from(length).unwrap_or(0).to_be_bytes());
            out.extend([0; 2]);
            start + 6
        }
    };
    // Pseudo-header. The payload is zeros and adds nothing.
    let length = total - IP_HEADER;
    let pseudo =
        sum(&source) + sum(&destination) + u32::from(protocol) + (length >> 16) + length % 65536;
    let value = match checksum(pseudo + sum(&out[start..])) {
        // RFC 768: a UDP checksum of 0 means that there is none.
        0 if segment.kind == Kind::Udp => 0xffff,
        value => value,
    };
    out[at..at + 2].copy_from_slice(&value.to_be_bytes());
    out.resize(snap.min(total as usize), 0);
}

#[cfg(test)]
mod tests {
    use super::*;
    use airtcp_packet::{Ecn, Flags, SackBlock, Seq};

    #[test]
    fn addresses_differ_between_flows() {
        let client = |flow| address(EndpointId::new(flow, Side::Client));
        assert_eq!(client(0), ([10, 0, 0, 1], 49_152));
        assert_eq!(client(255), ([10, 0, 1, 0], 49_152));
        assert_eq!(client(65_000), ([10, 0, 0, 1], 49_153));
        assert_eq!(address(EndpointId::new(299, Side::Server)), ([10, 1, 1, 44], 9));
    }

    #[test]
    fn a_known_header_has_its_known_checksum() {
        // The worked example of RFC 1071 section 3: the words 0001 f203 f4f5 f6f7 sum to ddf2.
        let bytes = [0x00, 0x01, 0xf2, 0x03, 0xf4, 0xf5, 0xf6, 0xf7];
        assert_eq!(checksum(sum(&bytes)), !0xddf2);
    }

    /// Every combination of options a segment can have.
    fn combinations() -> impl Iterator<Item = Segment> {
        (0..2 * 2 * 2 * 2 * 5).map(|i: u32| {
            let mut s = segment();
            (s.seq, s.ack) = (Seq(7), Seq(9));
            s.mss = if i & 1 == 1 { 1460 } else { 0 };
            s.window_scale = if i & 2 == 2 { 7 } else { NO_WINDOW_SCALE };
            if i & 4 == 4 {
                s.set_sack_permitted();
            }
            if i & 8 == 8 {
                s.set_timestamps(0x0102_0304, 0x0506_0708);
            }
            for n in 0..i / 16 {
                s.push_sack(SackBlock { start: Seq(100 * n), end: Seq(100 * n + 50) });
            }
            s
        })
    }

    fn segment() -> Segment {
        let mut s = Segment::default();
        (s.len, s.flags, s.ecn) = (33, Flags::ACK, Ecn::Ect0);
        s
    }

    #[test]
    fn length_and_checksums_hold_for_all_options() {
        let from = EndpointId::new(3, Side::Client);
        let mut out = Vec::new();
        // Options of more than 40 bytes do not exist.
        for segment in combinations().filter(|s| s.options_len() <= 40) {
            encode(&mut out, from, &segment, 77, usize::MAX);
            assert_eq!(out.len(), segment.wire_len() as usize, "{segment:?}");
            assert_eq!(usize::from(out[32] >> 4) * 4, out.len() - 20 - 33, "data offset");
            // A receiver sums everything, checksum included, and finds all ones.
            assert_eq!(checksum(sum(&out[..20])), 0);
            let tcp = u32::narrow(out.len()) - 20;
            assert_eq!(checksum(sum(&out[12..20]) + 6 + tcp + sum(&out[20..])), 0);
        }
    }

    #[test]
    fn coded_segments_are_tcp_with_an_experimental_option() {
        let from = EndpointId::new(3, Side::Client);
        let mut out = Vec::new();
        for n in 0..=8 {
            let mut s = Segment::coded(Flags::ACK, Seq(7), &[0x0102_0304; 8][..n]);
            s.len = 33;
            encode(&mut out, from, &s, 77, usize::MAX);
            assert_eq!(out.len(), s.wire_len() as usize);
            assert_eq!(out[9], 6);
            assert_eq!(out[40..44], [253, 4 + 4 * u8::narrow(n), b'E', b'C']);
            assert_eq!(usize::from(out[32] >> 4) * 4, 24 + 4 * n);
            assert!(n == 0 || out[44..48] == [1, 2, 3, 4]);
            let tcp = u32::narrow(out.len()) - 20;
            assert_eq!(checksum(sum(&out[12..20]) + 6 + tcp + sum(&out[20..])), 0);
        }
        for mut s in combinations().filter(|s| s.options_len() <= 36) {
            s.set_coding_permitted();
            encode(&mut out, from, &s, 77, usize::MAX);
            assert_eq!(out.len(), s.wire_len() as usize, "{s:?}");
            assert_eq!(out[40..44], [253, 4, b'E', b'C']);
        }
    }

    #[test]
    fn the_usual_syn() {
        let mut s = segment();
        (s.flags, s.mss, s.window_scale, s.len) = (Flags::SYN, 1460, 7, 0);
        s.set_sack_permitted();
        s.set_timestamps(1, 0);
        let mut out = Vec::new();
        encode(&mut out, EndpointId::new(0, Side::Client), &s, 0, usize::MAX);
        // MSS 1460, SACK permitted, timestamps, NOP, window scale 7: the SYN of a Linux host.
        let expected = [2, 4, 5, 180, 4, 2, 8, 10, 0, 0, 0, 1, 0, 0, 0, 0, 1, 3, 3, 7];
        assert_eq!(out[40..], expected);
    }

    #[test]
    fn snap_limits_the_bytes_written() {
        let mut out = Vec::new();
        let from = EndpointId::new(0, Side::Server);
        encode(&mut out, from, &Segment::datagram(1, 1000), 0, 60);
        assert_eq!(out.len(), 60);
        assert_eq!(out[24..26], 1008u16.to_be_bytes(), "the header tells the whole length");
        encode(&mut out, from, &Segment::datagram(1, 1000), 0, 10);
        assert_eq!(out.len(), 10);
    }
}
