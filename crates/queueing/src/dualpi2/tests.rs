//! DualPI2 against RFC 9332: its formulas and pseudocode by hand, and constant overload.

use airtcp_packet::Pool;
use airtcp_probe::{EventSource, NoProbe};
use airtcp_units::{Bytes, Probability, Saturate};

use super::*;
use crate::conformance::packet;

fn dualpi2(config: &DualPi2Config) -> DualPi2 {
    DualPi2::build(config, Seed::new(3), "queue").unwrap()
}

fn ms(n: u64) -> Span {
    Span::from_millis(n)
}

/// The gains follow from the longest round-trip time of 100 ms (figure 2); the RFC rounds beta to 3.2.
#[test]
fn defaults() {
    let c = DualPi2Config::default();
    let (update, rtt_max) = (c.update.as_secs_f64(), 0.1);
    assert!((c.alpha - 0.1 * update / (rtt_max * rtt_max)).abs() < 1e-12);
    assert!((c.beta - 0.3 / rtt_max).abs() <= 0.2 + 1e-12);
    assert!((coupling::overload_from(&c) - 0.25).abs() < 1e-12);
}

#[test]
fn the_ramp_and_the_step() {
    let ramp = DualPi2Config::default();
    for (us, p) in [(0, 0.0), (800, 0.0), (900, 0.25), (1000, 0.5), (1200, 1.0), (50_000, 1.0)] {
        let found = coupling::native(Span::from_micros(us), &ramp);
        assert!((found - p).abs() < 1e-12, "{us} us: {found}");
    }
    let step = DualPi2Config { ramp_start: ms(1), ramp: Span::ZERO, ..ramp };
    for (us, p) in [(0, 0.0), (999, 0.0), (1000, 1.0), (2000, 1.0)] {
        assert!((coupling::native(Span::from_micros(us), &step) - p).abs() < 1e-12, "{us} us");
    }
}

#[test]
fn strikes_are_even() {
    let mut recur = Recur::default();
    let struck: Vec<u32> = (1..=17).filter(|_| recur.strikes(0.25)).collect();
    // The sum must exceed 1: the fifth, then each fourth.
    assert_eq!(struck, [5, 9, 13, 17]);
    let mut recur = Recur::default();
    let many = (0..100_000).filter(|_| recur.strikes(0.3)).count();
    assert!(many.abs_diff(30_000) <= 1, "{many}");
    let mut recur = Recur::default();
    assert_eq!((0..10).filter(|_| recur.strikes(7.0)).count(), 9, "a probability is at most 1");
}

#[test]
fn the_base_probability() {
    let config = DualPi2Config::default();
    let at = |base, last| Controller { base, last, ..Controller::new(&config) };
    // 25 ms of wait, 20 before: 0.16 x 0.010 + 3.2 x 0.005 = 0.0176.
    let mut c = at(0.1, ms(20));
    c.update(ms(25), &config);
    assert!((c.base - 0.1176).abs() < 1e-12);
    assert!((c.coupled(&config) - 0.2352).abs() < 1e-12);
    assert!((c.classic() - 0.013_829_76).abs() < 1e-12);
    // Equation (1): p_C = (p_CL / k)^2.
    let share = c.coupled(&config) / config.coupling;
    let by_equation = share * share;
    assert!((c.classic() - by_equation).abs() < 1e-15);
    // To an empty queue: -0.16 x 0.015 - 3.2 x 0.025 = -0.0824.
    c.update(Span::ZERO, &config);
    assert!((c.base - 0.0352).abs() < 1e-12);
    // Within 0 and 1.
    let mut c = at(0.01, ms(20));
    c.update(Span::ZERO, &config);
    assert!(c.base <= 0.0);
    let mut c = at(0.9, Span::ZERO);
    c.update(Span::from_secs(5), &config);
    assert!(c.base >= 1.0);
}

