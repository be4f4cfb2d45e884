//! Aggregates: the efficiency of one sender in closed form, retransmission of single MPDUs, and what a receiver
//! hands over.

use airtcp_units::Bytes;

use super::*;
use crate::mac::{AfterMissedBlockAck, AggregationConfig, ImmediateAccess};

fn aggregating(config: AggregationConfig) -> MacConfig {
    MacConfig {
        aggregation: Some(config),
        immediate_access: ImmediateAccess::Never,
        ..MacConfig::default()
    }
}

fn up_to(mpdus: u32) -> AggregationConfig {
    AggregationConfig { max_mpdus: Some(mpdus), ..AggregationConfig::default() }
}

/// One saturated sender, station 1, to station 0.
fn sender(plan: CellPlan, seed: u64) -> Bench {
    let mut bench = Bench::new(plan, seed);
    bench.saturated = vec![(NodeId(1), NodeId(0))];
    bench
}

/// Starts and lengths of exchanges follow from the length of the aggregate:
/// DIFS + slots + PPDU + SIFS + BlockAck, to the ns.
#[test]
fn the_time_of_an_exchange_is_that_of_its_parts() {
    for (mpdus, bytes) in [(2_u32, 65_535), (7, 65_535), (64, 65_535), (64, 20_000)] {
        let config =
            AggregationConfig { max_bytes: Some(Bytes(bytes)), ..up_to(mpdus) };
        let mut plan = plan(2, Standard::A, aggregating(config), TimingConfig::default());
        let timing = plan.timing;
        // No back-off: the smallest window.
        for station in &mut plan.stations {
            station.seams.access[0].cw_min = 0;
            station.seams.access[0].cw_max = 0;
        }
        let mut bench = sender(plan, 1);
        bench.run(Nanos(200_000_000));
        let mode = *Standard::A.modes().collect::<Vec<_>>().last().unwrap();
        let mpdu = data_bytes(1460 + 28, true);
        let stride = (4 + mpdu).next_multiple_of(4);
        // As many MPDUs as the number, the length and 5.484 ms allow.
        let fits = |n: u32| {
            let psdu = (n - 1) * stride + 4 + mpdu;
            u64::from(psdu) <= bytes && timing.frame(mode, psdu) <= Span(5_484_000)
        };
        let n = (1..=mpdus).filter(|n| fits(*n)).max().unwrap();
        let psdu = (n - 1) * stride + 4 + mpdu;
        let answer = timing.frame(timing.answer_mode(mode), 32);
        let cycle = timing.difs() + timing.frame(mode, psdu) + timing.sifs + answer;
        let data: Vec<(Nanos, Frame)> =
            bench.log.iter().filter(|(_, f)| f.kind == Kind::Data).copied().collect();
        assert!(data.len() > 20);
        for (number, (at, frame)) in (0..).zip(&data) {
            assert_eq!(*at, Nanos(timing.difs().0 + number * cycle.0), "{mpdus} {bytes}");
            assert_eq!((u32::from(frame.subframes), frame.bytes), (n, psdu));
            assert_eq!(frame.duration, timing.sifs + answer);
        }
        let blocks = bench.log.iter().filter(|(_, f)| f.kind == Kind::BlockAck);
        assert!(blocks.clone().count() >= data.len() - 1);
        assert!(blocks.clone().all(|(_, f)| f.bytes == 32 && f.duration == Span::ZERO));
        let stats = bench.cell.stats(NodeId(1));
        assert_eq!(stats.all().aggregates, stats.class(Class::Data).sent / u64::from(n));
        assert_eq!(bench.delivered[0], stats.acknowledged);
    }
}

/// A cell whose MPDUs are lost independently with probability p. Transmissions of an MPDU until it is received
/// or given up: mean (1 - p^7) / (1 - p); lost share p^7.
#[test]
fn mpdus_are_retransmitted_by_themselves() {
    let p = 0.3;
    for after_missed_block_ack in [AfterMissedBlockAck::Retransmit, AfterMissedBlockAck::Bar] {
        let config = AggregationConfig { after_missed_block_ack, ..up_to(16) };
        let mut plan = plan(2, Standard::A, aggregating(config), TimingConfig::default());
        plan.residual_error = p;
        let mut bench = sender(plan, 3);
        bench.run(Nanos(20_000_000_000));
        let stats = *bench.cell.stats(NodeId(1));
        let data = stats.class(Class::Data);
        let finished = (stats.acknowledged + stats.given_up) as f64;
        assert!(finished > 30_000.0);
        let mean = data.sent as f64 / finished;
        assert!((mean - (1.0 - p.powi(7)) / (1.0 - p)).abs() < 0.01, "{mean}");
        let share = data.noise as f64 / data.sent as f64;
        assert!((share - p).abs() < 0.01, "{share}");
        // Five standard errors.
        let lost = stats.given_up as f64 / finished;
        let bound = 5.0 * (p.powi(7) / finished).sqrt();
        assert!((lost - p.powi(7)).abs() < bound, "{lost} {}", p.powi(7));
        assert_eq!(stats.dropped, stats.given_up);
        // What is not delivered, dropped or with the sender waits at the receiver.
        assert_eq!(bench.cell.in_flight(), bench.pool.in_flight());
        let asked = bench.log.iter().any(|(_, f)| f.kind == Kind::BlockAckReq);
        assert_eq!(asked, after_missed_block_ack == AfterMissedBlockAck::Bar);
    }
}
