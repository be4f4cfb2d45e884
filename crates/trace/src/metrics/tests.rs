use super::*;
use crate::synth::{GeParams, SynthModel};
use airtcp_random::Seed;
use airtcp_units::detmath;

fn chain(prr: f64, mu: f64, n: usize, seed: u64) -> Outcomes {
    let params = GeParams::from_prr_mu(prr, mu).unwrap();
    SynthModel::GilbertElliott(params).generate(n, &mut Seed::new(seed).stream("t")).unwrap()
}

#[test]
fn a_chain_gives_back_its_parameters() {
    for (i, (prr, mu)) in [(0.5, 0.6), (0.9, 0.6), (0.2, 0.3), (0.5, -0.4)].into_iter().enumerate()
    {
        let n = 400_000;
        let stats = analyse(&chain(prr, mu, n, i as u64), &AnalyseOptions::default());
        let se = stats.convergence.standard_error.unwrap();
        // The error of a chain's mean is inflated by (1 + mu) / (1 - mu).
        let prr_se = (prr * (1.0 - prr) / n as f64 * (1.0 + mu) / (1.0 - mu)).sqrt();
        assert!((stats.prr - prr).abs() < 5.0 * prr_se, "{} {prr}", stats.prr);
        assert!((stats.mu.unwrap() - mu).abs() < 5.0 * se, "{:?} {mu}", stats.mu);
        // beta = mu for a chain; each of its CPDF points has 100 samples or more.
        assert!((stats.beta.unwrap() - mu).abs() < 0.05, "beta {:?} mu {mu}", stats.beta);
        for (lag, r) in &stats.autocorrelation[..4] {
            let expected = detmath::pow(mu, *lag as f64);
            assert!((r - expected).abs() < 0.012, "lag {lag}: {r} {expected}");
        }
        let [low, high] = stats.mu_ci.unwrap();
        assert!(low < stats.mu.unwrap() && stats.mu.unwrap() < high);
    }
}

#[test]
fn empty_and_uniform_traces_are_measured_without_complaint() {
    for bits in [vec![], vec![true; 1000], vec![false; 1000], vec![true], vec![false]] {
        let trace: Outcomes = bits.iter().copied().collect();
        let stats = analyse(&trace, &AnalyseOptions::default());
        assert_eq!(stats.packets, bits.len() as u64);
        assert_eq!((stats.mu, stats.beta, stats.converged), (None, None, false));
        let json = serde_json::to_value(&stats).unwrap();
        let again: LinkStats = serde_json::from_value(json.clone()).unwrap();
        assert_eq!(again, stats);
        for name in ["packets", "prr", "prr_ci", "class", "g", "b", "mu", "beta", "converged"] {
            assert!(json.get(name).is_some(), "{name}");
        }
    }
}

#[test]
fn without_order_only_reception_is_left() {
    let trace = chain(0.6, 0.5, 20_000, 4);
    let all = analyse(&trace, &AnalyseOptions::default());
    assert!(all.converged && all.mu.is_some());
    let stats = all.clone().without_order();
    assert_eq!((stats.prr, stats.prr_ci, stats.class), (all.prr, all.prr_ci, all.class));
    assert!(!stats.converged && stats.convergence.reason.contains("not measured"));
    // No statistic that depends on the order is left in the document.
    let json = serde_json::to_value(&stats).unwrap();
    let kept = ["packets", "received", "prr", "prr_ci", "class", "converged", "convergence"];
    for (key, value) in json.as_object().unwrap() {
        let empty = value.is_null() || value.as_array().is_some_and(Vec::is_empty);
        assert_eq!(empty, !kept.contains(&key.as_str()), "{key}: {value}");
    }
}

#[test]
fn longest_bursts_of_a_chain_are_near_the_closed_form() {
    // The longest of m geometric runs has a Gumbel law: mean 0.577/(-ln(1-b)) above the mode,
    // standard deviation 1.283/(-ln(1-b)). Mean of 40 chains within four of its errors.
    let (prr, mu, n) = (0.5, 0.6, 100_000);
    let scale = -1.0 / detmath::ln_1p(-0.2);
    let (mut got, mut expected) = ([0.0; 2], [0.0; 2]);
    for seed in 0..40 {
        let stats = analyse(&chain(prr, mu, n, seed), &AnalyseOptions::default());
        got[0] += stats.longest_success_burst.unwrap() as f64 / 40.0;
        got[1] += stats.longest_loss_burst.unwrap() as f64 / 40.0;
        expected[0] += stats.ge_expected_longest_success_burst.unwrap() / 40.0;
        expected[1] += stats.ge_expected_longest_loss_burst.unwrap() / 40.0;
    }
    for (got, expected) in got.into_iter().zip(expected) {
        let mean = expected + 0.577 * scale - 0.5;
        assert!((got - mean).abs() < 4.0 * 1.283 * scale / 40f64.sqrt(), "{got} {mean}");
    }
}
