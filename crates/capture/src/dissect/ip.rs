//! IPv4 and IPv6, and one level of tunnels: IP in IP (RFC 2003), IPv6 in IPv4 (RFC 4213), GRE
//! (RFC 2784, 2890), VXLAN (RFC 7348).

use etherparse::LaxIpv6Slice;

use crate::bytes::be16;

use super::content::Content;
use super::fragments::{Fragments, Part};
use super::link::{Layer, layer, link_type};
use super::segment::{Address, IpFields, Segment};

/// Protocol numbers.
const IP_IN_IP: u8 = 4;
const TCP: u8 = 6;
const UDP: u8 = 17;
const IPV6_IN_IP: u8 = 41;
const GRE: u8 = 47;
const AUTHENTICATION: u8 = 51;
const VXLAN_PORT: u16 = 4789;

/// The content of an IP packet. `wire` is its length on the wire, from the IP header on.
#[inline]
pub(super) fn dissect<'a>(
    time_ns: u64,
    data: &'a [u8],
    wire: usize,
    fragments: &mut Fragments,
    depth: u32,
) -> Content<'a> {
    match data.first().map_or(0, |first| first >> 4) {
        4 => version_4(time_ns, data, wire, fragments, depth),
        6 => version_6(time_ns, data, wire, fragments, depth),
        _ => Content::Unreadable,
    }
}

/// An IPv4 packet (RFC 791).
#[inline]
fn version_4<'a>(
    time_ns: u64,
    data: &'a [u8],
    wire: usize,
    fragments: &mut Fragments,
    depth: u32,
) -> Content<'a> {
    let Some(head) = data.first_chunk::<20>() else { return Content::Unreadable };
    let word = |at: usize| u16::from_be_bytes([head[at], head[at + 1]]);
    let address = |at: usize| Address::v4([head[at], head[at + 1], head[at + 2], head[at + 3]]);
    let header = usize::from(head[0] & 0xf) * 4;
    if header < 20 || data.len() < header {
        return Content::Unreadable;
    }
    let fields = IpFields {
        time_ns,
        source: address(12),
        destination: address(16),
        id: Some(word(4)),
        ttl: head[8],
        ecn: head[1] & 3,
    };
    // A length of zero stands for a packet that the network card will cut into segments.
    let stated = Some(usize::from(word(2))).filter(|stated| *stated >= header).unwrap_or(wire);
    let payload = &data[header..stated.clamp(header, data.len())];
    let length = stated.saturating_sub(header);
    let (protocol, fragment) = (head[9], word(6));
    if fragment & 0x3fff != 0 {
        let part = Part {
            ip: fields,
            protocol,
            offset: usize::from(fragment & 0x1fff) * 8,
            last: fragment & 0x2000 == 0,
            length,
        };
        return fragments.add(&part, payload).map_or(Content::Fragment, Content::Tcp);
    }
    if protocol == TCP {
        return Segment::parse(&fields, payload, length).map_or(Content::Unreadable, Content::Tcp);
    }
    if protocol == AUTHENTICATION {
        return authenticated(&fields, payload, length);
    }
    tunnelled(time_ns, protocol, payload, length, fragments, depth)
}

/// TCP behind an authentication header (RFC 4302).
fn authenticated<'a>(fields: &IpFields, data: &'a [u8], length: usize) -> Content<'a> {
    let [next, words, ..] = data else { return Content::Unreadable };
    let header = (usize::from(*words) + 2) * 4;
    match data.get(header..) {
        Some(rest) if *next == TCP => Segment::parse(fields, rest, length.saturating_sub(header))
            .map_or(Content::Unreadable, Content::Tcp),
        Some(_) => Content::OtherIp,
        None => Content::Unreadable,
    }
}

/// An IPv6 packet with its extension headers (RFC 8200).
fn version_6<'a>(
    time_ns: u64,
    data: &'a [u8],
    wire: usize,
    fragments: &mut Fragments,
    depth: u32,
) -> Content<'a> {
    let Ok((v6, _)) = LaxIpv6Slice::from_slice(data) else { return Content::Unreadable };
    let (header, payload) = (v6.header(), v6.payload());
    let before = offset_in(data, payload.payload);
    let stated = match header.payload_length() {
        0 => wire,
        length => 40 + usize::from(length),
    };
    let length = stated.saturating_sub(before);
    if payload.fragmented {
        return Content::Fragment;
    }
    let fields = IpFields {
        time_ns,
        source: Address::v6(header.source()),
        destination: Address::v6(header.destination()),
        id: None,
        ttl: header.hop_limit(),
        ecn: header.ecn().value(),
    };
    match payload.ip_number.0 {
        TCP => Segment::parse(&fields, payload.payload, length)
            .map_or(Content::Unreadable, Content::Tcp),
        protocol => tunnelled(time_ns, protocol, payload.payload, length, fragments, depth),
    }
}

/// The packet in a tunnel.
fn tunnelled<'a>(
    time_ns: u64,
    protocol: u8,
    payload: &'a [u8],
    length: usize,
    fragments: &mut Fragments,
    depth: u32,
) -> Content<'a> {
    let inner = match protocol {
        IP_IN_IP | IPV6_IN_IP => Some(payload),
        GRE => gre(payload),
        UDP => vxlan(payload),
        _ => None,
    };
    let Some(inner) = inner.filter(|_| depth == 0) else { return Content::OtherIp };
    let wire = length.saturating_sub(payload.len() - inner.len());
    dissect(time_ns, inner, wire, fragments, depth + 1)
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
