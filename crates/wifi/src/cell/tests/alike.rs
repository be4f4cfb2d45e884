//! The shared view against stations by themselves, on random cells: every frame, delivery and counter, and
//! the state of every station at the end.

use airtcp_units::{Bytes, Delays, Narrow};
use proptest::prelude::*;
use proptest::strategy::ValueTree;

use super::*;
use crate::interference::tests::Line;
use crate::mac::{
    AccessMethod, AckGroup, AfterMissedBlockAck, AfterTimeout, AggregationConfig, BackoffDecrement,
    BeaconConfig, CATEGORIES, ExchangeSeams, ImmediateAccess, TxopLimits,
};
use crate::phy::Width;
use crate::rate::{self, RateConfig};

const MS: u64 = 1_000_000;
/// Length of a run.
const END: Nanos = Nanos(60 * MS);

/// A random cell and what its stations send.
#[derive(Debug, Clone)]
struct Case {
    n: usize,
    standard: Standard,
    /// By pair of stations, a power in mW.
    powers: Vec<f64>,
    mac: MacConfig,
    capture: Capture,
    residual: f64,
    noise: f64,
    ideal: bool,
    /// What keeps a medium from having a shared view, in some cases.
    odd: u8,
    rate: RateConfig,
    saturated: Vec<(u32, u32)>,
    /// Gap in us before each further packet, sender and receiver.
    offers: Vec<(u64, u32, u32)>,
    categories: Vec<usize>,
    seams: ExchangeSeams,
    payload: u16,
}

fn capture() -> impl Strategy<Value = Capture> {
    prop_oneof![
        Just(Capture::None),
        Just(Capture::Threshold { ratio_db: 6.0 }),
        Just(Capture::Sinr { late_db: 5.0 }),
        Just(Capture::default()),
        Just(Capture::MessageInMessage { margin_db: 8.0, late_db: 15.0 }),
        Just(Capture::Cases {
            sir_first_db: 0.0,
            sir_last_clear_db: 10.0,
            sir_last_garbled_db: 15.0,
            gamma_mr_db: 8.0
        }),
    ]
}

fn mac() -> impl Strategy<Value = MacConfig> {
    let some = |chance: f64| proptest::option::weighted(chance, Just(()));
    (
        any::<bool>(),
        (some(0.3), some(0.2), some(0.2), some(0.2)),
        any::<bool>(),
        (0..3u8, 0..3u8, any::<bool>(), 1..8u32),
    )
        .prop_map(|(edca, (rts, fragments, lifetime, beacons), eifs, rest)| {
            let (decrement, immediate, again, attempts) = rest;
            MacConfig {
                access: if edca { AccessMethod::Edca } else { AccessMethod::default() },
                txop_limits: (edca && immediate == 0).then_some(TxopLimits::Zero),
                rts_threshold: rts.map(|()| Bytes(500)),
                fragmentation_threshold: fragments.map(|()| Bytes(500)),
                lifetime: lifetime.map(|()| Span(4 * MS)),
                beacons: beacons
                    .map(|()| BeaconConfig { interval: Span(10 * MS), ..BeaconConfig::default() }),
                backoff_decrement: match decrement {
                    0 => None,
                    1 => Some(BackoffDecrement::SlotStart),
                    _ => Some(BackoffDecrement::SlotEnd),
                },
                immediate_access: match immediate {
                    0 => ImmediateAccess::Never,
                    1 => ImmediateAccess::AtArrival,
                    _ => ImmediateAccess::Strict,
                },
                after_timeout: if again { AfterTimeout::IfsAgain } else { AfterTimeout::default() },
                attempts,
                eifs,
                ..MacConfig::default()
            }
        })
}

/// Changes of the exchanges by schemes.
fn seams() -> impl Strategy<Value = ExchangeSeams> {
    let plain = ExchangeSeams::default();
    let group = |mac_acks| Some(AckGroup { category: 0, acks: 3, mac_acks });
    prop_oneof![
        4 => Just(plain),
        1 => Just(ExchangeSeams { group: group(true), ..plain }),
        1 => Just(ExchangeSeams { group: group(false), ..plain }),
        1 => Just(ExchangeSeams { reverse_data: true, ..plain }),
        1 => Just(ExchangeSeams { zoom: Some(1), attempts: Some(2), ..plain }),
    ]
}

