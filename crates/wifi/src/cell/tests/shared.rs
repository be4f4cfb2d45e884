//! Several cells on one medium: frames of other channels and modulations.

use airtcp_units::Narrow;

use super::*;
use crate::interference::tests::Line;
use crate::phy::{Channel, Mode};

const MS: u64 = 1_000_000;
/// -70 dBm: above the carrier sense threshold, below the energy detection threshold.
pub(super) const WEAK: f64 = 1e-7;
/// -64 dBm: below the energy detection threshold, but the sum of two such powers is above.
const HALF: f64 = 4e-7;
const STRONG: f64 = 1e-6;

/// Cells with an access point and a saturated station, each on its channel. Every station receives the
/// stations of other cells with `power`.
pub(super) fn bench(
    cells: &[(Standard, u16)],
    power: f64,
    change: impl Fn(usize, &mut CellPlan),
) -> Bench {
    let make = |(i, (standard, _)): (usize, &(Standard, u16))| {
        let mut plan = plan(2, *standard, MacConfig::default(), TimingConfig::default());
        plan.capture = Capture::Sinr { late_db: 5.0 };
        change(i, &mut plan);
        (plan, format!("cell {i}"))
    };
    let n = 2 * cells.len();
    let between = Coupling {
        power_mw: vec![vec![power; n]; n],
        fading: Fading::new(&FadingConfig::None, Seed::new(1), "medium").unwrap(),
        channels: cells.iter().map(|(s, number)| Channel::new(*s, *number).ok()).collect(),
    };
    let plans = cells.iter().enumerate().map(make).collect();
    let mut b = Bench::of(Medium::shared(plans, between, Seed::new(1)).unwrap());
    b.saturated =
        (0..u32::narrow(cells.len())).map(|i| (NodeId(2 * i + 1), NodeId(2 * i))).collect();
    b
}

fn same(_: usize, _: &mut CellPlan) {}

/// Start and end of the data frames of a cell's station.
pub(super) fn data(b: &Bench, cell: usize) -> Vec<(u64, u64)> {
    let timing = b.cell.cells.at(cell).rules.timing;
    let ours = |f: &Frame| f.kind == Kind::Data && f.from.index() == 2 * cell + 1;
    let span = |(at, f): &(Nanos, Frame)| (at.0, (*at + timing.frame(f.mode, f.bytes)).0);
    b.log.iter().filter(|(_, f)| ours(f)).map(span).collect()
}

/// NAV of a station.
fn nav(b: &Bench, station: usize) -> Nanos {
    b.cell.stations[station].access_state(b.now, &b.cell.cells.of(station).rules).nav
}

/// Number of `frames` that begin during a frame of `air`.
pub(super) fn begun_amid(frames: &[(u64, u64)], air: &[(u64, u64)]) -> usize {
    let amid = |begin: u64| air.iter().any(|(from, to)| *from < begin && begin < *to);
    frames.iter().filter(|(begin, _)| amid(*begin)).count()
}

/// Intervals in which a frame of `a` and one of `b` are both on the air.
fn both(a: &[(u64, u64)], b: &[(u64, u64)]) -> Vec<(u64, u64)> {
    let of = |x: &(u64, u64)| {
        let x = *x;
        b.iter().map(move |y| (x.0.max(y.0), x.1.min(y.1))).filter(|(from, to)| from < to)
    };
    a.iter().flat_map(of).collect()
}

/// A frame on another channel has no effect below the energy detection threshold if the SINR suffices.
/// Above the threshold stations defer, but do not decode it.
#[test]
fn other_channels_are_energy_only() {
    let alone = {
        let mut b = bench(&[(Standard::G, 1)], 0.0, same);
        b.run(Nanos(500 * MS));
        b.log
    };
    let pair = |power, channels: [u16; 2]| {
        let mut b = bench(&channels.map(|c| (Standard::G, c)), power, same);
        b.run(Nanos(500 * MS));
        b
    };
    let weak = pair(WEAK, [1, 3]);
    let ours: Vec<_> = weak.log.iter().filter(|(_, f)| f.from.0 < 2).copied().collect();
    assert_eq!(ours, alone);
    let strong = pair(STRONG, [1, 3]);
    let (a, b) = (data(&strong, 0), data(&strong, 1));
    assert!(a.len() > 300 && b.len() > 300 && a.len() + b.len() < 1900, "{} {}", a.len(), b.len());
    assert_eq!(begun_amid(&a, &b) + begun_amid(&b, &a), 0);
    // A frame on another channel sets no NAV; one on the same channel does.
    assert_eq!(nav(&strong, 3), Nanos::ZERO);
    assert!(nav(&pair(STRONG, [1, 1]), 3) > Nanos::ZERO);
    // A weak cell on the same channel is sensed below the energy detection threshold.
    let sensed = pair(WEAK, [1, 1]);
    assert_eq!(begun_amid(&data(&sensed, 0), &data(&sensed, 1)), 0);
}

