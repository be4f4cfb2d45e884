//! Requirements on every registered loss model, tested for each of its sample configurations.

use std::sync::Arc;

use airtcp_packet::{EndpointId, Side};
use airtcp_random::Seed;
use airtcp_units::{BitRate, Nanos, Outcomes, Span, TxClock};
use proptest::prelude::*;

use super::{AtEnd, Build, Frame, Loss, LossConfig, LossModel, Model as _, registry};

/// A record with runs of many lengths.
pub(crate) fn sample_record() -> Outcomes {
    let mut record = Outcomes::new();
    for n in 1..60 {
        record.push_run(true, n * 7 % 23 + 1);
        record.push_run(false, n * 5 % 11 + 1);
    }
    record
}

fn load(path: &str) -> Result<Arc<Outcomes>, String> {
    match path {
        "sample" => Ok(Arc::new(sample_record())),
        "empty" => Ok(Arc::new(Outcomes::new())),
        _ => Err(format!("no such trace: {path}")),
    }
}

pub(crate) fn try_build(config: &LossConfig, seed: u64) -> Result<Loss, airtcp_probe::ConfigError> {
    Loss::new(config, Seed::new(seed), "link/0/loss", None, &load)
}

pub(crate) fn build(config: &LossConfig, seed: u64) -> Loss {
    try_build(config, seed).unwrap_or_else(|e| panic!("{config:?}: {e}"))
}

/// The error message of a refused configuration.
pub(crate) fn build_err(config: &LossConfig) -> String {
    try_build(config, 0).expect_err("an impossible configuration").to_string()
}

/// A full-sized data packet of flow 0.
pub(crate) fn frame(now: Nanos, ordinal: u64) -> Frame {
    Frame { now, ordinal, bytes: 1500, payload: 1448, to: EndpointId::new(0, Side::Server) }
}

/// Frames with the given gaps.
fn frames(gaps: &[u64]) -> Vec<Frame> {
    let mut now = Nanos::ZERO;
    let at = |(ordinal, gap): (usize, &u64)| {
        now += Span(*gap);
        frame(now, ordinal as u64)
    };
    gaps.iter().enumerate().map(at).collect()
}