fn rate() -> impl Strategy<Value = RateConfig> {
    prop_oneof![
        3 => Just(RateConfig::default()),
        1 => Just(RateConfig::Arf(rate::ArfConfig::default())),
        1 => Just(RateConfig::Minstrel(rate::MinstrelConfig::default())),
        1 => Just(RateConfig::Ideal(rate::IdealConfig::default())),
    ]
}

fn aggregation() -> impl Strategy<Value = AggregationConfig> {
    let most = prop_oneof![1 => Just(1_u32), 2 => 2..10_u32, 2 => 11..=64_u32];
    let bytes = proptest::option::weighted(0.3, 4_096..20_000_u64);
    let amsdu = prop_oneof![2 => Just(0_u64), 1 => 256..4_000_u64];
    (most, bytes, amsdu, 0..9u64, 0..3_usize, 1..30u64).prop_map(
        |(most, bytes, amsdu, density, policy, timeout)| AggregationConfig {
            max_amsdu_bytes: Bytes(amsdu),
            max_mpdus: Some(most),
            max_bytes: bytes.map(Bytes),
            density: Span(density * 1_000),
            reorder_timeout: Some(Span(timeout * MS)),
            after_missed_block_ack: [
                AfterMissedBlockAck::Retransmit,
                AfterMissedBlockAck::Bar,
                AfterMissedBlockAck::NoBar,
            ][policy],
            ..AggregationConfig::default()
        },
    )
}

fn case() -> impl Strategy<Value = Case> {
    (2..8usize).prop_flat_map(|n| {
        let station = 0..u32::narrow(n);
        // Most cells are without hidden stations, at -40 to -80 dBm; a few pairs hear each other hardly.
        let power = prop_oneof![40 => -80.0..-40.0f64, 1 => -110.0..-80.0f64];
        let air = (
            proptest::collection::vec(
                power.prop_map(|dbm: f64| airtcp_units::Dbm(dbm).milliwatts()),
                n * n,
            ),
            capture(),
            prop_oneof![2 => Just(0.0), 1 => Just(0.05), 1 => Just(0.4)],
            prop_oneof![3 => Just(1e-10), 1 => Just(1e-8)],
            any::<bool>(),
        );
        let what = (
            proptest::collection::vec((station.clone(), station.clone()), 0..n + 1),
            proptest::collection::vec((0..3000u64, station.clone(), station), 0..40),
            proptest::collection::vec(0..4usize, 2 * n),
            seams(),
            prop_oneof![3 => Just(1460u16), 1 => Just(0u16)],
        );
        let standard = prop_oneof![
            Just(Standard::A),
            Just(Standard::B),
            Just(Standard::G),
            Just(Standard::N),
            Just(Standard::Ac),
            Just(Standard::Ax)
        ];
        (air, what, standard, mac(), rate(), 0..24u8, aggregation()).prop_map(
            move |(air, what, standard, mut mac, rate, odd, aggregation)| {
                let (powers, capture, residual, noise, ideal) = air;
                let (saturated, offers, categories, mut seams, payload) = what;
                if standard.has_mcs() {
                    mac.aggregation = Some(aggregation);
                }
                if mac.aggregates(standard).is_some() {
                    mac.fragmentation_threshold = None;
                    (seams.group, seams.reverse_data) = (None, false);
                }
                Case {
                    n,
                    standard,
                    powers,
                    mac,
                    capture,
                    residual,
                    noise,
                    ideal,
                    odd,
                    rate,
                    saturated,
                    offers,
                    categories,
                    seams,
                    payload,
                }
            },
        )
    })
}

