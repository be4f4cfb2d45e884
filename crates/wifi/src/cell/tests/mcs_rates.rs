//! Rate controls over the schemes of 802.11ac with aggregates: their goodput, and what one lost aggregate does.

use super::*;
use crate::mac::{AggregationConfig, ImmediateAccess};
use crate::phy::error::ErrorModelConfig;
use crate::phy::{Mode, PhySetup, SetupKeys, Width};
use crate::rate::RateConfig;

const MS: u64 = 1_000_000;

fn setup() -> PhySetup {
    let keys = SetupKeys { width: Some(Width::Mhz40), streams: Some(2), ..SetupKeys::default() };
    PhySetup::new(Standard::Ac, &keys).unwrap()
}

fn named(text: &str) -> RateConfig {
    serde_json::from_str(&format!("{{\"control\": \"{text}\"}}")).unwrap()
}

/// One saturated sender, station 1, with an SNR.
fn link(rate: &RatePlan, snr_db: f64, change: impl FnOnce(&mut CellPlan)) -> Bench {
    link_of(1, rate, snr_db, change)
}

fn link_of(seed: u64, rate: &RatePlan, snr_db: f64, change: impl FnOnce(&mut CellPlan)) -> Bench {
    let mac = MacConfig {
        aggregation: Some(AggregationConfig::default()),
        immediate_access: ImmediateAccess::Never,
        ..MacConfig::default()
    };
    let mut plan = plan(2, Standard::Ac, mac, TimingConfig::default());
    plan.error =
        ErrorModel::for_modes(&ErrorModelConfig::default(), &setup().modes_of_all_widths())
            .unwrap();
    plan.sensing =
        Sensing { sensitivity_dbm: -120.0, carrier_sense_dbm: -120.0, ..Sensing::default() };
    let power = plan.noise_mw * airtcp_units::Db(snr_db).linear();
    (plan.power_mw[0][1], plan.power_mw[1][0]) = (power, power);
    plan.width = Width::Mhz40;
    for station in &mut plan.stations {
        station.rate = rate.clone();
        station.width = Width::Mhz40;
    }
    change(&mut plan);
    let mut bench = Bench::new(plan, seed);
    bench.saturated = vec![(NodeId(1), NodeId(0))];
    bench
}

fn adaptive(control: &str) -> RatePlan {
    // As a scenario gives them: less width and fewer streams only to controls that know of them.
    let modes = match control {
        "minstrel-ht" | "ideal" => setup().modes_of_all_widths(),
        _ => setup().modes(true),
    };
    RatePlan { control: named(control), start: None, modes }
}

/// Packets in `ms` from `from_ms` on.
fn delivered(bench: &mut Bench, from_ms: u64, ms: u64) -> f64 {
    bench.run(Nanos(from_ms * MS));
    let before = bench.delivered[0];
    bench.run(Nanos((from_ms + ms) * MS));
    (bench.delivered[0] - before) as f64 * 1_000.0 / ms as f64
}

/// The best fixed scheme of all widths and numbers of streams, and its packets per second.
fn best_fixed(snr_db: f64) -> (f64, Mode) {
    let ms = if snr_db < 8.0 { 1_000 } else { 150 };
    let goodput = |mode| delivered(&mut link(&RatePlan::fixed(mode), snr_db, |_| {}), 20, ms);
    let each = setup().modes_of_all_widths().into_iter().map(|mode| (goodput(mode), mode));
    each.max_by(|a, b| a.0.total_cmp(&b.0)).unwrap()
}

fn data(bench: &Bench) -> Vec<(Nanos, Frame)> {
    bench.log.iter().filter(|(_, frame)| frame.kind == Kind::Data).copied().collect()
}

/// Controls, the least share of the goodput of the best fixed scheme, and the least SNR. Below it, narrow frames are
/// best.
const SHARES: [(&str, f64, f64); 5] = [
    ("minstrel-ht", 0.90, 3.0),
    ("ideal", 0.96, 3.0),
    ("aarf", 0.94, 8.0),
    ("arf", 0.89, 8.0),
    ("minstrel", 0.82, 8.0),
];

