//! Multi-user operation: times and shares of HE MU PPDUs and of triggered transmissions, retransmission of single MPDUs,
//! and cells of all kinds of stations.

use airtcp_units::Bytes;

use super::*;
use crate::mac::{
    Aggregation, AggregationConfig, ImmediateAccess, MuScheduler, OfdmaConfig,
};
use crate::phy::{
    Format, GuardInterval, Mode, MuPpdu, RuSize, TbPpdu, Width, equal_rus,
};

const AP: NodeId = NodeId(0);

fn he(mcs: u8, width: Width) -> Mode {
    Mode::mcs(Format::He, mcs, 1, width, GuardInterval::Ns800).unwrap()
}

/// A cell of an access point and `n` stations of one mode, with the smallest window for all.
fn cell(n: usize, mode: Mode, ofdma: OfdmaConfig, mpdus: u32) -> CellPlan {
    let aggregation = AggregationConfig { max_mpdus: Some(mpdus), ..AggregationConfig::default() };
    let mac = MacConfig {
        ofdma: Some(ofdma),
        aggregation: Some(aggregation),
        immediate_access: ImmediateAccess::Never,
        ..MacConfig::default()
    };
    let mut plan = plan(n + 1, Standard::Ax, mac, TimingConfig::default());
    for station in &mut plan.stations {
        station.rate = RatePlan::fixed(mode);
    }
    plan
}

fn without_backoff(mut plan: CellPlan) -> CellPlan {
    for station in &mut plan.stations {
        (station.seams.access[0].cw_min, station.seams.access[0].cw_max) = (0, 0);
    }
    plan
}

fn frames(bench: &Bench, kind: Kind) -> Vec<(Nanos, Frame)> {
    bench.log.iter().filter(|(_, frame)| frame.kind == kind).copied().collect()
}

fn downlink(n: usize) -> Vec<(NodeId, NodeId)> {
    (1..=u32::try_from(n).unwrap()).map(|to| (AP, NodeId(to))).collect()
}

fn uplink(n: usize) -> Vec<(NodeId, NodeId)> {
    (1..=u32::try_from(n).unwrap()).map(|from| (NodeId(from), AP)).collect()
}

fn only(down: bool) -> OfdmaConfig {
    OfdmaConfig { downlink: down, uplink: !down, max_stations: 74, ..OfdmaConfig::default() }
}

/// Bytes of an A-MPDU of MPDUs of 1526 bytes.
fn psdu(n: u32) -> u32 {
    (n - 1) * (4_u32 + 1526).next_multiple_of(4) + 4 + 1526
}

/// Without back-off a cycle is DIFS + HE MU PPDU + SIFS + HE TB PPDUs with BlockAcks, to the ns, and stations served
/// are those of the equal resource units.
#[test]
fn the_time_of_a_downlink_exchange_is_that_of_its_parts() {
    for (n, width, mcs, mpdus) in [
        (2, Width::Mhz20, 7, 64_u32),
        (4, Width::Mhz20, 3, 8),
        (9, Width::Mhz20, 5, 64),
        (8, Width::Mhz80, 9, 256),
        (16, Width::Mhz80, 11, 64),
        (3, Width::Mhz40, 0, 4),
    ] {
        let mode = he(mcs, width);
        let plan = without_backoff(cell(n, mode, only(true), mpdus));
        let timing = plan.timing;
        let mut bench = Bench::new(plan, 1);
        bench.saturated = downlink(n);
        bench.run(Nanos(400_000_000));
        let (ru, served) = equal_rus(width, n);
        let data = mode.in_ru(ru).unwrap();
        let time = |k: u32| MuPpdu::new(&vec![(data, psdu(k)); served]).unwrap().duration();
        let longest = MuPpdu::longest(&vec![data; served], Span::from_micros(5_484)).unwrap();
        let fits = |k: u32| psdu(k) <= longest.bytes(data);
        let k = (1..=mpdus).filter(|k| fits(*k)).max().unwrap();
        assert!(time(k) <= Span::from_micros(5_484));
        let robust = Mode::mcs(Format::He, mcs.min(3), 1, width, GuardInterval::Ns1600).unwrap();
        let answer = robust.in_ru(ru).unwrap();
        let bytes = if mpdus > 64 { 56 } else { 32 };
        let answers = TbPpdu::new(&vec![(answer, bytes); served]).unwrap().duration();
        let cycle = timing.difs() + time(k) + timing.sifs + answers;
        let ppdus = frames(&bench, Kind::MultiUser);
        assert!(ppdus.len() > 20, "{n} {width}: {}", ppdus.len());
        for (number, (at, frame)) in (0..).zip(&ppdus) {
            assert_eq!(*at, Nanos(timing.difs().0 + number * cycle.0), "{n} {width} {number}");
            assert_eq!(frame.bytes as usize, served * psdu(k) as usize);
            assert_eq!(frame.duration, timing.sifs + answers);
        }
        let blocks = frames(&bench, Kind::BlockAck).len();
        assert!(blocks + served >= served * ppdus.len() && blocks <= served * ppdus.len());
        assert!(bench.log.iter().all(|(_, f)| matches!(f.kind, Kind::MultiUser | Kind::BlockAck)));
        // Goodput in closed form: k MPDUs for each served station and cycle.
        let cycles = 400_000_000.0 / cycle.0 as f64;
        let packets: u64 = bench.delivered.iter().sum();
        let expected = cycles * f64::from(k) * served as f64;
        assert!((packets as f64 / expected - 1.0).abs() < 0.05, "{packets} {expected}");
        let stats = bench.cell.stats(AP);
        assert_eq!(stats.given_up, 0);
        assert_eq!(bench.cell.in_flight(), bench.pool.in_flight());
        let ends = ppdus.len() as u64;
        assert!(stats.mu_frames == ends || stats.mu_frames + 1 == ends);
    }
}
