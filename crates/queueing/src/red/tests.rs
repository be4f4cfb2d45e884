//! RED against its formulas.

use airtcp_packet::Pool;
use airtcp_probe::EventSource;
use airtcp_probe::NoProbe;
use airtcp_units::{Narrow, detmath};

use super::*;
use crate::conformance::packet;

fn red(config: &RedConfig) -> Red {
    Red::build(config, Seed::new(11), "queue").unwrap()
}

/// Holds a queue's average at `avg` for `n` arrivals. Returns the gaps between early drops or marks, in
/// arrivals, and the queue.
fn gaps(config: &RedConfig, avg: f64, n: u32, ecn: Ecn) -> (Vec<u64>, Red) {
    let mut queue = red(config);
    let mut out = Vec::new();
    let mut gap = 0;
    // As after a drop: the first packet above `min` has passed.
    queue.above = true;
    for _ in 0..n {
        queue.avg.set(avg);
        gap += 1;
        if queue.decide(1500, ecn, false) != Decision::Pass {
            out.push(gap);
            gap = 0;
        }
    }
    (out, queue)
}

/// Chi-squared of `gaps` against the uniform distribution on `low..=high`; panics on a gap outside.
fn chi_squared(gaps: &[u64], low: u64, high: u64) -> f64 {
    let mut seen = vec![0u32; usize::narrow(high - low + 1)];
    for gap in gaps {
        seen[usize::narrow(gap - low)] += 1;
    }
    let expected = gaps.len() as f64 / seen.len() as f64;
    seen.iter().map(|n| (f64::from(*n) - expected) * (f64::from(*n) - expected) / expected).sum()
}

#[test]
fn gaps_between_drops_are_uniform() {
    // avg half way from min to max: p_b = 0.1 x 0.5 = 1/20, so gaps are uniform on 1..=19.
    let config = RedConfig::default();
    let (found, _) = gaps(&config, 57.5, 400_000, Ecn::NotEct);
    let mean = found.iter().sum::<u64>() as f64 / found.len() as f64;
    assert!((mean - 10.0).abs() < 5.0 * 5.48 / (found.len() as f64).sqrt(), "{mean}");
    // 18 degrees of freedom: above 50 with probability 8e-5.
    assert!(chi_squared(&found, 1, 19) < 50.0);
    // Without the count the gaps would be geometric and most of them shorter than 14.
    let wait = RedConfig { wait: true, ..config };
    let (found, _) = gaps(&wait, 57.5, 400_000, Ecn::NotEct);
    assert!(chi_squared(&found, 20, 39) < 52.0, "1/p ..= 2/p - 1 with wait");
}

#[test]
fn probability_follows_the_average() {
    let p = |avg| {
        let mut queue = red(&RedConfig { gentle: true, ..RedConfig::default() });
        queue.avg.set(avg);
        queue.base_probability()
    };
    assert!(p(25.0).abs() < 1e-12);
    assert!((p(51.0) - 0.04).abs() < 1e-12);
    assert!((p(89.999_999) - 0.1).abs() < 1e-6);
    assert!((p(90.0) - 0.1).abs() < 1e-12, "no jump at max");
    assert!((p(135.0) - 0.55).abs() < 1e-12, "half way from 0.1 to 1");
    assert!((p(180.0) - 1.0).abs() < 1e-12);
    let mut abrupt = red(&RedConfig { gentle: false, ..RedConfig::default() });
    abrupt.avg.set(90.0);
    assert!((abrupt.base_probability() - 1.0).abs() < 1e-12);
}

/// A queue that drops nothing, with a slow average.
fn calm(w: f64, packet_time: Option<Span>) -> RedConfig {
    RedConfig {
        weight: w,
        packet_time,
        min: 500.0,
        max: 900.0,
        limit: 1000,
        ..RedConfig::default()
    }
}

