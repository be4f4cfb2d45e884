//! IPv4 (RFC 791) and IPv6 (RFC 8200) with its extension headers, and fragments of both.

use etherparse::LaxIpv6Slice;

use super::content::Content;
use super::fragments::{Fragments, Part};
use super::layer::Layer;
use super::segment::{Address, IpFields, Segment};
use super::tunnels;
use super::view::View;

/// Protocol number of TCP.
const TCP: u8 = 6;

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
    let Some(head) = data.first_chunk::<20>() else { return Held::Content(Content::Unreadable) };
    let word = |at: usize| u16::from_be_bytes([head[at], head[at + 1]]);
    let address = |at: usize| Address::v4([head[at], head[at + 1], head[at + 2], head[at + 3]]);
    let header = usize::from(head[0] & 0xf) * 4;
    if header < 20 || data.len() < header {
        return Held::Content(Content::Unreadable);
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
    let stated = Some(usize::from(word(2))).filter(|stated| *stated >= header);
    let stated = stated.unwrap_or(view.wire());
    let payload = &data[header..stated.clamp(header, data.len())];
    let payload = View::new(payload, stated.saturating_sub(header));
    let (protocol, fragment) = (head[9], word(6));
    if fragment & 0x3fff != 0 {
        let part = Part {
            ip: fields,
            id: u32::from(word(4)),
            protocol,
            offset: usize::from(fragment & 0x1fff) * 8,
            last: fragment & 0x2000 == 0,
            length: payload.wire(),
        };
        return of_fragment(&part, payload, fragments);
    }
    if protocol == TCP {
        return Held::Content(segment(&fields, payload));
    }
    Held::Layer(Layer::Protocol(protocol, payload), fields)
}

/// A fragment. The first one of a tunnel's packet has the headers in it, which state their lengths.
fn of_fragment<'a>(part: &Part, payload: View<'a>, fragments: &mut Fragments) -> Held<'a> {
    if part.protocol == TCP {
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
    let Ok((v6, _)) = LaxIpv6Slice::from_slice(data) else {
        return Held::Content(Content::Unreadable);
    };
    let (header, payload) = (v6.header(), v6.payload());
    let fields = IpFields {
        time_ns,
        source: Address::v6(header.source()),
        destination: Address::v6(header.destination()),
        id: None,
        ttl: header.hop_limit(),
        ecn: header.ecn().value(),
    };
    let stated = match header.payload_length() {
        0 => view.wire(),
        length => 40 + usize::from(length),
    };
    if payload.fragmented {
        let whole = View::new(&data[..data.len().min(stated)], stated);
        return match fragment_6(&fields, whole) {
            Some((part, payload)) => of_fragment(&part, payload, fragments),
            None => Held::Content(Content::Unreadable),
        };
    }
    let before = offset_in(data, payload.payload);
    let rest = View::new(payload.payload, stated.saturating_sub(before));
    match payload.ip_number.0 {
        TCP => Held::Content(segment(&fields, rest)),
        protocol => Held::Layer(Layer::Protocol(protocol, rest), fields),
    }
}

/// The fragment of an IPv6 packet: its header (RFC 8200 section 4.5) is behind other extension headers.
fn fragment_6<'a>(fields: &IpFields, view: View<'a>) -> Option<(Part, View<'a>)> {
    const FRAGMENT: u8 = 44;
    const MOST_EXTENSIONS: usize = 16;
    let (mut next, mut rest) = (view.byte(6)?, view.skip(40)?);
    for _ in 0..MOST_EXTENSIONS {
        if next == FRAGMENT {
            let place = rest.be16(2)?;
            let (protocol, id, payload) = (rest.byte(0)?, rest.be32(4)?, rest.skip(8)?);
            let part = Part {
                ip: *fields,
                id,
                protocol,
                offset: usize::from(place & 0xfff8),
                last: place & 1 == 0,
                length: payload.wire(),
            };
            return Some((part, payload));
        }
        let length = (usize::from(rest.byte(1)?) + 1) * 8;
        next = rest.byte(0)?;
        rest = rest.skip(length)?;
    }
    None
}

/// Bytes of `whole` before `part`, a slice of it that need not reach its end.
fn offset_in(whole: &[u8], part: &[u8]) -> usize {
    (part.as_ptr() as usize).saturating_sub(whole.as_ptr() as usize).min(whole.len())
}
