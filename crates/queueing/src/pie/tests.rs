//! PIE against RFC 8033.

use airtcp_packet::{Ecn, Pool};
use airtcp_probe::{EventSource, NoProbe};
use airtcp_units::Saturate;

use super::*;
use crate::conformance::packet;

fn pie(config: &PieConfig) -> Pie {
    Pie::build(config, Seed::new(3), "queue").unwrap()
}

fn at(p: f64, delay_ms: u64, old_ms: u64) -> Controller {
    let burst = Span::ZERO;
    Controller {
        p,
        delay: Span::from_millis(delay_ms),
        old_delay: Span::from_millis(old_ms),
        burst,
    }
}

#[test]
fn steps_are_scaled_by_the_probability() {
    let bounds =
        [(0.0, 2048.0), (1e-6, 512.0), (1e-5, 128.0), (1e-4, 32.0), (1e-3, 8.0), (0.01, 2.0)];
    for (p, divisor) in bounds {
        assert_eq!((scale(p), scale(p * 1.01)), (1.0 / divisor, 1.0 / divisor));
    }
    assert_eq!((scale(0.1), scale(0.9)), (1.0, 1.0));
    let config = PieConfig::default();
    // 25 ms of delay, 20 before: 0.125 x 0.010 + 1.25 x 0.005 = 0.0075, of which an eighth at 0.005.
    let mut c = at(0.005, 25, 20);
    c.update(&config);
    assert!((c.p - (0.005 + 0.0075 / 8.0)).abs() < 1e-12);
    assert_eq!(c.old_delay, Span::from_millis(25));
    // Downwards, but not below 0.
    let mut c = at(1e-7, 5, 20);
    c.update(&config);
    assert!(c.p <= 0.0);
    // From p = 0.1 on a step is at most 0.02: 0.125 x 0.985 + 1.25 x 1 would be 1.37.
    let mut c = at(0.1, 1000, 0);
    c.update(&config);
    assert!((c.p - 0.12).abs() < 1e-12);
    let mut c = at(0.05, 1000, 0);
    c.update(&config);
    assert!((c.p - (0.05 + 1.373_125 / 2.0)).abs() < 1e-12);
    // Empty queue: down by 2 % and by the controller's step.
    let mut c = at(0.5, 0, 0);
    c.update(&config);
    assert!((c.p - (0.5 - 0.125 * 0.015) * 0.98).abs() < 1e-12);
}

#[test]
fn a_burst_is_not_dropped() {
    let config = PieConfig::default();
    let mut c = Controller { burst: config.burst, ..at(0.3, 200, 200) };
    for _ in 0..9 {
        c.update(&config);
        assert!(c.burst > Span::ZERO);
    }
    c.update(&config);
    assert_eq!(c.burst, Span::ZERO, "150 ms are ten updates");
    // Allowed again once nothing is dropped and both delays are below half the target.
    let mut c = at(0.0, 7, 8);
    c.update(&config);
    assert_eq!(c.burst, Span::ZERO, "8 ms are more than 7.5");
    c.update(&config);
    assert_eq!(c.burst, config.burst);
    let mut queue = pie(&config);
    (queue.controller.p, queue.controller.old_delay) = (1.0, Span::from_secs(1));
    queue.ledger = filled(&config);
    assert!((0..1000).all(|_| !queue.is_unlucky()), "in a burst");
    queue.controller.burst = Span::ZERO;
    assert!((0..100).any(|_| queue.is_unlucky()));
}

/// Ledger of a queue with more than two mean packets.
fn filled(config: &PieConfig) -> Ledger {
    let (mut pool, mut probe) = (Pool::new(), NoProbe);
    let mut cx = PoolCx::new(&mut probe, &mut pool, EventSource::Queue(0));
    let mut queue = pie(config);
    for n in 0..9 {
        let id = cx.pool.insert(packet(n, 1000, Ecn::NotEct));
        queue.enqueue(Nanos::ZERO, id, &mut cx);
    }
    queue.ledger
}

/// The gaps between drops at a fixed probability.
fn gaps(p: f64, delay: Span, waiting: bool) -> Vec<u32> {
    let config = PieConfig::default();
    let mut queue = pie(&config);
    if waiting {
        queue.ledger = filled(&config);
    }
    queue.controller = Controller { p, old_delay: delay, delay, burst: Span::ZERO };
    let (mut gaps, mut gap) = (Vec::new(), 0);
    for _ in 0..200_000 {
        gap += 1;
        if queue.is_unlucky() {
            gaps.push(gap);
            gap = 0;
        }
    }
    gaps
}