/// Offers `n` packets at `now`.
fn fill<P: Probe>(queue: &mut Red, now: Nanos, n: u32, cx: &mut PoolCx<'_, P>) {
    for k in 0..n {
        let id = cx.pool.insert(packet(k, 1000, Ecn::NotEct));
        queue.enqueue(now, id, cx);
    }
}

#[test]
fn the_average_follows_the_queue_and_decays_while_idle() {
    let w = 0.1f64;
    let mut queue = red(&calm(w, Some(Span::from_millis(1))));
    let (mut pool, mut probe) = (Pool::new(), NoProbe);
    let mut cx = PoolCx::new(&mut probe, &mut pool, EventSource::Queue(0));
    let mut now = Nanos::ZERO;
    fill(&mut queue, now, 50, &mut cx);
    // Arrival n + 1 found n packets: an explicit sum.
    let expected: f64 =
        (1..50).map(|n| w * detmath::pow(1.0 - w, f64::from(49 - n)) * f64::from(n)).sum();
    assert!((queue.average() - expected).abs() < 1e-9, "{} {expected}", queue.average());

    for _ in 0..50 {
        now += Span::from_millis(1);
        queue.dequeue(now, &mut cx);
    }
    let before = queue.average();
    assert!((before - expected).abs() < 1e-12, "departures do not move it");
    // Idle since `now`. In 7.25 ms the link could have sent 7 packets; the arrival itself is the eighth
    // update.
    fill(&mut queue, now + Span::from_micros(7_250), 1, &mut cx);
    let decayed = before * detmath::pow(1.0 - w, 8.0);
    assert!((queue.average() - decayed).abs() < 1e-9, "{} {decayed}", queue.average());
}

/// When the queue becomes empty the link still transmits the last packet. It is idle only afterwards.
#[test]
fn a_link_that_transmits_is_not_idle() {
    let w = 0.1f64;
    // 1040 bytes take 1.04 ms, a mean packet of 1500 bytes 1.5 ms.
    let time_for = |bytes: Bytes| Span::from_micros(bytes.0);
    for (after_us, steps) in
        [(0, 1.0), (1_000, 1.0), (2_500, 1.0), (2_550, 2.0), (4_039, 2.0), (4_040, 3.0)]
    {
        let (mut pool, mut probe) = (Pool::new(), NoProbe);
        let mut cx = PoolCx::new(&mut probe, &mut pool, EventSource::Queue(0));
        let mut queue = red(&calm(w, None));
        queue.on_link(&LinkInfo::link(&time_for, false));
        fill(&mut queue, Nanos::ZERO, 9, &mut cx);
        let before = queue.average();
        let now = Nanos::ZERO + Span::from_millis(20);
        while queue.dequeue(now, &mut cx).is_some() && queue.backlog().packets > 0 {}
        fill(&mut queue, now + Span::from_micros(after_us), 1, &mut cx);
        let expected = before * detmath::pow(1.0 - w, steps);
        assert!((queue.average() - expected).abs() < 1e-9, "{after_us}");
    }
    // A station polls the queue when it becomes idle.
    let (mut pool, mut probe) = (Pool::new(), NoProbe);
    let mut cx = PoolCx::new(&mut probe, &mut pool, EventSource::Queue(0));
    let mut queue = red(&calm(w, None));
    queue.on_link(&LinkInfo::link(&time_for, true));
    let ms = |n| Nanos::ZERO + Span::from_millis(n);
    fill(&mut queue, ms(0), 9, &mut cx);
    for _ in 0..9 {
        queue.dequeue(ms(20), &mut cx);
    }
    let before = queue.average();
    fill(&mut queue, ms(60), 1, &mut cx);
    assert!((queue.average() - before * (1.0 - w)).abs() < 1e-9, "it was busy with the last one");
    let before = queue.average();
    queue.dequeue(ms(60), &mut cx);
    assert_eq!(queue.dequeue(ms(70), &mut cx), None);
    assert_eq!(queue.dequeue(ms(71), &mut cx), None);
    // Ten packets of 1.5 ms fit into 16 ms; the arrival itself is one more update.
    fill(&mut queue, ms(86), 1, &mut cx);
    let expected = before * detmath::pow(1.0 - w, 11.0);
    assert!((queue.average() - expected).abs() < 1e-9);
}

