//! Round trips, and the walk over extension headers beside that of etherparse.

use etherparse::LaxIpv6Slice;
use proptest::prelude::*;

use super::*;

fn repr() -> impl Strategy<Value = Repr> {
    let addresses = (any::<u128>(), any::<u128>());
    let fields = (any::<u8>(), any::<u8>(), 0..64u8, 0..4u8, 0..1u32 << 20, 1..=65_535usize);
    (addresses, fields).prop_map(|(addresses, fields)| Repr {
        source: addresses.0.into(),
        destination: addresses.1.into(),
        next_header: fields.0,
        hop_limit: fields.1,
        dscp: fields.2,
        ecn: Ecn::from_bits(fields.3),
        flow_label: fields.4,
        payload_len: fields.5,
    })
}

/// A packet whose extension headers are often whole, and often cut off or at a wrong place.
fn packet() -> impl Strategy<Value = Vec<u8>> {
    let next = prop_oneof![Just(0u8), Just(43), Just(44), Just(51), Just(60), Just(6), any::<u8>()];
    let header = (next.clone(), 0..3u8, prop::collection::vec(any::<u8>(), 0..24));
    let headers = prop::collection::vec(header, 0..6);
    (next, headers, 0..200u16, any::<bool>()).prop_map(|(first, headers, stated, exact)| {
        let mut data = vec![0x60, 0, 0, 0, 0, 0, first, 64];
        data.resize(HEADER, 9);
        for (next, length, content) in headers {
            data.extend([next, length]);
            data.extend(content);
        }
        let stated = if exact { u16::try_from(data.len() - HEADER).unwrap() } else { stated };
        data[4..6].copy_from_slice(&stated.to_be_bytes());
        data
    })
}

proptest! {
    #[test]
    fn round_trip(repr in repr()) {
        let mut out = Vec::new();
        repr.emit(&mut out);
        prop_assert_eq!(out.len(), repr.buffer_len());
        prop_assert_eq!(Repr::parse(&Packet::new_checked(&out).unwrap()), Some(repr));
    }

    #[test]
    fn fragment_headers(fields in (any::<u8>(), any::<u16>(), any::<bool>(), any::<u32>())) {
        let (next_header, offset, more, ident) = fields;
        let fragment = Fragment { next_header, offset: offset & 0xfff8, more, ident };
        let mut out = Vec::new();
        fragment.emit(&mut out);
        prop_assert_eq!(out.len(), Fragment::LEN);
        prop_assert_eq!(Fragment::parse(&out), Some(fragment));
    }

    /// Protocol, payload and whether it is a part are those that etherparse finds.
    #[test]
    fn extension_headers(data in packet()) {
        let upper = Packet::new_checked(&data).unwrap().upper();
        let (theirs, _) = LaxIpv6Slice::from_slice(&data).unwrap();
        let payload = theirs.payload();
        prop_assert_eq!((upper.protocol, upper.payload), (payload.ip_number.0, payload.payload));
        prop_assert_eq!(upper.fragment.is_some(), payload.fragmented);
    }

    #[test]
    fn any_bytes(data in prop::collection::vec(any::<u8>(), 0..120)) {
        if let Some(packet) = Packet::new_checked(&data) {
            prop_assert!(packet.upper().payload.len() <= packet.payload().len());
            let _ = Repr::parse(&packet);
        }
        let _ = Fragment::parse(&data);
    }
}

/// RFC 8200 section 4: hop-by-hop options, then the second fragment of a datagram with UDP.
#[test]
fn a_fragment_behind_options() {
    let mut data = vec![0x60, 0, 0, 0, 0, 20, 0, 64];
    data.resize(HEADER, 0);
    data.extend([44, 0, 1, 4, 0, 0, 0, 0]);
    data.extend([17, 0, 0x05, 0xa8, 0, 0, 0, 7]);
    data.extend([1, 2, 3, 4]);
    // What fills up the frame is not part of the packet.
    data.extend([0; 6]);
    let upper = Packet::new_checked(&data).unwrap().upper();
    let fragment = Fragment { next_header: 17, offset: 1448, more: false, ident: 7 };
    assert_eq!(upper.fragment, Some((fragment, &[1, 2, 3, 4][..])));
    assert_eq!((upper.protocol, upper.payload), (17, &[1, 2, 3, 4][..]));
    assert_eq!(Packet::new_checked(&data[..39]), None);
}