fn outcomes(config: &LossConfig, seed: u64, frames: &[Frame]) -> Vec<bool> {
    let mut model = build(config, seed);
    frames.iter().map(|f| model.loses(f)).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn every_registered_model_conforms(
        gaps in proptest::collection::vec(0u64..40_000_000, 1..200),
        asked in proptest::collection::vec(any::<bool>(), 200),
        seed in 0u64..1000,
    ) {
        for config in LossConfig::samples() {
            let all = frames(&gaps);
            let once = outcomes(&config, seed, &all);
            prop_assert_eq!(&once, &outcomes(&config, seed, &all), "twice the same: {:?}", config);
            let mut boxed = Loss::custom(build(&config, seed));
            let in_a_box: Vec<bool> = all.iter().map(|f| boxed.loses(f)).collect();
            prop_assert_eq!(&once, &in_a_box, "in a box: {:?}", config);

            // Two protocols meet the same channel: the fate of a frame does not depend on other
            // frames.
            let model = build(&config, seed);
            if model.is_independent_of_traffic() {
                let mut model = model;
                for ((frame, asked), lost) in all.iter().zip(&asked).zip(&once) {
                    if *asked {
                        prop_assert_eq!(model.loses(frame), *lost, "{:?} {:?}", config, frame);
                    }
                }
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn a_train_is_its_frames_one_by_one(
        trains in proptest::collection::vec((0u64..40_000_000, 0u16..=255, 1u64..2000), 1..20),
        rate in 10_000u64..1_000_000_000,
        seed in 0u64..1000,
    ) {
        for config in LossConfig::samples() {
            let (mut whole, mut each) = (build(&config, seed), build(&config, seed));
            let mut clock = TxClock::new(BitRate::new(rate).unwrap());
            let (mut now, mut ordinal) = (Nanos::ZERO, 0);
            for (gap, count, bytes) in &trains {
                now += Span(*gap);
                let mut single = clock;
                let pace = clock.train(*bytes, u64::from(*count));
                let found = whole.losses_of_train(&frame(now, ordinal), pace, *count);
                for index in 0..*count {
                    let lost = each.loses(&frame(now, ordinal));
                    prop_assert_eq!(found.has(index), lost, "{:?}: {}", config, index);
                    now += single.transmit(*bytes);
                    ordinal += 1;
                }
                prop_assert!(found.highest() < Some(*count));
            }
        }
    }
}

#[test]
fn mean_loss_is_the_loss_rate() {
    // A packet every 0.7 ms for 210 s. The slowest sample configuration correlates over about 100 ms, so
    // there are at least 2000 independent values; 0.06 is five standard errors of a share of 1/2.
    let n = 300_000u64;
    for config in LossConfig::samples() {
        let mut model = build(&config, 21);
        let ends = matches!(&config, LossConfig::Trace(t) if t.at_end != AtEnd::Wrap);
        let Some(mean) = model.mean_loss().filter(|_| !ends) else { continue };
        let lost = (0..n).filter(|i| model.loses(&frame(Nanos(i * 700_000), *i))).count();
        let share = lost as f64 / n as f64;
        assert!((0.0..=1.0).contains(&mean));
        assert!((share - mean).abs() < 0.06, "{config:?}: lost {share}, promised {mean}");
        if mean <= 0.0 || mean >= 1.0 {
            assert!((share - mean).abs() < 1e-12, "{config:?}");
        }
    }
}

#[test]
fn seeds_and_labels_make_different_channels() {
    for config in LossConfig::samples() {
        let model = build(&config, 0);
        let random = model.mean_loss().is_some_and(|p| p > 0.0 && p < 1.0);
        let fixed = match &config {
            LossConfig::Trace(_) => true,
            LossConfig::Blackout(c) => c.phase.is_some(),
            _ => false,
        };
        if !random || fixed {
            continue;
        }
        let all = frames(&vec![3_000_000; 3000]);
        let one = outcomes(&config, 1, &all);
        assert_ne!(one, outcomes(&config, 2, &all), "{config:?}");
        let build = Build { seed: Seed::new(1), label: "link/1/loss", slot: None, load: &load };
        let mut other = Loss::build(&config, &build).unwrap();
        let other: Vec<bool> = all.iter().map(|f| other.loses(f)).collect();
        assert_ne!(one, other, "{config:?}");
    }
}

#[test]
fn the_link_provides_the_default_slot() {
    let config: LossConfig =
        toml::from_str("model = \"gilbert-elliott\"\ng = 0.1\nb = 0.1").unwrap();
    assert!(build_err(&config).contains("loss.slot: missing"));
    let slot = Some(Span::from_millis(10));
    assert!(Loss::new(&config, Seed::new(0), "x", slot, &load).is_ok());
    assert!(super::NoLoss::samples().len() == 1);
}

#[test]
fn registry_and_samples_agree() {
    for entry in registry() {
        assert_eq!(entry.family, "loss");
        let has_sample = LossConfig::samples().iter().any(|c| c.model() == entry.name);
        assert!(has_sample, "{} is never tested", entry.name);
        let text = [entry.description, entry.source];
        assert!(text.iter().all(|t| !t.is_empty() && t.trim() == *t && !t.ends_with('.')));
    }
}

#[test]
fn tables_read_and_round_trip() {
    let read = |text: &str| toml::from_str::<LossConfig>(text);
    for config in LossConfig::samples() {
        let text = toml::to_string(&config).unwrap();
        assert_eq!(read(&text).unwrap(), config, "{text}");
        let json = serde_json::to_string(&config).unwrap();
        assert_eq!(serde_json::from_str::<LossConfig>(&json).unwrap(), config, "{json}");
    }
    for (text, part) in [
        ("model = \"bernouli\"", "bernoulli"),
        ("model = \"bernoulli\"", "probability"),
        ("model = \"bernoulli\"\nprobability = \"120 %\"", "between 0 and 1"),
        ("model = \"bernoulli\"\nprobability = -0.1", "-0.1 is not a probability"),
        ("model = \"bernoulli\"\nprobability = 0.1\nburst = 3", "burst"),
        ("model = \"none\"\nprobability = 0.1", "probability"),
        ("model = \"blackout\"\nperiod = 2", "such as \"9 us\""),
        ("model = \"trace\"", "path"),
    ] {
        let message = read(text).unwrap_err().to_string();
        assert!(message.contains(part), "{message}");
    }
}