/// Over SNRs with different best schemes: 20 MHz at 3 dB, one stream at 5 dB, two streams above.
#[test]
fn controls_come_near_the_best_fixed_scheme() {
    let mut used = std::collections::BTreeSet::new();
    for snr_db in [3.0, 5.0, 8.0, 11.0, 14.0, 17.0, 20.0, 23.0, 26.0, 29.0, 32.0, 35.0, 38.0] {
        let best = best_fixed(snr_db);
        used.insert(best.1);
        for (control, share, least) in SHARES {
            if snr_db < least {
                continue;
            }
            let mut bench = link(&adaptive(control), snr_db, |_| {});
            let got = delivered(&mut bench, 1_500, 1_500) / best.0;
            assert!(got > share && got < 1.03, "{control} at {snr_db} dB: {got} of {best:?}");
            if control == "minstrel-ht" {
                check_samples(&bench, snr_db);
            }
        }
    }
    let narrow = used.iter().filter(|mode| mode.width() == Width::Mhz20).count();
    assert!(used.len() >= 9 && narrow == 1, "{used:?}");
}

/// Where the best scheme loses a part of its MPDUs, between the SNRs above, a share of 0.8 is what Minstrel-HT reaches.
#[test]
fn minstrel_ht_between_the_schemes() {
    for snr_db in [24.0, 31.0] {
        let best = best_fixed(snr_db);
        let mut bench = link(&adaptive("minstrel-ht"), snr_db, |_| {});
        let got = delivered(&mut bench, 1_500, 1_500) / best.0;
        assert!(got > 0.8 && got < 1.03, "{snr_db} dB: {got} of {best:?}");
    }
}

/// Samples take at most 4 % of the air, or 12 % where a single MPDU at the best scheme takes about a millisecond. A
/// sender with much to send has no other single MPDUs.
fn check_samples(bench: &Bench, snr_db: f64) {
    let timing = bench.cell.cells.first().rules.timing;
    let late = data(bench).into_iter().filter(|(at, _)| *at >= Nanos(1_500 * MS));
    let single = late.filter(|(_, frame)| frame.subframes <= 1);
    let time: u64 = single.map(|(_, frame)| timing.frame(frame.mode, frame.bytes).0).sum();
    let share = time as f64 / (1_500.0 * MS as f64);
    let most = if snr_db < 8.0 { 0.12 } else { 0.04 };
    assert!(share < most, "{snr_db} dB: samples take {share} of the air");
    // With a top scheme that carries all, there is nothing to sample.
    assert_eq!(share > 0.001, snr_db < 35.0, "{snr_db} dB: {share}");
}

/// A lost aggregate is one failure: ARF, which steps down after two, keeps its scheme, and steps down after two.
#[test]
fn a_lost_aggregate_is_one_failure() {
    let top = setup().modes(true).into_iter().max_by_key(|mode| mode.kbps()).unwrap();
    let plan = || RatePlan { start: Some(top), ..adaptive("arf") };
    let mut dry = link(&plan(), 50.0, |_| {});
    dry.run(Nanos(100 * MS));
    let sent = data(&dry);
    assert!(sent.iter().all(|(_, frame)| frame.mode == top && frame.subframes == 64));
    for lost in [1_usize, 2] {
        // Noise from the start of the tenth PPDU until just before the start of the one after the lost ones.
        let from = sent[10].0 + Span(1_000);
        let until = sent[11].0;
        let mut bench = link(&plan(), 50.0, |plan| {
            let loud = plan.noise_mw * 1e6;
            let far = if lost == 1 { until } else { Nanos(until.0 + 5 * MS / 2) };
            plan.noise_steps = vec![(from, loud), (far, plan.noise_mw)];
        });
        bench.run(Nanos(100 * MS));
        let after = data(&bench);
        let missed = after.iter().filter(|(at, _)| *at > from && *at < until).count();
        assert_eq!(missed, 0);
        let steps = after.iter().filter(|(_, frame)| frame.mode != top).count();
        assert_eq!(steps > 0, lost == 2, "{lost} lost: {steps} slower PPDUs");
    }
}