fn build(case: &Case, seed: u64) -> Bench {
    let n = case.n;
    let mut plan = plan(n, case.standard, case.mac.clone(), TimingConfig::default());
    for from in 0..n {
        for to in 0..n {
            plan.power_mw[from][to] = case.powers[from * n + to];
        }
    }
    plan.capture = case.capture;
    plan.residual_error = case.residual;
    plan.noise_mw = case.noise;
    if !case.ideal {
        plan.error = ErrorModel::default();
    }
    for station in &mut plan.stations {
        station.rate.control = case.rate.clone();
        station.rate.modes = PhySetup::usual(case.standard).modes(true);
        station.rate.start = station.rate.modes.last().copied();
        station.seams.exchange = case.seams;
    }
    match case.odd {
        0 => plan.sensing.detection_time = Span(16_000),
        1 => plan.sensing.preamble_sinr_db = Some(4.0),
        2 if case.standard == Standard::G => plan.stations[n - 1].dsss_only = true,
        3 => plan.noise_steps = vec![(Nanos(20 * MS), 3.0 * case.noise)],
        4 => {
            let text =
                "kind = \"periodic\"\nperiod = \"5 ms\"\non = \"1 ms\"\nreach.received_dbm = -60";
            plan.interference = vec![Line::new(n - 1).build(text, 1).unwrap()];
        }
        10..=12 => {
            plan.sensing.unreceived_frames = UnreceivedFrames::Energy;
            // Most cells qualify with the first of these, and few with the second.
            plan.sensing.energy_detect_dbm = if case.odd == 12 { -60.0 } else { -80.0 };
        }
        5..=9 if case.standard.has_mcs() => {
            for station in plan.stations.iter_mut().skip(1).step_by(2) {
                let narrow = PhySetup { width: Width::Mhz20, ..PhySetup::usual(case.standard) };
                station.width = narrow.width;
                station.rate.modes = narrow.modes(true);
                station.rate.start = station.rate.modes.last().copied();
            }
        }
        _ => {}
    }
    let mut b = Bench::new(plan, seed);
    b.saturated = case.saturated.iter().map(|(a, z)| (NodeId(*a), NodeId(*z))).collect();
    b.saturated.retain(|(a, z)| a != z);
    b.payload = case.payload;
    // Several entries may be of one station: its categories contend with one another.
    b.by_entry = true;
    b.categories.clone_from(&case.categories);
    if case.mac.access != AccessMethod::Edca {
        b.categories.fill(0);
    }
    b
}

fn drive(b: &mut Bench, case: &Case) {
    for (gap, from, to) in &case.offers {
        b.run(b.now + Span(gap * 1000));
        let (from, category) = (NodeId(*from), b.categories[*from as usize]);
        if *to != from.0 && b.cell.is_ready(from, category) {
            let to = if gap % 10 == 0 { NodeId::BROADCAST } else { NodeId(*to) };
            b.offer(from, to);
        }
    }
    b.run(END.max(b.now));
    b.cell.leave_all();
}

type State = (StationStats, [Delays; CATEGORIES], Nanos, Vec<(u32, u32)>);

/// Counters, next timer, and the back-off and window of each category.
fn state(b: &Bench, i: usize) -> State {
    let station = &b.cell.stations[i];
    let id = NodeId(u32::narrow(i));
    let next = station.next_timer(&b.cell.cells.first().rules);
    let backoffs = station.contenders().iter().map(|c| (c.slots(), c.cw)).collect();
    (b.cell.stats(id).clone(), b.cell.service_times(id).clone(), next, backoffs)
}

fn same(case: &Case, seed: u64) -> Result<bool, TestCaseError> {
    let (mut shared, mut single) = (build(case, seed), build(case, seed));
    let qualifies = shared.cell.alike.qualifies();
    single.by_themselves();
    drive(&mut shared, case);
    drive(&mut single, case);
    for (a, b) in shared.log.iter().zip(&single.log) {
        prop_assert_eq!(a, b);
    }
    prop_assert_eq!(shared.log.len(), single.log.len());
    prop_assert!(shared.received == single.received, "deliveries differ");
    // No packet is lost without being counted.
    prop_assert_eq!(shared.cell.in_flight(), shared.pool.in_flight());
    prop_assert_eq!(shared.cell.busy_ns(0, shared.now), single.cell.busy_ns(0, single.now));
    for i in 0..case.n {
        let (a, b) = (state(&shared, i), state(&single, i));
        prop_assert_eq!((a.2, a.3), (b.2, b.3), "station {}", i);
        prop_assert!((a.0, a.1) == (b.0, b.1), "counters of station {}", i);
    }
    Ok(qualifies)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn a_shared_view_changes_nothing(case in case(), seed in 0..1000u64) {
        same(&case, seed)?;
    }
}

/// The comparison is not empty: of cells as above, many qualify, and stations share a view when most of their
/// frames begin.
#[test]
fn many_random_cells_qualify() {
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let (mut qualify, mut frames, mut shared) = (0, 0, 0);
    for seed in 0..200 {
        let case = case().new_tree(&mut runner).unwrap().current();
        let mut b = build(&case, seed);
        if b.cell.alike.qualifies() {
            drive(&mut b, &case);
            qualify += 1;
            frames += b.log.len();
            shared += b.shared_starts;
        }
    }
    assert!(qualify > 60, "{qualify} of 200");
    assert!(2 * shared > frames, "{shared} of {frames}");
}
