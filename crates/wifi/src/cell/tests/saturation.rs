//! Saturated stations against an ideal slotted system.

use super::*;

/// What an ideal slotted system does: collision probability, and time in units of what happens
/// (idle slots, successes, collisions) until `attempts` frames were sent. Shares no code with the
/// cell: no carrier sense, no timers.
fn slotted(n: usize, cw_min: u64, doublings: u32, frozen: bool) -> (f64, [u64; 3]) {
    const ATTEMPTS: u64 = 300_000;
    let mut random = Seed::new(5).stream("slotted");
    let mut left: Vec<u64> = (0..n).map(|_| random.below(cw_min + 1)).collect();
    let mut failed = vec![0u32; n];
    let (mut sent, mut collided, mut time) = (0, 0, [0; 3]);
    while sent < ATTEMPTS {
        let wait = *left.iter().min().unwrap();
        time[0] += wait;
        let senders: Vec<bool> = left.iter().map(|slots| *slots == wait).collect();
        let count = senders.iter().filter(|sends| **sends).count() as u64;
        sent += count;
        let collision = count > 1;
        collided += if collision { count } else { 0 };
        time[1 + usize::from(collision)] += 1;
        for i in 0..n {
            left[i] -= wait;
            if senders[i] {
                failed[i] = if collision { (failed[i] + 1) % 7 } else { 0 };
                left[i] = random.below((cw_min + 1) << failed[i].min(doublings));
            } else if !frozen {
                left[i] -= 1;
            }
        }
    }
    (collided as f64 / sent as f64, time)
}

/// Collision probability of n saturated stations sending to station 0, and packets a second.
fn saturate(n: u32, standard: Standard, decrement: BackoffDecrement, seconds: u64) -> (f64, f64) {
    let mac = MacConfig { eifs: false, backoff_decrement: decrement, ..MacConfig::default() };
    // Those that collided go on together with the others.
    let difs = Timing::new(standard, &TimingConfig::default()).unwrap().difs();
    let timing = TimingConfig { ack_timeout: Some(difs), ..TimingConfig::default() };
    let mut bench = Bench::new(plan(n as usize + 1, standard, mac, timing), 1);
    bench.saturated = (1..=n).map(|i| (NodeId(i), NodeId(0))).collect();
    bench.run(Nanos(seconds * 1_000_000_000));
    let (mut sent, mut collided) = (0, 0);
    for i in 1..=n {
        let data = bench.cell.stats(NodeId(i)).class(Class::Data);
        sent += data.sent;
        collided += data.collided.iter().sum::<u64>();
    }
    (collided as f64 / sent as f64, bench.delivered[0] as f64 / seconds as f64)
}

/// Against the slotted system: collision probability within 0.01, throughput within 2 %.
#[test]
fn saturated_stations_collide_as_in_the_slotted_system() {
    for (standard, doublings, seconds) in [(Standard::A, 6, 10), (Standard::B, 5, 40)] {
        let timing = Timing::new(standard, &TimingConfig::default()).unwrap();
        for n in [1, 2, 3, 5, 10, 20, 50] {
            for decrement in [BackoffDecrement::SlotEnd, BackoffDecrement::SlotStart] {
                let frozen = decrement == BackoffDecrement::SlotEnd;
                let (p, rate) = saturate(n, standard, decrement, seconds);
                let cw_min = u64::from(standard.cw_min());
                let (expected, [idle, won, lost]) = slotted(n as usize, cw_min, doublings, frozen);
                let fastest = standard.modes().last().unwrap();
                let frame = timing.frame(fastest, data_bytes(1460 + 28, false));
                let after = timing.sifs + timing.ack(fastest) + timing.difs();
                let ns = idle * timing.slot.0
                    + won * (frame + after).0
                    + lost * (frame + timing.difs()).0;
                let packets = won as f64 / (ns as f64 / 1e9);
                assert!(
                    (p - expected).abs() < 0.01,
                    "{standard} {n} {decrement:?}: {p} {expected}"
                );
                assert!((rate / packets - 1.0).abs() < 0.02, "{standard} {n}: {rate} {packets}");
            }
        }
    }
}
