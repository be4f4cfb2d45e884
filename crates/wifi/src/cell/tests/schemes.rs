//! What schemes change in the exchanges of a cell, frame by frame.

use super::*;
use crate::mac::BeaconConfig;
use crate::mac::{AccessMethod, Category, Kind, TxopLimits};
use crate::scheme::{AutoZoomConfig, DcfPlusConfig, SchemeConfig, TapConfig, apply};

/// A cell with one scheme and `n` nodes, the access point among them.
fn bench(n: usize, mac: &MacConfig, scheme: SchemeConfig) -> Bench {
    let names: Vec<String> = (0..n).map(|i| format!("n{i}")).collect();
    let mut plan = plan(n, Standard::A, mac.clone(), TimingConfig::default());
    let seams = apply(&[scheme], mac, Standard::A, &names).unwrap();
    for (station, seams) in plan.stations.iter_mut().zip(seams.stations) {
        station.seams = seams;
    }
    Bench::new(plan, 1)
}

fn edca() -> MacConfig {
    let txop_limits = Some(TxopLimits::Zero);
    MacConfig { access: AccessMethod::Edca, txop_limits, ..MacConfig::default() }
}

/// Data frames of the access point, in runs that follow one another after `space`.
fn groups(bench: &Bench, space: Span) -> Vec<Vec<u32>> {
    let mut groups: Vec<Vec<u32>> = Vec::new();
    let mut last = Nanos::ZERO;
    let timing = Timing::new(Standard::A, &TimingConfig::default()).unwrap();
    for (at, frame) in &bench.log {
        let length = timing.frame(frame.mode, frame.bytes);
        if frame.kind == Kind::Data && frame.from == NodeId(0) {
            match groups.last_mut() {
                Some(group) if *at == last + space => group.push(frame.to.0),
                _ => groups.push(vec![frame.to.0]),
            }
        }
        last = *at + length;
    }
    groups
}

#[test]
fn tap_sends_to_different_stations_in_one_access() {
    for (acks, stations, expected) in
        [(4, 6_u32, vec![1, 2, 3, 4]), (8, 3, vec![1, 2, 3]), (1, 3, vec![1])]
    {
        let config = TapConfig { acks: Some(acks), mac_acks: true };
        let mut bench = bench(stations as usize + 1, &edca(), SchemeConfig::Tap(config));
        bench.payload = 12;
        bench.categories[0] = Category::Voice as usize;
        bench.in_turn = true;
        bench.saturated = (1..=stations).map(|i| (NodeId(0), NodeId(i))).collect();
        bench.run(Nanos(20_000_000));
        let found = groups(&bench, Span::from_micros(16));
        assert_eq!(found[0], expected, "{acks} ACKs, {stations} stations");
        for group in &found[..found.len() - 1] {
            assert_eq!(group.len(), expected.len(), "{found:?}");
            assert!((1..group.len()).all(|i| !group[..i].contains(&group[i])), "{group:?}");
        }
    }
}

/// A cell whose access point sends TCP ACKs without MAC ACKs to stations in turn.
fn silent(acks: u32, stations: u32, residual_error: f64) -> Bench {
    let scheme = SchemeConfig::Tap(TapConfig { acks: Some(acks), mac_acks: false });
    let n = stations as usize + 1;
    let names: Vec<String> = (0..n).map(|i| format!("n{i}")).collect();
    let mut plan = plan(n, Standard::A, edca(), TimingConfig::default());
    let seams = apply(&[scheme], &edca(), Standard::A, &names).unwrap();
    for (station, seams) in plan.stations.iter_mut().zip(seams.stations) {
        station.seams = seams;
    }
    plan.residual_error = residual_error;
    let mut bench = Bench::new(plan, 1);
    bench.payload = 0;
    bench.categories[0] = Category::Voice as usize;
    bench.categories[1] = Category::BestEffort as usize;
    bench.in_turn = true;
    bench.saturated = (1..=stations).map(|i| (NodeId(0), NodeId(i))).collect();
    bench
}

