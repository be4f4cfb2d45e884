//! Saturated stations against an ideal slotted system.

use airtcp_units::{Narrow, detmath};

use super::*;
use crate::mac::{AccessMethod, BackoffDecrement, Category, EdcaConfig, EdcaTable, TxopLimits};

/// Ideal slotted system: collision probability, and the numbers of idle slots, successes and
/// collisions until `ATTEMPTS` frames were sent. It shares no code with the cell, and has no carrier
/// sense or timers.
pub(super) fn slotted(n: usize, cw_min: u64, doublings: u32, frozen: bool) -> (f64, [u64; 3]) {
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

/// Collision probability and packets per second of n saturated stations that send to station 0.
fn saturate(n: u32, standard: Standard, decrement: BackoffDecrement, seconds: u64) -> (f64, f64) {
    let mac = MacConfig { eifs: false, backoff_decrement: Some(decrement), ..MacConfig::default() };
    // After a collision, its senders continue at the same time as the other stations.
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

/// Attempts and successes of saturated categories in an ideal system by slot boundaries (clause
/// 9.19.2.3): at each boundary after its AIFS, a category transmits if its counter is zero, and counts
/// down otherwise.
fn boundaries(all: &[AccessParams]) -> Vec<(u64, u64)> {
    let mut random = Seed::new(9).stream("boundaries");
    let mut draw = |p: &AccessParams, failed: u32| {
        let cw = ((u64::from(p.cw_min) + 1) << failed).min(u64::from(p.cw_max) + 1);
        random.below(cw)
    };
    let mut counters: Vec<u64> = all.iter().map(|p| draw(p, 0)).collect();
    let mut failed = vec![0u32; all.len()];
    let mut counts = vec![(0, 0); all.len()];
    for _ in 0..400_000 {
        let mut boundary = 0;
        let senders = loop {
            boundary += 1;
            let counts = |i: &usize| all[*i].aifsn <= boundary;
            let open: Vec<usize> = (0..all.len()).filter(counts).collect();
            let ready: Vec<usize> = open.iter().copied().filter(|i| counters[*i] == 0).collect();
            for i in open {
                counters[i] = counters[i].saturating_sub(1);
            }
            if !ready.is_empty() {
                break ready;
            }
        };
        for i in &senders {
            counts[*i].0 += 1;
            if senders.len() == 1 {
                counts[*i].1 += 1;
                failed[*i] = 0;
            } else {
                failed[*i] = (failed[*i] + 1) % 7;
            }
            counters[*i] = draw(&all[*i], failed[*i]);
        }
    }
    counts
}

/// Stations of two categories share the medium as in the ideal system: shares of packets and
/// collision probabilities within 0.01.
#[test]
fn categories_share_the_medium_as_their_parameters_say() {
    let params =
        EdcaConfig::default().params(Standard::A, EdcaTable::Stations, TxopLimits::Zero).unwrap();
    for mix in [
        vec![Category::Voice, Category::BestEffort, Category::BestEffort],
        vec![Category::Video, Category::Video, Category::BestEffort, Category::Background],
        vec![Category::Voice, Category::Voice, Category::Video, Category::BestEffort],
    ] {
        let mac = MacConfig { access: AccessMethod::Edca, eifs: false, ..MacConfig::default() };
        let difs = Timing::new(Standard::A, &TimingConfig::default()).unwrap().difs();
        let timing = TimingConfig { ack_timeout: Some(difs), ..TimingConfig::default() };
        let mut plan = plan(mix.len() + 1, Standard::A, mac, timing);
        for station in &mut plan.stations {
            station.seams.access = params.to_vec();
        }
        let mut bench = Bench::new(plan, 3);
        bench.saturated = (0..mix.len()).map(|i| (NodeId(u32::narrow(i) + 1), NodeId(0))).collect();
        bench.categories = std::iter::once(0).chain(mix.iter().map(|c| *c as usize)).collect();
        bench.run(Nanos(30_000_000_000));
        let ideal = boundaries(&mix.iter().map(|c| params[*c as usize]).collect::<Vec<_>>());
        let won: u64 = ideal.iter().map(|(_, won)| won).sum();
        // By category: shares of single stations vary over longer times than that of a test.
        for category in &mix {
            let members = || (0..mix.len()).filter(|i| mix[*i] == *category);
            let data = |i: usize| *bench.cell.stats(NodeId(u32::narrow(i) + 1)).class(Class::Data);
            let decoded: u64 = members().map(|i| data(i).decoded).sum();
            let attempts: u64 = members().map(|i| data(i).sent).sum();
            let (sent, successes) =
                members().fold((0, 0), |(a, b), i| (a + ideal[i].0, b + ideal[i].1));
            let share = decoded as f64 / bench.delivered[0] as f64;
            let expected = successes as f64 / won as f64;
            assert!((share - expected).abs() < 0.01, "{mix:?} {category:?}: {share} {expected}");
            let p = 1.0 - decoded as f64 / attempts as f64;
            let expected = 1.0 - successes as f64 / sent as f64;
            // Background has few attempts: four standard errors.
            let error = 4.0 * (expected / attempts.min(sent) as f64).sqrt();
            assert!((p - expected).abs() < error.max(0.01), "{category:?}: {p} {expected}");
        }
    }
}

/// Two categories of one station never collide on the air: the higher transmits, and the lower backs
/// off as after a collision.
#[test]
fn categories_of_one_station_collide_inside() {
    let params =
        EdcaConfig::default().params(Standard::A, EdcaTable::Stations, TxopLimits::Zero).unwrap();
    let mac = MacConfig { access: AccessMethod::Edca, ..MacConfig::default() };
    let mut plan = plan(2, Standard::A, mac, TimingConfig::default());
    for station in &mut plan.stations {
        station.seams.access = params.to_vec();
    }
    let mut bench = Bench::new(plan, 3);
    bench.saturated = vec![(NodeId(1), NodeId(0)); 4];
    bench.categories = vec![0, 1, 2, 3];
    bench.by_entry = true;
    bench.run(Nanos(5_000_000_000));
    let stats = bench.cell.stats(NodeId(1));
    let data = stats.class(Class::Data);
    // The last frame may still be on the air.
    assert!(data.sent - data.decoded <= 1);
    // Lower categories drop packets at the retry limit that were never transmitted.
    assert!(stats.given_up > 0 && stats.dropped == stats.given_up);
}

/// A transmission opportunity holds as many exchanges as fit, SIFS apart, and no more.
#[test]
fn a_transmission_opportunity_is_filled() {
    let params =
        EdcaConfig::default().params(Standard::A, EdcaTable::Stations, TxopLimits::Y2012).unwrap();
    let mac = MacConfig { access: AccessMethod::Edca, ..MacConfig::default() };
    let mut plan = plan(2, Standard::A, mac, TimingConfig::default());
    for station in &mut plan.stations {
        station.seams.access = params.to_vec();
    }
    let mut bench = Bench::new(plan, 3);
    bench.saturated = vec![(NodeId(1), NodeId(0))];
    bench.categories = vec![0, 2];
    bench.run(Nanos(1_000_000_000));
    let starts: Vec<u64> =
        bench.log.iter().filter(|(_, f)| f.kind == Kind::Data).map(|(at, _)| at.0).collect();
    // 248 + 16 + 28 us an exchange, 16 us between: nine fill 2756 us of 3008, ten would take 3064.
    let exchange = 292_000 + 16_000;
    let first = starts.iter().position(|s| *s > 0).unwrap();
    let mut run = 1;
    let mut runs = Vec::new();
    for pair in starts[first..].windows(2) {
        if pair[1] - pair[0] == exchange {
            run += 1;
        } else {
            runs.push(run);
            run = 1;
        }
    }
    assert!(runs.len() > 100 && runs[1..].iter().all(|n| *n == 9), "{runs:?}");
}

/// Collision probability of n stations, and transmission probability in a slot, by Bianchi's chain with
/// a retry limit: after i = 0..attempts failures the window is min(2^i W, 2^m W). By bisection of
///
/// ```text
/// tau = sum p^i / sum p^i ((W_i - 1)/2 + 1)        p = 1 - (1 - tau)^(n - 1)
/// ```
/// (G. Bianchi, *IEEE JSAC* 18(3), 2000, equations 7 and 9; for a finite number of attempts H. Wu et
/// al., INFOCOM 2002.)
pub(super) fn bianchi(n: u32, window: f64, doublings: i32, attempts: i32) -> (f64, f64) {
    let tau = |p: f64| {
        let (mut above, mut below) = (0.0, 0.0);
        for i in 0..attempts {
            let w = window * f64::from(1u32 << i.min(doublings));
            above += detmath::pow(p, f64::from(i));
            below += detmath::pow(p, f64::from(i)) * ((w - 1.0) / 2.0 + 1.0);
        }
        above / below
    };
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..100 {
        let p = f64::midpoint(low, high);
        let met = 1.0 - detmath::pow(1.0 - tau(p), f64::from(n) - 1.0);
        if met > p {
            low = p;
        } else {
            high = p;
        }
    }
    (low, tau(low))
}

/// The closed form against published values: W = 16, m = 6 without a retry limit gives
/// 0.105, 0.303 and 0.481 for 2, 6 and 20 stations. With seven attempts the values change by less than
/// 0.015.
#[test]
fn the_closed_form_has_its_published_values() {
    for (n, p) in [(2, 0.105), (3, 0.178), (4, 0.231), (6, 0.303), (10, 0.384), (20, 0.481)] {
        assert!((bianchi(n, 16.0, 6, 200).0 - p).abs() < 1e-3, "{n}");
        assert!((bianchi(n, 16.0, 6, 7).0 - p).abs() < 0.015, "{n}");
    }
    for (n, p) in [(2, 0.057), (5, 0.178), (10, 0.290), (20, 0.399)] {
        assert!((bianchi(n, 32.0, 5, 200).0 - p).abs() < 1e-3, "{n}");
    }
}

/// Saturated throughput within 2 % of Bianchi's equation 13, with the count of his chain
/// (`slot-start`):
///
/// ```text
/// S = Ptr Ps / ((1 - Ptr) slot + Ptr Ps Ts + Ptr (1 - Ps) Tc)
/// Ptr = 1 - (1 - tau)^n        Ps = n tau (1 - tau)^(n - 1) / Ptr
/// ```
#[test]
fn throughput_is_bianchis() {
    for (standard, doublings, seconds) in [(Standard::A, 6, 10), (Standard::B, 5, 40)] {
        let timing = Timing::new(standard, &TimingConfig::default()).unwrap();
        let fastest = standard.modes().last().unwrap();
        let frame = timing.frame(fastest, data_bytes(1460 + 28, false));
        let won = (frame + timing.sifs + timing.ack(fastest) + timing.difs()).0 as f64;
        let lost = (frame + timing.difs()).0 as f64;
        for n in [1, 2, 3, 4, 6, 8, 10, 15, 20, 30, 40, 50] {
            let window = f64::from(standard.cw_min() + 1);
            let (p, tau) = bianchi(n, window, doublings, 7);
            let quiet = detmath::pow(1.0 - tau, f64::from(n));
            let one = f64::from(n) * tau * detmath::pow(1.0 - tau, f64::from(n) - 1.0);
            let slot = timing.slot.0 as f64;
            let mean = quiet * slot + one * won + (1.0 - quiet - one) * lost;
            let expected = one / mean * 1e9;
            let (met, rate) = saturate(n, standard, BackoffDecrement::SlotStart, seconds);
            assert!((rate / expected - 1.0).abs() < 0.02, "{standard} {n}: {rate} {expected}");
            assert!((met - p).abs() < 0.02, "{standard} {n}: {met} {p}");
        }
    }
}
