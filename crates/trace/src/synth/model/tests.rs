use super::*;
use crate::metrics::{Pairs, RunStats};
use crate::synth::RunLengths;
use airtcp_random::Seed;
use airtcp_units::detmath;
use proptest::prelude::*;

fn draw(model: &SynthModel, n: usize, seed: u64) -> Outcomes {
    let trace = model.generate(n, &mut Seed::new(seed).stream("synth")).unwrap();
    assert_eq!(trace.len(), n);
    trace
}

#[test]
fn s1_pair_probabilities() {
    // S1 section 5: at mu 0.6, P(11) is 0.064 for PRR 0.1 and 0.864 for PRR 0.9.
    for (prr, p11) in [(0.1, 0.064), (0.9, 0.864)] {
        let chain = GeParams::from_prr_mu(prr, 0.6).unwrap();
        assert!((chain.prr() * (1.0 - chain.b) - p11).abs() < 1e-12);
        let n = 1_000_000;
        let trace = draw(&SynthModel::GilbertElliott(chain), n, 5);
        let got = Pairs::of(&trace).n11 as f64 / (n - 1) as f64;
        // P(11) = PRR - P(10); five errors of a mean whose correlation time is that of the chain.
        let se = (p11 * (1.0 - p11) / n as f64 * (1.0 + 0.64) / (1.0 - 0.64)).sqrt();
        assert!((got - p11).abs() < 5.0 * se, "{got} {p11} {se}");
    }
}

#[test]
fn transition_probabilities_within_their_errors() {
    for (i, (g, b)) in
        [(0.2, 0.2), (0.05, 0.5), (1.0, 0.25), (0.9, 0.8), (1.0, 1.0)].into_iter().enumerate()
    {
        let chain = GeParams::from_g_b(g, b).unwrap();
        let pairs = Pairs::of(&draw(&SynthModel::GilbertElliott(chain), 300_000, i as u64));
        for (got, p, n) in [
            (pairs.g().unwrap(), g, pairs.after_loss()),
            (pairs.b().unwrap(), b, pairs.after_success()),
        ] {
            let se = (p * (1.0 - p) / n as f64).sqrt();
            assert!((got - p).abs() <= 5.0 * se, "{got} {p}");
        }
    }
}

#[test]
fn independent_is_the_chain_with_mu_zero() {
    for (i, prr) in [0.001, 0.1, 0.5, 0.737, 0.999].into_iter().enumerate() {
        let n = 500_000;
        let trace = draw(&SynthModel::Independent { prr }, n, i as u64);
        let se = (prr * (1.0 - prr) / n as f64).sqrt();
        assert!((trace.received() as f64 / n as f64 - prr).abs() < 5.0 * se);
        // With only 500 losses or successes, g or b is not near its normal limit.
        if (0.1..0.9).contains(&prr) {
            let pairs = Pairs::of(&trace);
            assert!(pairs.mu().unwrap().abs() < 5.0 * pairs.mu_standard_error().unwrap());
        }
    }
    assert_eq!(draw(&SynthModel::Independent { prr: 0.0 }, 100, 1).received(), 0);
    assert_eq!(draw(&SynthModel::Independent { prr: 1.0 }, 100, 1).received(), 100);
}

#[test]
fn chains_start_from_stationarity() {
    let chain = GeParams::from_prr_mu(0.25, 0.95).unwrap();
    let n = 4_000u32;
    let first = (0..n)
        .filter(|seed| {
            draw(&SynthModel::GilbertElliott(chain), 1, u64::from(*seed)).received() == 1
        })
        .count();
    let se = (0.25 * 0.75 / f64::from(n)).sqrt();
    assert!((first as f64 / f64::from(n) - 0.25).abs() < 5.0 * se);
}

#[test]
fn mean_loss_and_burst_length() {
    let chain = GeParams::from_loss_and_burst(0.1, 4.0).unwrap();
    assert!((chain.prr() - 0.9).abs() < 1e-12 && (chain.g - 0.25).abs() < 1e-12);
    assert!(GeParams::from_loss_and_burst(0.9, 2.0).is_err());
    assert!(GeParams::from_loss_and_burst(0.1, 0.5).is_err());
    assert!(GeParams::from_loss_and_burst(1.0, 4.0).is_err());
    assert!(GeParams::from_loss_and_burst(0.1, f64::NAN).is_err());
}

#[test]
fn loss_within_states() {
    let model = LossyGe { g: 0.02, b: 0.01, loss_good: 0.05, loss_bad: 0.7 };
    let n = 2_000_000;
    let trace = draw(&SynthModel::LossyGilbertElliott(model), n, 8);
    // Variance of the mean: the hidden chain's part, inflated by (1 + mu) / (1 - mu), plus
    // independent draws.
    let hidden = 0.65 * 0.65 * (2.0 / 9.0) * (1.97 / 0.03);
    let se = ((hidden + 0.25) / n as f64).sqrt();
    let got = trace.received() as f64 / n as f64;
    assert!((got - model.prr()).abs() < 5.0 * se, "{got} {}", model.prr());
    // Without loss in good and with full loss in bad it is the plain chain, draw for draw.
    let plain = LossyGe { g: 0.2, b: 0.1, loss_good: 0.0, loss_bad: 1.0 };
    let chain = GeParams::from_g_b(0.2, 0.1).unwrap();
    assert_eq!(
        draw(&SynthModel::LossyGilbertElliott(plain), 10_000, 3),
        draw(&SynthModel::GilbertElliott(chain), 10_000, 3)
    );
}

