//! Tests of the link: timing, loss, reordering, conservation.

use airtcp_packet::{EndpointId, Packet, Pool, Segment, Side};
use airtcp_probe::{EventSource, NoProbe};
use airtcp_units::{BitRate, Capacity, Narrow, Probability, Saturate};
use proptest::prelude::*;

use super::*;
use crate::{BernoulliConfig, Distribution, LossConfig, Rate, RateTrace};

fn no_files(path: &str) -> Result<Arc<Outcomes>, String> {
    Err(format!("no such trace: {path}"))
}

fn build(config: &LinkConfig, seed: u64) -> Link {
    Link::new(config, Seed::new(seed), "link/0", &no_files).unwrap()
}

fn config(text: &str) -> LinkConfig {
    toml::from_str(text).unwrap()
}

/// A packet number `number` that is `bytes` long on the wire.
fn packet(number: u32, bytes: u16) -> Packet {
    let segment = Segment::datagram(number, bytes - 28);
    Packet { to: EndpointId::new(0, Side::Server), segment }
}

/// Sends packets of the given lengths, each `idle` after the link is ready. Returns the numbers and times of
/// the packets that arrive.
fn drive(link: &mut Link, pool: &mut Pool, lengths: &[u16], idle: Span) -> Vec<(u32, Nanos)> {
    let mut probe = NoProbe;
    let mut cx = PoolCx::new(&mut probe, pool, EventSource::Link(0));
    let (mut now, mut next, mut out) = (Nanos::ZERO, 0, Vec::new());
    loop {
        while let Some(id) = link.poll(now, &mut cx) {
            out.push((cx.pool.remove(id).segment.seq.0, now));
        }
        let offer_at = link.ready_at() + idle;
        if next < lengths.len() && now >= offer_at {
            assert!(link.is_ready(now));
            let id = cx.pool.insert(packet(u32::narrow(next), lengths[next]));
            link.handle(now, id, &mut cx);
            next += 1;
            continue;
        }
        let arrival = link.next_timer();
        assert!(arrival >= now, "a timer in the past");
        now = if next < lengths.len() { arrival.min(offer_at.max(now)) } else { arrival };
        if now == Nanos::NEVER {
            return out;
        }
        link.on_timer(now);
    }
}

#[test]
fn a_packet_takes_transmission_and_propagation_time() {
    let mut link = build(&config("rate = \"10 Mb/s\"\ndelay = \"40 ms\""), 0);
    let mut pool = Pool::new();
    // 1500 B at 10 Mb/s take 1.2 ms; back to back, packet n arrives at n x 1.2 + 40 ms.
    let out = drive(&mut link, &mut pool, &[1500; 100], Span::ZERO);
    let expected: Vec<_> = (1..=100)
        .map(|n| {
            (u32::narrow(n) - 1, Nanos::ZERO + Span::from_micros(1200) * n + Span::from_millis(40))
        })
        .collect();
    assert_eq!(out, expected);
    assert_eq!(link.busy(Nanos(60_000_000)), Span(60_000_000));
    assert_eq!(link.busy(link.ready_at()), Span::from_millis(120));
    assert_eq!(link.stats().reordered, 0);
}

#[test]
fn a_train_takes_exactly_its_bits() {
    // 1500 B at 54 Mb/s are 222222.2 ns: over 90000 packets the fifths add up to 20 us.
    let mut link = build(&config("rate = \"54 Mb/s\""), 0);
    let n = 90_000;
    drive(&mut link, &mut Pool::new(), &vec![1500; n], Span::ZERO);
    assert_eq!(link.ready_at(), Nanos(20_000_000_000));
    assert_eq!(link.busy(link.ready_at()), Span(20_000_000_000));
}

#[test]
fn slots_ignore_the_length() {
    let mut link = build(&config("slot = \"10 ms\"\ndelay = \"1 ms\""), 0);
    let out = drive(&mut link, &mut Pool::new(), &[40, 1500, 700], Span::ZERO);
    let ms = |t| Nanos::ZERO + Span::from_millis(t);
    assert_eq!(out, [(0, ms(11)), (1, ms(21)), (2, ms(31))]);
    assert_eq!(link.time_for(Bytes(9000)), Span::from_millis(10));
}

#[test]
fn an_unlimited_link_is_always_ready() {
    let mut link = build(&config("delay = \"5 ms\""), 0);
    let out = drive(&mut link, &mut Pool::new(), &[1500; 3], Span::ZERO);
    assert_eq!(out, [0, 1, 2].map(|n| (n, Nanos(5_000_000))));
    assert_eq!(link.busy(link.ready_at()), Span::ZERO);
}

