//! Compares the drawn run lengths with their histograms.

use airtcp_units::Nanos;

use super::*;
use crate::LossConfig;
use crate::loss::conformance::{build, build_err, frame, sample_record};

const SLOT: Span = Span::from_millis(5);

fn config(successes: &[(u64, u64)], losses: &[(u64, u64)]) -> SemiMarkovConfig {
    SemiMarkovConfig {
        successes: successes.into(),
        losses: losses.into(),
        path: None,
        slot: Some(SLOT),
        stepping: RunStepping::Slot,
    }
}

/// Outcomes of a channel in `n` slots, sampled in the middle of each.
fn record(config: SemiMarkovConfig, seed: u64, n: u64) -> Outcomes {
    let mut model = build(&LossConfig::SemiMarkov(config), seed);
    let at = |i| Nanos::ZERO + SLOT * i + SLOT / 2;
    (0..n).map(|i| !model.loses(&frame(at(i), i))).collect()
}

#[test]
fn runs_have_the_lengths_of_the_histograms() {
    let (successes, losses) = ([(1, 10), (5, 4), (40, 2)], [(1, 12), (3, 3), (9, 1)]);
    let drawn = record(config(&successes, &losses), 4, 600_000);
    let (seen_successes, seen_losses) = count_runs(&drawn);
    for (wanted, seen) in [(successes, seen_successes), (losses, seen_losses)] {
        let total: u64 = seen.iter().map(|(_, n)| n).sum();
        assert!(total > 50_000);
        for (length, count) in wanted {
            let p = count as f64 / 16.0;
            let n = seen.iter().find(|(l, _)| *l == length).map_or(0, |(_, n)| *n) as f64;
            let spread = 5.0 * (p * (1.0 - p) * total as f64).sqrt();
            assert!((n - p * total as f64).abs() < spread, "runs of {length}: {n} of {total}");
        }
        // Only the first and the last run may be truncated.
        let odd = seen.iter().filter(|(l, _)| wanted.iter().all(|(w, _)| w != l));
        assert!(odd.map(|(_, n)| n).sum::<u64>() <= 2);
    }
}

#[test]
fn the_guide_finds_the_same_run_as_a_full_search() {
    let histograms: [Vec<(u64, u64)>; 4] = [
        vec![(7, 1)],
        vec![(1, 600), (2, 336), (3, 171), (4, 1), (9, 1), (300, 1)],
        (1..200).map(|n| (n, 1 + n * n % 17)).collect(),
        vec![(1, 1), (2, 1 << 40), (3, 5)],
    ];
    for histogram in histograms {
        let runs = Runs::new(&histogram).unwrap();
        let total = histogram.iter().map(|(_, count)| count).sum();
        let mut ours = Seed::new(5).stream("runs");
        let mut other = ours.clone();
        for _ in 0..3000 {
            let mut which = other.below(total);
            let found = histogram.iter().find(|(_, count)| {
                let here = which < *count;
                which = which.saturating_sub(*count);
                here
            });
            assert_eq!(Some(runs.draw(&mut ours)), found.map(|(length, _)| *length));
        }
    }
}

#[test]
fn the_start_is_stationary() {
    // 110 slots of success in 16 runs, 30 slots of loss: time zero falls on every slot with the same
    // probability. 80 of the 140 slots are in the longest runs, with a residual of 1..=40.
    let c = config(&[(1, 10), (5, 4), (40, 2)], &[(1, 12), (3, 3), (9, 1)]);
    let n = 20_000u64;
    let (mut lost, mut longest) = (0u32, 0u32);
    for seed in 0..n {
        let start = record(c.clone(), seed, 6);
        lost += u32::from(start.get(0) == Some(false));
        // Six successes at the start: only a run of 40 gives them, from 35 of its 40 slots.
        longest += u32::from(start.received() == 6);
    }
    let share = |count: u32| f64::from(count) / n as f64;
    assert!((share(lost) - 30.0 / 140.0).abs() < 5.0 * 0.41 / 141.0, "{}", share(lost));
    assert!((share(longest) - 70.0 / 140.0).abs() < 5.0 * 0.5 / 141.0, "{}", share(longest));
}

