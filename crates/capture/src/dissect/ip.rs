//! IPv4 (RFC 791) and IPv6 (RFC 8200) with its extension headers, and fragments of both.

use airtcp_wire::{ipv4, ipv6, tcp};

use super::content::Content;
use super::fragments::{Fragments, Part};
use super::layer::Layer;
use super::segment::{Address, IpFields, Segment};
use super::tunnels;
use super::view::View;

/// What an IP packet holds.
pub(super) enum Held<'a> {
    /// Nothing more has to be read.
    Content(Content<'a>),
    /// A header that is to be read, with the fields of this one.
    Layer(Layer<'a>, IpFields),
}

/// The content of an IP packet.
#[inline]
pub(super) fn dissect<'a>(time_ns: u64, view: View<'a>, fragments: &mut Fragments) -> Held<'a> {
    match view.data.first().map_or(0, |first| first >> 4) {
        4 => version_4(time_ns, view, fragments),
        6 => version_6(time_ns, view, fragments),
        _ => Held::Content(Content::Unreadable),
    }
}

/// What a segment's bytes are.
pub(super) fn segment<'a>(fields: &IpFields, view: View<'_>) -> Content<'a> {
    Segment::parse(fields, view.data, view.wire()).map_or(Content::Unreadable, Content::Tcp)
}

/// An IPv4 packet.
#[inline]
fn version_4<'a>(time_ns: u64, view: View<'a>, fragments: &mut Fragments) -> Held<'a> {
    let data = view.data;
    let Some(ip) = ipv4::Packet::new_checked(data) else {
        return Held::Content(Content::Unreadable);
    };
    let header = ip.header_len();
    let fields = IpFields {
        time_ns,
        source: Address::v4(ip.source().octets()),
        destination: Address::v4(ip.destination().octets()),
        id: Some(ip.ident()),
        ttl: ip.hop_limit(),
        ecn: ip.ecn(),
    };
    // A length of zero stands for a packet that the network card will cut into segments.
    let stated = Some(ip.total_len()).filter(|stated| *stated >= header);
    let stated = stated.unwrap_or(view.wire());
    let payload = &data[header..stated.clamp(header, data.len())];
    let payload = View::new(payload, stated.saturating_sub(header));
    let protocol = ip.protocol();
    if ip.is_fragment() {
        let part = Part {
            ip: fields,
            id: u32::from(ip.ident()),
            protocol,
            offset: ip.frag_offset(),
            last: !ip.more_fragments(),
            length: payload.wire(),
        };
        return of_fragment(&part, payload, fragments);
    }
    if protocol == tcp::PROTOCOL {
        return Held::Content(segment(&fields, payload));
    }
    Held::Layer(Layer::Protocol(protocol, payload), fields)
}

/// A fragment. The first one of a tunnel's packet has the headers in it, which state their lengths.
fn of_fragment<'a>(part: &Part, payload: View<'a>, fragments: &mut Fragments) -> Held<'a> {
    if part.protocol == tcp::PROTOCOL {
        let whole = fragments.add(part, payload.data);
        return Held::Content(whole.map_or(Content::Fragment, Content::Tcp));
    }
    if part.offset == 0 && tunnels::is_tunnel(part.protocol) {
        const LONGEST: usize = 65_535;
        let cut = View::new(payload.data, LONGEST.max(payload.data.len()));
        return Held::Layer(Layer::Protocol(part.protocol, cut), part.ip);
    }
    Held::Content(Content::Fragment)
}

/// An IPv6 packet.
fn version_6<'a>(time_ns: u64, view: View<'a>, fragments: &mut Fragments) -> Held<'a> {
    let data = view.data;
    let Some(ip) = ipv6::Packet::new_checked(data) else {
        return Held::Content(Content::Unreadable);
    };
    let fields = IpFields {
        time_ns,
        source: Address::v6(ip.source().octets()),
        destination: Address::v6(ip.destination().octets()),
        id: None,
        ttl: ip.hop_limit(),
        ecn: ip.ecn(),
    };
    let stated = match ip.payload_len() {
        0 => view.wire(),
        length => ipv6::HEADER + length,
    };
    // What is behind a header, with its length on the wire.
    let behind = |part: &'a [u8]| View::new(part, stated.saturating_sub(offset_in(data, part)));
    let upper = ip.upper();
    if let Some((header, payload)) = upper.fragment {
        let payload = behind(payload);
        let part = Part {
            ip: fields,
            id: header.ident,
            protocol: header.next_header,
            offset: usize::from(header.offset),
            last: !header.more,
            length: payload.wire(),
        };
        return of_fragment(&part, payload, fragments);
    }
    match (upper.protocol, behind(upper.payload)) {
        (tcp::PROTOCOL, rest) => Held::Content(segment(&fields, rest)),
        (protocol, rest) => Held::Layer(Layer::Protocol(protocol, rest), fields),
    }
}

/// Bytes of `whole` before `part`, a slice of it that need not reach its end.
fn offset_in(whole: &[u8], part: &[u8]) -> usize {
    (part.as_ptr() as usize).saturating_sub(whole.as_ptr() as usize).min(whole.len())
}