#[test]
fn next_timer_includes_readiness_only_if_a_packet_waits() {
    let mut link = build(&config("rate = \"10 Mb/s\"\ndelay = \"40 ms\""), 0);
    let (mut pool, mut probe) = (Pool::new(), NoProbe);
    let mut cx = PoolCx::new(&mut probe, &mut pool, EventSource::Link(0));
    assert_eq!(link.next_timer(), Nanos::NEVER);
    let id = cx.pool.insert(packet(0, 1500));
    link.handle(Nanos::ZERO, id, &mut cx);
    assert!(!link.is_ready(Nanos(1_199_999)) && link.is_ready(Nanos(1_200_000)));
    assert_eq!(link.next_timer(), Nanos(41_200_000));
    link.set_waiting(true);
    assert_eq!(link.next_timer(), Nanos(1_200_000));
    link.set_waiting(false);
    assert_eq!(link.poll(Nanos(41_199_999), &mut cx), None);
    assert_eq!(link.poll(Nanos(41_200_000), &mut cx), Some(id));
    // A packet handed over too early starts when the transmitter is free.
    let ids = [1, 2].map(|n| cx.pool.insert(packet(n, 1500)));
    for id in ids {
        link.handle(Nanos(50_000_000), id, &mut cx);
    }
    assert_eq!(link.ready_at(), Nanos(52_400_000));
    assert_eq!(link.in_flight(), 2);
}

#[test]
fn lost_packets_occupy_the_transmitter() {
    let text = "rate = \"10 Mb/s\"\nloss = { model = \"script\", drop = [1, 3] }";
    let (mut link, mut pool) = (build(&config(text), 0), Pool::new());
    let out = drive(&mut link, &mut pool, &[1500; 4], Span::ZERO);
    assert_eq!(out, [(1, Nanos(2_400_000)), (3, Nanos(4_800_000))]);
    assert_eq!((link.stats().lost, pool.in_flight()), (2, 0));
}

#[test]
fn too_long_packets_take_no_time() {
    let (mut link, mut pool) =
        (build(&config("rate = \"10 Mb/s\"\nmtu = \"1000 B\""), 0), Pool::new());
    let out = drive(&mut link, &mut pool, &[1001, 1000, 1500], Span::ZERO);
    assert_eq!(out, [(1, Nanos(800_000))]);
    assert_eq!((link.stats().too_long, link.stats().sent, pool.in_flight()), (2, 1, 0));
}

#[test]
fn held_packets_are_overtaken() {
    let text = "rate = \"12 Mb/s\"\nreordering = { every = 4, extra = \"2500 us\" }";
    let mut link = build(&config(text), 0);
    let out = drive(&mut link, &mut Pool::new(), &[1500; 9], Span::ZERO);
    // 1 ms per packet; packets 3 and 7 are 2.5 ms late and arrive after two others each.
    let order: Vec<u32> = out.iter().map(|o| o.0).collect();
    assert_eq!(order, [0, 1, 2, 4, 5, 3, 6, 8, 7]);
    assert_eq!(out[5].1, Nanos(6_500_000));
    assert_eq!(link.stats().reordered, 2);
}

#[test]
fn equal_arrivals_keep_the_order_of_sending() {
    // Every second packet is 7 ms late: packets 1 and 8 both arrive at 9 ms, while 3, 5 and 7 are still in
    // flight.
    let text = "rate = \"12 Mb/s\"\nreordering = { every = 2, extra = \"7 ms\" }";
    let out = drive(&mut build(&config(text), 0), &mut Pool::new(), &[1500; 9], Span::ZERO);
    let order: Vec<u32> = out.iter().map(|o| o.0).collect();
    assert_eq!(order, [0, 2, 4, 6, 1, 8, 3, 5, 7]);
    assert_eq!((out[4].1, out[5].1), (Nanos(9_000_000), Nanos(9_000_000)));
}

#[test]
fn reordering_and_duplication_have_their_probabilities() {
    let text = "delay = \"1 ms\"\nduplication = \"10 %\"\nrate = \"1 Gb/s\"\n\
                reordering = { probability = \"5 %\", extra = \"1 ms\", extra_max = \"3 ms\" }";
    let (mut link, mut pool) = (build(&config(text), 3), Pool::new());
    let n = 20_000u32;
    let out = drive(&mut link, &mut pool, &vec![125; n as usize], Span::ZERO);
    let copies = out.len() as f64 - f64::from(n);
    let spread = |p: f64| 5.0 * (p * (1.0 - p) * f64::from(n)).sqrt();
    assert!((copies - 0.1 * f64::from(n)).abs() < spread(0.1), "{copies}");
    assert_eq!(u64::saturate(copies), link.stats().duplicated);
    // Packet n is sent at n us; a packet that takes longer than 1.001 ms was held back.
    let delay = |(number, at): &(u32, Nanos)| at.0 - u64::from(*number) * 1000;
    let late: Vec<u64> = out.iter().map(delay).filter(|d| *d > 1_001_000).collect();
    let held = late.len() as f64 / 1.1;
    assert!((held - 0.05 * f64::from(n)).abs() < 1.3 * spread(0.05), "{held}");
    assert!(late.iter().all(|d| (2_001_000..=4_001_000).contains(d)));
    assert!(late.iter().any(|d| *d < 2_100_000) && late.iter().any(|d| *d > 3_900_000));
}

