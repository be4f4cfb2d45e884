//! Cells of 802.11ac whose bands overlap: who defers to whom, shares of the power, and bonding.

use airtcp_units::Narrow;
use proptest::prelude::*;

use super::shared::begun_amid;
use super::*;
use crate::mac::{AggregationConfig, Bonding};
use crate::phy::{Band, Channel, Format, GuardInterval, Mode, PhySetup, SetupKeys, Width};

const MS: u64 = 1_000_000;
/// -70 dBm.
const WEAK: f64 = 1e-7;
/// -75 dBm, below the level of frames in secondary channels.
const BELOW: f64 = 3.2e-8;

/// A cell: width and primary channel.
type Place = (Width, u16);

pub(super) fn channel(standard: Standard, (width, number): Place) -> Channel {
    let keys = SetupKeys { band: Some(Band::Ghz5), width: Some(width), ..SetupKeys::default() };
    Channel::of(&PhySetup::new(standard, &keys).unwrap(), number, None).unwrap()
}

pub(super) fn vht(mcs: u8, width: Width) -> Mode {
    Mode::mcs(Format::Vht, mcs, 1, width, GuardInterval::Ns400).unwrap()
}

/// Cells of 802.11ac with an access point and a saturated station without aggregation. Stations of different cells
/// receive each other with `power`.
fn bench(places: &[Place], power: f64, bonding: Bonding, change: impl Fn(&mut CellPlan)) -> Bench {
    bench_of(Standard::Ac, places, power, bonding, change)
}

/// The same cells with another standard.
fn bench_of(
    standard: Standard,
    places: &[Place],
    power: f64,
    bonding: Bonding,
    change: impl Fn(&mut CellPlan),
) -> Bench {
    let make = |(i, (width, _)): (usize, &Place)| {
        let single = AggregationConfig { max_mpdus: Some(1), ..AggregationConfig::default() };
        let mac =
            MacConfig { aggregation: Some(single), bonding: Some(bonding), ..MacConfig::default() };
        let mut plan = plan(2, standard, mac, TimingConfig::default());
        plan.capture = Capture::Sinr { late_db: 5.0 };
        plan.width = *width;
        let guard =
            if standard == Standard::Ax { GuardInterval::Ns800 } else { GuardInterval::Ns400 };
        let mode = Mode::mcs(standard.format(), 4, 1, *width, guard).unwrap();
        for station in &mut plan.stations {
            station.width = *width;
            station.rate = RatePlan::fixed(mode);
        }
        change(&mut plan);
        (plan, format!("cell {i}"))
    };
    let n = 2 * places.len();
    let between = Coupling {
        power_mw: vec![vec![power; n]; n],
        fading: Fading::new(&FadingConfig::None, Seed::new(1), "medium").unwrap(),
        channels: places.iter().map(|place| Some(channel(standard, *place))).collect(),
    };
    let plans = places.iter().enumerate().map(make).collect();
    let mut b = Bench::of(Medium::shared(plans, between, Seed::new(3)).unwrap());
    b.saturated = (0..u32::try_from(places.len()).unwrap())
        .map(|i| (NodeId(2 * i + 1), NodeId(2 * i)))
        .collect();
    b
}

/// Start, end and mode of the data frames of a cell's station.
fn data(b: &Bench, cell: u32) -> Vec<(u64, u64, Mode)> {
    let timing = b.cell.cells.first().rules.timing;
    let ours = |f: &Frame| f.kind == Kind::Data && f.from == NodeId(2 * cell + 1);
    let span = |(at, f): &(Nanos, Frame)| (at.0, (*at + timing.frame(f.mode, f.bytes)).0, f.mode);
    b.log.iter().filter(|(_, f)| ours(f)).map(span).collect()
}

fn spans(frames: &[(u64, u64, Mode)]) -> Vec<(u64, u64)> {
    frames.iter().map(|(from, to, _)| (*from, *to)).collect()
}

