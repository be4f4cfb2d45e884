use airtcp_fec::combine;
use airtcp_packet::{Ecn, Flags, Segment, Seq};
use airtcp_units::Narrow;
use proptest::prelude::*;

use super::receiver::Receiver;
use super::wire::{Feedback, MAX_COMBINED, opening, parse_opening};
use super::{FIN, Head, Packet, Payload, SlidingConfig, SlidingStats};

proptest! {
    #[test]
    fn packets_round_trip(
        (number, oldest, what) in (0_u64..1 << 40, 0_u64..1 << 40, 0_u64..1000),
        (count, key, len) in (1..=MAX_COMBINED, any::<u16>(), 0_u16..16_000),
        (combination, fin) in any::<(bool, bool)>(),
    ) {
        let payload = if combination {
            Payload::Combination { first: oldest + what, count, key }
        } else {
            Payload::Symbol(oldest + what)
        };
        let packet = Packet { number, oldest, payload, head: Head::new(len, fin), len };
        let segment = packet.segment();
        prop_assert_eq!(Packet::of(&segment, number + 500, oldest + 9), Some(packet));
        prop_assert!(Feedback::of(&segment, 0, 0).is_none() && parse_opening(&segment).is_none());
        let option = if combination { 24 } else { 20 };
        prop_assert_eq!(segment.wire_len(), 40 + option + u32::from(len));
    }

    #[test]
    fn feedback_round_trips(
        (next, greatest, marked) in any::<(u32, u32, u32)>(), arrived in any::<u128>(), ones in 0_u32..129, near in 0_u64..1 << 30,
    ) {
        let arrived = if ones == 128 { u128::MAX } else { arrived | !(u128::MAX >> ones) };
        let (next, greatest) = (near + u64::from(next >> 4), near + u64::from(greatest >> 4));
        let feedback = Feedback { next, greatest, arrived, marked };
        let segment = feedback.segment();
        prop_assert_eq!(Feedback::of(&segment, near, near), Some(feedback));
        prop_assert!(Packet::of(&segment, 0, 0).is_none() && parse_opening(&segment).is_none());
        let most = if marked > 0 { 32 } else { 28 };
        prop_assert!(segment.options_len() <= most);
    }
}

#[test]
fn openings_and_invalid_packets() {
    assert_eq!(parse_opening(&opening(7, true)), Some((7, true)));
    assert_eq!(parse_opening(&opening(0, false)), Some((0, false)));
    let words = |n: usize| Segment::coded(Flags::PSH | Flags::ACK, Seq(0), &[1; 8][..n]);
    for n in [0, 1, 2, 3, 6, 7, 8] {
        assert!(Packet::of(&words(n), 0, 0).is_none(), "{n} words");
    }
    // A symbol's head must agree with its length, and the size of a combination must be within its
    // bounds.
    let mut segment = words(4);
    assert!(Packet::of(&segment, 0, 0).is_none());
    segment.len = 1;
    assert!(Packet::of(&segment, 0, 0).is_some());
    let wide = Segment::coded(Flags::PSH, Seq(0), &[1, 1, 1, 300 << 16, 1]);
    let none = Segment::coded(Flags::PSH, Seq(0), &[1, 1, 1, 5, 1]);
    assert!(Packet::of(&wide, 0, 0).is_none() && Packet::of(&none, 0, 0).is_none());
    assert!(Packet::of(&Segment::datagram(1, 5), 0, 0).is_none());
}

/// Heads are combined by the same arithmetic as bytes.
#[test]
fn heads_combine_like_bytes() {
    let heads = [Head::new(1436, false), Head::new(7, true), Head::new(0, true)];
    assert!((heads[1].len(), heads[1].fin()) == (7, true) && heads[2].is_empty());
    let bytes: Vec<Vec<u8>> = heads.iter().map(|h| h.0.to_vec()).collect();
    for key in 0..100 {
        let combined = combine(key, 15, &heads).unwrap();
        assert_eq!(combined.0.to_vec(), combine(key, 15, &bytes).unwrap());
    }
    assert_eq!(FIN, 0x8000);
}

/// A combination without room is not reported as arrived, so that the sender does not rely on it. A
/// symbol always is, and a repeated combination is accepted when there is room.
#[test]
fn dropped_combinations_are_not_reported_as_arrived() {
    let (mut receiver, mut stats) = (Receiver::new(32_768), SlidingStats::default());
    let mut take = |number, payload| {
        let head = Head::new(7, false);
        let packet = Packet { number, oldest: 0, payload, head, len: 7 };
        receiver.take(&packet, head, Ecn::NotEct, &mut stats);
        (receiver.poll().unwrap(), stats.refused)
    };
    // Pairs without a symbol in common: none can be computed.
    let pair = |n| Payload::Combination { first: 3 * n, count: 2, key: u16::narrow(n) };
    for n in 0..512 {
        assert_eq!(take(n, pair(n)).1, 0);
    }
    for n in 512..515 {
        let (feedback, refused) = take(n, pair(n));
        assert_eq!((feedback.greatest, refused), (n, n - 511));
        assert_eq!(feedback.arrived.trailing_zeros(), u32::narrow(refused), "{n}");
    }
    let (feedback, _) = take(515, Payload::Symbol(0));
    assert_eq!((feedback.next, feedback.arrived & 31), (2, 0b10001));
    let (feedback, refused) = take(512, pair(512));
    assert_eq!((feedback.arrived & 31, refused), (0b11001, 3), "there is room for one now");
}

#[test]
fn refusals_name_the_key_and_what_is_accepted() {
    assert!(SlidingConfig::default().validate().is_ok());
    for (text, key, part) in [
        ("segment = 0", "segment", "1 to 16000"),
        ("segment = 20000", "segment", "1 to 16000"),
        ("initial_window = 0", "initial_window", "1 to"),
        ("max_symbols = 1", "max_symbols", "16 to"),
        ("max_overhead = 0.5", "max_overhead", "1 to"),
        ("deviations = nan", "deviations", "0 to"),
        ("queue = \"0 s\"", "queue", "longer"),
        ("shared_queue = \"5 ms\"", "shared_queue", "less than twice queue"),
    ] {
        let config: SlidingConfig = toml::from_str(text).unwrap();
        let e = config.validate().unwrap_err().to_string();
        assert!(e.starts_with(key) && e.contains(part), "{text}: {e}");
    }
    assert!(toml::from_str::<SlidingConfig>("rate = 5").is_err());
    let text = toml::to_string(&SlidingConfig::default()).unwrap();
    assert_eq!(toml::from_str::<SlidingConfig>(&text).unwrap(), SlidingConfig::default());
}
