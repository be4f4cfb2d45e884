//! LLC (IEEE 802.2) and SNAP (IEEE 802; RFC 1042, RFC 2684): what follows them.

use super::frames::ethernet_behind;
use super::layer::Layer;
use super::view::View;

/// Control field of unnumbered information.
const UNNUMBERED: u8 = 3;
/// Organisation codes whose protocol numbers are EtherTypes: RFC 1042, and bridge tunnels of IEEE 802.1H.
const ETHERTYPES: [[u8; 3]; 2] = [[0, 0, 0], [0, 0, 0xf8]];
/// That of bridged frames (RFC 2684 section 5.2, RFC 2427 section 4.2).
const BRIDGED: [u8; 3] = [0, 0x80, 0xc2];

/// What follows LLC.
pub(super) fn read(view: View<'_>) -> Layer<'_> {
    match view.data {
        [0xaa | 0xab, 0xaa | 0xab, UNNUMBERED, a, b, c, high, low, ..] => {
            let number = u16::from_be_bytes([*high, *low]);
            Layer::of(view.skip(8), |view| snap([*a, *b, *c], number, view))
        }
        // The service access point of IP.
        [0x06, 0x06, UNNUMBERED, ..] => Layer::of(view.skip(3), Layer::Ip),
        // That of the network protocols of ISO, and the identifiers of IPv4 and IPv6.
        [0xfe, 0xfe, UNNUMBERED, 0xcc | 0x8e, ..] => Layer::of(view.skip(4), Layer::Ip),
        [0xaa, 0xaa, UNNUMBERED, ..] | [] | [_] | [_, _] => Layer::Unreadable,
        _ => Layer::Other,
    }
}

pub(super) fn snap(organisation: [u8; 3], number: u16, view: View<'_>) -> Layer<'_> {
    if ETHERTYPES.contains(&organisation) {
        return Layer::Type(number, view);
    }
    match (organisation, number) {
        // Ethernet with and without its frame check sequence; ATM fills up two bytes before it.
        (BRIDGED, 0x0001 | 0x0007) => match ethernet_behind(view, &[0, 2]) {
            Some(frame) => Layer::ethernet(frame),
            None => Layer::unread("bridged frames in SNAP"),
        },
        (BRIDGED, 0x0002..=0x0004 | 0x0008..=0x000a) => Layer::unread("bridged frames in SNAP"),
        _ => Layer::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn service_access_points() {
        let of = |data: &'static [u8]| read(View::new(data, data.len()));
        let ip = View::new(&[0x45], 1);
        assert_eq!(of(&[0xaa, 0xaa, 3, 0, 0, 0, 8, 0, 0x45]), Layer::Type(0x0800, ip));
        assert_eq!(of(&[0xaa, 0xaa, 3, 0, 0, 0xf8, 0x81, 0, 0x45]), Layer::Type(0x8100, ip));
        assert_eq!(of(&[0x06, 0x06, 3, 0x45]), Layer::Ip(ip));
        assert_eq!(of(&[0xfe, 0xfe, 3, 0xcc, 0x45]), Layer::Ip(ip));
        // A spanning tree, IS-IS, and what a capture cut off.
        assert_eq!(of(&[0x42, 0x42, 3, 0, 0]), Layer::Other);
        assert_eq!(of(&[0xfe, 0xfe, 3, 0x83]), Layer::Other);
        assert_eq!(of(&[0xaa, 0xaa, 3, 0, 0, 0, 8]), Layer::Unreadable);
        assert_eq!(of(&[0xaa, 0xaa, 3, 0, 0, 0x0c, 0x20, 0, 1]), Layer::Other);
    }
}
