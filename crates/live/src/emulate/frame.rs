//! An Ethernet frame as the record of a packet.
//!
//! | frame | record |
//! |---|---|
//! | TCP over IPv4 or IPv6, whole | TCP, with the flags, numbers and options that queues and schemes look at |
//! | UDP over IPv4 or IPv6, whole | a datagram |
//! | fragments, other protocols, lengths that contradict each other | raw: length and ECN only |
//! | other than IP | raw, without ECN |
//! | ARP, neighbour discovery of IPv6 (RFC 4861) | none: it passes beside the model |
//!
//! The length of a record is that of the IP packet, or of what follows the Ethernet header. Only the first [`SNAP`] bytes
//! are looked at, so that these and the length give the same record again.

use std::net::{Ipv6Addr, SocketAddr};

use airtcp_packet::{Ecn, Segment, Service};
use airtcp_wire::{ipv4, ipv6, segment, tcp, udp};

/// Bytes of a frame that decide its record.
pub const SNAP: usize = 202;
/// Bytes of an Ethernet header.
pub(super) const ETHERNET: usize = 14;
const IPV4: u16 = 0x0800;
const ARP: u16 = 0x0806;
const IPV6: u16 = 0x86dd;
const ICMPV6: u8 = 58;
/// Types of router and neighbour solicitations and advertisements, and redirects.
const DISCOVERY: std::ops::RangeInclusive<u8> = 133..=137;

/// Protocol, and address and port of both ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Tuple {
    pub(super) protocol: u8,
    pub(super) ends: [([u8; 16], u16); 2],
}

impl Tuple {
    /// The two ends as addresses, in the direction of the packet.
    pub(super) fn ends(&self) -> Ends {
        let end = |(address, port): ([u8; 16], u16)| {
            SocketAddr::new(Ipv6Addr::from(address).to_canonical(), port)
        };
        Ends { protocol: self.protocol, from: end(self.ends[0]), to: end(self.ends[1]) }
    }
}

/// Protocol and ends of a packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Ends {
    /// Number of the protocol over IP: 6 is TCP, 17 is UDP.
    pub protocol: u8,
    /// Where it comes from.
    pub from: SocketAddr,
    /// Where it goes to.
    pub to: SocketAddr,
}

/// What a frame is to the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Parsed {
    /// It passes beside the model.
    Beside,
    /// A packet for the model.
    Packet(Packet),
}

/// A packet for the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Packet {
    pub(super) segment: Segment,
    /// The flow, if the ports are known.
    pub(super) tuple: Option<Tuple>,
    /// Identification of IPv4; 0 elsewhere.
    pub(super) ip_id: u16,
    /// Bytes at the start of the frame that give this record again, together with its length.
    pub(super) head: usize,
}

/// The record of a frame of `len` bytes that begins with `head`. Without `beside`, ARP and neighbour discovery are raw, too.
pub(super) fn parse(head: &[u8], len: usize, beside: bool) -> Parsed {
    let head = head.get(..SNAP).unwrap_or(head);
    let kind = head.get(12..ETHERNET).map(|b| u16::from_be_bytes([b[0], b[1]]));
    let body = head.get(ETHERNET..).unwrap_or_default();
    let room = len.saturating_sub(ETHERNET);
    let raw = Packet { segment: raw(room, Ecn::NotEct), tuple: None, ip_id: 0, head: head.len() };
    match kind {
        Some(ARP) if beside => Parsed::Beside,
        Some(IPV4) => Parsed::Packet(of_ipv4(body, room, raw).unwrap_or(raw)),
        Some(IPV6) => match of_ipv6(body, room, raw) {
            Parsed::Beside if !beside => Parsed::Packet(raw),
            parsed => parsed,
        },
        _ => Parsed::Packet(raw),
    }
}

fn raw(len: usize, ecn: Ecn) -> Segment {
    Segment::raw(u16::try_from(len).unwrap_or(u16::MAX).max(1), ecn)
}

/// A packet of IP, of which the length and the two fields of its former octet of the type of service are known.
fn of_ip(len: usize, ecn: u8, dscp: u8) -> Segment {
    let mut segment = raw(len, Ecn::from_bits(ecn));
    segment.set_service(Service::of_dscp(dscp));
    segment
}

