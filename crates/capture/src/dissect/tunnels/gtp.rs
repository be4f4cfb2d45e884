//! GTP-U, by which mobile networks carry their users' packets (3GPP TS 29.281 section 5), and its first
//! version (3GPP TS 29.060 of 1999).

use crate::dissect::frames::is_ethernet;
use crate::dissect::layer::Layer;
use crate::dissect::provable::is_ip;
use crate::dissect::view::View;

/// Type of a message with a user's packet.
const USER_PACKET: u8 = 255;
/// Flags of the first byte: GTP and not GTP', and the three fields that need four more bytes.
const GTP: u8 = 0x10;
const EXTENDED: u8 = 0x04;
const OPTIONAL: u8 = 0x07;
/// Most extension headers.
const MOST_EXTENSIONS: usize = 16;

/// Version 1.
pub(super) fn read(view: View<'_>) -> Layer<'_> {
    let (Some(flags), Some(kind), Some(length)) = (view.byte(0), view.byte(1), view.be16(2)) else {
        return Layer::Unreadable;
    };
    if flags >> 5 != 1 || flags & GTP == 0 || kind != USER_PACKET {
        return Layer::Other;
    }
    // The length counts what follows the first eight bytes.
    let whole = if length == 0 { view } else { view.limit(8 + usize::from(length)) };
    let header = match flags & OPTIONAL {
        0 => Some(8),
        fields if fields & EXTENDED == 0 => Some(12),
        _ => behind_extensions(whole),
    };
    Layer::of(header.and_then(|header| whole.skip(header)), user_packet)
}

/// Length of the header with its extension headers: each begins with its length in words, and ends with
/// the type of the next one.
fn behind_extensions(view: View<'_>) -> Option<usize> {
    let (mut at, mut next) = (12, view.byte(11)?);
    for _ in 0..MOST_EXTENSIONS {
        if next == 0 {
            return Some(at);
        }
        let words = usize::from(view.byte(at)?);
        if words == 0 {
            return None;
        }
        at += words * 4;
        next = view.byte(at - 1)?;
    }
    None
}

/// A session has IP, Ethernet or what both ends agreed on; no field tells.
fn user_packet(view: View<'_>) -> Layer<'_> {
    if is_ip(view) {
        Layer::Ip(view)
    } else if is_ethernet(view) {
        Layer::ethernet(view)
    } else if view.data.len() < 20 && view.missing > 0 {
        Layer::Unreadable
    } else {
        Layer::unread("GTP-U with other packets than IP")
    }
}

/// Version 0: a header of twenty bytes.
pub(super) fn version_0(view: View<'_>) -> Layer<'_> {
    match (view.byte(0), view.byte(1)) {
        (Some(flags), Some(USER_PACKET)) if flags >> 5 == 0 && flags & GTP != 0 => {
            Layer::of(view.skip(20), user_packet)
        }
        _ => Layer::Other,
    }
}
