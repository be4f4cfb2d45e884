use super::*;
use crate::lda::LdaConfig;

const MS: Span = Span::from_millis(1);

fn differentiation(tick: Span) -> Box<Differentiation> {
    Differentiation::of(&TcpConfig {
        loss_response: LossResponse::TpLda,
        timestamps: true,
        timestamp_tick: tick,
        ..TcpConfig::default()
    })
    .unwrap()
}

fn at(ms: u64) -> Nanos {
    Nanos::ZERO + MS * ms
}

#[test]
fn only_tp_lda_has_a_classifier() {
    for loss_response in [LossResponse::Always, LossResponse::EcnOnly] {
        let config = TcpConfig { loss_response, ..TcpConfig::default() };
        assert!(Differentiation::of(&config).is_none());
    }
}

/// A receiver's clock with any start, a wrap, and a tick that is no whole number of microseconds.
#[test]
fn the_peers_clock_is_relative() {
    let mut d = differentiation(Span(1_500));
    let start = u32::MAX - 100;
    assert_eq!(d.clock_us(start), 0);
    assert_eq!(d.clock_us(start.wrapping_add(2)), 3);
    assert_eq!(d.clock_us(start.wrapping_add(3)), 4, "4.5 of them");
    assert_eq!(d.clock_us(start.wrapping_add(1000)), 1500);
    assert_eq!(d.clock_us(start.wrapping_add(998)), 1497, "an older ACK came late");
    // Steps beyond half of what the clock counts would be steps back: more come one by one.
    let mut value = start.wrapping_add(998);
    for _ in 0..8 {
        value = value.wrapping_add(1 << 30);
        d.clock_us(value);
    }
    let us = (8u64 << 30) * 3 / 2 + 1497;
    assert_eq!(d.clock_us(value), us as u32);
}

/// Trips of 10 ms, then of 110 ms: a loss next to a long trip is an overflow, even if only one
/// neighbour is long.
#[test]
fn a_loss_is_judged_by_its_neighbours() {
    let mut d = differentiation(MS);
    let (short, long) = (10, 110);
    for (left, trip) in [(0, short), (10, short), (20, short), (30, long), (40, long)] {
        d.on_trip(at(left + trip), (at(left), left), (left + trip) as u32, 100);
    }
    let now = at(200);
    for (left, cause) in [
        (5, LossCause::Corruption),
        (15, LossCause::Corruption),
        (25, LossCause::Overflow),
        (35, LossCause::Overflow),
        (45, LossCause::Overflow),
    ] {
        assert_eq!(d.judge(now, (at(left), left)), cause, "{left}");
    }
    // At the same instant, segments of lower offsets left before.
    assert_eq!(d.judge(now, (at(20), 15)), LossCause::Corruption);
    assert_eq!(d.judge(now, (at(20), 25)), LossCause::Overflow);
    // A late answer about an earlier segment does not disturb the order.
    d.on_trip(at(150), (at(5), 5), 150, 100);
    assert!(d.trips.iter().map(|t| t.left).is_sorted());
    assert_eq!(d.judge(now, (at(15), 15)), LossCause::Corruption);
    // Beyond the window of extremes there are no trips.
    assert_eq!(d.judge(at(20_000), (at(15), 15)), LossCause::Overflow);
}

#[test]
fn without_trips_a_loss_is_congestion() {
    let mut d = differentiation(MS);
    assert_eq!(d.judge(at(0), (at(0), 1)), LossCause::Overflow);
    // Less than two ticks apart: rounding alone.
    for (n, value) in [(0, 10), (1, 11), (2, 13)] {
        d.on_trip(at(20 + n), (at(n), n), value, 100);
    }
    assert_eq!(d.lda.range_us(at(30)), Some(1000));
    assert_eq!(d.judge(at(30), (at(0), 1)), LossCause::Overflow);
    d.on_trip(at(23), (at(3), 3), 15, 100);
    assert_eq!(d.judge(at(30), (at(0), 1)), LossCause::Corruption);
}

/// Trips from before everything outstanding are dropped.
#[test]
fn as_many_trips_as_outstanding_segments() {
    let mut d = differentiation(MS);
    for n in 0..10_000 {
        d.on_trip(at(n + 10), (at(n), n), n as u32, 7);
        assert!(d.trips.len() <= 9);
    }
    assert_eq!(d.trips.back().unwrap().left, (at(9_999), 9_999));
}

/// Phase 2: if beacons and frames are lost alike, the losses are collisions.
#[test]
fn collisions_are_congestion() {
    let mut d = differentiation(MS);
    d.lda = TpLda::new(LdaConfig { weight: 1.0, ..LdaConfig::default() });
    for (n, value) in [(0, 10), (1, 111), (2, 12)] {
        d.on_trip(at(20 + n), (at(n), n), value, 100);
    }
    let left = (at(0), 0);
    assert_eq!(d.judge(at(30), (at(3), 3)), LossCause::Corruption);
    d.classifier().on_beacon(true);
    d.classifier().on_frame(true);
    assert_eq!(d.judge(at(30), (at(3), 3)), LossCause::Collision);
    assert_eq!(d.judge(at(30), left), LossCause::Overflow, "beside the trip of 110 ms");
}
