//! VXLAN (RFC 7348) and VXLAN-GPE (draft-ietf-nvo3-vxlan-gpe): a header of eight bytes.
//!
//! Without the flag P, an Ethernet frame follows. With it, the fourth byte names what follows.

use crate::dissect::ethernet::nsh;
use crate::dissect::layer::Layer;
use crate::dissect::view::View;

/// Flags of the first byte: a network identifier, a next protocol, operation and maintenance.
const NETWORK: u8 = 0x08;
const NEXT_PROTOCOL: u8 = 0x04;
const MAINTENANCE: u8 = 0x01;

pub(super) fn read(view: View<'_>) -> Layer<'_> {
    let (Some(flags), Some(next)) = (view.byte(0), view.byte(3)) else { return Layer::Unreadable };
    let has_next = flags & NEXT_PROTOCOL != 0;
    if flags & NETWORK == 0 && !has_next || flags & MAINTENANCE != 0 && has_next {
        return Layer::Other;
    }
    Layer::of(view.skip(8), |view| match next {
        _ if !has_next => Layer::ethernet(view),
        1 | 2 => Layer::Ip(view),
        3 => Layer::ethernet(view),
        4 => nsh(view),
        5 => Layer::Mpls(view),
        _ => Layer::unread("VXLAN-GPE with another protocol"),
    })
}