/// Energy detection sums powers: frames of two other channels, or a frame and a microwave oven, exceed
/// the threshold together but not alone.
#[test]
fn energies_add_up() {
    let three = [(Standard::G, 1), (Standard::G, 3), (Standard::G, 5)];
    // The other cells do not receive the first one.
    let mut b = bench(&three, HALF, same);
    for from in 0..2 {
        b.cell.reach.hearers_mut()[from].retain(|(to, _)| *to < 2);
    }
    b.run(Nanos(500 * MS));
    let (ours, x, y) = (data(&b, 0), data(&b, 1), data(&b, 2));
    assert!(begun_amid(&ours, &x) > 50 && begun_amid(&ours, &y) > 50);
    assert_eq!(begun_amid(&ours, &both(&x, &y)), 0);

    let line = Line::new(1);
    let oven = "kind = \"microwave-oven\"\nphase = \"1 ms\"\nreach.received_dbm = -64";
    let with = |i: usize, plan: &mut CellPlan| {
        if i == 0 {
            plan.interference = vec![line.build(oven, 1).unwrap()];
        }
    };
    let mut b = bench(&three[..2], HALF, with);
    b.run(Nanos(1000 * MS));
    let (ours, x) = (data(&b, 0), data(&b, 1));
    let on: Vec<(u64, u64)> =
        (0..60u64).map(|k| MS + k * 16_666_667).map(|t| (t, t + 8_333_333)).collect();
    assert!(begun_amid(&ours, &x) > 50 && begun_amid(&ours, &on) > 50);
    assert_eq!(begun_amid(&ours, &both(&x, &on)), 0);
}

/// 802.11b and 802.11g on one channel: 802.11b does not sense OFDM frames; 802.11g decodes DSSS frames.
#[test]
fn an_802_11b_radio_does_not_sense_ofdm() {
    let mut b = bench(&[(Standard::B, 1), (Standard::G, 1)], WEAK, same);
    b.run(Nanos(1000 * MS));
    let (old, new) = (data(&b, 0), data(&b, 1));
    assert!(begun_amid(&old, &new) > 100, "{}", begun_amid(&old, &new));
    assert_eq!(begun_amid(&new, &old), 0);
    assert_eq!(nav(&b, 0), Nanos::ZERO);
    assert!(nav(&b, 2) > Nanos::ZERO);
}

/// Two 802.11b cells on one channel. A station waits for the end of an ACK that has begun, when its
/// radio switches to a stronger frame of the other cell. For every start of that frame, no event lies
/// in the past and no deadline is lost.
#[test]
fn a_radio_that_switches_frames_loses_no_deadline() {
    let timing = Timing::new(Standard::B, &TimingConfig::default()).unwrap();
    let data = timing.frame(Mode::DSSS[0], 1524);
    let mut later = 0;
    for us in (0..210).step_by(3) {
        let cells = [(Standard::B, 1), (Standard::B, 1)];
        let mut b = bench(&cells, 1e-4, |_, plan| {
            plan.capture = Capture::MessageInMessage { margin_db: 8.0, late_db: 15.0 };
            plan.stations.iter_mut().for_each(|s| s.rate = RatePlan::fixed(Mode::DSSS[0]));
        });
        b.saturated.clear();
        // The first cell's station receives the other cell's station; no other signals cross cells.
        for from in 0..4 {
            b.cell.reach.hearers_mut()[from]
                .retain(|(to, _)| (*to < 2) == (from < 2) || (from, *to) == (3, 1));
        }
        b.run(Nanos(MS));
        b.offer(NodeId(1), NodeId(0));
        b.run(Nanos(MS) + data + Span(us * 1_000));
        b.offer(NodeId(3), NodeId(2));
        let from = b.log.len();
        b.run(Nanos(100 * MS));
        assert!(b.log.windows(2).all(|pair| pair[0].0 <= pair[1].0));
        let repeated = b.log[from..].iter().any(|(_, f)| f.from == NodeId(1) && f.retry);
        later += u32::from(repeated);
        assert_eq!((b.delivered[0], b.delivered[2]), (1, 1), "{us} us");
        assert_eq!((b.pool.in_flight(), b.cell.in_flight()), (0, 0));
    }
    assert!(later > 30, "{later}");
}
