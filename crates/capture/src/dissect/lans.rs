//! Link layers of other networks than Ethernet: FDDI, token ring, Fibre Channel, IEEE 1394, ATM, Frame
//! Relay, serial lines; headers that switches and capture cards write before Ethernet.

use airtcp_wire::bytes::le16;
use airtcp_wire::link_type;

use super::ethernet;
use super::layer::Layer;
use super::llc;
use super::ppp;
use super::view::View;

/// FDDI (ISO 9314-2): frame control, two addresses, LLC. Frames of other kinds hold no LLC.
pub(super) fn fddi(view: View<'_>) -> Layer<'_> {
    match view.byte(0) {
        Some(control) if control & 0xf0 == 0x50 => Layer::of(view.skip(13), Layer::Llc),
        Some(_) => Layer::Other,
        None => Layer::Unreadable,
    }
}

/// Token ring (IEEE 802.5): access and frame control, two addresses, a route if the source says so, LLC.
pub(super) fn token_ring(view: View<'_>) -> Layer<'_> {
    let (Some(control), Some(source)) = (view.byte(1), view.byte(8)) else {
        return Layer::Unreadable;
    };
    if control & 0xc0 != 0x40 {
        return Layer::Other;
    }
    let route = match view.byte(14) {
        Some(length) if source & 0x80 != 0 => usize::from(length & 0x1f),
        _ => 0,
    };
    Layer::of(view.skip(14 + route), Layer::Llc)
}

/// IP over Fibre Channel (RFC 4338, 2625): two addresses of eight bytes, LLC.
pub(super) fn fibre_channel(view: View<'_>) -> Layer<'_> {
    Layer::of(view.skip(16), Layer::Llc)
}

/// IP over IEEE 1394 (RFC 2734): two addresses of eight bytes, an EtherType.
pub(super) fn ieee1394(view: View<'_>) -> Layer<'_> {
    ethernet::ethertype(view, 16)
}

/// SunATM: four bytes, of which the first has the kind of traffic in its last bits.
pub(super) fn sun_atm(view: View<'_>) -> Layer<'_> {
    match view.byte(0).map(|flags| flags & 0x0f) {
        // LAN emulation has two bytes more before Ethernet.
        Some(1) => Layer::of(view.skip(6), Layer::ethernet),
        Some(2) => Layer::of(view.skip(4), Layer::Llc),
        Some(_) => Layer::Other,
        None => Layer::Unreadable,
    }
}

/// Frame Relay (RFC 2427): an address of two to four bytes, whose last one is odd; then control and
/// protocol, or Cisco's EtherType.
pub(super) fn frame_relay(view: View<'_>) -> Layer<'_> {
    let Some(end) = (0..4).find(|at| view.byte(*at).is_some_and(|byte| byte & 1 == 1)) else {
        return if view.data.len() < 4 { Layer::Unreadable } else { Layer::Other };
    };
    let Some(rest) = view.skip(end + 1) else { return Layer::Unreadable };
    match rest.data {
        [0x03, 0xcc | 0x8e, ..] => Layer::of(rest.skip(2), Layer::Ip),
        // SNAP, with a byte that fills up before it.
        [0x03, 0x80, ..] => snap_behind(rest.skip(2)),
        [0x03, 0x00, 0x80, ..] => snap_behind(rest.skip(3)),
        [0x03, 0xcf, ..] => Layer::of(rest.skip(2), ppp::read),
        [0x03, 0xb0 | 0xb1, ..] => Layer::unread("fragments or compression of Frame Relay"),
        [0x03, ..] => Layer::Other,
        [] | [_] => Layer::Unreadable,
        _ => ethernet::ethertype(rest, 0),
    }
}

/// SNAP without the LLC before it.
fn snap_behind(view: Option<View<'_>>) -> Layer<'_> {
    let Some(view) = view else { return Layer::Unreadable };
    match view.data {
        [a, b, c, high, low, ..] => {
            let number = u16::from_be_bytes([*high, *low]);
            Layer::of(view.skip(5), |rest| llc::snap([*a, *b, *c], number, rest))
        }
        _ => Layer::Unreadable,
    }
}

/// Records of Endace's cards: 16 bytes with the kind at 8, more headers of eight bytes, then the frame.
pub(super) fn erf(view: View<'_>) -> Layer<'_> {
    const MOST_EXTENSIONS: usize = 16;
    const MORE: u8 = 0x80;
    let Some(kind) = view.byte(8) else { return Layer::Unreadable };
    let (mut at, mut flags) = (16, kind);
    for _ in 0..MOST_EXTENSIONS {
        if flags & MORE == 0 {
            break;
        }
        let Some(next) = view.byte(at) else { return Layer::Unreadable };
        (at, flags) = (at + 8, next);
    }
    match kind & !MORE {
        // Ethernet, with two bytes before it.
        2 | 11 | 16 | 20 => Layer::of(view.skip(at + 2), Layer::ethernet),
        1 | 10 | 15 | 17 => Layer::of(view.skip(at), serial),
        22 | 23 => Layer::of(view.skip(at), Layer::Ip),
        _ => Layer::unread("ERF records of other links"),
    }
}

/// PPP on a serial line, or Cisco HDLC, which has other addresses and an EtherType.
pub(super) fn serial(view: View<'_>) -> Layer<'_> {
    match view.data {
        [0x0f | 0x8f, 0, ..] => ethernet::ethertype(view, 2),
        _ => ppp::read(view),
    }
}

/// PPP of Linux's pppd: the first byte of the address has the direction.
pub(super) fn pppd(view: View<'_>) -> Layer<'_> {
    let behind = match view.data {
        [_, 0x03, ..] => view.skip(2),
        _ => view.skip(1),
    };
    Layer::of(behind, ppp::read)
}

/// Per-packet information before another link than 802.11: its length and the link type.
pub(super) fn per_packet_information(number: u16, view: View<'_>) -> Option<Layer<'_>> {
    if number != link_type::PPI {
        return None;
    }
    let length = usize::from(le16(view.data, 2)?);
    let link = u16::from_le_bytes([view.byte(4)?, view.byte(5)?]);
    if matches!(link, link_type::IEEE802_11 | link_type::PPI) || length < 8 {
        return None;
    }
    Some(Layer::of(view.skip(length), |view| Layer::Link(link, view)))
}