#[test]
fn out_of_range_parameters_are_named() {
    let e = GeParams::from_prr_mu(0.8, -0.3).unwrap_err().to_string();
    assert!(e.contains("mu = -0.3") && e.contains("-0.25"), "{e}");
    assert!(GeParams::from_prr_mu(0.8, -0.25).is_ok());
    assert!(GeParams::from_prr_mu(0.5, 1.0).is_err());
    assert!(GeParams::from_prr_mu(1.2, 0.0).is_err());
    assert!(GeParams::from_prr_mu(0.5, f64::NAN).is_err());
    assert!(GeParams::from_g_b(0.0, 0.0).is_err());
    let stream = &mut Seed::new(1).stream("x");
    assert!(SynthModel::Independent { prr: -0.1 }.generate(5, stream).is_err());
    let broken = SynthModel::GilbertElliott(GeParams { g: 2.0, b: 0.1 });
    assert!(broken.generate(5, stream).is_err());
    let empty = RunLengths::Empirical { histogram: vec![(3, 0)] };
    let loss = RunLengths::Geometric { mean: 2.0 };
    let model = SynthModel::SemiMarkov(SemiMarkov { success: empty, loss });
    assert!(model.generate(5, stream).is_err());
}

/// Empirical survival P(L >= k) of the success runs of a long trace.
fn survival(success: RunLengths, k: u64) -> (f64, f64) {
    let loss = RunLengths::Geometric { mean: 1.5 };
    let trace = draw(&SynthModel::SemiMarkov(SemiMarkov { success, loss }), 2_000_000, 11);
    let runs = RunStats::of(&trace).success;
    let longer: u64 = runs.histogram.iter().filter(|(l, _)| *l >= k).map(|(_, n)| n).sum();
    (longer as f64 / runs.count as f64, runs.count as f64)
}

#[test]
fn heavy_tails_have_their_survival_functions() {
    let pareto = |shape| RunLengths::Pareto { shape, min: 1, max: 10_000 };
    let weibull = |q, shape| RunLengths::Weibull { q, shape };
    let cases = [
        (pareto(1.5), 10, detmath::pow(10.0, -1.5)),
        (pareto(2.5), 4, detmath::pow(4.0, -2.5)),
        (weibull(0.6, 0.5), 10, detmath::pow(0.6, 3.0)),
        (weibull(0.8, 1.0), 5, detmath::pow(0.8, 4.0)),
    ];
    for (lengths, k, expected) in cases {
        let (got, n) = survival(lengths.clone(), k);
        let se = (expected * (1.0 - expected) / n).sqrt();
        assert!((got - expected).abs() < 5.0 * se, "{lengths:?}: {got} {expected}");
    }
}

#[test]
fn stated_means_are_those_of_the_traces() {
    for success in [
        RunLengths::Pareto { shape: 2.5, min: 2, max: 1_000_000 },
        RunLengths::Pareto { shape: 1.0, min: 1, max: 5_000 },
        RunLengths::Weibull { q: 0.7, shape: 0.6 },
        RunLengths::Empirical { histogram: vec![(1, 3), (7, 1)] },
    ] {
        let model = SemiMarkov { success, loss: RunLengths::Geometric { mean: 3.0 } };
        let n = 4_000_000;
        let got = draw(&SynthModel::SemiMarkov(model.clone()), n, 4).received() as f64 / n as f64;
        assert!((got - model.prr().unwrap()).abs() < 0.01, "{got} {model:?}");
    }
}

#[test]
fn rare_long_bursts_keep_prr_and_mu_but_outlast_the_chain() {
    let model = SemiMarkov::rare_long_bursts(0.5, 0.6, 0.004, 300.0).unwrap();
    let n = 2_000_000;
    let trace = draw(&SynthModel::SemiMarkov(model), n, 6);
    let pairs = Pairs::of(&trace);
    assert!((trace.received() as f64 / n as f64 - 0.5).abs() < 0.02);
    assert!((pairs.mu().unwrap() - 0.6).abs() < 0.02);
    let chain = GeParams::from_prr_mu(0.5, 0.6).unwrap();
    let plain = draw(&SynthModel::GilbertElliott(chain), n, 6);
    let longest = |t: &Outcomes| RunStats::of(t).success.longest;
    assert!(longest(&trace) > 10 * longest(&plain));
    assert!(SemiMarkov::rare_long_bursts(0.5, 0.6, 0.1, 300.0).is_err());
    assert!(SemiMarkov::rare_long_bursts(1.0, 0.6, 0.1, 3.0).is_err());
}

#[test]
fn models_are_written_and_read_as_json() {
    let model =
        SynthModel::SemiMarkov(SemiMarkov::rare_long_bursts(0.5, 0.6, 0.004, 300.0).unwrap());
    let json = serde_json::to_value(&model).unwrap();
    assert_eq!(serde_json::from_value::<SynthModel>(json).unwrap(), model);
    let text = r#"{"model":"gilbert-elliott","g":0.2,"b":0.1}"#;
    let chain = SynthModel::GilbertElliott(GeParams { g: 0.2, b: 0.1 });
    assert_eq!(serde_json::from_str::<SynthModel>(text).unwrap(), chain);
}

proptest! {
    #[test]
    fn every_chain_in_range_can_be_drawn(prr in 0.0f64..=1.0, x in 0.0f64..1.0, n in 0usize..500) {
        let low = GeParams::smallest_mu(prr);
        let mu = low + (1.0 - low) * x * 0.999_999;
        let chain = GeParams::from_prr_mu(prr, mu).unwrap();
        prop_assert!((chain.mu() - mu).abs() < 1e-6 && (chain.prr() - prr).abs() < 1e-6);
        draw(&SynthModel::GilbertElliott(chain), n, 1);
    }

    #[test]
    fn any_pair_has_a_nearest_chain(prr in 0.0f64..=1.0, mu in -3.0f64..3.0) {
        prop_assert!(GeParams::nearest(prr, mu).is_some());
    }
}
