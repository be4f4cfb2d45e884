//! A frame as it is on the wire: with the VLAN tag that the kernel took out, and with the checksum that a sender left to its
//! hardware.

use airtcp_wire::checksum::{Addresses, Payload};
use airtcp_wire::{ipv4, ipv6, tcp, udp};

/// Bytes of the two Ethernet addresses, and of a tag.
const ADDRESSES: usize = 12;
const TAG: usize = 4;
/// Protocols of tags: 802.1Q, 802.1ad.
const TAGS: [[u8; 2]; 2] = [[0x81, 0x00], [0x88, 0xa8]];
/// Tags that a frame may have.
const MOST_TAGS: usize = 3;

/// Puts the frame into `out`. False if its checksum is missing, and it is of no protocol whose checksum is known.
pub fn as_on_wire(
    bytes: &[u8],
    vlan: Option<(u16, u16)>,
    unsummed: bool,
    out: &mut Vec<u8>,
) -> bool {
    out.clear();
    let (addresses, rest) = bytes.split_at(bytes.len().min(ADDRESSES));
    out.extend_from_slice(addresses);
    if let Some((protocol, control)) = vlan {
        // Before Linux 3.14 there was no protocol beside the tag.
        let protocol = if protocol == 0 { TAGS[0] } else { protocol.to_be_bytes() };
        out.extend_from_slice(&protocol);
        out.extend_from_slice(&control.to_be_bytes());
    }
    out.extend_from_slice(rest);
    !unsummed || fill(out).is_some()
}

/// Writes the checksum of TCP or UDP.
fn fill(frame: &mut [u8]) -> Option<()> {
    let mut at = ADDRESSES;
    for _ in 0..MOST_TAGS {
        let kind = frame.get(at..at + 2)?;
        at += if TAGS.iter().any(|tag| tag == kind) { TAG } else { break };
    }
    let kind = [*frame.get(at)?, *frame.get(at + 1)?];
    let packet = frame.get_mut(at + 2..)?;
    let (between, protocol, from, to) = match kind {
        [0x08, 0x00] => {
            let ip = ipv4::Packet::new_checked(packet).filter(|ip| !ip.is_fragment())?;
            let between = Addresses::V4(ip.source(), ip.destination());
            (between, ip.protocol(), ip.header_len(), ip.total_len())
        }
        [0x86, 0xdd] => {
            let ip = ipv6::Packet::new_checked(packet)?;
            let upper = ip.upper();
            if upper.fragment.is_some() {
                return None;
            }
            let between = Addresses::V6(ip.source(), ip.destination());
            let from = ipv6::HEADER + (ip.payload().len() - upper.payload.len());
            (between, upper.protocol, from, ipv6::HEADER + ip.payload_len())
        }
        _ => return None,
    };
    let segment = packet.get_mut(from..to)?;
    // The sum of the pseudo-header may stand there already.
    let place = match protocol {
        tcp::PROTOCOL => 16,
        udp::PROTOCOL => 6,
        _ => return None,
    };
    segment.get_mut(place..place + 2)?.fill(0);
    let sum = match Payload::of(segment).checksum(&between, protocol, &[]) {
        // 0 would say that there is none (RFC 768).
        0 if protocol == udp::PROTOCOL => u16::MAX,
        sum => sum,
    };
    segment.get_mut(place..place + 2)?.copy_from_slice(&sum.to_be_bytes());
    Some(())
}

#[cfg(test)]
mod tests {
    use std::net::{Ipv4Addr, Ipv6Addr};

    use proptest::prelude::*;

    use super::*;

    const V4: Addresses = Addresses::V4(Ipv4Addr::new(10, 0, 0, 1), Ipv4Addr::new(10, 0, 0, 2));
    const V6: Addresses = Addresses::V6(Ipv6Addr::LOCALHOST, Ipv6Addr::LOCALHOST);

    /// A frame with a datagram of 8 + 5 bytes or a segment of 20 + 5, with its checksum.
    fn frame(v6: bool, protocol: u8) -> Vec<u8> {
        let mut upper = vec![0; if protocol == 6 { 25 } else { 13 }];
        upper[..4].copy_from_slice(&[0x13, 0x89, 0, 80]);
        upper[8..].iter_mut().zip(1..).for_each(|(byte, n)| *byte = n);
        if protocol == 17 {
            upper[4..8].copy_from_slice(&[0, 13, 0, 0]);
        } else {
            upper[12] = 0x50;
        }
        let place = if protocol == 6 { 16 } else { 6 };
        upper[place..place + 2].fill(0);
        let sum = Payload::of(&upper).checksum(if v6 { &V6 } else { &V4 }, protocol, &[]);
        upper[place..place + 2].copy_from_slice(&sum.to_be_bytes());
        let length = u8::try_from(upper.len()).unwrap();
        let mut frame = vec![2; 12];
        if v6 {
            frame.extend([0x86, 0xdd, 0x60, 0, 0, 0, 0, length, protocol, 64]);
            frame.extend(Ipv6Addr::LOCALHOST.octets());
            frame.extend(Ipv6Addr::LOCALHOST.octets());
        } else {
            frame.extend([8, 0, 0x45, 0, 0, 20 + length, 0, 0, 0, 0, 64, protocol, 0, 0]);
            frame.extend([10, 0, 0, 1, 10, 0, 0, 2]);
        }
        frame.extend(upper);
        // Padding of Ethernet is no part of the packet.
        frame.resize(frame.len().max(60), 0);
        frame
    }

    #[test]
    fn tags_are_put_back() {
        let frame = frame(false, 6);
        let mut out = vec![9; 3];
        assert!(as_on_wire(&frame, None, false, &mut out) && out == frame);
        assert!(as_on_wire(&frame, Some((0x8100, 0xa005)), false, &mut out));
        assert_eq!(out[12..18], [0x81, 0, 0xa0, 5, 8, 0]);
        assert_eq!((out.len(), &out[16..]), (frame.len() + 4, &frame[12..]));
        assert!(as_on_wire(&frame, Some((0, 5)), false, &mut out));
        assert_eq!(out[12..16], [0x81, 0, 0, 5]);
    }

    #[test]
    fn checksums_are_filled() {
        for (v6, protocol) in [(false, 6), (false, 17), (true, 6), (true, 17)] {
            let whole = frame(v6, protocol);
            let place = if v6 { 54 } else { 34 } + if protocol == 6 { 16 } else { 6 };
            let mut empty = whole.clone();
            empty[place..place + 2].copy_from_slice(&[0x12, 0x34]);
            let mut out = Vec::new();
            for vlan in [None, Some((0x88a8, 7))] {
                assert!(as_on_wire(&empty, vlan, true, &mut out));
                let start = out.len() - whole.len() + 12;
                assert_eq!(out[start..], whole[12..], "{v6} {protocol}");
            }
        }
        let mut fragment = frame(false, 17);
        fragment[20] = 0x20;
        let mut icmp = frame(false, 17);
        icmp[23] = 1;
        for frame in [fragment, icmp, vec![2; 14], vec![]] {
            assert!(!as_on_wire(&frame, None, true, &mut Vec::new()));
        }
    }

    proptest! {
        #[test]
        fn any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..120), tag in any::<bool>()) {
            let mut out = Vec::new();
            let vlan = tag.then_some((0x8100, 1));
            as_on_wire(&bytes, vlan, true, &mut out);
            prop_assert_eq!(out.len(), bytes.len() + if tag { 4 } else { 0 });
        }
    }
}