/// A call makes up for the updates without one, at the instants when they were due.
#[test]
fn updates_without_packets_are_made_up() {
    let config = DualPi2Config::default();
    let at = |n: u64| Nanos::ZERO + ms(n);
    let start = Controller { base: 0.4, ..Controller::new(&config) };
    for oldest in [None, Some(at(100))] {
        let (mut by_hand, mut made_up) = (start, start);
        for update in 1..=62 {
            let due = at(16 * update);
            by_hand.update(oldest.map_or(Span::ZERO, |oldest| due.since(oldest)), &config);
        }
        made_up.catch_up(at(1000), oldest, &config);
        assert!((made_up.base - by_hand.base).abs() < 1e-12);
        assert_eq!(made_up.last, by_hand.last);
        // A year, in few steps.
        made_up.catch_up(Nanos::ZERO + Span::from_secs(31_536_000), oldest, &config);
        let bound = if oldest.is_some() { 1.0 } else { 0.0 };
        assert!((made_up.base - bound).abs() < 1e-12);
        assert!(made_up.last >= oldest.map_or(Span::ZERO, |_| Span::from_secs(31_535_000)));
    }
}

/// A queue with packets of 1000 bytes of payload that arrive and leave as told.
struct Driven {
    queue: DualPi2,
    pool: Pool,
    number: u32,
}

impl Driven {
    fn new(config: &DualPi2Config) -> Self {
        Self { queue: dualpi2(config), pool: Pool::new(), number: 0 }
    }

    fn offer(&mut self, now: Nanos, ecn: Ecn) -> Verdict {
        let mut probe = NoProbe;
        let mut cx = PoolCx::new(&mut probe, &mut self.pool, EventSource::Queue(0));
        self.number += 1;
        let id = cx.pool.insert(packet(self.number, 1000, ecn));
        self.queue.enqueue(now, id, &mut cx)
    }

    /// Number and ECN field of the next packet.
    fn next(&mut self, now: Nanos) -> Option<(u32, Ecn)> {
        let mut probe = NoProbe;
        let mut cx = PoolCx::new(&mut probe, &mut self.pool, EventSource::Queue(0));
        let id = self.queue.dequeue(now, &mut cx)?;
        let segment = cx.pool.remove(id).segment;
        Some((segment.seq.0, segment.ecn))
    }
}

/// ECT(1) and CE go to L, which is served first; a packet alone in L is never marked by its own wait.
#[test]
fn packets_are_told_apart_by_ecn() {
    let mut driven = Driven::new(&DualPi2Config::default());
    let now = Nanos(1);
    for ecn in [Ecn::NotEct, Ecn::Ect0, Ecn::Ect1, Ecn::Ce] {
        assert_eq!(driven.offer(now, ecn), Verdict::Queued);
    }
    let order = [(3, Ecn::Ect1), (1, Ecn::NotEct), (4, Ecn::Ce), (2, Ecn::Ect0)];
    assert_eq!(order.map(|_| driven.next(now).unwrap()), order);
    driven.offer(now, Ecn::Ect1);
    assert_eq!(driven.next(now + ms(5)), Some((5, Ecn::Ect1)));
    for _ in 0..3 {
        driven.offer(now, Ecn::Ect1);
    }
    // At a probability of 1 the first of three leaves a sum of 1, and the second exceeds it; the third is alone.
    let fields = [Ecn::Ect1, Ecn::Ce, Ecn::Ect1];
    assert_eq!(fields.map(|_| driven.next(now + ms(6)).unwrap().1), fields);
}

/// While both hold packets, C has its weight of the bytes.
#[test]
fn the_round_robin() {
    for weight in [1.0 / 16.0, 0.5] {
        let classic_weight = Probability::clamped(weight);
        let mut driven = Driven::new(&DualPi2Config { classic_weight, ..Default::default() });
        let now = Nanos(1);
        for _ in 0..4000 {
            driven.offer(now, Ecn::Ect0);
            driven.offer(now, Ecn::Ect1);
        }
        let classic = (0..3200).filter(|_| driven.next(now).unwrap().1 == Ecn::Ect0).count();
        let expected = usize::saturate(3200.0 * weight);
        assert!(classic.abs_diff(expected) <= 1, "{weight}: {classic}");
    }
}

