//! Peers that send impossible feedback and contradictory symbols.

use airtcp_packet::{Flags, Kind, Segment, Seq};
use airtcp_probe::Machine;
use airtcp_units::{Nanos, Span};
use proptest::prelude::*;

use super::pair::Pair;
use super::{clean, lossy, mixed, ms, tcp};
use crate::lt::wire::Feedback;
use crate::lt::{LtConfig, Mode};

/// A falsification of feedback.
#[derive(Debug, Clone, Copy)]
enum Lie {
    Word(usize, u32),
    Bits(u8),
    Window(u16),
    Length(u16),
    Nothing,
}

fn lie() -> impl Strategy<Value = Lie> {
    prop_oneof![
        (0usize..7, any::<u32>()).prop_map(|(i, w)| Lie::Word(i, w)),
        (0usize..7, 0u32..40).prop_map(|(i, w)| Lie::Word(i, w)),
        any::<u8>().prop_map(Lie::Bits),
        any::<u16>().prop_map(Lie::Window),
        any::<u16>().prop_map(Lie::Length),
        Just(Lie::Nothing),
    ]
}

fn falsify(segment: &mut Segment, lie: Lie) {
    let (mut words, count) = segment.words();
    match lie {
        Lie::Word(i, w) => words[i] = w,
        Lie::Bits(b) => words[3] ^= u32::from(b),
        Lie::Window(w) => segment.window = w,
        Lie::Length(l) => segment.len = l,
        Lie::Nothing => return,
    }
    let mut changed = Segment::coded(segment.flags, segment.seq, &words[..count]);
    (changed.len, changed.window) = (segment.len, segment.window);
    *segment = changed;
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// Feedback is falsified for a second. The sender must not panic or flood, and must always have
    /// a next timer. With correct feedback again it finishes, unless it was made to believe that
    /// missing data had arrived.
    #[test]
    fn lies_in_feedback(lies in prop::collection::vec(lie(), 1..60), bytes in 1u64..400_000) {
        let mut pair = Pair::new(&LtConfig::default(), &tcp(), clean());
        let mut n = 0;
        pair.tamper = Box::new(move |side, segment| {
            if side == 0 && segment.kind == Kind::Coded {
                falsify(segment, lies[n % lies.len()]);
                n += 1;
            }
        });
        pair.ends[0].open(Nanos::ZERO);
        pair.ends[0].write(Nanos::ZERO, bytes);
        pair.ends[0].close(Nanos::ZERO);
        while pair.now < Nanos(1_000_000_000) && pair.step() {
            let done = pair.ends[0].unacked() == 0;
            prop_assert!(done || pair.ends[0].next_timer() != Nanos::NEVER);
            prop_assert!(pair.ends[0].cwnd() < 1 << 32);
        }
        pair.tamper = Box::new(|_, _| ());
        let believed = bytes - pair.ends[0].unacked();
        if believed <= pair.ends[1].delivered() {
            prop_assert!(pair.finish(Span::from_secs(300)), "unacked {}", pair.ends[0].unacked());
            prop_assert_eq!(pair.ends[1].delivered(), bytes);
        }
    }

    /// Arbitrary words, as symbols and as feedback, to either end.
    #[test]
    fn any_words(
        segments in prop::collection::vec(
            (prop::collection::vec(any::<u32>(), 0..9), 0u16..3, any::<bool>(), any::<bool>()),
            1..200,
        ),
    ) {
        let mut pair = Pair::new(&LtConfig::default(), &tcp(), clean());
        let mut n = 0;
        pair.tamper = Box::new(move |_, segment| {
            let Some((words, len, small, now)) = segments.get(n) else { return };
            n += 1;
            if *now && segment.kind == Kind::Coded {
                let words: Vec<u32> =
                    words.iter().map(|w| if *small { w % 300 } else { *w }).collect();
                let len = if *len == 0 { 0 } else { 100 * len };
                *segment = Segment::coded(Flags::ACK, Seq(0), &words);
                (segment.len, segment.window) = (len, 0xffff);
            }
        });
        pair.record_off = true;
        pair.ends[0].open(Nanos::ZERO);
        pair.ends[0].write(Nanos::ZERO, 100_000);
        while pair.now < Nanos(3_000_000_000) && pair.step() {}
        prop_assert_eq!(pair.ends[0].mode(), Mode::Coded);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Arbitrary bits are set or cleared in a share of the feedback throughout, over a lossy path.
    /// The transfer finishes nevertheless, and retractions are counted.
    #[test]
    fn a_peer_that_lies_now_and_then(
        (share, loss, salt) in (1u64..700, 0u64..300, any::<u64>()),
        bytes in 100_000u64..300_000,
    ) {
        let mut pair = Pair::new(&LtConfig::default(), &tcp(), lossy(loss, salt));
        let mut n = 0;
        pair.tamper = Box::new(move |side, segment| {
            let Some(feedback) = Feedback::of(segment).filter(|_| side == 0) else { return };
            n += 1;
            let x = mixed(n, salt);
            if x % 1000 >= share {
                return;
            }
            let noise = u128::from(mixed(n, 1)) << 64 | u128::from(mixed(n, 2));
            let arrived = match (x >> 20) % 3 {
                0 => feedback.arrived | noise,
                1 => feedback.arrived & noise,
                _ => feedback.arrived ^ noise,
            };
            *segment = Feedback { arrived, ..feedback }.segment();
        });
        prop_assert!(pair.transfer(bytes, Span::from_secs(3000)), "{}", pair.ends[0].unacked());
        prop_assert_eq!(pair.ends[1].delivered(), bytes);
        let s = pair.ends[0].stats();
        prop_assert!(share < 100 || s.feedback_taken_back > 0, "{:?}", s);
    }
}

/// A peer acknowledges every symbol and delivers no block. The sender respects the peer's window,
/// repeats by its timer, and holds at most a window.
#[test]
fn symbols_confirmed_and_never_delivered() {
    let mut pair = Pair::new(&LtConfig::default(), &tcp(), clean());
    pair.tamper = Box::new(|side, segment| {
        if side == 0
            && let Some(feedback) = Feedback::of(segment)
        {
            *segment = Feedback { next_block: 0, ..feedback }.segment();
        }
    });
    pair.ends[0].open(Nanos::ZERO);
    pair.ends[0].write(Nanos::ZERO, 1 << 40);
    while pair.now < Nanos(20_000_000_000) {
        assert!(pair.step(), "the timer goes on");
    }
    let s = pair.ends[0].stats();
    assert!(s.timeouts > 3 && s.bytes_acked == 0);
    assert!(s.data.bytes <= 1 << 20, "the window of the peer: {}", s.data.bytes);
    assert!(s.bytes_sent() < 20 << 20, "{}", s.bytes_sent());
}

/// Feedback on packets never sent, and on blocks never begun, is counted and ignored.
#[test]
fn impossible_feedback_is_counted() {
    let mut pair = Pair::new(&LtConfig::default(), &tcp(), clean());
    let mut n = 0;
    pair.tamper = Box::new(move |side, segment| {
        if side == 0
            && let Some(feedback) = Feedback::of(segment)
        {
            n += 1;
            *segment = match n {
                1 => Feedback { greatest: 1_000_000, ..feedback }.segment(),
                2 => Feedback { next_block: 50, ..feedback }.segment(),
                3 => Feedback { greatest: u32::MAX, ..feedback }.segment(),
                _ => return,
            };
        }
    });
    assert!(pair.transfer(100_000, Span::from_secs(20)));
    assert_eq!(pair.ends[0].stats().feedback_refused, 3);
    assert_eq!(pair.ends[1].delivered(), 100_000);
    assert!(pair.now < Nanos::ZERO + ms(3000));
}