/// Start and end of all frames of a cell.
fn air(b: &Bench, cell: u32) -> Vec<(u64, u64)> {
    let timing = b.cell.cells.first().rules.timing;
    let span = |(at, f): &(Nanos, Frame)| (at.0, (*at + timing.frame(f.mode, f.bytes)).0);
    b.log.iter().filter(|(_, f)| f.from.0 / 2 == cell).map(span).collect()
}

fn nav(b: &Bench, station: usize) -> Nanos {
    b.cell.stations[station].access_state(b.now, &b.cell.cells.first().rules).nav
}

/// A radio of 20 MHz in the primary channel decodes the preamble of frames of 80 MHz and defers to their end; the
/// radio of 80 MHz decodes the narrow frames and sets its NAV. Both get the same number of accesses.
#[test]
fn cells_on_one_primary_channel_take_turns() {
    let places = [(Width::Mhz80, 36), (Width::Mhz20, 36)];
    let mut b = bench(&places, WEAK, Bonding::Dynamic, |_| ());
    b.run(Nanos(3_000 * MS));
    let (wide, narrow) = (data(&b, 0), data(&b, 1));
    assert!(wide.iter().all(|(_, _, mode)| mode.width() == Width::Mhz80));
    assert_eq!(begun_amid(&spans(&wide), &air(&b, 1)), 0);
    assert_eq!(begun_amid(&spans(&narrow), &air(&b, 0)), 0);
    assert!(nav(&b, 1) > Nanos::ZERO);
    let ratio = wide.len() as f64 / narrow.len() as f64;
    assert!(narrow.len() > 3_000 && (ratio - 1.0).abs() < 0.03, "{} {}", wide.len(), narrow.len());
}

/// A narrow cell of 802.11ax sets its NAV by the preambles of HE PPDUs of 80 MHz, and waits no EIFS; a station of 802.11ac
/// there waits EIFS and sets no NAV.
#[test]
fn preambles_of_wider_cells_set_the_nav() {
    for knows in [true, false] {
        let places = [(Width::Mhz80, 36), (Width::Mhz20, 36)];
        let mut b = bench_of(Standard::Ax, &places, WEAK, Bonding::Dynamic, |plan| {
            if plan.width == Width::Mhz20 && !knows {
                plan.stations[1].decodes = Format::Vht;
            }
        });
        b.saturated.clear();
        b.offer(NodeId(1), NodeId(0));
        let timing = b.cell.cells.first().rules.timing;
        b.run(Nanos(5 * MS));
        let (at, frame) = *b.log.iter().find(|(_, f)| f.kind == Kind::Data).unwrap();
        let ends = at + timing.frame(frame.mode, frame.bytes);
        assert!(frame.duration > timing.sifs);
        let expected = if knows { ends + frame.duration } else { Nanos::ZERO };
        assert_eq!(nav(&b, 3), expected);
        // A packet that comes during the ACK, which is not heard there, waits for the NAV or for EIFS.
        let mut b = bench_of(Standard::Ax, &places, WEAK, Bonding::Dynamic, |plan| {
            if plan.width == Width::Mhz20 && !knows {
                plan.stations[1].decodes = Format::Vht;
            }
        });
        b.saturated.clear();
        b.cell.reach.hearers_mut()[0].retain(|(radio, _)| *radio != 3);
        b.offer(NodeId(1), NodeId(0));
        b.run(ends + Span::from_micros(5));
        let station = &b.cell.stations[3];
        let eifs = station.access_state(b.now, &b.cell.cells.at(1).rules);
        assert!(eifs.idle && eifs.nav == expected);
        assert_eq!(station.waits_eifs(), !knows);
    }
}

