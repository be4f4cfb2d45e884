//! `mac.ablation.speed`: a medium that is s times as fast does in T what the standard's does in s T.

use super::aggregate::{aggregating, mode, up_to};
use super::*;
use crate::interference::tests::Line;
use crate::mac::{AblationConfig, AccessMethod, BeaconConfig};
use crate::phy::{Mode, Width};

/// Saturated stations 1 and 2, which send to station 0.
fn run(standard: Standard, fast: Option<Mode>, mac: &MacConfig, speed: f64, ms: f64) -> Bench {
    let ablation = (speed.to_bits() != 1.0_f64.to_bits())
        .then_some(AblationConfig { speed, ..AblationConfig::default() });
    let mac = MacConfig { ablation, ..mac.clone() };
    let mut plan = plan(3, standard, mac, TimingConfig::default());
    if let Some(mode) = fast {
        plan.width = mode.width();
        for station in &mut plan.stations {
            (station.rate, station.width) = (RatePlan::fixed(mode), mode.width());
        }
    }
    let mut bench = Bench::new(plan, 7);
    bench.saturated = vec![(NodeId(1), NodeId(0)), (NodeId(2), NodeId(0))];
    bench.run(Nanos::ZERO + Span::from_secs_f64(ms / 1e3));
    bench
}

/// The frames and their outcomes are the same, and each frame begins at its time over the speed.
#[test]
fn everything_on_the_air_keeps_its_proportions() {
    let edca = MacConfig { access: AccessMethod::Edca, ..MacConfig::default() };
    let beacons = MacConfig { beacons: Some(BeaconConfig::default()), ..MacConfig::default() };
    let (n, ac, ax) = (Standard::N, Standard::Ac, Standard::Ax);
    let cases = [
        (Standard::B, None, MacConfig::default()),
        (Standard::G, None, MacConfig::default()),
        (Standard::G, None, edca),
        (Standard::A, None, beacons),
        (n, Some(mode(n, 7, 1, Width::Mhz20)), aggregating(up_to(1))),
        (n, Some(mode(n, 7, 2, Width::Mhz40)), aggregating(up_to(16))),
        (ac, Some(mode(ac, 9, 1, Width::Mhz80)), aggregating(up_to(64))),
        (ax, Some(mode(ax, 11, 2, Width::Mhz80)), aggregating(up_to(256))),
    ];
    for (standard, fast, mac) in cases {
        let base = run(standard, fast, &mac, 1.0, 300.0);
        for speed in [0.1, 0.7, 2.0, 3.0, 10.0] {
            let sped = run(standard, fast, &mac, speed, 300.0 / speed);
            let what = format!("{standard} at speed {speed}");
            assert_eq!(sped.delivered, base.delivered, "{what}");
            assert_eq!(sped.log.len(), base.log.len(), "{what}");
            for ((at, frame), (then, same)) in sped.log.iter().zip(&base.log) {
                assert_eq!(frame, same, "{what}");
                // A frame begins in the nanosecond in which it is due, or in the next.
                let late = at.0 as f64 - then.0 as f64 / speed;
                assert!((-1e-3..=2.001).contains(&late), "{what}: {late} ns late");
            }
            let (end, then) = (sped.now, base.now);
            for station in (0..3).map(NodeId) {
                let airtime = |bench: &Bench, until| {
                    let stats = bench.cell.stats_until(station, until);
                    stats.classes.iter().map(|class| class.airtime_ns).sum::<u64>() as f64
                };
                let (ours, theirs) = (airtime(&sped, end) * speed, airtime(&base, then));
                assert!((ours - theirs).abs() < 100.0 * speed + 10.0, "{what}: {ours}, {theirs}");
            }
            let busy = sped.cell.busy_ns(0, end) as f64 / end.0 as f64;
            let share = base.cell.busy_ns(0, then) as f64 / then.0 as f64;
            assert!((busy - share).abs() < 1e-6, "{what}: {busy}, {share}");
        }
    }
}

/// Interferers keep their times: one that holds the medium for half of the time is kept free of frames at either speed.
#[test]
fn interferers_keep_their_times() {
    let carried = |speed: f64| {
        let ablation = Some(AblationConfig { speed, ..AblationConfig::default() });
        let mac = MacConfig { ablation, ..MacConfig::default() };
        let mut plan = plan(2, Standard::G, mac, TimingConfig::default());
        let text = "kind = \"periodic\"\non = \"50 ms\"\nperiod = \"100 ms\"\nphase = \"0 s\"\nheard_by = [\"ap\", \"sta0\"]";
        plan.interference = vec![Line::new(1).build(text, 1).unwrap()];
        let mut bench = Bench::new(plan, 3);
        bench.saturated = vec![(NodeId(1), NodeId(0))];
        bench.run(Nanos::ZERO + Span::from_secs(2));
        let on = |at: &Nanos| (at.0 / 1_000_000) % 100 < 50;
        let times = bench.received.iter().map(|(at, _)| *at);
        (times.clone().count() as f64, times.filter(on).count())
    };
    let ((slow, early), (fast, late)) = (carried(1.0), carried(4.0));
    assert!(slow > 500.0 && (fast / slow / 4.0 - 1.0).abs() < 0.02, "{slow} {fast}");
    // Of each of the 20 times on, at most the frame that was on the air is received.
    assert!(early <= 40 && late <= 40, "{early} {late}");
}

#[test]
fn impossible_speeds_are_refused() {
    for speed in [0.0, -1.0, 0.05, 11.0, f64::NAN, f64::INFINITY] {
        let ablation = Some(AblationConfig { speed, ..AblationConfig::default() });
        let error = MacConfig { ablation, ..MacConfig::default() }.validate().unwrap_err();
        assert_eq!(error.key, "ablation.speed");
        assert!(error.message.contains("expected 0.1 to 10"), "{}", error.message);
    }
}