#[test]
fn jitter_has_its_mean() {
    for (distribution, sd) in [("uniform", 0.577), ("exponential", 1.0)] {
        let text = format!(
            "rate = \"1 kb/s\"\n\
             jitter = {{ mean = \"2 ms\", distribution = \"{distribution}\", keep_order = false }}"
        );
        let mut link = build(&config(&text), 3);
        let n = 10_000;
        // A packet of 125 B takes a second, so no two packets are in flight together.
        let out = drive(&mut link, &mut Pool::new(), &vec![125; n], Span::ZERO);
        let late = |(number, at): &(u32, Nanos)| at.0 as f64 / 1e9 - f64::from(*number) - 1.0;
        let mean = out.iter().map(late).sum::<f64>() / n as f64;
        assert!((mean - 2e-3).abs() < 5.0 * 2e-3 * sd / 100.0, "{distribution}: {mean}");
    }
}

#[test]
fn tables_read_and_refuse() {
    let c = config(
        "rate = \"10 Mb/s\"\ndelay = \"40 ms\"\nloss = { model = \"bernoulli\", probability = \"1 %\" }",
    );
    assert_eq!(c.rate, Some(BitRate::from_mbps(10).into()));
    assert_eq!(config(&toml::to_string(&c).unwrap()), c);
    assert_eq!(config(""), LinkConfig::default());
    assert!(
        toml::from_str::<LinkConfig>("dealy = \"1 ms\"").unwrap_err().to_string().contains("dealy")
    );
    for (text, part) in [
        ("rate = \"1 Mb/s\"\nslot = \"1 ms\"", "slot: both a rate (1 Mb/s) and a slot (1 ms)"),
        ("slot = \"0 s\"", "slot: a slot of 0 s"),
        ("mtu = \"40 B\"", "mtu: an MTU is at least 68 B"),
        ("reordering = { every = 0, extra = \"1 ms\" }", "reordering.every: is 0"),
        ("reordering = { extra = \"2 ms\", extra_max = \"1 ms\" }", "reordering.extra_max: "),
        ("loss = { model = \"trace\", path = \"x\", slot = \"1 ms\" }", "path: no such trace: x"),
    ] {
        let message =
            Link::new(&config(text), Seed::new(0), "l", &no_files).unwrap_err().to_string();
        assert!(message.contains(part), "{message}");
    }
}

#[test]
fn the_same_frames_are_lost_on_a_faster_link() {
    // Common random numbers: another timing does not change the losses.
    let lost = |rate: u64| {
        let loss = BernoulliConfig { probability: Probability::clamped(0.2) };
        let config = LinkConfig {
            rate: Some(BitRate::from_mbps(rate).into()),
            loss: LossConfig::Bernoulli(loss),
            ..LinkConfig::default()
        };
        let out = drive(&mut build(&config, 8), &mut Pool::new(), &[1000; 500], Span::ZERO);
        out.into_iter().map(|o| o.0).collect::<Vec<_>>()
    };
    assert_eq!(lost(1), lost(100));
}

fn any_link() -> impl Strategy<Value = LinkConfig> {
    let chance = || (0.0f64..0.5).prop_map(Probability::clamped);
    let ns = |max: u64| (0..max).prop_map(Span);
    let jitter = (ns(5_000_000), any::<bool>(), any::<bool>()).prop_map(|(mean, e, keep_order)| {
        let distribution = if e { Distribution::Exponential } else { Distribution::Uniform };
        JitterConfig { mean, distribution, keep_order }
    });
    let held = (chance(), proptest::option::of(1u64..9), ns(9_000_000), ns(9_000_000));
    let reordering = held.prop_map(|(probability, every, extra, more)| ReorderingConfig {
        probability,
        every,
        extra,
        extra_max: Some(extra + more),
    });
    (
        proptest::option::of(1_000u64..1_000_000_000_000),
        ns(100_000_000),
        chance(),
        proptest::option::of(jitter),
        proptest::option::of(reordering),
        chance(),
        proptest::option::of(100u64..1600),
    )
        .prop_map(|(rate, delay, loss, jitter, reordering, duplication, mtu)| LinkConfig {
            rate: rate.and_then(BitRate::new).map(Into::into),
            delay: delay.into(),
            mtu: mtu.map(Bytes),
            loss: LossConfig::Bernoulli(BernoulliConfig { probability: loss }),
            jitter,
            reordering,
            duplication,
            ..LinkConfig::default()
        })
}

