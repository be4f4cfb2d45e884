//! GRE (RFC 2784, 2890), as it was before (RFC 1701), and as PPTP has it (RFC 2637).

use super::erspan;
use crate::dissect::ethernet::is_known;
use crate::dissect::layer::{Layer, Unread};
use crate::dissect::ppp;
use crate::dissect::view::View;

/// Flags of the first two bytes.
const CHECKSUM: u16 = 0x8000;
const ROUTING: u16 = 0x4000;
const KEY: u16 = 0x2000;
const SEQUENCE: u16 = 0x1000;
const ACKNOWLEDGEMENT: u16 = 0x0080;
/// The last three bits are the version.
const VERSION: u16 = 0x0007;
/// Most source routes of RFC 1701 that are passed over.
const MOST_ROUTES: usize = 16;
/// Numbers that hold no TCP: keep-alives, discovery and IS-IS.
const ORDINARY: [u16; 5] = [0x0000, 0x00fe, 0x2000, 0x2001, 0x0806];

pub(super) fn read(view: View<'_>) -> Layer<'_> {
    let (Some(flags), Some(kind)) = (view.be16(0), view.be16(2)) else { return Layer::Unreadable };
    let has = |flag: u16| flags & flag != 0;
    let fields = |flags: &[u16]| flags.iter().filter(|flag| has(**flag)).count() * 4;
    match flags & VERSION {
        0 => {
            // The checksum's word is also there if a route is.
            let checked = usize::from(has(CHECKSUM) || has(ROUTING)) * 4;
            let Some(mut rest) = view.skip(4 + checked + fields(&[KEY, SEQUENCE])) else {
                return Layer::Unreadable;
            };
            if has(ROUTING) {
                match behind_routes(rest) {
                    Some(behind) => rest = behind,
                    None => return Layer::Unreadable,
                }
            }
            payload(kind, has(SEQUENCE), rest)
        }
        // PPTP: the key has the length and the call. Without a sequence number, nothing follows.
        1 if kind == 0x880b && has(SEQUENCE) => {
            let length = view.be16(4).map_or(0, usize::from);
            let behind = view.skip(4 + fields(&[KEY, SEQUENCE, ACKNOWLEDGEMENT]));
            Layer::of(behind, |view| ppp::read(view.limit(length)))
        }
        1 => Layer::Other,
        _ => Layer::unread("GRE of an unknown version"),
    }
}

fn payload(kind: u16, has_sequence: bool, view: View<'_>) -> Layer<'_> {
    match kind {
        // Without a sequence number it is ERSPAN I, which has no header.
        0x88be if !has_sequence => Layer::ethernet(view),
        0x88be => erspan::read(view),
        0x22eb => erspan::version_3(view),
        kind if ORDINARY.contains(&kind) => Layer::Other,
        kind if is_known(kind) => Layer::Type(kind, view),
        kind => Layer::Unread(Unread { name: "GRE with protocol", number: Some(kind) }),
    }
}

/// What follows the source routes (RFC 1701): each has a family and its length; the last has neither.
fn behind_routes(view: View<'_>) -> Option<View<'_>> {
    let mut rest = view;
    for _ in 0..MOST_ROUTES {
        let (family, length) = (rest.be16(0)?, rest.byte(3)?);
        rest = rest.skip(4 + usize::from(length))?;
        if family == 0 && length == 0 {
            return Some(rest);
        }
    }
    None
}
