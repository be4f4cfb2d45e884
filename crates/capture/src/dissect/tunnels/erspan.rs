//! ERSPAN, by which switches send copies of frames (draft-foschiano-erspan): type II has a header of eight
//! bytes, type III one of twelve and eight more if it says so. Type I has none (`gre`).

use crate::dissect::layer::Layer;
use crate::dissect::view::View;

/// Version fields of types II and III.
const TYPE_2: u8 = 1;
const TYPE_3: u8 = 2;
/// Bits of the last word of type III: what kind of frame follows, and whether eight more bytes do.
const FRAME_KIND: u32 = 0x7c00;
const MORE: u32 = 1;

/// Type II, and type III by its version.
pub(super) fn read(view: View<'_>) -> Layer<'_> {
    match view.byte(0).map(|first| first >> 4) {
        Some(TYPE_2) => Layer::of(view.skip(8), Layer::ethernet),
        Some(TYPE_3) => version_3(view),
        Some(_) => Layer::unread("ERSPAN of an unknown version"),
        None => Layer::Unreadable,
    }
}

/// Type III.
pub(super) fn version_3(view: View<'_>) -> Layer<'_> {
    let (Some(first), Some(last)) = (view.byte(0), view.be32(8)) else { return Layer::Unreadable };
    if first >> 4 != TYPE_3 {
        return Layer::unread("ERSPAN of an unknown version");
    }
    let header = if last & MORE != 0 { 20 } else { 12 };
    Layer::of(view.skip(header), |view| match (last & FRAME_KIND) >> 10 {
        0 => Layer::ethernet(view),
        2 => Layer::Ip(view),
        _ => Layer::unread("ERSPAN III with other frames"),
    })
}
