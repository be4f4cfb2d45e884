//! MPLS (RFC 3032). No field tells what follows the last label. IP begins with its version; a pseudowire
//! (RFC 4448) holds an Ethernet frame, with or without a control word (RFC 4385), whose first four bits
//! are 0. A frame counts as what it is if its lengths fit, and otherwise as not read.

use super::frames::ethernet_behind;
use super::layer::Layer;
use super::provable::is_ip;
use super::view::View;

/// Most labels.
const MOST_LABELS: usize = 32;
/// Bit of the last label.
const BOTTOM: u32 = 0x100;
/// First four bits of an associated channel, which holds no traffic (RFC 5586).
const ASSOCIATED_CHANNEL: u8 = 1;

/// What follows the labels.
pub(super) fn read(view: View<'_>) -> Layer<'_> {
    let mut rest = view;
    for _ in 0..MOST_LABELS {
        let Some(label) = rest.be32(0) else { return Layer::Unreadable };
        let Some(behind) = rest.skip(4) else { return Layer::Unreadable };
        rest = behind;
        if label & BOTTOM != 0 {
            return payload(rest);
        }
    }
    Layer::unread("more MPLS labels than airtcp reads")
}

fn payload(view: View<'_>) -> Layer<'_> {
    let Some(first) = view.byte(0) else { return Layer::Unreadable };
    if is_ip(view) {
        return Layer::Ip(view);
    }
    let lengths: &[usize] = if first >> 4 == 0 { &[4, 0] } else { &[0] };
    match ethernet_behind(view, lengths) {
        Some(frame) => Layer::ethernet(frame),
        None if first >> 4 == ASSOCIATED_CHANNEL => Layer::Other,
        // Too short for the lengths of an IP header, which the version announces.
        None if matches!(first >> 4, 4 | 6) && view.data.len() < 20 => Layer::Unreadable,
        None => Layer::unread("MPLS pseudowires"),
    }
}
