//! Whether bytes are an Ethernet frame, where no field tells: the lengths in it must fit.

use super::ethernet;
use super::layer::Layer;
use super::provable::{MOST_PADDING, is_ip};
use super::view::View;

/// Bytes of LLC.
const SHORTEST_LLC: u16 = 3;

/// True for an Ethernet frame that holds IP, ARP or LLC of the right length.
pub(super) fn is_ethernet(view: View<'_>) -> bool {
    match ethernet::ethertype(view, 12) {
        Layer::Ip(ip) => is_ip(ip),
        Layer::Llc(_) => view.be16(12).is_some_and(|length| {
            let before = view.wire().saturating_sub(14);
            let padding = before.checked_sub(usize::from(length));
            length >= SHORTEST_LLC && padding.is_some_and(|padding| padding <= MOST_PADDING)
        }),
        // ARP for Ethernet and IPv4 (RFC 826).
        Layer::Other => {
            view.be16(12) == Some(0x0806)
                && view.be32(14) == Some(0x0001_0800)
                && view.be16(18) == Some(0x0604)
        }
        _ => false,
    }
}

/// The Ethernet frame behind one of several lengths of a header.
pub(super) fn ethernet_behind<'a>(view: View<'a>, lengths: &[usize]) -> Option<View<'a>> {
    lengths.iter().filter_map(|length| view.skip(*length)).find(|frame| is_ethernet(*frame))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_must_fit() {
        let mut ip = [0u8; 60];
        (ip[0], ip[3]) = (0x45, 60);
        assert!(is_ip(View::new(&ip, 60)));
        assert!(!is_ip(View::new(&ip, 60 + MOST_PADDING + 1)));
        assert!(!is_ip(View::new(&ip[..40], 40)));
        assert!(is_ip(View::new(&ip[..40], 60)));
        ip[0] = 0x44;
        assert!(!is_ip(View::new(&ip, 60)));
        let mut ip6 = [0u8; 60];
        (ip6[0], ip6[5]) = (0x60, 20);
        assert!(is_ip(View::new(&ip6, 60)));

        let mut frame = vec![0; 12];
        frame.extend([0x08, 0x00]);
        ip[0] = 0x45;
        frame.extend(ip);
        assert!(is_ethernet(View::new(&frame, 74)));
        assert!(!is_ethernet(View::new(&frame, 174)));
        let behind = [&[0, 0, 0, 0], &frame[..]].concat();
        let found = ethernet_behind(View::new(&behind, 78), &[0, 4]);
        assert_eq!(found, Some(View::new(&frame, 74)));
    }
}