/// Share dropped, share of the rest marked and mean wait in ms of the last 100 of 200 s, with arrivals at `load` times a
/// rate of 1000 packets a second.
fn overload(load: f64, ecn: Ecn) -> (f64, f64, f64) {
    let mut driven = Driven::new(&DualPi2Config { limit: 100_000, ..Default::default() });
    let (mut due, mut waits, mut dropped, mut marked) = (0.0, 0.0, 0, 0);
    let mut arrived = Vec::new();
    let mut left = 0;
    for step in 0..200_000u64 {
        due += load;
        let mut now = Nanos::ZERO + ms(step);
        while due >= 1.0 {
            due -= 1.0;
            arrived.push(now);
            driven.offer(now, ecn);
            now += Span(1_000_000 / 4);
        }
        let now = Nanos(Nanos::ZERO.0 + (step + 1) * 1_000_000 - 1);
        let before = driven.queue.stats().dropped_early;
        let Some((number, field)) = driven.next(now) else { continue };
        if step >= 100_000 {
            left += 1;
            dropped += driven.queue.stats().dropped_early - before;
            marked += u64::from(field == Ecn::Ce);
            waits += now.since(arrived[number as usize - 1]).as_secs_f64();
        }
    }
    let all = (left + dropped) as f64;
    (dropped as f64 / all, marked as f64 / left as f64, 1e3 * waits / left as f64)
}

/// Traffic that does not respond loses what the link does not carry, and waits for the target: in C at any load, in L
/// from the load on at which coupled marking has reached 1 (A.2). Below p_Cmax = 1/4, C only marks what may be marked.
#[test]
fn constant_overload() {
    for (load, ecn) in [
        (1.1, Ecn::NotEct),
        (1.5, Ecn::NotEct),
        (1.5, Ecn::Ect0),
        (1.5, Ecn::Ect1),
        (2.0, Ecn::Ect1),
    ] {
        let (dropped, marked, wait) = overload(load, ecn);
        assert!((dropped - (1.0 - 1.0 / load)).abs() < 0.003, "{load} {ecn:?}: {dropped}");
        assert!((wait - 15.0).abs() < 1.5, "{load} {ecn:?}: {wait} ms");
        let expected = if ecn == Ecn::Ect1 { 1.0 } else { 0.0 };
        assert!((marked - expected).abs() < 1e-9, "{load} {ecn:?}: {marked}");
    }
}

/// A queue for aggregates judges the packets of the receiver that is asked for.
#[test]
fn packets_for_a_receiver() {
    let mut driven = Driven::new(&DualPi2Config::default());
    let receivers = || vec![0, 7];
    driven.queue.on_link(&LinkInfo {
        time_for: &|_: Bytes| Span(1),
        polls_when_idle: false,
        receivers: &receivers,
        reports_airtime: false,
        by_receiver: true,
    });
    let now = Nanos(1);
    driven.offer(now, Ecn::NotEct);
    driven.offer(now, Ecn::Ect1);
    let mut probe = NoProbe;
    let mut cx = PoolCx::new(&mut probe, &mut driven.pool, EventSource::Queue(0));
    let mut ask = |receiver, room| {
        let wanted = Wanted { receiver, fits: &|len| len <= room };
        driven.queue.dequeue_for(now, &wanted, &mut cx).map(|id| cx.pool.remove(id).segment.seq.0)
    };
    assert_eq!([ask(3, 2000), ask(7, 100)], [None, None]);
    assert_eq!([ask(7, 2000), ask(7, 2000), ask(7, 2000)], [Some(2), Some(1), None]);
}
