//! TZSP, by which access points and routers send copies of frames: a header of four bytes, then tags.

use airtcp_wire::link_type;

use crate::dissect::layer::Layer;
use crate::dissect::view::View;

/// Tags: of one byte, and the last one.
const PADDING: u8 = 0;
const END: u8 = 1;
/// Most tags.
const MOST_TAGS: usize = 64;

pub(super) fn tzsp(view: View<'_>) -> Layer<'_> {
    let (Some(version), Some(kind), Some(frame)) = (view.byte(0), view.byte(1), view.be16(2))
    else {
        return Layer::Unreadable;
    };
    // Other kinds are keep-alives and settings.
    if version != 1 || kind > 1 {
        return Layer::Other;
    }
    let mut at = 4;
    for _ in 0..MOST_TAGS {
        match (view.byte(at), view.byte(at + 1)) {
            (Some(END), _) => {
                return Layer::of(view.skip(at + 1), |view| match frame {
                    1 => Layer::ethernet(view),
                    18 => Layer::Link(link_type::IEEE802_11, view),
                    119 => Layer::Link(link_type::PRISM, view),
                    127 => Layer::Link(link_type::AVS, view),
                    _ => Layer::unread("TZSP with other frames"),
                });
            }
            (Some(PADDING), _) => at += 1,
            (Some(_), Some(length)) => at += 2 + usize::from(length),
            _ => return Layer::Unreadable,
        }
    }
    Layer::Unreadable
}
