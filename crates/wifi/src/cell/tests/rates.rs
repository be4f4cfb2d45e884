//! Rate controls in a cell: their choices and throughput.

use super::*;
use crate::rate::{IdealConfig as Ideal, RateConfig, RbarConfig};

const MS: u64 = 1_000_000;
const SECOND: u64 = 1_000_000_000;
const SIFS: u64 = 16_000;

/// A cell whose stations have the SNRs `snr_db` to and from the access point.
fn bench(control: &RateConfig, snr_db: &[f64], change: impl FnOnce(&mut CellPlan)) -> Bench {
    let n = snr_db.len() + 1;
    let mut plan = plan(n, Standard::A, MacConfig::default(), TimingConfig::default());
    plan.error = ErrorModel::default();
    plan.sensing =
        Sensing { sensitivity_dbm: -120.0, carrier_sense_dbm: -120.0, ..Sensing::default() };
    for (i, snr) in snr_db.iter().enumerate() {
        let power = plan.noise_mw * airtcp_units::Db(*snr).linear();
        plan.power_mw[0][i + 1] = power;
        plan.power_mw[i + 1][0] = power;
    }
    let modes: Vec<_> = Standard::A.modes().collect();
    for station in &mut plan.stations {
        station.rate = RatePlan { control: control.clone(), start: None, modes: modes.clone() };
    }
    change(&mut plan);
    Bench::new(plan, 1)
}

fn with_rts(plan: &mut CellPlan) {
    plan.mac.rts_threshold = Some(airtcp_units::Bytes(500));
}

fn named(text: &str) -> RateConfig {
    serde_json::from_str(&format!("{{\"control\": \"{text}\"}}")).unwrap()
}

/// Packets per second from station 1 to the access point, from 2 s on.
fn throughput(mut b: Bench, seconds: u64) -> f64 {
    b.saturated = vec![(NodeId(1), NodeId(0))];
    b.run(Nanos(2 * SECOND));
    let before = b.delivered[0];
    b.run(Nanos((2 + seconds) * SECOND));
    (b.delivered[0] - before) as f64 / seconds as f64
}

fn fixed(mode: crate::phy::Mode, snr_db: f64, change: impl FnOnce(&mut CellPlan)) -> Bench {
    bench(&RateConfig::default(), &[snr_db], |plan| {
        plan.stations.iter_mut().for_each(|s| s.rate = RatePlan::fixed(mode));
        change(plan);
    })
}

/// The best fixed rate changes every few dB, and every control comes close to it.
#[test]
fn controls_come_near_the_best_fixed_rate_at_every_snr() {
    let mut used = std::collections::BTreeSet::new();
    for snr in [7.0, 10.0, 14.0, 18.0, 23.0, 30.0] {
        let each = Standard::A.modes().map(|mode| (throughput(fixed(mode, snr, |_| {}), 2), mode));
        let best = each.max_by(|a, b| a.0.total_cmp(&b.0)).unwrap();
        used.insert(best.1);
        for (control, share) in
            [("ideal", 0.97), ("aarf", 0.92), ("minstrel", 0.86), ("arf", 0.88), ("s0", 0.78)]
        {
            let got = throughput(bench(&named(control), &[snr], |_| {}), 4);
            assert!(got > share * best.0, "{control} at {snr} dB: {got} of {best:?}");
            // Alternating between two rates is no better than the better rate.
            assert!(got < 1.02 * best.0, "{control} at {snr} dB: {got} of {best:?}");
        }
    }
    assert!(used.len() >= 5, "{used:?}");
}

/// Finding of S0 and S2: a lower rate increases losses by interference and reduces losses by noise.
#[test]
fn lowering_the_rate_hurts_under_interference_and_helps_under_noise() {
    let top = Standard::A.modes().last().unwrap();
    let lossy = |plan: &mut CellPlan| plan.residual_error = 0.4;
    let plain = throughput(fixed(top, 40.0, lossy), 4);
    // Onoe tolerates one retry per packet and stays at its initial 36 Mb/s.
    for (control, share) in [("s0", 0.3), ("arf", 0.3), ("aarf", 0.3), ("amrr", 0.4), ("onoe", 0.9)]
    {
        let got = throughput(bench(&named(control), &[40.0], lossy), 8);
        assert!(got < share * plain, "{control}: {got} of {plain}");
    }
    // Controls that use throughput or SNR keep the fast rate.
    for control in ["minstrel", "ideal"] {
        let got = throughput(bench(&named(control), &[40.0], lossy), 8);
        assert!(got > 0.85 * plain, "{control}: {got} of {plain}");
    }
    let noisy = throughput(fixed(top, 14.0, |_| {}), 4);
    for control in ["s0", "arf", "aarf", "amrr", "onoe", "minstrel", "ideal"] {
        let got = throughput(bench(&named(control), &[14.0], |_| {}), 4);
        assert!(got > 100.0 * noisy.max(1.0), "{control}: {got} against {noisy}");
    }
}

