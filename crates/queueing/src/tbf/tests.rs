use airtcp_packet::{Ecn, Pool};
use airtcp_probe::{EventSource, NoProbe};
use proptest::prelude::*;

use super::*;
use crate::conformance::packet;

/// Headers of a packet.
const HEADERS: u16 = 40;

fn tbf(text: &str) -> Tbf {
    Tbf::build(&toml::from_str(text).unwrap(), Seed::new(1), "q").unwrap()
}

/// Departures from a link of infinite rate, and the number of drops: each packet comes `gap` after the one before.
fn departures(tbf: &mut Tbf, arrivals: &[(u64, u16)]) -> (Vec<(u64, u32)>, usize) {
    let (mut pool, mut probe) = (Pool::new(), NoProbe);
    let mut cx = PoolCx::new(&mut probe, &mut pool, EventSource::Queue(0));
    let (mut now, mut left, mut dropped) = (Nanos::ZERO, Vec::new(), 0);
    let mut arrivals = arrivals.iter().scan(Nanos::ZERO, |at, (gap, bytes)| {
        *at += Span(*gap);
        Some((*at, *bytes))
    });
    let mut next = arrivals.next();
    loop {
        while let Some(id) = tbf.dequeue(now, &mut cx) {
            left.push((now.0, cx.pool.wire_len(id)));
            cx.pool.remove(id);
        }
        match next {
            Some((at, bytes)) if at <= tbf.next_timer() => {
                now = at;
                let id = cx.pool.insert(packet(0, bytes - HEADERS, Ecn::NotEct));
                dropped += usize::from(tbf.enqueue(now, id, &mut cx) != Verdict::Queued);
                next = arrivals.next();
            }
            _ if tbf.next_timer() < Nanos::NEVER => now = tbf.next_timer(),
            _ => return (left, dropped),
        }
    }
}

/// 8 Mb/s: 1500 B take 1.5 ms. Twenty packets at once: ten leave at once, and then one every 1.5 ms.
#[test]
fn a_burst_at_once_and_then_the_rate() {
    let mut q = tbf("rate = \"8 Mb/s\"\nburst = \"15 kB\"");
    let (left, dropped) = departures(&mut q, &[(0, 1500); 20]);
    let times: Vec<u64> = left.iter().map(|(at, _)| at / 1000).collect();
    let expected: Vec<u64> = (0..20u64).map(|n| n.saturating_sub(9) * 1500).collect();
    assert_eq!((times, dropped), (expected, 0));
    // 5 ms after the last one, the bucket has 5000 B: three packets at once, and the fourth after 1 ms.
    let mut q = tbf("rate = \"8 Mb/s\"\nburst = \"15 kB\"");
    let mut arrivals = vec![(0, 1500); 10];
    arrivals.extend([(5_000_000, 1500), (0, 1500), (0, 1500), (0, 1500)]);
    let times: Vec<u64> = departures(&mut q, &arrivals).0.iter().map(|(at, _)| at / 1000).collect();
    assert_eq!(times[10..], [5000, 5000, 5000, 6000]);
}

/// `tc` computes the limit as rate x latency + burst: 8 Mb/s x 10 ms = 10,000 B.
#[test]
fn the_latency_limits_the_queue_as_tc_does() {
    let config: TbfConfig =
        toml::from_str("rate = \"8 Mb/s\"\nburst = \"15 kB\"\nlatency = \"10 ms\"").unwrap();
    assert_eq!(config.limits().unwrap(), (u32::MAX, 25_000));
    // 10 leave at once, 16 of 1500 B fit into 25,000 B.
    let mut q = tbf("rate = \"8 Mb/s\"\nburst = \"15 kB\"\nlatency = \"10 ms\"");
    assert_eq!(departures(&mut q, &[(0, 1500); 30]).1, 4);
}

#[test]
fn a_packet_longer_than_the_burst_is_dropped() {
    let mut q = tbf("rate = \"8 Mb/s\"\nburst = \"1499 B\"");
    let (left, dropped) = departures(&mut q, &[(0, 1500), (0, 1499)]);
    assert_eq!((left.len(), dropped), (1, 1));
}

proptest! {
    /// Departures follow arrivals, are never more than rate t + burst in any interval, and are as early as that
    /// allows: a packet that waited leaves at the first nanosecond at which some interval up to it is full.
    #[test]
    fn departures_are_the_earliest_that_the_bucket_allows(
        rate in 100_000u64..1_000_000_000,
        burst in 1500u64..60_000,
        arrivals in proptest::collection::vec((0u64..4_000_000, HEADERS..1500), 1..80),
    ) {
        let mut q = tbf(&format!("rate = \"{rate} b/s\"\nburst = \"{burst} B\""));
        let (left, dropped) = departures(&mut q, &arrivals);
        prop_assert_eq!((left.len(), dropped), (arrivals.len(), 0));
        let mut came = 0;
        for (n, (at, bytes)) in left.iter().enumerate() {
            came += arrivals[n].0;
            prop_assert!(*at >= came);
            prop_assert_eq!(*bytes, u32::from(arrivals[n].1));
            // Bits above the rate in the fullest interval that ends with this packet, in parts of 1e-9 bits.
            let (mut sum, mut most) = (0i128, i128::MIN);
            for (from, bytes) in left[..=n].iter().rev() {
                sum += i128::from(*bytes) * 8_000_000_000;
                most = most.max(sum - i128::from(at - from) * i128::from(rate));
            }
            let bound = i128::from(burst) * 8_000_000_000;
            prop_assert!(most <= bound);
            if *at > came && n > 0 && left[n - 1].0 < *at {
                prop_assert!(most > bound - i128::from(rate), "it could have left 1 ns earlier");
            }
        }
    }
}
