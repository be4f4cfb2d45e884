//! Whether bytes are an IP packet, where no field tells: the lengths must fit.

use super::view::View;

/// Most bytes behind an IP packet that fill up an Ethernet frame, or check it.
pub(super) const MOST_PADDING: usize = 64;

/// True for an IP packet: version and header length are possible, and it fills the bytes.
pub(super) fn is_ip(view: View<'_>) -> bool {
    let length = match view.byte(0).map_or(0, |first| first >> 4) {
        4 => {
            let header = view.byte(0).map_or(0, |first| usize::from(first & 0xf) * 4);
            let length = view.be16(2).map(usize::from);
            length.filter(|length| header >= 20 && *length >= header)
        }
        6 => view.be16(4).map(|length| usize::from(length) + 40),
        _ => None,
    };
    let fills = |length: usize| length <= view.wire() && view.wire() - length <= MOST_PADDING;
    length.is_some_and(fills)
}
