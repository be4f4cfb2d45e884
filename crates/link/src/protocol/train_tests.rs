//! Compares a train with its units one by one: the same decisions at the same times, and the same state of the
//! receiver.

use airtcp_random::Seed;
use airtcp_units::{BitRate, Nanos, Narrow, Pace, Span, TxClock};
use proptest::prelude::*;

use super::{
    Block, Decision, MAX_SYMBOLS, Receiver, ReceiverParams, SymbolSet, Timed, Train, Trigger, Unit,
};

/// Record of a receiver: decisions in order, numbers of needed units, next timers.
#[derive(Debug, Default, PartialEq)]
struct Seen {
    decisions: Vec<Timed>,
    useful: Vec<u16>,
    timers: Vec<Nanos>,
    malformed: u64,
}

/// Passes the units one by one, each at its arrival time, after the timers that expire before it.
fn one_by_one(receiver: &mut Receiver, train: &Train, mut duration: impl FnMut() -> Span) -> u16 {
    let Block { frame, attempt, last, oldest, needed, symbols, .. } = train.block;
    let (mut at, mut useful, mut unit_time) = (train.start, 0, None);
    for (position, symbol) in (0..).zip(symbols.iter()) {
        let time = duration();
        at += time;
        let unit_time = *unit_time.get_or_insert(time);
        if train.lost.has(position) {
            continue;
        }
        while receiver.next_timer() < at {
            receiver.on_timer(receiver.next_timer());
        }
        let of = symbols.len();
        let unit = Unit { frame, attempt, last, oldest, needed, symbol, position, of, unit_time };
        useful += u16::from(receiver.on_unit(at, &unit));
    }
    useful
}

/// A transmission: distance of its frame from the newest, attempt, units, and losses.
#[derive(Debug, Clone)]
struct Sent {
    back: u64,
    behind: u64,
    attempt: u16,
    last: bool,
    needed: u16,
    symbols: SymbolSet,
    bytes: u64,
    loss: f64,
    pause: u64,
}

fn sent() -> impl Strategy<Value = Sent> {
    let scattered = proptest::collection::btree_set(0u16..255, 1..60).prop_map(|symbols| {
        symbols.iter().fold(SymbolSet::EMPTY, |mut set, symbol| {
            set.insert(*symbol);
            set
        })
    });
    let row = (0u16..240, 1u16..40).prop_map(|(from, count)| SymbolSet::range(from, from + count));
    let frame = (
        prop_oneof![3 => Just(0u64), 1 => 0u64..6],
        0u64..8,
        prop_oneof![8 => 1u16..4, 1 => Just(0u16)],
        any::<bool>(),
    );
    let units = (1u16..=24, prop_oneof![4 => row, 1 => scattered], 1u64..400);
    (frame, units, 0.0f64..1.0, prop_oneof![Just(0u64), 0u64..200_000_000]).prop_map(
        |((back, behind, attempt, last), (needed, symbols, bytes), loss, pause)| Sent {
            back,
            behind,
            attempt,
            last,
            needed,
            symbols,
            bytes,
            loss,
            pause,
        },
    )
}

fn params() -> impl Strategy<Value = ReceiverParams> {
    let idle = prop_oneof![
        Just(None),
        (0u64..600).prop_map(|ns| Some(Span(ns))),
        (0u64..20_000_000).prop_map(|ns| Some(Span(ns))),
    ];
    (any::<bool>(), any::<bool>(), idle, 0u64..20_000_000, 1u16..4).prop_map(
        |(end, in_order, idle, round_trip, attempts)| ReceiverParams {
            trigger: if end { Trigger::EndOfBlock } else { Trigger::NextFrame },
            in_order,
            idle,
            round_trip: Span(round_trip),
            attempts,
        },
    )
}

/// Drives one receiver with trains, or unit by unit.
fn run(params: ReceiverParams, rate: Option<u64>, all: &[Sent], whole: bool) -> Seen {
    let mut receiver = Receiver::new(params);
    let mut losses = Seed::new(7).stream("losses");
    let mut clock = rate.and_then(BitRate::new).map(TxClock::new);
    let (mut now, mut newest, mut seen) = (Nanos::ZERO, 0u64, Seen::default());
    for sent in all {
        now += Span(sent.pause);
        let frame = (newest + 1).saturating_sub(sent.back);
        newest = newest.max(frame);
        let block = Block {
            frame,
            attempt: sent.attempt,
            last: sent.last,
            oldest: frame.saturating_sub(sent.behind),
            needed: sent.needed,
            symbols: sent.symbols,
            parity: 0,
            unit_bytes: u32::narrow(sent.bytes),
        };
        let count = sent.symbols.len();
        let mut each = clock;
        let pace = clock.as_mut().map_or(Pace::AT_ONCE, |c| c.train(sent.bytes, u64::from(count)));
        let lost = SymbolSet::of(count, || losses.chance(sent.loss));
        let train = Train { block, start: now, pace, lost };
        let step = || each.as_mut().map_or(Span::ZERO, |c| c.transmit(sent.bytes));
        seen.useful.push(if whole {
            receiver.on_train(&train)
        } else {
            one_by_one(&mut receiver, &train, step)
        });
        now += pace.after(u64::from(count));
        seen.decisions.extend(std::iter::from_fn(|| receiver.poll()));
        seen.timers.push(receiver.next_timer());
    }
    while receiver.next_timer() != Nanos::NEVER {
        receiver.on_timer(receiver.next_timer());
        seen.decisions.extend(std::iter::from_fn(|| receiver.poll()));
    }
    seen.malformed = receiver.malformed();
    seen
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    /// With any frames, units and timers: timers that expire within a train, units that take a nanosecond or two,
    /// and units that arrive at once.
    #[test]
    fn a_train_is_its_units_one_by_one(
        params in params(),
        rate in prop_oneof![
            4 => (100_000u64..100_000_000).prop_map(Some),
            2 => (1_000_000_000u64..1_000_000_000_000).prop_map(Some),
            1 => Just(None),
        ],
        all in proptest::collection::vec(sent(), 1..25),
    ) {
        prop_assert_eq!(run(params, rate, &all, true), run(params, rate, &all, false));
    }
}

#[test]
fn a_frame_decoded_by_its_last_unit_is_reported_before_delivery() {
    let params = ReceiverParams {
        trigger: Trigger::EndOfBlock,
        in_order: true,
        idle: None,
        round_trip: Span::from_millis(20),
        attempts: 2,
    };
    let symbols = SymbolSet::range(0, 20);
    let block = Block {
        frame: 0,
        attempt: 1,
        last: false,
        oldest: 0,
        needed: 20,
        symbols,
        parity: 0,
        unit_bytes: 50,
    };
    let pace = Pace::share(Span::from_micros(800), 20);
    let mut receiver = Receiver::new(params);
    let train = Train { block, start: Nanos::ZERO, pace, lost: SymbolSet::EMPTY };
    assert_eq!(receiver.on_train(&train), 20);
    let found: Vec<Timed> = std::iter::from_fn(|| receiver.poll()).collect();
    let end = Nanos(800_000);
    assert!(found.iter().all(|(at, _)| *at == end), "{found:?}");
    let kinds: Vec<&Decision> = found.iter().map(|(_, decision)| decision).collect();
    assert!(
        matches!(kinds[..], [Decision::Decoded(0), Decision::Report(_), Decision::Released(0)]),
        "{kinds:?}"
    );
    assert!(train.unit(20).is_none() && train.unit(MAX_SYMBOLS).is_none());
}
