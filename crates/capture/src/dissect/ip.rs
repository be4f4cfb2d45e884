//! IPv4 and IPv6, and one level of tunnels: IP in IP (RFC 2003), IPv6 in IPv4 (RFC 4213), GRE
//! (RFC 2784, 2890), VXLAN (RFC 7348).

use etherparse::{IpNumber, LaxIpSlice};

use crate::bytes::be16;

use super::content::Content;
use super::fragments::{Fragments, Part};
use super::link::{Layer, layer, link_type};
use super::segment::{Address, IpFields, Segment};

const VXLAN_PORT: u16 = 4789;

/// The content of an IP packet. `wire` is its length on the wire, from the IP header on.
pub(super) fn dissect<'a>(
    time_ns: u64,
    data: &'a [u8],
    wire: usize,
    fragments: &mut Fragments,
    depth: u32,
) -> Content<'a> {
    let Ok((ip, _)) = LaxIpSlice::from_slice(data) else { return Content::Unreadable };
    let payload = ip.payload();
    let before = offset_in(data, payload.payload);
    // A length of zero stands for a packet that the network card will cut into segments.
    let stated = match &ip {
        LaxIpSlice::Ipv4(v4) => usize::from(v4.header().total_len()),
        LaxIpSlice::Ipv6(v6) => match v6.header().payload_length() {
            0 => 0,
            length => 40 + usize::from(length),
        },
    };
    let length = if stated == 0 { wire } else { stated }.saturating_sub(before);
    let fields = fields(&ip, time_ns);
    if payload.fragmented {
        let LaxIpSlice::Ipv4(v4) = &ip else { return Content::Fragment };
        let header = v4.header();
        let part = Part {
            ip: fields,
            protocol: payload.ip_number.0,
            offset: usize::from(header.fragments_offset().value()) * 8,
            last: !header.more_fragments(),
            length,
        };
        return fragments.add(&part, payload.payload).map_or(Content::Fragment, Content::Tcp);
    }
    let inner = |data: &'a [u8], fragments: &mut Fragments| {
        let skipped = payload.payload.len() - data.len();
        self::dissect(time_ns, data, length.saturating_sub(skipped), fragments, depth + 1)
    };
    match payload.ip_number {
        IpNumber::TCP => Segment::parse(&fields, payload.payload, length)
            .map_or(Content::Unreadable, Content::Tcp),
        IpNumber::IPV4 | IpNumber::IPV6 if depth == 0 => inner(payload.payload, fragments),
        IpNumber::GRE if depth == 0 => match gre(payload.payload) {
            Some(data) => inner(data, fragments),
            None => Content::OtherIp,
        },
        IpNumber::UDP if depth == 0 => match vxlan(payload.payload) {
            Some(data) => inner(data, fragments),
            None => Content::OtherIp,
        },
        _ => Content::OtherIp,
    }
}

fn fields(ip: &LaxIpSlice<'_>, time_ns: u64) -> IpFields {
    match ip {
        LaxIpSlice::Ipv4(v4) => {
            let header = v4.header();
            IpFields {
                time_ns,
                source: Address::v4(header.source()),
                destination: Address::v4(header.destination()),
                id: Some(header.identification()),
                ttl: header.ttl(),
                ecn: header.ecn().value(),
            }
        }
        LaxIpSlice::Ipv6(v6) => {
            let header = v6.header();
            IpFields {
                time_ns,
                source: Address::v6(header.source()),
                destination: Address::v6(header.destination()),
                id: None,
                ttl: header.hop_limit(),
                ecn: header.ecn().value(),
            }
        }
    }
}

/// Bytes of `whole` before `part`, a slice of it that need not reach its end.
fn offset_in(whole: &[u8], part: &[u8]) -> usize {
    (part.as_ptr() as usize).saturating_sub(whole.as_ptr() as usize).min(whole.len())
}

/// The IP packet in a GRE packet.
fn gre(data: &[u8]) -> Option<&[u8]> {
    let flags = *data.first()?;
    let kind = be16(data, 2)?;
    // Checksum, key and sequence number have four bytes each.
    let optional = [0x80u8, 0x20, 0x10].into_iter().filter(|bit| flags & bit != 0).count() * 4;
    let rest = data.get(4 + optional..)?;
    match kind {
        0x0800 | 0x86dd => Some(rest),
        // Transparent Ethernet bridging.
        0x6558 => ethernet(rest),
        _ => None,
    }
}

/// The IP packet in a VXLAN packet; `data` begins with the UDP header.
fn vxlan(data: &[u8]) -> Option<&[u8]> {
    if be16(data, 2)? != VXLAN_PORT {
        return None;
    }
    ethernet(data.get(16..)?)
}

fn ethernet(data: &[u8]) -> Option<&[u8]> {
    match layer(link_type::ETHERNET, data) {
        Layer::Ip(data) => Some(data),
        _ => None,
    }
}
