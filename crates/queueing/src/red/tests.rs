//! RED against its formulas.

use airtcp_packet::Pool;
use airtcp_probe::NoProbe;
use airtcp_probe::Who;
use airtcp_units::detmath;

use super::*;
use crate::conformance::packet;

fn red(config: &RedConfig) -> Red {
    Red::build(config, Seed::new(11), "queue").unwrap()
}

/// A queue whose average is held at `avg`, and gaps between its early drops or marks: the number
/// of arrivals from one to the next, over `n` arrivals.
fn gaps(config: &RedConfig, avg: f64, n: u32, ecn: Ecn) -> (Vec<u64>, Red) {
    let mut queue = red(config);
    let mut out = Vec::new();
    let mut gap = 0;
    for _ in 0..n {
        queue.avg.set(avg);
        gap += 1;
        if queue.decide(1500, ecn) != Decision::Pass {
            out.push(gap);
            gap = 0;
        }
    }
    (out, queue)
}

/// Chi-squared of `gaps` against the uniform distribution on `low..=high`; panics on a gap outside.
fn chi_squared(gaps: &[u64], low: u64, high: u64) -> f64 {
    let mut seen = vec![0u32; (high - low + 1) as usize];
    for gap in gaps {
        seen[(gap - low) as usize] += 1;
    }
    let expected = gaps.len() as f64 / seen.len() as f64;
    seen.iter().map(|n| (f64::from(*n) - expected) * (f64::from(*n) - expected) / expected).sum()
}

#[test]
fn gaps_between_drops_are_uniform() {
    // avg in the middle: p_b = 0.1 x 0.5 = 1/20, so gaps are uniform on 1..=20.
    let config = RedConfig::default();
    let (found, _) = gaps(&config, 57.5, 400_000, Ecn::NotEct);
    let mean = found.iter().sum::<u64>() as f64 / found.len() as f64;
    assert!((mean - 10.5).abs() < 5.0 * 5.77 / (found.len() as f64).sqrt(), "{mean}");
    // 19 degrees of freedom: above 52 with probability 7e-5.
    assert!(chi_squared(&found, 1, 20) < 52.0);
    // Without the count the gaps would be geometric and most of them shorter than 14.
    let wait = RedConfig { wait: true, ..config };
    let (found, _) = gaps(&wait, 57.5, 400_000, Ecn::NotEct);
    assert!(chi_squared(&found, 21, 40) < 52.0, "1/p + 1 ..= 2/p with wait");
}

#[test]
fn probability_follows_the_average() {
    let p = |avg| {
        let mut queue = red(&RedConfig { gentle: true, ..RedConfig::default() });
        queue.avg.set(avg);
        queue.base_probability()
    };
    assert_eq!(p(0.0), Some(0.0));
    assert_eq!(p(25.0), Some(0.0));
    assert!((p(51.0).unwrap() - 0.04).abs() < 1e-12);
    assert!((p(89.999_999).unwrap() - 0.1).abs() < 1e-6);
    assert!((p(90.0).unwrap() - 0.1).abs() < 1e-12, "no jump at max");
    assert!((p(135.0).unwrap() - 0.55).abs() < 1e-12, "half way from 0.1 to 1");
    assert_eq!(p(180.0), None);
    let mut abrupt = red(&RedConfig { gentle: false, ..RedConfig::default() });
    abrupt.avg.set(90.0);
    assert_eq!(abrupt.base_probability(), None);
}