/// A narrow cell sets its NAV by RTS and CTS that a wide cell duplicates over its channels, and not by its data
/// frames; a cell whose primary channel is outside hears nothing.
#[test]
fn duplicates_set_the_nav_in_each_channel() {
    for (number, rts, sets) in
        [(36, true, true), (36, false, true), (44, true, true), (52, true, false)]
    {
        let places = [(Width::Mhz80, 36), (Width::Mhz20, number)];
        let mut b = bench(&places, WEAK, Bonding::Dynamic, |plan| {
            plan.mac.rts_threshold = rts.then_some(airtcp_units::Bytes(0));
        });
        b.saturated.truncate(1);
        b.run(Nanos(20 * MS));
        let timing = b.cell.cells.first().rules.timing;
        assert!(data(&b, 0).len() > 10);
        if number == 52 {
            assert_eq!(b.cell.radios[2].signals().len(), 0);
        }
        // Without RTS, the ACK reserves nothing.
        let expected =
            if sets && rts { b.log.iter().rev().find(|(_, f)| f.kind == Kind::Cts) } else { None };
        let end = expected
            .map_or(Nanos::ZERO, |(at, f)| *at + timing.frame(f.mode, f.bytes) + f.duration);
        assert_eq!(nav(&b, 3), end, "{number} {rts}");
    }
}

/// Powers in mW at a radio, and what counts in the band of a frame, by hand.
#[test]
fn power_is_spread_over_the_band() {
    let places = [(Width::Mhz80, 36), (Width::Mhz20, 44), (Width::Mhz40, 36)];
    let mut b = bench(&places, WEAK, Bonding::Dynamic, |_| ());
    b.saturated.clear();
    b.offer(NodeId(1), NodeId(0));
    b.offer(NodeId(5), NodeId(4));
    b.offer(NodeId(3), NodeId(2));
    // All three find an idle medium, and begin together.
    b.run(Nanos(34_000 + 30_000));
    let near = |a: f64, b: f64| (a / b - 1.0).abs() < 1e-12;
    let powers = |i: usize| -> Vec<(u16, f64)> {
        let signals = b.cell.radios[i].signals().iter();
        signals.map(|s| (s.band.spectrum().mhz(), s.power)).collect()
    };
    // At the radio of channel 44: a quarter of 80 MHz, its own frame, and none of channels 36 and 40.
    let narrow = powers(2);
    assert_eq!(narrow.len(), 2);
    assert!(
        narrow.contains(&(20, 1e-6)) && near(narrow.iter().map(|p| p.1).sum(), 1e-6 + WEAK / 4.0)
    );
    // At the radio of 40 MHz: half of 80 MHz, and its own frame.
    let half = powers(4);
    assert!(half.contains(&(40, 1e-6)) && near(half.iter().map(|p| p.1).sum(), 1e-6 + WEAK / 2.0));
    // At the radio of 80 MHz all of all. In the 40 MHz of the third frame: half of the first, none of the second.
    let radio = &b.cell.radios[0];
    assert_eq!(radio.signals().len(), 3);
    let third = radio.signals().iter().find(|s| s.band.spectrum().mhz() == 40).unwrap();
    assert!(near(radio.others(third.place, third.band), 1e-6 / 2.0));
    let first = radio.signals().iter().find(|s| s.band.spectrum().mhz() == 80).unwrap();
    assert!(near(radio.others(first.place, first.band), 2.0 * WEAK));
    assert!(near(radio.reception().unwrap().interference, 2.0 * WEAK));
}

