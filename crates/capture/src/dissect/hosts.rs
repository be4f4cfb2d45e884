//! Headers that the capturing system writes before a packet: loopback, Linux cooked capture, packet
//! filters, and the taps of Solaris, macOS and Linux.

use airtcp_wire::bytes::{le16, le32};
use airtcp_wire::link_type;

use super::ethernet;
use super::layer::{Layer, Unread};
use super::view::View;

/// Address families of IPv4 and IPv6 on the systems that write these files.
const FAMILIES: [u8; 5] = [2, 10, 24, 28, 30];
/// Linux's hardware types of 802.11, and their link types.
const AIR: [(u16, u16); 3] =
    [(801, link_type::IEEE802_11), (802, link_type::PRISM), (803, link_type::RADIOTAP)];
/// Protocols of Linux below the EtherTypes: frames of Novell, and LLC.
const LLC: u16 = 4;
const SHORTEST_TYPE: u16 = 0x0600;

/// BSD loopback: the address family in four bytes. The host's byte order is unknown; families are below 256.
pub(super) fn loopback(view: View<'_>) -> Layer<'_> {
    let Some((family, _)) = view.data.split_first_chunk::<4>() else { return Layer::Unreadable };
    let family = u32::from_be_bytes(*family).max(u32::from_le_bytes(*family)) >> 24;
    match u8::try_from(family) {
        Ok(family) if FAMILIES.contains(&family) => Layer::of(view.skip(4), Layer::Ip),
        _ => Layer::Other,
    }
}

/// Linux cooked capture, version 1: 16 bytes with the hardware type at 2 and the protocol at 14.
#[inline]
pub(super) fn cooked(view: View<'_>) -> Layer<'_> {
    match (view.be16(14), view.be16(2)) {
        (Some(0x0800 | 0x86dd), _) => ethernet::ethertype(view, 14),
        (Some(protocol), Some(hardware)) => {
            Layer::of(view.skip(16), |view| behind_cooked(hardware, protocol, view))
        }
        _ => Layer::Unreadable,
    }
}

/// Version 2: 20 bytes with the protocol at 0 and the hardware type at 8.
#[inline]
pub(super) fn cooked_2(view: View<'_>) -> Layer<'_> {
    match (view.be16(0), view.be16(8)) {
        (Some(protocol), Some(hardware)) => {
            Layer::of(view.skip(20), |view| behind_cooked(hardware, protocol, view))
        }
        _ => Layer::Unreadable,
    }
}

fn behind_cooked(hardware: u16, protocol: u16, view: View<'_>) -> Layer<'_> {
    if let Some((_, link)) = AIR.iter().find(|(known, _)| *known == hardware) {
        return Layer::Link(*link, view);
    }
    match protocol {
        LLC => Layer::Llc(view),
        SHORTEST_TYPE.. => Layer::Type(protocol, view),
        _ => Layer::Other,
    }
}

/// IPsec of OpenBSD: 12 bytes.
pub(super) fn enc(view: View<'_>) -> Layer<'_> {
    Layer::of(view.skip(12), Layer::Ip)
}

/// The log of PF: the first byte is the header's length, to be rounded up to a multiple of four.
pub(super) fn pflog(view: View<'_>) -> Layer<'_> {
    match (view.byte(0), view.byte(1)) {
        (Some(length), Some(family)) if FAMILIES.contains(&family) => {
            Layer::of(view.skip(usize::from(length).next_multiple_of(4)), Layer::Ip)
        }
        (Some(_), Some(_)) => Layer::Other,
        _ => Layer::Unreadable,
    }
}

/// Solaris: 24 bytes with version and address family.
pub(super) fn ipnet(view: View<'_>) -> Layer<'_> {
    match (view.byte(0), view.byte(1)) {
        (Some(1), Some(2 | 26)) => Layer::of(view.skip(24), Layer::Ip),
        (Some(_), Some(_)) => Layer::Other,
        _ => Layer::Unreadable,
    }
}

/// macOS: the header has its own length, whether a packet follows, and the packet's link type, in the byte
/// order of the host that wrote it.
pub(super) fn pktap(view: View<'_>) -> Layer<'_> {
    const PACKET: u32 = 1;
    const SHORTEST: usize = 108;
    let little = le32(view.data, 0).zip(le32(view.data, 4)).zip(le32(view.data, 8));
    let big = view.be32(0).zip(view.be32(4)).zip(view.be32(8));
    let ((length, kind), link) = match (little, big) {
        (Some(little), Some(big)) => {
            if little.0.0 <= big.0.0 {
                little
            } else {
                big
            }
        }
        _ => return Layer::Unreadable,
    };
    let (length, link) = (length as usize, u16::try_from(link));
    match link {
        Ok(link) if kind == PACKET && length >= SHORTEST && link != link_type::PKTAP => {
            Layer::of(view.skip(length), |view| Layer::Link(link, view))
        }
        _ => Layer::Other,
    }
}

/// The same under the number that older systems used, which belongs to users. Without such a header, it is
/// something else.
pub(super) fn pktap_of_user(view: View<'_>) -> Layer<'_> {
    match pktap(view) {
        layer @ (Layer::Link(..) | Layer::Unreadable) => layer,
        _ => Layer::UnknownLink(link_type::USER_2),
    }
}

/// Netfilter: four bytes with the address family, then attributes of length and kind in the byte order of
/// the host that wrote them, at multiples of four.
pub(super) fn nflog(view: View<'_>) -> Layer<'_> {
    const PAYLOAD: u16 = 9;
    const MOST_ATTRIBUTES: usize = 64;
    let mut rest = match view.skip(4) {
        Some(rest) if view.byte(1) == Some(0) => rest,
        Some(_) => {
            return Layer::Unread(Unread { name: "NFLOG of an unknown version", number: None });
        }
        None => return Layer::Unreadable,
    };
    for _ in 0..MOST_ATTRIBUTES {
        let (Some(little), Some(big)) = (le16(rest.data, 0), rest.be16(0)) else { break };
        // Kinds are small numbers: that shows the byte order.
        let is_little = le16(rest.data, 2) <= rest.be16(2);
        let (length, kind) =
            if is_little { (little, le16(rest.data, 2)) } else { (big, rest.be16(2)) };
        let length = usize::from(length);
        if length < 4 {
            return Layer::Unreadable;
        }
        if kind == Some(PAYLOAD) {
            return Layer::of(rest.limit(length).skip(4), Layer::Ip);
        }
        match rest.skip(length.next_multiple_of(4)) {
            Some(behind) => rest = behind,
            None => return Layer::Unreadable,
        }
    }
    Layer::Other
}
