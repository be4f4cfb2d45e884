//! Run lengths with heavy tails: a discrete Pareto or Weibull law with the mean of the runs seen.
//!
//! Keeping the mean keeps the link's PRR. The mean and the cut at the longest run give Pareto's
//! index. Of the Weibull laws with that mean, the fit takes the most likely.

use airtcp_units::detmath;

use crate::metrics::Bursts;
use crate::synth::RunLengths;

/// Steps of the searches: enough for a millionth of the ranges searched.
const STEPS: usize = 40;
/// Range of Weibull's shape: 1 is geometric, below it the tail is heavier.
const SHAPES: (f64, f64) = (0.2, 1.5);

/// The Pareto law with the mean of `runs`, cut at the longest. `None` without runs.
pub fn pareto(runs: &Bursts) -> Option<RunLengths> {
    let mean = runs.mean?;
    let law = |shape: f64| RunLengths::Pareto { shape, min: 1, max: runs.longest };
    // The mean falls as the index grows.
    let (mut low, mut high) = (1e-3_f64, 50.0_f64);
    for _ in 0..STEPS {
        let middle = (low * high).sqrt();
        if law(middle).mean().ok()? > mean { low = middle } else { high = middle }
    }
    Some(law((low * high).sqrt()))
}

/// The most likely Weibull law with the mean of `runs`. `None` without runs, or if all have
/// length 1.
pub fn weibull(runs: &Bursts) -> Option<RunLengths> {
    let mean = runs.mean?;
    if runs.longest < 2 {
        return None;
    }
    let scored = |shape: f64| {
        let q = q_for(mean, shape)?;
        Some((log_likelihood(runs, q, shape), q))
    };
    // Golden-section search over the shape; the likelihood has one peak in practice, and any
    // other result is still a law with the right mean.
    let golden = (5.0_f64.sqrt() - 1.0) / 2.0;
    let (mut low, mut high) = SHAPES;
    let score = |shape: f64| scored(shape).map_or(f64::NEG_INFINITY, |s| s.0);
    let (mut a, mut b) = (high - golden * (high - low), low + golden * (high - low));
    let (mut at_a, mut at_b) = (score(a), score(b));
    for _ in 0..20 {
        if at_a > at_b {
            (high, b, at_b) = (b, a, at_a);
            a = high - golden * (high - low);
            at_a = score(a);
        } else {
            (low, a, at_a) = (a, b, at_b);
            b = low + golden * (high - low);
            at_b = score(b);
        }
    }
    let shape = f64::midpoint(low, high);
    Some(RunLengths::Weibull { q: q_for(mean, shape)?, shape })
}

/// `q` of the Weibull law with this shape and mean.
fn q_for(mean: f64, shape: f64) -> Option<f64> {
    let (mut low, mut high) = (1e-12_f64, 1.0 - 1e-12);
    for _ in 0..STEPS {
        // The search is over the logarithm of the odds.
        let odds = ((low / (1.0 - low)) * (high / (1.0 - high))).sqrt();
        let middle = odds / (1.0 + odds);
        if weibull_mean(middle, shape, 4.0 * mean + 1e4) < mean {
            low = middle;
        } else {
            high = middle;
        }
    }
    (low > 0.0 && high < 1.0).then(|| f64::midpoint(low, high))
}

/// Mean of the Weibull law: the sum of `q^(k^shape)`; stops above `most`.
fn weibull_mean(q: f64, shape: f64, most: f64) -> f64 {
    let ln_q = detmath::ln(q);
    let tail = |k: f64| detmath::exp(ln_q * detmath::pow(k, shape));
    let mut sum = 1.0;
    // The first terms exactly, the others by the trapezoidal rule over widening steps.
    for k in 1..=64 {
        sum += tail(f64::from(k));
    }
    let (mut at, mut value) = (64.5, tail(64.5));
    while value > 1e-12 && sum < most {
        let next = at * 1.02;
        let after = tail(next);
        sum += (next - at) * f64::midpoint(value, after);
        (at, value) = (next, after);
    }
    sum
}

/// Log-likelihood of the run lengths: `P(L = k) = q^((k-1)^shape) - q^(k^shape)`.
fn log_likelihood(runs: &Bursts, q: f64, shape: f64) -> f64 {
    let ln_q = detmath::ln(q);
    let beyond = |k: f64| detmath::exp(ln_q * detmath::pow(k, shape));
    runs.histogram
        .iter()
        .map(|&(length, n)| {
            let k = length as f64;
            let p = (beyond(k - 1.0) - beyond(k)).max(1e-300);
            n as f64 * detmath::ln(p)
        })
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::RunStats;
    use crate::synth::{SemiMarkov, SynthModel};
    use airtcp_random::Seed;

    fn drawn(success: RunLengths) -> Bursts {
        let loss = RunLengths::Geometric { mean: 2.0 };
        let model = SynthModel::SemiMarkov(SemiMarkov { success, loss });
        let trace = model.generate(300_000, &mut Seed::new(8).stream("tails")).unwrap();
        RunStats::of(&trace).success
    }

    #[test]
    fn means_are_kept() {
        for law in [
            RunLengths::Pareto { shape: 1.4, min: 1, max: 5000 },
            RunLengths::Weibull { q: 0.7, shape: 0.5 },
            RunLengths::Geometric { mean: 7.0 },
        ] {
            let runs = drawn(law);
            let mean = runs.mean.unwrap();
            for fit in [pareto(&runs).unwrap(), weibull(&runs).unwrap()] {
                let got = fit.mean().unwrap();
                assert!((got / mean - 1.0).abs() < 0.02, "{fit:?}: {got} for {mean}");
            }
        }
    }

    #[test]
    fn parameters_are_found() {
        let runs = drawn(RunLengths::Weibull { q: 0.7, shape: 0.5 });
        let Some(RunLengths::Weibull { q, shape }) = weibull(&runs) else { panic!() };
        assert!((q - 0.7).abs() < 0.02 && (shape - 0.5).abs() < 0.03, "{q} {shape}");
        let runs = drawn(RunLengths::Geometric { mean: 7.0 });
        let Some(RunLengths::Weibull { shape, .. }) = weibull(&runs) else { panic!() };
        assert!((shape - 1.0).abs() < 0.03, "{shape}");
        assert!(weibull(&Bursts::from_histogram(vec![(1, 5)])).is_none());
        assert!(pareto(&Bursts::default()).is_none());
    }

    /// The fast mean against the plain sum.
    #[test]
    fn weibull_means_agree() {
        for (q, shape) in [(0.5, 1.0), (0.9, 0.4), (0.3, 0.7)] {
            let exact = RunLengths::Weibull { q, shape }.mean().unwrap();
            let fast = weibull_mean(q, shape, f64::INFINITY);
            assert!((fast / exact - 1.0).abs() < 2e-3, "{fast} {exact}");
        }
    }
}