/// A narrow cell on a secondary channel: dynamic bonding transmits beside its frames over the primary 20 or 40 MHz,
/// static bonding waits. Below the level of frames in secondary channels neither matters.
#[test]
fn bonding_follows_the_secondary_channels() {
    for (number, beside) in [(40, Width::Mhz20), (44, Width::Mhz40), (48, Width::Mhz40)] {
        let places = [(Width::Mhz80, 36), (Width::Mhz20, number)];
        let run = |power, bonding| {
            let mut b = bench(&places, power, bonding, |_| ());
            b.run(Nanos(1_000 * MS));
            b
        };
        let b = run(WEAK, Bonding::Dynamic);
        let (wide, other) = (data(&b, 0), air(&b, 1));
        let busy = |at: u64| other.iter().any(|(from, to)| *from < at && at < *to + 25_000);
        for (at, _, mode) in &wide {
            let expected = if busy(*at) { beside } else { Width::Mhz80 };
            assert_eq!(mode.width(), expected, "{number} at {at}");
        }
        let narrow = wide.iter().filter(|(_, _, mode)| mode.width() == beside).count();
        assert!(narrow > 300 && wide.len() > narrow + 50, "{number}: {narrow} of {}", wide.len());
        // Energy on a secondary channel sets no NAV, and the other cell defers to the wide frames.
        assert_eq!(nav(&b, 1), Nanos::ZERO);
        let full: Vec<_> =
            wide.iter().filter(|(_, _, m)| m.width() == Width::Mhz80).copied().collect();
        assert_eq!(begun_amid(&spans(&data(&b, 1)), &spans(&full)), 0);
        let answers = b.log.windows(2).filter(|w| w[0].1.mode.is_mcs() && w[1].1.kind == Kind::Ack);
        assert!(
            answers
                .clone()
                .all(|w| { w[0].1.from != w[1].1.to || w[1].1.width == Some(w[0].1.mode.width()) })
        );

        let b = run(WEAK, Bonding::Static);
        let (wide, other) = (data(&b, 0), air(&b, 1));
        let busy = |at: u64| other.iter().any(|(from, to)| *from < at && at < *to + 25_000);
        assert!(wide.len() > 50, "{number}: {}", wide.len());
        assert!(wide.iter().all(|(at, _, mode)| mode.width() == Width::Mhz80 && !busy(*at)));

        let b = run(BELOW, Bonding::Static);
        let wide = data(&b, 0);
        assert!(begun_amid(&spans(&wide), &air(&b, 1)) > 100);
        assert!(wide.iter().all(|(_, _, mode)| mode.width() == Width::Mhz80));
    }
}

/// Static bonding beside a saturated cell on the secondary 20 MHz: the shares of the accesses are those of a slotted
/// system of two stations. `b` counts down as long as the medium is idle; `a` also counts down during the frames of
/// `b`, and draws again if its count ends there or less than PIFS after.
#[test]
fn static_bonding_gets_the_share_of_a_slotted_system() {
    let places = [(Width::Mhz80, 36), (Width::Mhz20, 40)];
    let mut b = bench(&places, WEAK, Bonding::Static, |_| ());
    b.run(Nanos(20_000 * MS));
    let (wide, narrow) = (data(&b, 0), data(&b, 1));
    let timing = b.cell.cells.first().rules.timing;
    let time = |mode: Mode, bytes: u32| {
        (timing.frame(mode, bytes) + timing.sifs + timing.ack(mode)).0 as f64 / 9_000.0
    };
    let bytes = b.log.iter().find(|(_, f)| f.kind == Kind::Data).unwrap().1.bytes;
    let share = slotted(time(vht(4, Width::Mhz20), bytes), Seed::new(7));
    let found = wide.len() as f64 / (wide.len() + narrow.len()) as f64;
    assert!((found / share - 1.0).abs() < 0.06, "{found} {share}: {} {}", wide.len(), narrow.len());
}

/// Share of the accesses of station `a`, beside exchanges of `b` that take `air` slots.
fn slotted(air: f64, seed: Seed) -> f64 {
    let mut random = seed.stream("slots");
    let mut draw = || random.below(16) as f64;
    // DIFS and PIFS in slots of 9 us.
    let (difs, pifs) = (34.0 / 9.0, 25.0 / 9.0);
    let (mut left_a, mut left_b) = (draw(), draw());
    let (mut count_a, mut count_b) = (0.0, 0.0);
    // Since the medium of b became idle; a is ready `at_a` after that, and b at `difs + left_b`.
    let mut at_a = difs + left_a;
    while count_b < 200_000.0 {
        let at_b = difs + left_b;
        if at_a < pifs {
            at_a += 1.0 + draw();
        } else if at_a < at_b {
            // a transmits: b keeps what is left, and both wait for DIFS.
            count_a += 1.0;
            left_b -= (at_a - difs).max(0.0).floor();
            left_a = draw();
            at_a = difs + left_a;
        } else {
            // b transmits; a goes on during its exchange, and draws again whenever its count ends.
            count_b += 1.0;
            left_b = draw();
            at_a -= at_b + air;
            while at_a < 0.0 {
                at_a += 1.0 + draw();
            }
        }
    }
    count_a / (count_a + count_b)
}

