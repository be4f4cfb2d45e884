//! Headers worked out by hand, round trips and any bytes.

use proptest::prelude::*;

use super::*;

fn frame(control: [u8; 2], rest: &[u8]) -> Vec<u8> {
    let mut frame = vec![control[0], control[1], 48, 0];
    frame.extend([2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 3, 0x53, 0x12]);
    frame.extend(rest);
    frame
}

fn parsed(bytes: &[u8]) -> Option<Repr> {
    Packet::new_checked(bytes).and_then(|packet| Repr::parse(&packet))
}

#[test]
fn data_with_every_optional_field() {
    // QoS data with four addresses, HT control, retry, A-MSDU, TID 5.
    let mut rest = vec![2, 0, 0, 0, 0, 4, 0x85, 0, 1, 2, 3, 4, 0xaa];
    let bytes = frame([0x88, 0x8b], &rest);
    let packet = Packet::new_checked(&bytes).unwrap();
    let repr = Repr::parse(&packet).unwrap();
    assert_eq!(repr.kind, Kind::Data);
    assert!(repr.retry && repr.to_ds && repr.from_ds && !repr.protected);
    assert_eq!((repr.sequence, repr.fragment), (Some(0x125), 3));
    assert_eq!(repr.qos, Some(Qos { tid: 5, ack_policy: 0, is_amsdu: true }));
    assert_eq!((repr.duration_us(), packet.body(false)), (Some(48), &[0xaa][..]));
    assert_eq!(repr.transmitter.unwrap().to_string(), "02:00:00:00:00:02");
    assert_eq!(repr.fourth, Some(Mac([2, 0, 0, 0, 0, 4])));
    // 36 bytes need no padding; without HT control, 32 do not either, 26 do.
    rest.splice(..6, []);
    let bytes = frame([0x88, 0x01], &[0, 0, 0xff, 0xff, 0xaa]);
    assert_eq!(Packet::new_checked(&bytes).unwrap().body(true), [0xaa]);
}

#[test]
fn control_frames() {
    let ack = [0xd4, 0, 0, 0, 2, 0, 0, 0, 0, 1];
    let repr = parsed(&ack).unwrap();
    assert_eq!((repr.kind, repr.transmitter), (Kind::Ack, None));
    let mut rts = vec![0xb4, 0, 0, 0, 2, 0, 0, 0, 0, 1, 3, 0, 0, 0, 0, 2];
    // The bit of a group in the transmitter's address announces a bandwidth.
    assert_eq!(parsed(&rts).unwrap().transmitter, Some(Mac([2, 0, 0, 0, 0, 2])));
    rts.truncate(15);
    assert_eq!(parsed(&rts).unwrap().transmitter, None);
    assert_eq!(parsed(&ack[..9]), None);
    assert_eq!(parsed(&[0xd5, 0, 0, 0, 2, 0, 0, 0, 0, 1]), None);
}

fn kind() -> impl Strategy<Value = Kind> {
    prop_oneof![
        Just(Kind::Data),
        Just(Kind::NullData),
        Just(Kind::Beacon),
        (0..8u8).prop_map(Kind::Management),
        Just(Kind::Rts),
        Just(Kind::Cts),
        Just(Kind::Ack),
        Just(Kind::BlockAckRequest),
        Just(Kind::BlockAck),
        Just(Kind::CfEnd),
        Just(Kind::PsPoll),
        (0..8u8).prop_map(Kind::Control),
        (0..16u8).prop_map(Kind::Extension),
    ]
}

/// What a header of a kind can say.
fn repr() -> impl Strategy<Value = Repr> {
    let mac = || any::<[u8; 6]>().prop_map(|bytes| Mac(bytes).individual());
    let macs = (any::<[u8; 6]>().prop_map(Mac), mac(), mac(), mac());
    let numbers = (any::<u16>(), 0..4096u16, 0..16u8);
    let qos = prop::option::of((0..16u8, 0..4u8, any::<bool>()));
    (kind(), any::<[bool; 5]>(), macs, numbers, qos).prop_map(
        |(kind, bits, macs, (duration, sequence, fragment), qos)| {
            let sequenced = kind.is_sequenced();
            let [to_ds, from_ds, more_fragments, retry, protected] = bits;
            let qos = qos.map(|(tid, ack_policy, is_amsdu)| Qos { tid, ack_policy, is_amsdu });
            Repr {
                to_ds,
                from_ds,
                more_fragments,
                retry,
                protected,
                duration,
                transmitter: (sequenced || kind.has_transmitter()).then_some(macs.1),
                third: sequenced.then_some(macs.2),
                fourth: (kind.is_data() && to_ds && from_ds).then_some(macs.3),
                sequence: sequenced.then_some(sequence),
                fragment: if sequenced { fragment } else { 0 },
                qos: qos.filter(|_| kind.is_data()),
                ..Repr::new(kind, macs.0)
            }
        },
    )
}

proptest! {
    #[test]
    fn round_trip(repr in repr(), body in prop::collection::vec(any::<u8>(), 0..9)) {
        let mut out = Vec::new();
        repr.emit(&mut out);
        prop_assert_eq!(out.len(), repr.buffer_len());
        out.extend(&body);
        let packet = Packet::new_checked(&out).unwrap();
        prop_assert_eq!(Repr::parse(&packet), Some(repr));
        prop_assert_eq!(packet.header_len(false), repr.buffer_len());
        prop_assert_eq!(packet.body(false), &body);
    }

    #[test]
    fn any_bytes(frame in prop::collection::vec(any::<u8>(), 0..50), padded: bool) {
        if let Some(packet) = Packet::new_checked(&frame) {
            prop_assert!(Repr::parse(&packet).is_some());
            prop_assert!(frame.ends_with(packet.body(padded)));
        }
    }
}

#[test]
fn no_length_panics() {
    for first in 0..=255u8 {
        for flags in [0, 0xff] {
            let bytes = frame([first, flags], &[0xff; 24]);
            for cut in 0..bytes.len() {
                let packet = Packet::new_checked(&bytes[..cut]);
                let _ = packet.map(|packet| (packet.body(cut % 2 == 0), Repr::parse(&packet)));
            }
        }
    }
}