#[test]
fn slots_begin_at_their_multiples() {
    // The first and the last nanosecond of each slot have the outcome of its middle.
    let c = config(&[(1, 10), (5, 4)], &[(1, 12), (3, 3)]);
    let middle = record(c.clone(), 6, 500);
    for offset in [Span::ZERO, SLOT - Span(1)] {
        let mut model = build(&LossConfig::SemiMarkov(c.clone()), 6);
        let at = |i| Nanos::ZERO + SLOT * i + offset;
        let edge: Outcomes = (0..500).map(|i| !model.loses(&frame(at(i), i))).collect();
        assert_eq!(edge, middle);
    }
}

#[test]
fn counts_runs() {
    let outcomes: Outcomes = "1101000111".chars().map(|c| c == '1').collect();
    assert_eq!(count_runs(&outcomes), (vec![(1, 1), (2, 1), (3, 1)], vec![(1, 1), (3, 1)]));
    assert_eq!(count_runs(&Outcomes::new()), (vec![], vec![]));
}

#[test]
fn a_record_and_its_histograms_make_the_same_channel() {
    let (successes, losses) = count_runs(&sample_record());
    let by_path = SemiMarkovConfig { path: Some("sample".into()), ..SemiMarkovConfig::default() };
    let by_path = SemiMarkovConfig { slot: Some(SLOT), ..by_path };
    assert_eq!(record(by_path, 3, 5000), record(config(&successes, &losses), 3, 5000));
}

#[test]
fn one_kind_of_run_never_ends() {
    assert_eq!(record(config(&[(3, 1)], &[]), 1, 1000).received(), 1000);
    assert_eq!(record(config(&[], &[(3, 1)]), 1, 1000).received(), 0);
}

#[test]
fn refuses_impossible_values() {
    let both = SemiMarkovConfig { path: Some("sample".into()), ..config(&[(1, 1)], &[(1, 1)]) };
    let missing = SemiMarkovConfig { path: Some("missing".into()), ..config(&[], &[]) };
    let no_slot = SemiMarkovConfig { slot: None, ..config(&[(1, 1)], &[(1, 1)]) };
    for (config, part) in [
        (config(&[], &[]), "either"),
        (both, "either"),
        (missing, "path: no such"),
        (no_slot, "loss.slot: missing"),
        (config(&[(0, 1)], &[(1, 1)]), "successes: "),
        (config(&[(1, 1)], &[(1, 0)]), "losses: "),
        (config(&[(1, 1)], &[(u64::MAX, 2)]), "losses: "),
        (config(&[(1 << 61, 2)], &[(1, 1)]), "successes: "),
    ] {
        let message = build_err(&LossConfig::SemiMarkov(config));
        assert!(message.contains(part), "{message}");
    }
}

#[test]
fn by_packet_the_time_between_packets_does_not_matter() {
    let histograms = config(&[(1, 10), (5, 4), (40, 2)], &[(1, 12), (3, 3), (9, 1)]);
    let by_slot = record(histograms.clone(), 4, 20_000);
    let config = SemiMarkovConfig { slot: None, stepping: RunStepping::Packet, ..histograms };
    let refused = SemiMarkovConfig { slot: Some(SLOT), ..config.clone() };
    assert!(build_err(&LossConfig::SemiMarkov(refused)).contains("omit one of the two"));
    let mut model = build(&LossConfig::SemiMarkov(config), 4);
    let at = |i: u64| Nanos(i * i * 1000);
    let by_packet: Outcomes = (0..20_000).map(|i| !model.loses(&frame(at(i), i))).collect();
    assert!(by_slot.iter().eq(by_packet.iter()), "packet n meets what slot n does");
}