/// TCP ACKs without MAC ACK: RIFS between them, no answer, no reservation, all delivered.
#[test]
fn tap_without_mac_acks_spaces_tcp_acks_by_rifs() {
    for (acks, stations, expected) in [(4, 6_u32, vec![1, 2, 3, 4]), (8, 3, vec![1, 2, 3])] {
        let mut bench = silent(acks, stations, 0.0);
        bench.run(Nanos(20_000_000));
        let found = groups(&bench, Span::from_micros(2));
        assert_eq!(found[0], expected, "{acks} ACKs, {stations} stations");
        for group in &found[..found.len() - 1] {
            assert_eq!(group.len(), expected.len(), "{found:?}");
        }
        let plain = |f: &Frame| f.kind == Kind::Data && f.no_ack && f.duration == Span::ZERO;
        assert!(bench.log.iter().all(|(_, frame)| plain(frame)), "{:?}", &bench.log[..4]);
        // The last frame may be on the air.
        let delivered: u64 = bench.delivered.iter().sum();
        assert!(bench.log.len() as u64 - delivered <= 1 && delivered > 400, "{delivered}");
        assert_eq!(bench.cell.stats(NodeId(0)).given_up, 0);
    }
}

/// Each TCP ACK without MAC ACK has one attempt. Data in the same category keep MAC ACKs and
/// attempts. No packet leaves the count.
#[test]
fn tap_without_mac_acks_has_one_attempt() {
    let mut bench = silent(4, 3, 0.3);
    bench.run(Nanos(200_000_000));
    let sent = bench.log.len() as u64;
    assert!(bench.log.iter().all(|(_, frame)| frame.no_ack && !frame.retry));
    let numbers: Vec<u16> = bench.log.iter().map(|(_, frame)| frame.sequence).collect();
    assert!(numbers.windows(2).all(|pair| pair[1] == (pair[0] + 1) % 4096));
    let stats = bench.cell.stats(NodeId(0));
    let delivered: u64 = bench.delivered.iter().sum();
    assert_eq!((stats.acknowledged, stats.given_up), (stats.attempts, stats.dropped));
    assert!(sent - delivered - stats.dropped <= 2, "{sent} {delivered} {}", stats.dropped);
    let share = stats.dropped as f64 / sent as f64;
    assert!((share - 0.3).abs() < 0.03, "{share}");
    assert_eq!(bench.pool.in_flight(), bench.cell.in_flight());
    bench.payload = 500;
    let before = bench.log.len();
    bench.run(Nanos(220_000_000));
    let data = bench.log[before..].iter().filter(|(_, f)| f.class == Class::Data);
    assert!(data.clone().count() > 20 && data.clone().all(|(_, f)| !f.no_ack));
    assert!(data.clone().any(|(_, f)| f.retry));
    assert!(bench.log[before..].iter().any(|(_, f)| f.kind == Kind::Ack && f.to == NodeId(0)));
}

/// No other station begins between two TCP ACKs, although no NAV holds it back.
#[test]
fn nothing_begins_within_rifs() {
    let mut bench = silent(4, 3, 0.0);
    let (uploads, acks) = (vec![(NodeId(1), NodeId(0))], bench.saturated.clone());
    // ACKs have priority over all data: they come in bursts, to let data through.
    for burst in 1..=20 {
        bench.saturated.clone_from(&uploads);
        bench.run(Nanos(burst * 10_000_000 - 2_000_000));
        bench.saturated.extend(&acks);
        bench.run(Nanos(burst * 10_000_000));
    }
    let timing = Timing::new(Standard::A, &TimingConfig::default()).unwrap();
    let end = |(at, f): &(Nanos, Frame)| *at + timing.frame(f.mode, f.bytes);
    let uploads = bench.log.iter().filter(|(_, f)| f.from == NodeId(1) && f.kind == Kind::Data);
    let uploads: Vec<_> = uploads.collect();
    assert!(uploads.len() > 100 && bench.delivered[2] > 100, "{}", uploads.len());
    for upload in uploads {
        let amid = |tap: &&(Nanos, Frame)| {
            tap.1.no_ack && tap.0 < upload.0 && upload.0 < end(tap) + timing.sifs
        };
        assert!(bench.log.iter().filter(amid).count() == 0, "{upload:?}");
    }
}