/// A random cell: standard, width, place of the primary channel, bonding and RTS.
type Random = (usize, usize, u16, bool, bool);

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Random cells within 160 MHz: every packet is delivered, dropped and counted, or held, and the same seed gives
    /// the same frames.
    #[test]
    fn every_packet_is_accounted_for(
        cells in proptest::collection::vec((0..4usize, 0..4usize, 0..8u16, any::<bool>(), any::<bool>()), 2..4),
        powers in proptest::collection::vec(-95.0..-45.0f64, 64),
        seed in 0..1000u64,
    ) {
        let run = || {
            let mut b = random(&cells, &powers, seed);
            b.run(Nanos(30 * MS));
            b
        };
        let b = run();
        prop_assert_eq!(b.cell.in_flight(), b.pool.in_flight());
        let lost: u64 = (0..b.cell.len()).map(|i| {
            let stats = b.cell.stats(NodeId(u32::narrow(i)));
            stats.dropped
        }).sum();
        let delivered: u64 = b.delivered.iter().sum();
        prop_assert_eq!(u64::from(b.number), delivered + lost + b.pool.in_flight());
        prop_assert!(run().log == b.log);
    }
}

fn random(cells: &[Random], powers: &[f64], seed: u64) -> Bench {
    let setup = |(standard, width, ..): &Random| {
        let standard = [Standard::A, Standard::N, Standard::Ac, Standard::Ax][*standard];
        let most = PhySetup::usual(standard).width.max(Width::Mhz20);
        let width = Width::ALL[*width].min(if standard.has_mcs() { most } else { Width::Mhz20 });
        let keys = SetupKeys { width: Some(width), ..SetupKeys::default() };
        PhySetup::new(standard, &keys).unwrap()
    };
    let mw = |place: usize| airtcp_units::Dbm(powers[place % powers.len()]).milliwatts();
    let make = |(i, cell): (usize, &Random)| {
        let (setup, (_, _, _, fixed, rts)) = (setup(cell), *cell);
        let wide = setup.width > Width::Mhz20;
        let mac = MacConfig {
            bonding: (wide && fixed).then_some(Bonding::Static),
            rts_threshold: rts.then_some(airtcp_units::Bytes(500)),
            ..MacConfig::default()
        };
        let mut plan = plan(2, setup.standard, mac, TimingConfig::default());
        plan.error = ErrorModel::default();
        plan.capture = Capture::default();
        let mode = *setup.modes(true).iter().rev().nth(2).unwrap();
        plan.width = setup.width;
        for station in &mut plan.stations {
            station.width = setup.width;
            station.rate = RatePlan::fixed(mode);
        }
        (plan, format!("cell {i}"))
    };
    let n = 2 * cells.len();
    let between = Coupling {
        power_mw: (0..n).map(|a| (0..n).map(|b| mw(8 * a + b)).collect()).collect(),
        fading: Fading::new(&FadingConfig::None, Seed::new(1), "medium").unwrap(),
        channels: cells
            .iter()
            .map(|cell| Channel::of(&setup(cell), 36 + 4 * cell.2, None).ok())
            .collect(),
    };
    let plans = cells.iter().enumerate().map(make).collect();
    let mut b = Bench::of(Medium::shared(plans, between, Seed::new(seed)).unwrap());
    b.saturated = (0..u32::narrow(n)).map(|i| (NodeId(i), NodeId(i ^ 1))).collect();
    b
}
