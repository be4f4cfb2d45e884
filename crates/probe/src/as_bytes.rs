//! Simulated packets as bytes: IPv4 with TCP or UDP, correct checksums, payload of zeros.
//!
//! Addresses follow from the flow's number `n`: with `h = n mod 65000 + 1` the client is
//! `10.0.(h / 256).(h mod 256)` and the server `10.1.(h / 256).(h mod 256)`. The server's port is 9
//! (discard), the client's 49152 plus `n / 65000`, so that a thousand million flows have different pairs.
//!
//! The headers, with the options of a segment, are those of `wire`. Leaves out: fragments. A packet too long for the
//! 16-bit length field has 0 there, as in captures of large offloaded segments.

use airtcp_packet::{EndpointId, IP_HEADER, Kind, Segment, Side};
use airtcp_units::Narrow;
use airtcp_wire::checksum::{Addresses, Payload};
use airtcp_wire::{ipv4, segment as header, tcp, udp};

const TTL: u8 = 64;
/// Number of address pairs. Flows beyond it share addresses and differ in the client's port.
const HOSTS: u32 = 65_000;
const SERVER_PORT: u16 = 9;
const FIRST_CLIENT_PORT: u32 = 49_152;
const CLIENT_PORTS: u32 = 16_384;

/// IPv4 address and port of an end of a flow.
pub(crate) fn address(end: EndpointId) -> ([u8; 4], u16) {
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

/// Writes the packet with `segment` from `from` to its peer into `out`, which is cleared first. The packet
/// has [`Segment::wire_len`] bytes, of which the first `snap` are written.
pub(crate) fn encode(
    out: &mut Vec<u8>,
    from: EndpointId,
    segment: &Segment,
    ip_id: u16,
    snap: usize,
) {
    out.clear();
    let ((source, source_port), (destination, destination_port)) =
        (address(from), address(from.peer()));
    let total = segment.wire_len();
    let ip = ipv4::Repr {
        source: source.into(),
        destination: destination.into(),
        protocol: if segment.kind == Kind::Udp { udp::PROTOCOL } else { tcp::PROTOCOL },
        hop_limit: TTL,
        dscp: 0,
        ecn: segment.ecn,
        ident: ip_id,
        dont_fragment: true,
        more_fragments: false,
        frag_offset: 0,
        payload_len: total.saturating_sub(IP_HEADER) as usize,
    };
    ip.emit(out);
    let between = Addresses::V4(ip.source, ip.destination);
    let ports = [source_port, destination_port];
    let payload = Payload::zeros(segment.len.into());
    match segment.kind {
        Kind::Tcp | Kind::Coded => header::tcp(segment, ports).emit(out, &between, payload),
        Kind::Udp => header::udp(segment, ports).emit(out, &between, payload),
        // Nothing is known of what follows the header.
        Kind::Raw => {}
    }
    out.resize(snap.min(total as usize), 0);
}

#[cfg(test)]
mod tests {
    use super::*;
    use airtcp_packet::{Ecn, Flags, NO_WINDOW_SCALE, SackBlock, Seq};
    use airtcp_wire::checksum::{checksum, sum};

    #[test]
    fn addresses_differ_between_flows() {
        let client = |flow| address(EndpointId::new(flow, Side::Client));
        assert_eq!(client(0), ([10, 0, 0, 1], 49_152));
        assert_eq!(client(255), ([10, 0, 1, 0], 49_152));
        assert_eq!(client(65_000), ([10, 0, 0, 1], 49_153));
        assert_eq!(address(EndpointId::new(299, Side::Server)), ([10, 1, 1, 44], 9));
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
            let tcp = out.len() as u64 - 20;
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
            let tcp = out.len() as u64 - 20;
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