/// DATA, ACK with a reservation, CTS, DATA in return, ACK; then no chain.
#[test]
fn dcf_plus_returns_a_frame_in_the_same_exchange() {
    let mut bench =
        bench(2, &MacConfig::default(), SchemeConfig::DcfPlus(DcfPlusConfig::default()));
    bench.payload = 1000;
    bench.saturated = vec![(NodeId(0), NodeId(1)), (NodeId(1), NodeId(0))];
    bench.run(Nanos(50_000_000));
    let kinds: Vec<(Kind, u32)> = bench.log.iter().map(|(_, f)| (f.kind, f.from.0)).collect();
    let returned =
        [(Kind::Data, 1), (Kind::Ack, 0), (Kind::Cts, 1), (Kind::Data, 0), (Kind::Ack, 1)];
    assert!(kinds.windows(5).any(|w| w == returned), "{:?}", &kinds[..20]);
    let timing = Timing::new(Standard::A, &TimingConfig::default()).unwrap();
    for (i, pair) in bench.log.windows(2).enumerate() {
        let [(at, first), (next, second)] = pair else { continue };
        let end = *at + timing.frame(first.mode, first.bytes);
        // The Duration field of the ACK covers all that follows.
        if first.kind == Kind::Ack && first.grant.is_some() {
            assert_eq!((second.kind, *next), (Kind::Cts, end + timing.sifs));
            let (last_at, last) = bench.log[i + 3];
            let last_end = last_at + timing.frame(last.mode, last.bytes);
            assert_eq!(end + first.duration, last_end, "{:?}", &kinds[i..i + 5]);
            assert_eq!(last.grant, None, "a chain follows");
        }
    }
    // Both directions get through.
    let (there, back) = (bench.delivered[0], bench.delivered[1]);
    assert!(there > 20 && back > 20, "{there} {back}");
}

/// Auto-zoom changes the back-off of data, not that of beacons.
#[test]
fn auto_zoom_leaves_management_frames_alone() {
    let mac = MacConfig { beacons: Some(BeaconConfig::default()), ..edca() };
    let mut bench = bench(2, &mac, SchemeConfig::AutoZoom(AutoZoomConfig::default()));
    bench.saturated = vec![(NodeId(0), NodeId(1))];
    bench.categories[0] = Category::BestEffort as usize;
    let windows = |bench: &Bench| -> Vec<u32> { bench.cell.stations[0].least_windows() };
    let before = windows(&bench);
    bench.run(Nanos(1_000_000_000));
    let after = windows(&bench);
    assert!(bench.log.iter().any(|(_, frame)| frame.kind == Kind::Beacon));
    assert_eq!(after.last(), before.last());
    assert!(after[Category::BestEffort as usize] < before[Category::BestEffort as usize]);
}

/// No attempt begins after a packet has expired (clause 9.19.2.6), in a reservation either.
#[test]
fn dcf_plus_reserves_nothing_for_an_expired_packet() {
    let mac = MacConfig { lifetime: Some(Span::from_millis(1)), ..MacConfig::default() };
    for (age_us, reserves) in [(500, true), (950, false)] {
        let mut bench = bench(2, &mac, SchemeConfig::DcfPlus(DcfPlusConfig::default()));
        bench.payload = 1000;
        bench.run(Nanos(5_000_000));
        bench.offer(NodeId(1), NodeId(0));
        // The frame of station 1 is on the air; the answer comes after the second packet has expired.
        bench.run(Nanos(5_060_000));
        bench.offer_aged(NodeId(0), NodeId(1), 0, Nanos(5_060_000 - 1000 * age_us));
        bench.run(Nanos(6_000_000));
        let ack = bench.log.iter().find(|(_, f)| f.kind == Kind::Ack && f.from == NodeId(0));
        assert_eq!(ack.unwrap().1.grant.is_some(), reserves, "{age_us} us: {:?}", bench.log);
    }
}
