//! Ethernet: tags before the EtherType (IEEE 802.1Q, 802.1AE, 802.1BR, 802.1CB), and what an EtherType
//! stands for. A type of at most 1500 is the length of a frame with LLC (IEEE 802.3 clause 3.2.6).

use airtcp_wire::link_type;

use super::layer::{self, Layer, Reader};
use super::ppp;
use super::provable::is_ip;
use super::view::View;

/// Most tags before the EtherType.
const MOST_TAGS: usize = 8;
/// Largest length of a frame with LLC.
const LONGEST_LLC: u16 = 1500;

/// EtherTypes of IPv4 and IPv6.
const IPV4: u16 = 0x0800;
const IPV6: u16 = 0x86dd;
/// MACsec (IEEE 802.1AE).
const MACSEC: u16 = 0x88e5;

/// Tags by their EtherType, and the bytes from it to the next one.
const TAGS: [(u16, usize); 9] = [
    (0x8100, 4), // IEEE 802.1Q
    (0x88a8, 4), // IEEE 802.1ad
    (0x9100, 4), // stacked tags before 802.1ad
    (0x9200, 4),
    (0x9300, 4),
    (0x893f, 8), // E-TAG (IEEE 802.1BR)
    (0x8926, 6), // VN-Tag
    (0xf1c1, 6), // R-TAG (IEEE 802.1CB)
    (0x8909, 8), // Cisco metadata with one security group
];

/// EtherTypes of what can hold TCP, and their readers.
const TYPES: [(u16, Reader); 15] = [
    (0x8847, layer::mpls),
    (0x8848, layer::mpls),
    // PPPoE session (RFC 2516): a header of six bytes.
    (0x8864, |view| Layer::of(view.skip(6), ppp::read)),
    (0x880b, ppp::read),
    (0x6558, layer::ethernet),
    (0x8870, layer::llc),
    (0x6559, |view| Layer::Link(link_type::FRELAY, view)),
    // Provider backbone (IEEE 802.1ah): four bytes of the service, then the customer's frame.
    (0x88e7, |view| Layer::of(view.skip(4), Layer::ethernet)),
    // FabricPath: two bytes of tree and hops.
    (0x8903, |view| Layer::of(view.skip(2), Layer::ethernet)),
    (0x22f3, trill),
    (0x894f, nsh),
    (0x883e, redirected),
    (0x4305, |_| Layer::unread("batman-adv")),
    (0xa0ed, |_| Layer::unread("6LoWPAN")),
    (0x876b, |_| Layer::unread("compressed TCP and IP headers")),
];

/// The layer behind the EtherType at `at`, and behind the tags there.
#[inline]
pub(super) fn ethertype(view: View<'_>, at: usize) -> Layer<'_> {
    match view.be16(at) {
        Some(IPV4 | IPV6) => Layer::of(view.skip(at + 2), Layer::Ip),
        Some(_) => tagged(view, at),
        None => Layer::Unreadable,
    }
}

/// The same with tags, or with another type than IP.
fn tagged(view: View<'_>, at: usize) -> Layer<'_> {
    let mut at = at;
    for _ in 0..=MOST_TAGS {
        let Some(kind) = view.be16(at) else { return Layer::Unreadable };
        let Some(rest) = view.skip(at + 2) else { return Layer::Unreadable };
        match next_type(kind, rest) {
            Some(Ok(place)) => at += 2 + place,
            Some(Err(layer)) => return layer,
            None => return behind(kind, rest),
        }
    }
    Layer::unread("more VLAN tags than airtcp reads")
}

/// What follows an EtherType that is not beside it, such as in GRE.
pub(super) fn typed(kind: u16, view: View<'_>) -> Layer<'_> {
    match next_type(kind, view) {
        Some(Ok(place)) => ethertype(view, place),
        Some(Err(layer)) => layer,
        None => behind(kind, view),
    }
}

/// The place of the next EtherType behind a tag; `None` if `kind` is no tag. `Err` has what follows a tag
/// that nothing can be read behind.
fn next_type(kind: u16, view: View<'_>) -> Option<Result<usize, Layer<'_>>> {
    match TAGS.iter().find(|(tag, _)| *tag == kind) {
        Some((_, length)) => Some(Ok(length - 2)),
        None if kind == MACSEC => Some(macsec(view)),
        None => None,
    }
}

/// True if airtcp knows what an EtherType stands for.
pub(super) fn is_known(kind: u16) -> bool {
    matches!(kind, IPV4 | IPV6 | MACSEC)
        || TAGS.iter().any(|(tag, _)| *tag == kind)
        || TYPES.iter().any(|(known, _)| *known == kind)
}

/// What follows an EtherType.
fn behind(kind: u16, view: View<'_>) -> Layer<'_> {
    match kind {
        IPV4 | IPV6 => Layer::Ip(view),
        0..=LONGEST_LLC => Layer::Llc(view.limit(usize::from(kind))),
        _ => match TYPES.iter().find(|(known, _)| *known == kind) {
            Some((_, read)) => read(view),
            None => Layer::Other,
        },
    }
}

/// The place of the EtherType behind the tag of MACsec, if the frame is not encrypted.
fn macsec(view: View<'_>) -> Result<usize, Layer<'_>> {
    const EXPLICIT_CHANNEL: u8 = 0x20;
    const ENCRYPTED: u8 = 0x08;
    const CHANGED: u8 = 0x04;
    match view.byte(0) {
        None => Err(Layer::Unreadable),
        Some(control) if control & (ENCRYPTED | CHANGED) != 0 => Err(Layer::unread("MACsec")),
        Some(control) => Ok(if control & EXPLICIT_CHANNEL != 0 { 14 } else { 6 }),
    }
}

/// TRILL (RFC 6325 section 3): options of four bytes each, then an Ethernet frame.
fn trill(view: View<'_>) -> Layer<'_> {
    let Some(flags) = view.be16(0) else { return Layer::Unreadable };
    let options = usize::from(flags >> 6 & 0x1f) * 4;
    Layer::of(view.skip(6 + options), Layer::ethernet)
}

/// The network service header (RFC 8300 section 2): its length in words, then the next protocol.
pub(super) fn nsh(view: View<'_>) -> Layer<'_> {
    let (Some(words), Some(next)) = (view.byte(1), view.byte(3)) else { return Layer::Unreadable };
    let words = usize::from(words & 0x3f);
    if words < 2 {
        return Layer::Unreadable;
    }
    Layer::of(view.skip(words * 4), |view| match next {
        1 | 2 => Layer::Ip(view),
        3 => Layer::ethernet(view),
        5 => Layer::Mpls(view),
        _ => Layer::Other,
    })
}

/// A packet that a router redirected to a cache (WCCP): version 2 has a header of four bytes.
fn redirected(view: View<'_>) -> Layer<'_> {
    if is_ip(view) { Layer::Ip(view) } else { Layer::of(view.skip(4), Layer::Ip) }
}
