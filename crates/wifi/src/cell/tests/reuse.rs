//! Spatial reuse of 802.11ax: what stations ignore, when, and with which power they then send.

use super::bands::channel;
use super::shared::begun_amid;
use super::*;
use crate::phy::{Format, GuardInterval, Mode, Width};

const MS: u64 = 1_000_000;

/// Two cells of 802.11ax on one channel, with a saturated station each. Within a cell -50 dBm arrive, between cells
/// `between_dbm`.
fn bench(
    between_dbm: f64,
    level_dbm: Option<f64>,
    colors: [u8; 2],
    width: Width,
    change: impl Fn(usize, &mut CellPlan),
) -> Bench {
    let make = |i: usize| {
        let mac = MacConfig { obss_pd_dbm: level_dbm, ..MacConfig::default() };
        let mut plan = plan(2, Standard::Ax, mac, TimingConfig::default());
        plan.error = ErrorModel::default();
        plan.capture = Capture::default();
        plan.power_mw = vec![vec![1e-5; 2]; 2];
        plan.width = width;
        plan.reuse = Some(Reuse { color: colors[i], power_dbm: vec![18.0; 2], streams: 1 });
        let mode = Mode::mcs(Format::He, 3, 1, width, GuardInterval::Ns800).unwrap();
        for station in &mut plan.stations {
            station.width = width;
            station.rate = RatePlan::fixed(mode);
        }
        change(i, &mut plan);
        (plan, format!("cell {i}"))
    };
    let power = airtcp_units::Dbm(between_dbm).milliwatts();
    let between = Coupling {
        power_mw: vec![vec![power; 4]; 4],
        fading: Fading::new(&FadingConfig::None, Seed::new(1), "medium").unwrap(),
        channels: vec![Some(channel(Standard::Ax, (width, 36))); 2],
    };
    let mut b =
        Bench::of(Medium::shared((0..2).map(make).collect(), between, Seed::new(1)).unwrap());
    b.saturated = vec![(NodeId(1), NodeId(0)), (NodeId(3), NodeId(2))];
    b
}

fn same(_: usize, _: &mut CellPlan) {}

fn delivered(mut b: Bench) -> u64 {
    b.run(Nanos(2_000 * MS));
    b.delivered.iter().sum()
}

/// At -75 dBm two cells take turns. With a level of -70 dBm they ignore each other and send at once, except during
/// their BlockAcks, which have no colour.
#[test]
fn reuse_doubles_the_goodput() {
    let level = Some(-70.0);
    let none = delivered(bench(-75.0, None, [1, 2], Width::Mhz20, same));
    let both = delivered(bench(-75.0, level, [1, 2], Width::Mhz20, same));
    assert!(none > 3_000, "{none}");
    let ratio = both as f64 / none as f64;
    assert!((1.8..2.02).contains(&ratio), "{both} {none}");
    // Not with one colour, nor above the level.
    assert_eq!(delivered(bench(-75.0, level, [5, 5], Width::Mhz20, same)), none);
    assert_eq!(delivered(bench(-69.9, level, [1, 2], Width::Mhz20, same)), none);
    assert_eq!(delivered(bench(-75.0, Some(-76.0), [1, 2], Width::Mhz20, same)), none);
    // 80 MHz at -72 dBm have -78 dBm in the primary 20 MHz.
    let wide = |level| delivered(bench(-72.0, Some(level), [1, 2], Width::Mhz80, same));
    assert!(wide(-77.5) as f64 > 1.8 * wide(-78.5) as f64);
}

/// A station of 802.11ac in the cell knows no colours.
#[test]
fn older_stations_ignore_nothing() {
    let older = |i: usize, plan: &mut CellPlan| {
        if i == 0 {
            let vht = Mode::mcs(Format::Vht, 3, 1, Width::Mhz20, GuardInterval::Ns800).unwrap();
            plan.stations[1].rate = RatePlan::fixed(vht);
            plan.stations.iter_mut().for_each(|station| station.decodes = Format::Vht);
        }
    };
    let mut b = bench(-75.0, Some(-70.0), [1, 2], Width::Mhz20, older);
    b.run(Nanos(500 * MS));
    let timing = b.cell.cells.first().rules.timing;
    let data = |cell: u32| -> Vec<(u64, u64)> {
        let ours = b.log.iter().filter(|(_, f)| f.kind == Kind::Data && f.from.0 / 2 == cell);
        ours.map(|(at, f)| (at.0, (*at + timing.frame(f.mode, f.bytes)).0)).collect()
    };
    assert!(data(0).len() > 20 && data(1).len() > 20);
    // Nor do stations of 802.11ax ignore VHT frames.
    assert_eq!(begun_amid(&data(0), &data(1)) + begun_amid(&data(1), &data(0)), 0);
}

