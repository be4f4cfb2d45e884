//! Round trips, known headers and any bytes.

use std::net::{Ipv4Addr, Ipv6Addr};

use proptest::prelude::*;

use super::*;

fn options() -> impl Strategy<Value = Options> {
    let mss = prop::option::of(any::<u16>());
    let scale = prop::option::of(0..15u8);
    let stamps = prop::option::of((any::<u32>(), any::<u32>()));
    let sack = prop::collection::vec((any::<u32>(), any::<u32>()), 0..=4);
    (mss, scale, any::<bool>(), stamps, sack).prop_map(
        |(mss, window_scale, permitted, stamps, sack)| {
            let sack = sack.into_iter().collect();
            Options { mss, window_scale, sack_permitted: permitted, timestamps: stamps, sack }
        },
    )
}

fn repr() -> impl Strategy<Value = Repr> {
    let words = prop::collection::vec(any::<u32>(), 0..=CODED_WORDS);
    let numbers = (any::<[u16; 4]>(), any::<[u32; 2]>(), any::<u8>(), any::<[bool; 2]>());
    (numbers, options(), prop::option::of(words)).prop_map(|(numbers, options, coding)| {
        let ([source_port, destination_port, window, urgent], [seq, ack], flags, bits) = numbers;
        Repr {
            source_port,
            destination_port,
            seq: Seq(seq),
            ack: Seq(ack),
            flags: Flags(flags),
            ae: bits[0],
            loss_mark: bits[1],
            window,
            urgent,
            options,
            coding: coding.map(|words| words.into_iter().collect()),
        }
    })
}

/// Bytes of the options without NOPs.
fn raw_len(repr: &Repr) -> usize {
    let options = &repr.options;
    let blocks = options.sack.len();
    repr.coding.as_ref().map_or(0, |words| 4 + 4 * words.len())
        + options.mss.map_or(0, |_| 4)
        + options.window_scale.map_or(0, |_| 3)
        + if options.sack_permitted { 2 } else { 0 }
        + options.timestamps.map_or(0, |_| 10)
        + if blocks > 0 { 2 + 8 * blocks } else { 0 }
}

const V4: Addresses = Addresses::V4(Ipv4Addr::new(10, 0, 0, 1), Ipv4Addr::new(10, 1, 0, 1));
const V6: Addresses = Addresses::V6(Ipv6Addr::LOCALHOST, Ipv6Addr::LOCALHOST);

proptest! {
    /// What was written is read, if 40 bytes hold it; the length is that of the options and no more NOPs than needed.
    #[test]
    fn round_trip(repr in repr(), payload in prop::collection::vec(any::<u8>(), 0..9)) {
        for between in [V4, V6] {
            let mut out = Vec::new();
            repr.emit(&mut out, &between, Payload::of(&payload));
            prop_assert_eq!(out.len(), repr.buffer_len());
            prop_assert_eq!(out.len() % 4, 0);
            out.extend(&payload);
            let packet = Packet::new_checked(&out).unwrap();
            prop_assert!(packet.verify_checksum(&between));
            prop_assert_eq!(packet.payload(), &payload);
            let raw = raw_len(&repr).next_multiple_of(4);
            if raw <= 40 {
                prop_assert_eq!(packet.header_len(), HEADER + raw);
                prop_assert_eq!(&Repr::parse(&packet), &repr);
            }
            out[14] ^= 0x10;
            prop_assert!(!Packet::new_checked(&out).unwrap().verify_checksum(&between));
        }
    }

    #[test]
    fn any_bytes(data in prop::collection::vec(any::<u8>(), 0..90)) {
        if let Some(packet) = Packet::new_checked(&data) {
            let again = Repr::parse(&packet);
            let mut out = Vec::new();
            again.emit(&mut out, &V4, Payload::zeros(0));
            prop_assert!(out.len() <= 60);
        }
    }
}

/// A SYN of a Linux host, whose segment has the checksum that the host wrote: MSS 1460, SACK permitted, timestamps,
/// NOP, window scale 7.
#[test]
fn the_usual_syn() {
    let repr = Repr {
        options: Options {
            mss: Some(1460),
            window_scale: Some(7),
            sack_permitted: true,
            timestamps: Some((1, 0)),
            ..Options::default()
        },
        ..Repr::default()
    };
    let mut out = Vec::new();
    repr.emit(&mut out, &V4, Payload::zeros(0));
    let expected = [2, 4, 5, 180, 4, 2, 8, 10, 0, 0, 0, 1, 0, 0, 0, 0, 1, 3, 3, 7];
    assert_eq!(out[HEADER..], expected);
}

/// RFC 2018 section 3: four blocks, or three beside timestamps (RFC 7323).
#[test]
fn blocks_that_find_no_place() {
    let block = |n: u32| (100 * n, 100 * n + 50);
    let mut repr = Repr::default();
    repr.options.sack = (0..4).map(block).collect();
    let written = |repr: &Repr| {
        let mut out = Vec::new();
        repr.emit(&mut out, &V4, Payload::zeros(0));
        Repr::parse(&Packet::new_checked(&out).unwrap()).options.sack.len()
    };
    assert_eq!(written(&repr), 4);
    repr.options.timestamps = Some((1, 2));
    assert_eq!(written(&repr), 3);
    repr.coding = Some([7; 6].into_iter().collect());
    assert_eq!(written(&repr), 0);
}

#[test]
fn headers_that_are_cut_off() {
    let mut data = vec![0, 80, 1, 0, 0, 0, 0, 5, 0, 0, 0, 6, 0xd0, 0x18, 1, 2, 0, 0, 0, 0];
    data.extend([1, 1, 8, 10, 0, 0, 0, 1, 0, 0, 0, 2, 1, 1, 5, 18]);
    data.extend([0, 0, 0, 10, 0, 0, 0, 20, 0, 0, 0, 30, 0, 0, 0, 40]);
    let repr = Repr::parse(&Packet::new_checked(&data).unwrap());
    assert_eq!((repr.seq, repr.ack, repr.source_port), (Seq(5), Seq(6), 80));
    assert_eq!(repr.options.timestamps, Some((1, 2)));
    assert_eq!(repr.options.sack.as_slice(), [(10, 20), (30, 40)]);
    // Cut within the options: what precedes the cut is read.
    let packet = Packet::new_checked(&data[..34]).unwrap();
    assert_eq!((packet.options().len(), packet.payload().len()), (14, 0));
    assert_eq!(Repr::parse(&packet).options.timestamps, Some((1, 2)));
    assert_eq!(Packet::new_checked(&data[..19]), None);
    data[12] = 0x40;
    assert_eq!(Packet::new_checked(&data), None);
}