proptest! {
    #[test]
    fn every_packet_is_delivered_or_dropped_once(
        config in any_link(),
        lengths in proptest::collection::vec(28u16..1600, 0..80),
        idle in 0u64..2_000_000,
        seed in 0u64..1000,
    ) {
        let mut pool = Pool::new();
        let mut link = build(&config, seed);
        let out = drive(&mut link, &mut pool, &lengths, Span(idle));
        let stats = link.stats().clone();
        prop_assert_eq!(pool.in_flight(), 0);
        prop_assert_eq!(link.in_flight(), 0);
        prop_assert_eq!(stats.sent + stats.too_long, lengths.len() as u64);
        prop_assert_eq!(stats.delivered, stats.sent + stats.duplicated - stats.lost);
        prop_assert_eq!(pool.created(), stats.delivered + stats.lost + stats.too_long);
        prop_assert_eq!(out.len() as u64, stats.delivered);
        prop_assert!(out.is_sorted_by_key(|o| o.1), "out of the link in the order of time");

        let keeps_order = config.jitter.as_ref().is_none_or(|j| j.keep_order);
        if config.reordering.is_none() && keeps_order {
            prop_assert!(out.is_sorted_by_key(|o| o.0), "in order unless asked otherwise");
            prop_assert_eq!(stats.reordered, 0);
        }
        // A second run is the same.
        let again = drive(&mut build(&config, seed), &mut Pool::new(), &lengths, Span(idle));
        prop_assert_eq!(out, again);
    }
}

/// A link with a varying rate.
fn varying(capacity: Capacity, rest: &str) -> Link {
    let mut config = config(rest);
    let trace = RateTrace { capacity: Some(Arc::new(capacity)), ..RateTrace::default() };
    config.rate = Some(Rate::Trace(trace));
    build(&config, 0)
}

proptest! {
    /// Evenly spaced opportunities equal a constant rate within one opportunity. Steps of one rate equal it to
    /// the nanosecond.
    #[test]
    fn an_even_capacity_is_a_constant_rate(
        lengths in proptest::collection::vec(40u16..1504, 1..100),
        every in 1u64..20,
        idle in 0u64..30_000_000,
    ) {
        let ms = Span::from_millis;
        // 1504 bytes at equal intervals.
        let bps = 1504 * 8 * 1000 / every;
        let constant = format!("rate = \"{bps} b/s\"\ndelay = \"7 ms\"");
        let opportunities = Capacity::opportunities(vec![ms(every)], 1504).unwrap();
        let steps = Capacity::rates(&[(Span::ZERO, bps)], ms(333)).unwrap();
        let run = |mut link: Link, idle| drive(&mut link, &mut Pool::new(), &lengths, Span(idle));
        let exact = run(build(&config(&constant), 0), idle);
        prop_assert_eq!(&run(varying(steps, "delay = \"7 ms\""), idle), &exact);
        // A sender that waits between packets misses opportunities; the rates then cannot be compared.
        let exact = run(build(&config(&constant), 0), 0);
        let found = run(varying(opportunities, "delay = \"7 ms\""), 0);
        for ((number, at), (other, when)) in found.iter().zip(&exact) {
            prop_assert_eq!(number, other);
            // The rate is rounded to whole bits per second, which adds some microseconds.
            prop_assert!(*at + Span(10_000) >= *when && at.since(*when) <= ms(every), "{at:?} {when:?}");
        }
    }

    /// With any capacity, packets are conserved, leave in order, and do not exceed the capacity.
    #[test]
    fn throughput_does_not_exceed_the_capacity(
        gaps in proptest::collection::vec(0u64..40, 1..30),
        lengths in proptest::collection::vec(40u16..1504, 1..120),
        idle in prop_oneof![Just(0), 0u64..20_000_000],
    ) {
        let at: Vec<Span> = gaps.iter().scan(0, |t, gap| { *t += gap; Some(Span::from_millis(*t)) }).collect();
        let Some(capacity) = Capacity::opportunities(at, 1504) else { return Ok(()) };
        let mut link = varying(capacity.clone(), "");
        let out = drive(&mut link, &mut Pool::new(), &lengths, Span(idle));
        prop_assert_eq!(out.len(), lengths.len());
        let mut bits = 0.0;
        for ((number, when), place) in out.iter().zip(0u32..) {
            prop_assert_eq!(*number, place);
            bits += f64::from(lengths[place as usize]) * 8.0;
            prop_assert!(bits <= capacity.bits_between(Nanos::ZERO, *when));
        }
        prop_assert_eq!(link.stats().delivered, link.stats().sent);
        prop_assert_eq!(link.offered(Nanos::ZERO, Nanos(1)), Some(0.0));
    }
}
