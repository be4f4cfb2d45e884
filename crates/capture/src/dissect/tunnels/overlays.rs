//! Overlays over UDP that need few lines: LISP (RFC 9300), GRE in UDP (RFC 8086), GUE
//! (draft-ietf-intarea-gue), CAPWAP (RFC 5415).

use super::gre;
use crate::dissect::layer::Layer;
use crate::dissect::provable::is_ip;
use crate::dissect::view::View;

/// LISP: a header of eight bytes, then IP.
pub(super) fn lisp(view: View<'_>) -> Layer<'_> {
    Layer::of(view.skip(8), |view| if is_ip(view) { Layer::Ip(view) } else { Layer::Other })
}

/// GRE, if its header is one that RFC 8086 allows.
pub(super) fn gre_in_udp(view: View<'_>) -> Layer<'_> {
    match view.be16(0) {
        Some(flags) if flags & 0x4fff == 0 => gre::read(view),
        _ => Layer::Other,
    }
}

/// GUE: variant 0 has a header of words with the number of an IP protocol, variant 1 none.
pub(super) fn gue(view: View<'_>) -> Layer<'_> {
    const CONTROL: u8 = 0x20;
    let (Some(first), Some(next)) = (view.byte(0), view.byte(1)) else { return Layer::Unreadable };
    match first >> 6 {
        0 if first & CONTROL != 0 => Layer::Other,
        0 => {
            let header = 4 + usize::from(first & 0x1f) * 4;
            Layer::of(view.skip(header), |view| Layer::Protocol(next, view))
        }
        1 if is_ip(view) => Layer::Ip(view),
        _ => Layer::Other,
    }
}

/// Data of access points: what they forward can be encrypted, in fragments, or frames of 802.11.
pub(super) fn capwap(view: View<'_>) -> Layer<'_> {
    match view.byte(0) {
        Some(0 | 1) => Layer::unread("CAPWAP"),
        _ => Layer::Other,
    }
}