/// Rate control keeps the SNR of each destination separately.
#[test]
fn each_destination_has_its_own_rate() {
    let mut b = bench(&RateConfig::Ideal(Ideal::default()), &[40.0, 10.0], |_| {});
    for i in 0..20 {
        b.run(Nanos((1 + 5 * i) * MS));
        b.offer(NodeId(0), NodeId(1 + (i % 2) as u32));
    }
    b.run(Nanos(200 * MS));
    let to = |to: u32| -> Vec<u32> {
        let data = b.log.iter().filter(|(_, f)| f.kind == Kind::Data && f.to == NodeId(to));
        data.map(|(_, f)| f.mode.kbps() / 1_000).collect()
    };
    // The first frame has the lowest rate; its ACK gives the SNR for the others.
    for (station, then) in [(1, 54), (2, 18)] {
        let rates = to(station);
        assert_eq!(rates[0], 6);
        assert!(rates.len() >= 10 && rates[1..].iter().all(|r| *r == then), "{rates:?}");
    }
}

/// RTS 52 us and CTS 44 us at 6 Mb/s; data at the receiver's rate, 248 us at 54 Mb/s; ACK 28 us.
#[test]
fn the_receiver_chooses_by_the_rts() {
    let mut b = bench(&RateConfig::Rbar(RbarConfig::default()), &[40.0, 40.0], with_rts);
    b.run(Nanos(MS));
    b.offer(NodeId(1), NodeId(0));
    b.run(Nanos(2 * MS));
    let sent: Vec<(Kind, u64, u32)> =
        b.log.iter().map(|(at, f)| (f.kind, at.0 - MS, f.mode.kbps())).collect();
    let expected = [
        (Kind::Rts, 0, 6_000),
        (Kind::Cts, 52_000 + SIFS, 6_000),
        (Kind::Data, 96_000 + 2 * SIFS, 54_000),
        (Kind::Ack, 344_000 + 3 * SIFS, 24_000),
    ];
    assert_eq!(sent, expected);
    // The CTS reserves time for the granted rate, and the RTS for the lowest: 1524 bytes at 6 Mb/s take
    // 2056 us, the ACK 44 us.
    let end = MS + 372_000 + 3 * SIFS;
    let timing = b.cell.cells.first().rules.timing;
    let over = |b: &Bench, i: usize| {
        b.log[i].0 + timing.frame(b.log[i].1.mode, b.log[i].1.bytes) + b.log[i].1.duration
    };
    assert_eq!([over(&b, 1), over(&b, 2), over(&b, 3)], [Nanos(end); 3]);
    assert_eq!(over(&b, 0), Nanos(MS + (52 + 44 + 2056 + 44) * 1_000 + 3 * SIFS));
    // From then on the RTS reserves time for the rate granted last.
    b.run(Nanos(10 * MS));
    b.offer(NodeId(1), NodeId(0));
    b.run(Nanos(20 * MS));
    assert_eq!(b.log[4].1.mode.kbps(), 6_000);
    let ends: Vec<Nanos> = (4..8).map(|i| over(&b, i)).collect();
    assert!(ends.iter().all(|end| *end == ends[0]), "{ends:?}");
}

/// OAR: 54 / 6 = 9 frames SIFS apart for one RTS.
#[test]
fn a_burst_takes_the_time_of_one_slow_frame() {
    let burst = RateConfig::Rbar(RbarConfig { burst: true, ..RbarConfig::default() });
    let mut b = bench(&burst, &[40.0, 40.0], with_rts);
    b.saturated = vec![(NodeId(1), NodeId(0))];
    b.run(Nanos(20 * MS));
    let rts: Vec<usize> = (0..b.log.len()).filter(|i| b.log[*i].1.kind == Kind::Rts).collect();
    let exchange = &b.log[rts[1]..rts[2]];
    let kinds: Vec<Kind> = exchange.iter().map(|(_, f)| f.kind).collect();
    assert_eq!(kinds, [vec![Kind::Rts, Kind::Cts], [Kind::Data, Kind::Ack].repeat(9)].concat());
    let timing = b.cell.cells.first().rules.timing;
    let end = |(at, f): &(Nanos, Frame)| *at + timing.frame(f.mode, f.bytes);
    for pair in exchange.windows(2) {
        assert_eq!(pair[1].0, end(&pair[0]) + Span(SIFS));
    }
    assert!(b.delivered[0] > 50);
    // A burst without further packets releases the medium.
    let mut b = bench(&burst, &[40.0, 40.0], with_rts);
    b.run(Nanos(MS));
    b.offer(NodeId(1), NodeId(0));
    b.run(Nanos(5 * MS));
    b.offer(NodeId(2), NodeId(0));
    b.run(Nanos(10 * MS));
    assert_eq!(b.delivered[0], 2);
}