#[test]
fn drops_are_neither_close_nor_far_apart() {
    let found = gaps(0.05, Span::from_millis(20), true);
    // No drop before p sums to 0.85, at the 17th packet; a drop at the latest at 8.5.
    assert_eq!(*found.iter().min().unwrap(), 17);
    assert!(*found.iter().max().unwrap() <= 171);
    let mean = found.iter().map(|g| f64::from(*g)).sum::<f64>() / found.len() as f64;
    // 16 packets without a drop, then 1/p = 20 on average: 36.
    assert!((mean - 36.0).abs() < 1.0, "{mean}");
}

#[test]
fn an_uncongested_queue_does_not_drop() {
    let half = Span::from_millis(7);
    assert_eq!(gaps(0.19, half, true), [] as [u32; 0], "below half the target and below 0.2");
    assert!(!gaps(0.21, half, true).is_empty());
    assert_eq!(gaps(0.5, Span::from_secs(1), false), [] as [u32; 0], "two packets or fewer");
}

/// Arrivals at `load` times the rate of 1000 packets per second, for 200 s. Returns the mean delay over
/// the last 100 s in ms, and the share dropped.
fn overload(config: &PieConfig, load: f64, ecn: Ecn) -> (f64, f64, Pie) {
    let (mut pool, mut probe) = (Pool::new(), NoProbe);
    let mut cx = PoolCx::new(&mut probe, &mut pool, EventSource::Queue(0));
    let mut queue = pie(config);
    let (mut due, mut delays, mut dropped, mut offered) = (0.0, Vec::new(), 0u32, 0u32);
    for ms in 0..200_000u64 {
        due += load;
        let step = 1_000_000 / u64::saturate(due.ceil().max(1.0));
        let mut now = Nanos(ms * 1_000_000);
        while due >= 1.0 {
            due -= 1.0;
            let id = cx.pool.insert(packet(0, 1000, ecn));
            let verdict = queue.enqueue(now, id, &mut cx);
            offered += u32::from(ms >= 100_000);
            dropped += u32::from(ms >= 100_000 && verdict != Verdict::Queued);
            now += Span(step);
        }
        let now = Nanos((ms + 1) * 1_000_000 - 1);
        let since = queue.line.get(0).map(|waiting| waiting.2);
        if let Some(id) = queue.dequeue(now, &mut cx) {
            cx.pool.remove(id);
            if ms >= 100_000 {
                delays.push(now.since(since.unwrap()).as_secs_f64());
            }
        }
    }
    let mean = delays.iter().sum::<f64>() / delays.len() as f64;
    (1e3 * mean, f64::from(dropped) / f64::from(offered), queue)
}

/// With unresponsive traffic PIE drops the share 1 - 1/load and holds the delay at the target.
#[test]
fn the_delay_settles_at_the_target() {
    let config = PieConfig { limit: 100_000, ..PieConfig::default() };
    for load in [1.1, 1.5, 2.0] {
        let (delay, share, _) = overload(&config, load, Ecn::NotEct);
        assert!((share - (1.0 - 1.0 / load)).abs() < 0.002, "{load}: {share}");
        assert!((delay - 15.0).abs() < 1.5, "{load}: {delay} ms");
    }
    // Marks remove no packets: the probability rises until PIE stops marking.
    let marking = PieConfig { ecn: true, ..config };
    let (_, share, queue) = overload(&marking, 1.5, Ecn::Ect0);
    assert!(queue.stats().marked > 0 && queue.probability() >= 0.1);
    assert!((share - 1.0 / 3.0).abs() < 0.01, "{share}");
}

/// A call catches up on the updates that became due without one.
#[test]
fn updates_without_packets_are_made_up() {
    let mut queue = pie(&PieConfig::default());
    queue.controller = at(0.4, 0, 0);
    let mut by_hand = queue.controller;
    for _ in 0..66 {
        by_hand.update(&queue.config);
    }
    queue.catch_up(Nanos::ZERO + Span::from_secs(1));
    assert_eq!(queue.controller, by_hand);
    queue.catch_up(Nanos::ZERO + Span::from_secs(1_000_000));
    assert!(queue.controller.p <= 0.0);
    assert!(queue.next_update > Nanos::ZERO + Span::from_secs(1_000_000));
    assert!(queue.next_update <= Nanos::ZERO + Span::from_secs(1_000_000) + queue.config.update);
}
