//! Ablations of medium access.

use super::*;
use crate::mac::AblationConfig;

const MS: u64 = 1_000_000;

fn bench(n: usize, ablation: AblationConfig, change: impl FnOnce(&mut CellPlan)) -> Bench {
    let mac = MacConfig { ablation: Some(ablation), ..MacConfig::default() };
    let mut plan = plan(n, Standard::A, mac, TimingConfig::default());
    change(&mut plan);
    Bench::new(plan, 1)
}

#[test]
fn data_and_tcp_acks_have_separate_retry_limits() {
    let ablation = AblationConfig {
        attempts_data: Some(3),
        attempts_tcp_ack: Some(11),
        ..AblationConfig::default()
    };
    for (payload, class, attempts) in [(1460, Class::Data, 3), (0, Class::TcpAck, 11)] {
        let mut b = bench(2, ablation, |p| p.power_mw[1][0] = 1e-9);
        b.payload = payload;
        b.offer(NodeId(1), NodeId(0));
        b.run(Nanos(2_000 * MS));
        assert_eq!(b.cell.stats(NodeId(1)).class(class).sent, attempts);
    }
}

/// With the oracle both of two colliding TCP ACKs arrive at the first attempt; colliding data frames
/// do not.
#[test]
fn the_oracle_brings_tcp_acks_through_a_collision() {
    let oracle = AblationConfig { ack_oracle: true, ..AblationConfig::default() };
    for (payload, ablation, at_once) in
        [(0, oracle, 2), (0, AblationConfig::default(), 0), (1460, oracle, 0)]
    {
        let mut b = bench(3, ablation, |_| {});
        b.payload = payload;
        b.run(Nanos(MS));
        b.offer(NodeId(1), NodeId(0));
        b.offer(NodeId(2), NodeId(0));
        // 64 bytes take 32 us, 1524 take 248.
        b.run(Nanos(MS + if payload == 0 { 32_000 } else { 248_000 }));
        b.feed();
        assert_eq!(b.delivered[0], at_once);
        b.run(Nanos(100 * MS));
        assert_eq!(b.delivered[0], 2);
        assert_eq!(b.pool.in_flight(), 0);
    }
}

/// The oracle delivers a TCP ACK even if its receiver is transmitting.
#[test]
fn the_oracle_reaches_a_station_that_sends() {
    let oracle = AblationConfig { ack_oracle: true, ..AblationConfig::default() };
    let mut b = bench(3, oracle, |p| p.power_mw[0][1] = 0.0);
    b.run(Nanos(MS));
    b.offer(NodeId(0), NodeId(2));
    b.run(Nanos(MS + 10_000));
    b.payload = 0;
    b.offer(NodeId(1), NodeId(0));
    b.run(Nanos(MS + 100_000));
    b.feed();
    assert_eq!(b.delivered[0], 1);
    let stats = b.cell.stats(NodeId(1)).class(Class::TcpAck);
    assert_eq!((stats.sent, stats.decoded), (1, 1));
}