/// With `reserve` each frame of a burst and its ACK reserve the medium until the end of the next ACK.
#[test]
fn a_burst_reserves_for_the_next_frame() {
    let config = RbarConfig { burst: true, reserve: true, ..RbarConfig::default() };
    let mut b = bench(&RateConfig::Rbar(config), &[40.0, 40.0], with_rts);
    b.saturated = vec![(NodeId(1), NodeId(0))];
    b.run(Nanos(20 * MS));
    let rts: Vec<usize> = (0..b.log.len()).filter(|i| b.log[*i].1.kind == Kind::Rts).collect();
    let burst = &b.log[rts[1] + 2..rts[2]];
    let timing = b.cell.cells.first().rules.timing;
    let end = |(at, f): &(Nanos, Frame)| *at + timing.frame(f.mode, f.bytes);
    assert_eq!(burst.len(), 18);
    for i in 0..16 {
        let ack = burst[(i / 2 + 1) * 2 + 1];
        assert_eq!(end(&burst[i]) + burst[i].1.duration, end(&ack), "{i}");
    }
    // The last frame reserves time for its own ACK only.
    assert_eq!(end(&burst[16]) + burst[16].1.duration, end(&burst[17]));
    assert_eq!(burst[17].1.duration, Span::ZERO);
}

/// A burst has one destination.
#[test]
fn a_burst_ends_with_its_destination() {
    let burst = RateConfig::Rbar(RbarConfig { burst: true, ..RbarConfig::default() });
    let mut b = bench(&burst, &[40.0, 40.0], with_rts);
    let mut turn = 0;
    for i in 0..2_000u64 {
        b.run(Nanos(MS + i * 10_000));
        if b.cell.is_ready(NodeId(0), 0) {
            turn += 1;
            b.offer(NodeId(0), NodeId(1 + turn % 2));
        }
    }
    let data = |f: &Frame| f.kind == Kind::Data;
    let sent = b.log.iter().filter(|(_, f)| data(f)).count();
    let rts = b.log.iter().filter(|(_, f)| f.kind == Kind::Rts).count();
    assert!(sent > 10 && sent == rts, "{sent} {rts}");
}

/// Packets per second from 3 to 6 s of a link whose SNR falls from 35 dB to `snr_db` at 2 s.
fn after_a_fall(control: &str, snr_db: f64, change: impl FnOnce(&mut CellPlan)) -> f64 {
    let mut b = bench(&named(control), &[35.0], |plan| {
        let louder = plan.noise_mw * airtcp_units::Db(35.0 - snr_db).linear();
        plan.noise_steps = vec![(Nanos(2 * SECOND), louder)];
        change(plan);
    });
    b.saturated = vec![(NodeId(1), NodeId(0))];
    b.run(Nanos(3 * SECOND));
    let before = b.delivered[0];
    b.run(Nanos(6 * SECOND));
    (b.delivered[0] - before) as f64 / 3.0
}

/// Every control recovers from a sudden fall of the SNR, with and without RTS. At 6 dB neither data at
/// 54 Mb/s nor its RTS at 24 Mb/s succeeds.
#[test]
fn every_control_recovers_from_a_fall_of_the_snr() {
    for snr in [12.0, 6.0] {
        for control in ["s0", "arf", "aarf", "amrr", "onoe", "minstrel", "ideal", "rbar"] {
            let least = if matches!(control, "amrr" | "onoe") { 5.0 } else { 200.0 };
            let rts = after_a_fall(control, snr, with_rts);
            assert!(rts > least, "{control} at {snr} dB with RTS: {rts}");
            // RBAR needs RTS.
            if control != "rbar" {
                let plain = after_a_fall(control, snr, |_| {});
                assert!(plain > least, "{control} at {snr} dB: {plain}");
            }
        }
    }
}
