use super::*;
use crate::synth::{GeParams, SynthModel};
use airtcp_random::Seed;

fn chain(prr: f64, mu: f64, n: usize, seed: u64) -> Outcomes {
    let params = GeParams::from_prr_mu(prr, mu).unwrap();
    SynthModel::GilbertElliott(params).generate(n, &mut Seed::new(seed).stream("t")).unwrap()
}

fn judge_default(trace: &Outcomes) -> Convergence {
    convergence(trace, &ConvergenceOptions::default())
}

#[test]
fn three_hundred_packets_are_too_few() {
    for seed in 0..20 {
        let got = judge_default(&chain(0.5, 0.6, 300, seed));
        assert!(!got.converged);
        assert!(got.reason.contains("300 packets are too few"), "{}", got.reason);
        assert!(got.needed_packets.is_some_and(|n| n >= 10_000));
    }
}

#[test]
fn a_true_chain_of_a_hundred_thousand_packets_converges() {
    for (i, (prr, mu)) in
        [(0.5, 0.0), (0.3, 0.3), (0.5, 0.6), (0.6, 0.9), (0.9, 0.6), (0.2, 0.8), (0.5, -0.5)]
            .into_iter()
            .enumerate()
    {
        // A true chain leaves its band with a probability well below 1 % a trace, so 3 or more
        // of 40 would be a one-in-a-thousand event.
        let settled = (0..40)
            .filter(|k| judge_default(&chain(prr, mu, 100_000, 100 * i as u64 + k)).converged)
            .count();
        assert!(settled >= 38, "PRR {prr}, mu {mu}: {settled} of 40");
    }
}

#[test]
fn a_link_that_changes_halfway_does_not() {
    for seed in 0..20 {
        let mut trace = chain(0.5, 0.2, 50_000, seed);
        for bit in chain(0.5, 0.8, 50_000, seed + 1000).iter() {
            trace.push(bit);
        }
        let got = judge_default(&trace);
        assert!(!got.converged, "{}", got.reason);
        assert!(got.nonstationarity_ratio.unwrap() > 10.0);
        assert!(got.needed_packets.unwrap() > 100_000);
    }
}

#[test]
fn a_link_that_changes_every_6000_packets_is_told_by_its_chunks() {
    let mut trace = Outcomes::new();
    for i in 0..16 {
        for bit in chain(0.5, if i % 2 == 0 { 0.3 } else { 0.9 }, 6000, i).iter() {
            trace.push(bit);
        }
    }
    let got = judge_default(&trace);
    assert!((got.chunk_rms.unwrap() - 0.3).abs() < 0.03, "{:?}", got.chunk_rms);
    assert!(got.nonstationarity_ratio.unwrap() > 5.0);
    assert!(!got.converged);
    // The interval of mu is printed beside the reason, which gives no second interval.
    assert!(got.reason.contains("differs too much between chunks of 6000"), "{}", got.reason);
    assert!(!got.reason.contains("+-"), "{}", got.reason);
}

#[test]
fn the_standard_error_is_the_scatter_of_many_chains() {
    let (prr, mu, n) = (0.7, 0.5, 5_000);
    let runs: Vec<(f64, f64)> = (0..400)
        .map(|seed| {
            let pairs = Pairs::of(&chain(prr, mu, n, seed));
            (pairs.mu().unwrap(), pairs.mu_standard_error().unwrap())
        })
        .collect();
    let mean = runs.iter().map(|r| r.0).sum::<f64>() / 400.0;
    let sd = (runs.iter().map(|r| (r.0 - mean) * (r.0 - mean)).sum::<f64>() / 399.0).sqrt();
    let stated = runs.iter().map(|r| r.1).sum::<f64>() / 400.0;
    // The standard deviation of 400 values has the relative error 1/sqrt(800) = 3.5 %; the test
    // allows four.
    assert!((sd / stated - 1.0).abs() < 0.14, "{sd} {stated}");
    assert!((mean - mu).abs() < 5.0 * stated / 20.0);
}

#[test]
fn a_stationary_chain_has_ratio_one() {
    let ratios: Vec<f64> = (0..30)
        .map(|seed| judge_default(&chain(0.5, 0.5, 96_000, seed)).nonstationarity_ratio.unwrap())
        .collect();
    // Each ratio has 15 degrees of freedom, relative error 1/sqrt(30) = 0.18; of the mean 0.033.
    let mean = ratios.iter().sum::<f64>() / 30.0;
    assert!((mean - 1.0).abs() < 0.13, "{mean}");
}

#[test]
fn the_prefix_curve_is_mu_of_each_prefix() {
    let trace = chain(0.4, 0.5, 25_500, 3);
    let got = judge_default(&trace).prefix;
    assert_eq!(got.len(), 26);
    for (k, mu) in got {
        assert_eq!(Some(mu), Pairs::within(&trace, 0..usize::narrow(k)).mu());
    }
    let long = judge_default(&chain(0.4, 0.5, 1_000_000, 3)).prefix;
    assert_eq!((long.len(), long[0].0, long[199].0), (200, 5_000, 1_000_000));
}

#[test]
fn undefined_mu_is_said_in_words() {
    let say = |bits: &[bool]| judge_default(&bits.iter().copied().collect()).reason;
    assert!(say(&[]).contains("two packets"));
    assert!(say(&vec![true; 20_000]).contains("nothing was lost"));
    assert!(say(&vec![false; 20_000]).contains("nothing was received"));
    assert!(say(&[true, true, false]).contains("only the last packet"));
}

#[test]
fn one_burst_in_a_long_trace_says_nothing_of_mu() {
    let mut trace = Outcomes::new();
    trace.push_run(true, 60_000);
    trace.push_run(false, 1);
    trace.push_run(true, 60_000);
    let got = judge_default(&trace);
    assert!(!got.converged && got.reason.contains("too few transitions"), "{}", got.reason);
    assert!(!got.reason.contains("+-"), "{}", got.reason);
}
