//! L2TP: version 2 has PPP (RFC 2661 section 3.1), version 3 what both ends agreed on (RFC 3931).

use crate::dissect::frames::ethernet_behind;
use crate::dissect::layer::Layer;
use crate::dissect::ppp;
use crate::dissect::view::View;

/// Flags of the first two bytes.
const CONTROL: u16 = 0x8000;
const LENGTH: u16 = 0x4000;
const SEQUENCE: u16 = 0x0800;
const OFFSET: u16 = 0x0200;
/// The last four bits are the version: 1 is L2F (RFC 2341).
const VERSION: u16 = 0x000f;
/// Lengths of a cookie and of a sublayer behind a session's number of version 3.
const BEFORE_FRAME: [usize; 5] = [4, 8, 12, 16, 20];

/// Over UDP.
pub(super) fn version_2(view: View<'_>) -> Layer<'_> {
    let Some(flags) = view.be16(0) else { return Layer::Unreadable };
    if flags & CONTROL != 0 {
        return Layer::Other;
    }
    match flags & VERSION {
        1 => Layer::unread("L2F"),
        2 => {
            let whole = match view.be16(2) {
                Some(length) if flags & LENGTH != 0 => view.limit(usize::from(length)),
                _ => view,
            };
            let has = |flag: u16| flags & flag != 0;
            let mut header = 6 + 2 * usize::from(has(LENGTH)) + 4 * usize::from(has(SEQUENCE));
            if has(OFFSET) {
                let Some(pad) = whole.be16(header) else { return Layer::Unreadable };
                header += 2 + usize::from(pad);
            }
            Layer::of(whole.skip(header), ppp::read)
        }
        // Two reserved bytes, then as over IP.
        3 => Layer::of(view.skip(4), version_3),
        _ => Layer::Other,
    }
}

/// Over IP. Session 0 is that of control messages.
pub(super) fn version_3(view: View<'_>) -> Layer<'_> {
    match view.be32(0) {
        None => Layer::Unreadable,
        Some(0) => Layer::Other,
        Some(_) => match ethernet_behind(view, &BEFORE_FRAME) {
            Some(frame) => Layer::ethernet(frame),
            None => Layer::unread("L2TPv3"),
        },
    }
}
