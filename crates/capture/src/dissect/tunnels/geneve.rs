//! Geneve (RFC 8926 section 3.4): a header of eight bytes, then options, whose length it has in words.

use crate::dissect::layer::Layer;
use crate::dissect::view::View;

/// Flag of a control packet, in the second byte.
const CONTROL: u8 = 0x80;

pub(super) fn read(view: View<'_>) -> Layer<'_> {
    let (Some(first), Some(flags), Some(kind)) = (view.byte(0), view.byte(1), view.be16(2)) else {
        return Layer::Unreadable;
    };
    if first >> 6 != 0 || flags & CONTROL != 0 {
        return Layer::Other;
    }
    let options = usize::from(first & 0x3f) * 4;
    Layer::of(view.skip(8 + options), |view| Layer::Type(kind, view))
}