#[test]
fn without_idle_decay_only_arrivals_lower_the_average() {
    let w = 0.1f64;
    let mut queue = red(&RedConfig { idle_decay: false, ..calm(w, None) });
    queue.on_link(&LinkInfo::link(&|_| Span::from_millis(1), false));
    let (mut pool, mut probe) = (Pool::new(), NoProbe);
    let mut cx = PoolCx::new(&mut probe, &mut pool, EventSource::Queue(0));
    fill(&mut queue, Nanos::ZERO, 9, &mut cx);
    let before = queue.average();
    while queue.dequeue(Nanos::ZERO, &mut cx).is_some() {}
    fill(&mut queue, Nanos::ZERO + Span::from_secs(9), 1, &mut cx);
    assert!((queue.average() - before * (1.0 - w)).abs() < 1e-9);
}

/// However high the average is, a packet that finds at most one packet waiting passes, and the first
/// packet after it passes too.
#[test]
fn a_nearly_empty_queue_drops_nothing() {
    let mut queue = red(&RedConfig::default());
    for _ in 0..100 {
        queue.avg.set(500.0);
        assert_eq!(queue.decide(1500, Ecn::NotEct, true), Decision::Pass);
    }
    queue.avg.set(500.0);
    assert_eq!(queue.decide(1500, Ecn::NotEct, false), Decision::Pass, "the first above");
    assert_eq!(queue.decide(1500, Ecn::NotEct, false), Decision::Drop);
    assert_eq!(queue.decide(1500, Ecn::NotEct, true), Decision::Pass);
    let (mut pool, mut probe) = (Pool::new(), NoProbe);
    let mut cx = PoolCx::new(&mut probe, &mut pool, EventSource::Queue(0));
    let mut queue = red(&RedConfig { weight: 1e-9, ..RedConfig::default() });
    queue.avg.set(500.0);
    // Two wait; the third is the first above `min`; then all are dropped.
    fill(&mut queue, Nanos::ZERO, 10, &mut cx);
    assert_eq!(queue.backlog().packets, 3);
}

#[test]
fn an_idle_link_is_timed_by_its_rate() {
    let link = |polls| LinkInfo::link(&|bytes: Bytes| Span::from_micros(bytes.0), polls);
    let mut queue = red(&RedConfig::default());
    queue.on_link(&link(false));
    assert_eq!(queue.avg.packet_time(), Span::from_micros(1500));
    let given = Some(Span::from_millis(3));
    let mut queue = red(&RedConfig { packet_time: given, ..RedConfig::default() });
    queue.on_link(&link(true));
    assert_eq!(
        queue.avg.packet_time(),
        Span::from_millis(3),
        "the configured time takes precedence"
    );
}

#[test]
fn only_capable_packets_are_marked() {
    let config = RedConfig { ecn: true, ..RedConfig::default() };
    let outcome = |ecn, config: &RedConfig, avg| {
        let mut queue = red(config);
        queue.above = true;
        let mut seen = Vec::new();
        for _ in 0..1000 {
            queue.avg.set(avg);
            let decision = queue.decide(1500, ecn, false);
            if decision != Decision::Pass && !seen.contains(&decision) {
                seen.push(decision);
            }
        }
        seen
    };
    assert_eq!(outcome(Ecn::NotEct, &config, 57.5), [Decision::Drop]);
    for capable in [Ecn::Ect0, Ecn::Ect1, Ecn::Ce] {
        assert_eq!(outcome(capable, &config, 57.5), [Decision::Mark]);
        // Above max the probability is mark_p or more, so ECN-capable packets are dropped too.
        assert_eq!(outcome(capable, &config, 120.0), [Decision::Drop]);
    }
    let always = RedConfig { use_mark_p: false, ..config.clone() };
    assert_eq!(outcome(Ecn::Ect0, &always, 120.0), [Decision::Mark]);
    assert_eq!(outcome(Ecn::Ect0, &always, 180.0), [Decision::Drop], "the end of the gentle slope");
    let off = RedConfig { ecn: false, ..config };
    assert_eq!(outcome(Ecn::Ect0, &off, 57.5), [Decision::Drop]);
}