/// A packet of IPv4; `None` if its header is cut off or contradicts the length of the frame.
fn of_ipv4(body: &[u8], room: usize, unknown: Packet) -> Option<Packet> {
    let ip = ipv4::Packet::new_checked(body).filter(|ip| ip.version() == 4)?;
    let total = Some(ip.total_len()).filter(|total| (ip.header_len()..=room).contains(total))?;
    let segment = of_ip(total, ip.ecn(), ip.dscp());
    let rest = Packet { segment, ip_id: ip.ident(), ..unknown };
    if ip.is_fragment() {
        return Some(rest);
    }
    let mapped = |address: std::net::Ipv4Addr| address.to_ipv6_mapped().octets();
    let upper = body.get(ip.header_len()..).unwrap_or_default();
    let addresses = [mapped(ip.source()), mapped(ip.destination())];
    Some(transport(ip.protocol(), upper, ip.header_len(), total, addresses, rest).unwrap_or(rest))
}

fn of_ipv6(body: &[u8], room: usize, unknown: Packet) -> Parsed {
    let Some(ip) = ipv6::Packet::new_checked(body).filter(|ip| ip.version() == 6) else {
        return Parsed::Packet(unknown);
    };
    let total = ipv6::HEADER + ip.payload_len();
    if total > room || ip.payload_len() == 0 {
        return Parsed::Packet(unknown);
    }
    let upper = ip.upper();
    let rest = Packet { segment: of_ip(total, ip.ecn(), ip.dscp()), ..unknown };
    if upper.fragment.is_some() {
        return Parsed::Packet(rest);
    }
    if upper.protocol == ICMPV6 && upper.payload.first().is_some_and(|t| DISCOVERY.contains(t)) {
        return Parsed::Beside;
    }
    // The view ends at the stated length or at the snap, so the place is counted from its start.
    let header = ipv6::HEADER + (ip.payload().len() - upper.payload.len());
    let addresses = [ip.source().octets(), ip.destination().octets()];
    let found = transport(upper.protocol, upper.payload, header, total, addresses, rest);
    Parsed::Packet(found.unwrap_or(rest))
}

/// A segment of TCP or a datagram behind `header` bytes, in a packet of `total` bytes; `None` for what is neither, and if
/// the lengths contradict each other.
fn transport(
    protocol: u8,
    upper: &[u8],
    header: usize,
    total: usize,
    [source, destination]: [[u8; 16]; 2],
    rest: Packet,
) -> Option<Packet> {
    let room = total.checked_sub(header)?;
    let (mut segment, ports, own) = match protocol {
        tcp::PROTOCOL => {
            let packet = tcp::Packet::new_checked(upper)?;
            let own = packet.header_len();
            upper.get(..own)?;
            let mut repr = tcp::Repr::parse(&packet);
            // Options of the simulator's own transports mean nothing here.
            (repr.coding, repr.loss_mark) = (None, false);
            let len = u16::try_from(room.checked_sub(own)?).ok()?;
            let ports = (packet.source_port(), packet.destination_port());
            (segment::record(&repr, len, rest.segment.ecn), ports, own)
        }
        udp::PROTOCOL => {
            let packet = udp::Packet::new_checked(upper)?;
            let stated = packet.total_len().filter(|stated| *stated == room)?;
            let len = u16::try_from(stated - udp::HEADER).ok()?;
            let mut segment = Segment::datagram(u32::from(rest.ip_id), len);
            segment.ecn = rest.segment.ecn;
            (segment, (packet.source_port(), packet.destination_port()), udp::HEADER)
        }
        _ => return None,
    };
    segment.set_service(rest.segment.service());
    let more = total.checked_sub(segment.wire_len() as usize)?;
    if !segment.set_more_headers(more) {
        return None;
    }
    let ends = [(source, ports.0), (destination, ports.1)];
    let head = ETHERNET + header + own;
    Some(Packet { segment, tuple: Some(Tuple { protocol, ends }), head, ..rest })
}

/// Writes the mark of congestion into the IP header of a frame (RFC 3168), with the checksum of IPv4 updated as in
/// RFC 1624, equation 3: `HC' = ~(~HC + ~m + m')`.
pub(super) fn mark(frame: &mut [u8]) {
    match frame.get(12..ETHERNET) {
        Some([0x08, 0x00]) => {
            let Some([first, tos, .., high, low]) = frame.get_mut(ETHERNET..ETHERNET + 12) else {
                return;
            };
            let before = u16::from_be_bytes([*first, *tos]);
            *tos |= 3;
            let after = u16::from_be_bytes([*first, *tos]);
            let sum = u16::from_be_bytes([*high, *low]);
            let sum = u32::from(!sum) + u32::from(!before) + u32::from(after);
            let folded = (sum & 0xffff) + (sum >> 16);
            let folded = (folded & 0xffff) + (folded >> 16);
            let [.., c, d] = (!folded).to_be_bytes();
            (*high, *low) = (c, d);
        }
        Some([0x86, 0xdd]) => {
            if let Some(class) = frame.get_mut(ETHERNET + 1) {
                *class |= 0x30;
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests;