/// By hand: OBSS_PD of -70 dBm allows 21 - 12 = 9 dBm, 9 dB below 18 dBm. The frame that begins 32 us, DIFS and the
/// back-off after the start of the other, and its exchange, have that power; the next exchange has the full power.
#[test]
fn the_power_is_limited_until_the_end_of_the_access() {
    let mut b = bench(-75.0, Some(-70.0), [1, 2], Width::Mhz20, same);
    b.saturated.clear();
    b.offer(NodeId(3), NodeId(2));
    b.run(Nanos(34_000));
    let began = b.log.last().unwrap().0;
    assert_eq!(began, Nanos(34_000));
    // The frame of one packet takes 388 us at least; the other station gets a packet 40 us after its start.
    b.run(began + Span::from_micros(31));
    let busy = |b: &Bench| b.cell.stations[1].access_state(b.now, &b.cell.cells.first().rules);
    assert!(!busy(&b).idle);
    b.run(began + Span::from_micros(32));
    assert!(busy(&b).idle && busy(&b).nav == Nanos::ZERO);
    b.run(began + Span::from_micros(40));
    b.offer(NodeId(1), NodeId(0));
    b.run(began + Span::from_micros(32 + 34 + 1));
    // The medium was idle at the arrival: no back-off.
    let (at, frame) = *b.log.last().unwrap();
    assert_eq!((at, frame.from), (began + Span::from_micros(32 + 34), NodeId(1)));
    let at_ap = |b: &Bench| b.cell.radios[0].signals().iter().map(|s| s.power).fold(0.0, f64::max);
    let near = |a: f64, b: f64| (a / b - 1.0).abs() < 1e-9;
    assert!(near(at_ap(&b), 1e-5 * 0.125_892_541_179), "{}", at_ap(&b));
    assert!(near(
        b.cell.radios[2].signals().iter().map(|s| s.power).fold(1.0, f64::min),
        3.981_071_705_5e-9
    ));
    // Alone on the medium again, with full power.
    b.run(began + Span::from_micros(5_000));
    b.offer(NodeId(1), NodeId(0));
    b.run(b.now + Span::from_micros(200));
    assert_eq!(b.log.last().unwrap().1.from, NodeId(1));
    assert!(near(at_ap(&b), 1e-5), "{}", at_ap(&b));
    b.run(b.now + Span::from_micros(5_000));
    assert_eq!((b.delivered[0], b.delivered[2]), (2, 1));
}

/// A frame with limited power overlaps an HE MU PPDU with that power.
#[test]
fn limited_frames_overlap_with_their_power() {
    let mut b = bench(-75.0, Some(-70.0), [1, 2], Width::Mhz20, same);
    b.saturated.clear();
    b.offer(NodeId(3), NodeId(2));
    b.run(Nanos(40_000));
    let mut other = *b.cell.air.at(0).unwrap();
    (other.frame.kind, other.frame.from) = (Kind::MultiUser, NodeId(2));
    b.cell.air.set(0, other);
    b.cell.air.multi_user.start(NodeId(2), [NodeId(3)].into_iter());
    let mut sent = other;
    (sent.frame.kind, sent.frame.from, sent.gain) = (Kind::Data, NodeId(1), 0.125);
    b.cell.air.overlap_users(&sent, &b.cell.reach, &b.cell.cells);
    let user = b.cell.air.multi_user.users(NodeId(2)).next().unwrap();
    let (power, _) = user.fate.strongest.unwrap();
    let expected = 0.125 * airtcp_units::Dbm(-75.0).milliwatts();
    assert!((power / expected - 1.0).abs() < 1e-9, "{power} {expected}");
}

/// The limit depends on the level, the own power, and the streams of an access point.
#[test]
fn limits_by_hand() {
    use crate::cell::obss_pd::ObssPd;
    let limit = |level, streams, station| {
        let reuse = Reuse { color: 1, power_dbm: vec![20.0, 12.0], streams };
        10.0 * airtcp_units::detmath::log10(ObssPd::new(&reuse, Some(level)).limit(station))
    };
    for (level, streams, station, db) in [
        (-82.0, 1, 0, 0.0),
        (-81.0, 1, 0, 0.0),
        (-80.0, 1, 0, -1.0),
        (-62.0, 2, 0, -19.0),
        (-62.0, 3, 0, -15.0),
        (-62.0, 3, 1, -11.0),
        (-74.0, 1, 1, 0.0),
    ] {
        let found = limit(level, streams, station);
        assert!((found - db).abs() < 1e-9, "{level} {streams} {station}: {found}");
    }
}