#[test]
fn a_mark_stays_on_the_packet() {
    // With weight 1 the average is the current length; between 0 and 4 packets many arrivals are marked.
    let config = RedConfig {
        min: 0.0,
        max: 4.0,
        weight: 1.0,
        max_p: Probability::ONE,
        ecn: true,
        use_mark_p: false,
        ..RedConfig::default()
    };
    let mut queue = red(&config);
    let (mut pool, mut probe) = (Pool::new(), NoProbe);
    let mut cx = PoolCx::new(&mut probe, &mut pool, EventSource::Queue(0));
    let mut marked = 0;
    for n in 0..400 {
        let id = cx.pool.insert(packet(n, 1000, Ecn::Ect0));
        assert_eq!(queue.enqueue(Nanos::ZERO, id, &mut cx), Verdict::Queued);
        if queue.backlog().packets == 3 {
            let id = queue.dequeue(Nanos::ZERO, &mut cx).unwrap();
            marked += u64::from(cx.pool.remove(id).segment.ecn == Ecn::Ce);
        }
    }
    assert!(marked > 50 && marked < 398, "{marked}");
    assert!((marked..=marked + 2).contains(&queue.stats().marked));
}

#[test]
fn byte_mode_scales_with_size() {
    // p_b = 1/20 for a mean packet: a packet of half the size is dropped half as often.
    let config = RedConfig { unit: RedUnit::Bytes, ..RedConfig::default() };
    let share = |len| {
        let mut queue = red(&config);
        queue.above = true;
        let n = 200_000;
        let dropped = (0..n)
            .filter(|_| {
                queue.avg.set(57.5);
                queue.decide(len, Ecn::NotEct, false) != Decision::Pass
            })
            .count();
        dropped as f64 / f64::from(n)
    };
    // The mean gap is the sum of the probabilities of longer gaps; `count` is in whole mean packets.
    let expected = |len: u64| {
        let (mut alive, mut mean_gap) = (1.0, 0.0);
        for k in 1.. {
            mean_gap += alive;
            let p = 0.05 / (1.0 - (k * len / 1500) as f64 * 0.05).max(1e-9);
            alive *= 1.0 - if p < 1.0 { p * len as f64 / 1500.0 } else { 1.0 };
            if alive <= 0.0 || k * len / 1500 >= 20 {
                return 1.0 / mean_gap;
            }
        }
        unreachable!()
    };
    for (len, about) in [(1500, 0.1), (750, 0.05), (60, 0.004)] {
        let (share, expected) = (share(len), expected(u64::from(len)));
        assert!((share - expected).abs() < 0.002, "{len}: {share} {expected}");
        assert!((share / about - 1.0).abs() < 0.1, "proportional to the size, {len}: {share}");
    }
}

/// Another rate of the link is another time of the mean packet.
#[test]
fn a_changed_rate_is_learnt() {
    let mut queue = crate::Queue::Red(red(&RedConfig::default()));
    queue.on_link(&LinkInfo::link(&|bytes: Bytes| Span::from_micros(bytes.0), false));
    queue.on_rate(&|bytes: Bytes| Span::from_micros(10 * bytes.0));
    let crate::Queue::Red(red) = &queue else { panic!("another discipline") };
    assert_eq!(red.avg.packet_time(), Span::from_micros(15_000));
}
