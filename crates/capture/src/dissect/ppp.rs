//! PPP (RFC 1661) on serial lines (RFC 1662), in PPPoE and in tunnels.

use super::layer::Layer;
use super::view::View;

/// What follows the protocol field; the address and control fields before it can be missing (RFC 1661
/// section 6.6).
pub(super) fn read(view: View<'_>) -> Layer<'_> {
    let view = match view.data {
        [0xff, 0x03, ..] => view.skip(2).unwrap_or_default(),
        _ => view,
    };
    // A compressed protocol field has one byte, which is odd (section 6.5).
    match view.data {
        [] | [_] => Layer::Unreadable,
        [first, ..] if first & 1 == 1 => {
            Layer::of(view.skip(1), |rest| protocol(u16::from(*first), rest))
        }
        [first, second, ..] => {
            let number = u16::from_be_bytes([*first, *second]);
            Layer::of(view.skip(2), |rest| protocol(number, rest))
        }
    }
}

/// Protocols by the numbers of IANA.
fn protocol(number: u16, view: View<'_>) -> Layer<'_> {
    match number {
        0x0021 | 0x0057 => Layer::Ip(view),
        0x0281 | 0x0283 => Layer::Mpls(view),
        // Bridged frames (RFC 3518 section 4.2): flags, then 1 for Ethernet.
        0x0031 => match view.byte(1) {
            Some(1) => Layer::of(view.skip(2), Layer::ethernet),
            _ => Layer::unread("bridged frames in PPP"),
        },
        0x0003 | 0x0005 | 0x002d | 0x002f | 0x0061..=0x0067 | 0x2063 => {
            Layer::unread("PPP with compressed headers")
        }
        0x003d => Layer::unread("PPP multilink fragments"),
        0x0053 | 0x0055 => Layer::unread("encrypted PPP"),
        0x00fb | 0x00fd => Layer::unread("compressed or encrypted PPP"),
        _ => Layer::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_that_can_be_missing() {
        let of = |data: &'static [u8]| read(View::new(data, data.len()));
        let ip = Layer::Ip(View::new(&[0x45], 1));
        for frame in
            [&[0xff, 3, 0, 0x21, 0x45][..], &[0, 0x57, 0x45], &[0x21, 0x45], &[0xff, 3, 0x21, 0x45]]
        {
            assert_eq!(of(frame), ip, "{frame:x?}");
        }
        // The link control protocol, and frames that were cut off.
        assert_eq!(of(&[0xff, 3, 0xc0, 0x21, 1]), Layer::Other);
        assert_eq!((of(&[0xff, 3]), of(&[0])), (Layer::Unreadable, Layer::Unreadable));
        assert_eq!(of(&[0, 0xfd, 1]), Layer::unread("compressed or encrypted PPP"));
        assert_eq!(of(&[0x02, 0x81, 9]), Layer::Mpls(View::new(&[9], 1)));
    }
}
