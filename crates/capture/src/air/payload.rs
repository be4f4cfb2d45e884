//! The IP packets in an unprotected data frame: behind LLC and SNAP (RFC 1042), tags and labels; A-MSDU.

use airtcp_wire::bytes::be16;
use airtcp_wire::ieee80211::{Kind, Repr};

use crate::dissect::ip_behind_llc;

/// Passes the IP packets of a frame to `sink`, each with its length on the wire. `wire` is the length
/// on the wire of the frame's body, without the frame check sequence.
pub(super) fn ip_packets<'a>(
    header: &Repr,
    body: &'a [u8],
    wire: usize,
    mut sink: impl FnMut(&'a [u8], usize),
) {
    let is_whole = !header.more_fragments && header.fragment == 0;
    if header.kind != Kind::Data || header.protected || !is_whole {
        return;
    }
    let body = &body[..body.len().min(wire)];
    if !header.qos.is_some_and(|qos| qos.is_amsdu) {
        if let Some((ip, wire)) = ip_behind_llc(body, wire) {
            sink(ip, wire);
        }
        return;
    }
    // Each subframe has two addresses and a length, and fills up to a multiple of 4.
    let mut at = 0;
    while let Some(length) = be16(body, at + 12).map(usize::from) {
        let end = (at + 14 + length).min(body.len());
        let subframe = body.get(at + 14..end);
        if let Some((ip, wire)) = subframe.and_then(|body| ip_behind_llc(body, length)) {
            sink(ip, wire);
        }
        at += (14 + length).next_multiple_of(4);
    }
}

#[cfg(test)]
mod tests {
    use airtcp_wire::ieee80211::Packet;

    use super::*;

    fn packets(control: u8, qos: u8, body: &[u8], wire: usize) -> Vec<(Vec<u8>, usize)> {
        let mut frame = vec![control, 0];
        frame.extend([0; 22]);
        frame.extend([qos, 0]);
        frame.extend(body);
        let packet = Packet::new_checked(&frame).unwrap();
        let header = Repr::parse(&packet).unwrap();
        let mut found = Vec::new();
        ip_packets(&header, packet.body(false), wire, |ip, wire| found.push((ip.to_vec(), wire)));
        found
    }

    #[test]
    fn ip_in_frames() {
        let snap = [0xaa, 0xaa, 3, 0, 0, 0, 8, 0, 0x45];
        assert_eq!(packets(0x88, 0, &snap, 108), [(vec![0x45], 100)]);
        // A tag.
        let tagged = [0xaa, 0xaa, 3, 0, 0, 0, 0x81, 0, 0, 5, 8, 0, 0x45];
        assert_eq!(packets(0x88, 0, &tagged, 112), [(vec![0x45], 100)]);
        // Null data, ARP, a frame that is cut off.
        assert!(packets(0xc8, 0, &snap, 108).is_empty());
        assert!(packets(0x88, 0, &[0xaa, 0xaa, 3, 0, 0, 0, 8, 6, 0x45], 108).is_empty());
        assert!(packets(0x88, 0, &snap[..7], 108).is_empty());
        // Two subframes; the second is cut off.
        let mut body = vec![0; 12];
        body.extend([0, 9]);
        body.extend(snap);
        body.extend([0; 13]);
        body.extend([0, 100]);
        body.extend(snap);
        assert_eq!(packets(0x88, 0x80, &body, 500), [(vec![0x45], 1), (vec![0x45], 92)]);
    }
}