/// At 8 dB, PPDUs at MCS 4 of two streams are lost, after an RTS and without one. Their MPDUs are given up, and the
/// BlockAckReq is answered each time. Onoe goes down by a step in each second nevertheless, until packets arrive.
#[test]
fn onoe_leaves_a_scheme_that_loses_all() {
    for threshold in [None, Some(airtcp_units::Bytes(500))] {
        let mut bench = link(&adaptive("onoe"), 8.0, |plan| {
            plan.mac.rts_threshold = threshold;
            plan.mac.rts_rate = threshold.map(|_| airtcp_units::BitRate::from_mbps(6));
        });
        bench.run(Nanos(900 * MS));
        assert_eq!(bench.delivered[0], 0, "{threshold:?}");
        let sent = data(&bench);
        assert!(sent.len() > 50 && sent.iter().any(|(_, frame)| frame.subframes > 1));
        assert!(bench.log.iter().any(|(_, frame)| frame.kind == Kind::BlockAckReq));
        let best = best_fixed(8.0).0;
        let late = delivered(&mut bench, 6_000, 1_000) / best;
        assert!(late > 0.9, "{threshold:?}: {late}");
    }
}

/// After a fall of the SNR from 38 to 14 dB at 1 s, and after the rise back at 2 s: means of five runs.
#[test]
fn minstrel_ht_follows_steps_of_the_snr() {
    let (high, low) = (best_fixed(38.0).0, best_fixed(14.0).0);
    let mut shares = [0.0; 5];
    for seed in 1..=5 {
        let mut bench = link_of(seed, &adaptive("minstrel-ht"), 38.0, |plan| {
            let loud = plan.noise_mw * airtcp_units::Db(24.0).linear();
            plan.noise_steps = vec![(Nanos(1_000 * MS), loud), (Nanos(2_000 * MS), plan.noise_mw)];
        });
        let got = [
            delivered(&mut bench, 500, 500) / high,
            delivered(&mut bench, 1_000, 300) / low,
            delivered(&mut bench, 1_300, 700) / low,
            delivered(&mut bench, 2_000, 1_000) / high,
            delivered(&mut bench, 3_000, 500) / high,
        ];
        assert!(got[2] > 0.75, "{seed}: {got:?}");
        for (sum, got) in shares.iter_mut().zip(got) {
            *sum += got / 5.0;
        }
    }
    // It meets the fall with whole retry chains of faster schemes, of which a driver reports nothing before their end, and
    // climbs by samples.
    assert!(shares[0] > 0.95 && shares[2] > 0.83 && shares[4] > 0.95, "{shares:?}");
    assert!(shares[1] > 0.02 && shares[3] > 0.5, "{shares:?}");
}

/// Five saturated stations whose frames are lost in collisions alone have most of the goodput of the best fixed scheme, with
/// one stream and with two. Few PPDUs fall into a period, so that collisions still make the ratios of schemes uncertain.
#[test]
fn minstrel_ht_survives_collisions() {
    for streams in [1, 2] {
        let keys =
            SetupKeys { width: Some(Width::Mhz40), streams: Some(streams), ..SetupKeys::default() };
        let modes = PhySetup::new(Standard::Ac, &keys).unwrap().modes_of_all_widths();
        let top = modes.iter().copied().max_by_key(|mode| mode.kbps()).unwrap();
        let adaptive =
            RatePlan { control: named("minstrel-ht"), start: None, modes: modes.clone() };
        let [got, fixed] = [adaptive, RatePlan::fixed(top)].map(|rate| {
            let mac = MacConfig {
                aggregation: Some(AggregationConfig::default()),
                ..MacConfig::default()
            };
            let mut plan = plan(6, Standard::Ac, mac, TimingConfig::default());
            plan.error = ErrorModel::for_modes(&ErrorModelConfig::default(), &modes).unwrap();
            plan.width = Width::Mhz40;
            for station in &mut plan.stations {
                (station.rate, station.width) = (rate.clone(), Width::Mhz40);
            }
            let mut bench = Bench::new(plan, 1);
            bench.saturated = (1..6).map(|station| (NodeId(station), NodeId(0))).collect();
            delivered(&mut bench, 1_000, 4_000)
        });
        let share = got / fixed;
        assert!(share > 0.86 && share < 1.03, "{streams} streams: {share}");
    }
}