#[test]
fn the_average_follows_the_queue_and_decays_while_idle() {
    let w = 0.1f64;
    let config = RedConfig {
        weight: w,
        packet_time: Some(Span::from_millis(1)),
        min: 500.0,
        max: 900.0,
        limit: 1000,
        ..RedConfig::default()
    };
    let mut queue = red(&config);
    let (mut pool, mut probe) = (Pool::new(), NoProbe);
    let mut cx = Cx::new(&mut probe, &mut pool, Who::Queue(0));
    let mut now = Nanos::ZERO;
    for n in 0..50u32 {
        let id = cx.pool.insert(packet(n, 1000, Ecn::NotEct));
        queue.enqueue(now, id, &mut cx);
    }
    // The first arrival found it empty; arrival n + 1 found n packets: an explicit sum.
    let expected: f64 =
        (1..50).map(|n| w * detmath::pow(1.0 - w, f64::from(49 - n)) * f64::from(n)).sum();
    assert!((queue.average() - expected).abs() < 1e-9, "{} {expected}", queue.average());

    for _ in 0..50 {
        now += Span::from_millis(1);
        queue.dequeue(now, &mut cx);
    }
    let before = queue.average();
    assert!((before - expected).abs() < 1e-12, "departures do not move it");
    // Empty since `now`; 7.25 ms later m = 7.25 packets could have been sent.
    let id = cx.pool.insert(packet(99, 1000, Ecn::NotEct));
    queue.enqueue(now + Span::from_micros(7_250), id, &mut cx);
    let decayed = before * detmath::pow(1.0 - w, 7.25);
    assert!((queue.average() - decayed).abs() < 1e-9);
}

#[test]
fn an_idle_link_is_timed_by_its_rate() {
    let mut queue = red(&RedConfig::default());
    queue.on_link(&|bytes| Span::from_micros(bytes.0));
    assert_eq!(queue.avg.packet_time(), Span::from_micros(1500));
    let given = Some(Span::from_millis(3));
    let mut queue = red(&RedConfig { packet_time: given, ..RedConfig::default() });
    queue.on_link(&|bytes| Span::from_micros(bytes.0));
    assert_eq!(queue.avg.packet_time(), Span::from_millis(3), "what the table says goes first");
}

#[test]
fn only_capable_packets_are_marked() {
    let config = RedConfig { ecn: true, ..RedConfig::default() };
    let outcome = |ecn, config: &RedConfig, avg| {
        let mut queue = red(config);
        let mut seen = Vec::new();
        for _ in 0..1000 {
            queue.avg.set(avg);
            let decision = queue.decide(1500, ecn);
            if decision != Decision::Pass && !seen.contains(&decision) {
                seen.push(decision);
            }
        }
        seen
    };
    assert_eq!(outcome(Ecn::NotEct, &config, 57.5), [Decision::Drop]);
    for capable in [Ecn::Ect0, Ecn::Ect1, Ecn::Ce] {
        assert_eq!(outcome(capable, &config, 57.5), [Decision::Mark]);
        // Above max the probability is mark_p or more: dropped although capable.
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
    // The average is the present length; between 0 and 4 packets many arrivals are marked.
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
    let mut cx = Cx::new(&mut probe, &mut pool, Who::Queue(0));
    let mut marked = 0;
    for n in 0..400 {
        let id = cx.pool.insert(packet(n, 1000, Ecn::Ect0));
        assert_eq!(queue.enqueue(Nanos::ZERO, id, &mut cx), Verdict::Queued);
        if queue.backlog().packets == 3 {
            let id = queue.dequeue(Nanos::ZERO, &mut cx).unwrap();
            marked += u64::from(cx.pool.remove(id).segment.ecn == Ecn::Ce);
        }
    }
    assert!(marked > 100 && marked < 398, "{marked}");
    assert!((marked..=marked + 2).contains(&queue.stats().marked));
}

#[test]
fn byte_mode_scales_with_size() {
    // p_b = 1/20 for a mean packet: a packet of half the size is dropped half as often.
    let config = RedConfig { unit: RedUnit::Bytes, ..RedConfig::default() };
    let share = |len| {
        let mut queue = red(&config);
        let n = 200_000;
        let dropped = (0..n)
            .filter(|_| {
                queue.avg.set(57.5);
                queue.decide(len, Ecn::NotEct) != Decision::Pass
            })
            .count();
        dropped as f64 / f64::from(n)
    };
    // A uniform gap on 1..=1/p has the mean (1/p + 1)/2.
    assert!((share(1500) - 2.0 / 21.0).abs() < 0.002);
    assert!((share(750) - 2.0 / 41.0).abs() < 0.002);
    assert!((share(60) - 2.0 / 501.0).abs() < 0.001);
}
