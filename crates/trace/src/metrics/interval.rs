//! Confidence intervals of PRR and `mu` that are valid with few losses.
//!
//! **mu** is a difference of two proportions: `P(lost | previous lost) - P(lost | previous
//! received)`. Given a two-state chain both are binomial (Billingsley 1961). Each gets its exact
//! interval, and the two are combined by the square roots of their squared distances (Newcombe
//! 1998; "MOVER" of Zou and Donner 2008). Three losses, none adjacent, then determine little: the
//! probability that a loss follows a loss may be up to 0.7.
//!
//! **PRR**: `n` packets of a chain are worth `n (1 - mu) / (1 + mu)` independent ones. The exact
//! interval is that of so many trials. One visit that does not end is first added to each state,
//! because a single burst does not determine the mean burst length.
//!
//! **Links that are no chain.** Twenty stretches of the trace give the scatter of the statistics.
//! If the scatter (times the allowance of Student's t for twenty values) exceeds a chain's, all
//! counts are divided by the ratio of the variances. If that ratio is above 2, ten stretches are
//! measured as well and the larger ratio is used, because slow changes of a link last longer than a
//! twentieth of the trace.
//!
//! A trace of equal outcomes has no `mu` and no bursts: its PRR has the exact bound for independent
//! packets. The bootstrap is not used. Resamples of a trace without adjacent losses have none
//! either, so that the interval of `mu` lies below zero for any link. `docs/models/intervals.md`
//! has the coverage measured.

use airtcp_units::Outcomes;
use statrs::distribution::{ContinuousCDF, StudentsT};

use super::counts::{Pairs, received_within};
use super::proportion::{normal_quantile, proportion_interval};

/// Intervals, `[low, high]`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Intervals {
    /// For the packet reception ratio; `None` for an empty trace.
    pub prr: Option<[f64; 2]>,
    /// For `mu`; `None` where `mu` itself is undefined.
    pub mu: Option<[f64; 2]>,
}

/// Number of stretches whose scatter is measured, and the second number for a nonstationary link.
const STRETCHES: usize = 20;
const LONG_STRETCHES: usize = 10;
/// Ratio of the variance to a chain's from which a link is taken as nonstationary.
const WANDERS: f64 = 2.0;
/// Fewest packets of a stretch.
const SHORTEST: usize = 10;

/// Intervals of `trace` that cover `confidence` (such as 0.95).
pub fn intervals(trace: &Outcomes, confidence: f64) -> Intervals {
    let (n, received) = (trace.len() as f64, trace.received() as f64);
    if trace.is_empty() {
        return Intervals { prr: None, mu: None };
    }
    let pairs = Pairs::of(trace);
    let spread = Spread::of(trace, &pairs, confidence);
    let constant = received <= 0.0 || received >= n;
    let worth = if constant { 1.0 } else { 1.0 / (variance_factor(&pairs) * spread.prr) };
    Intervals {
        prr: Some(proportion_interval(received * worth, n * worth, confidence)),
        mu: mu_interval(&pairs, spread.mu, confidence),
    }
}

/// The interval of `mu` if every pair counts as `1 / spread` independent pairs.
fn mu_interval(pairs: &Pairs, spread: f64, confidence: f64) -> Option<[f64; 2]> {
    let mu = pairs.mu()?;
    let of = |k: u64, n: u64| proportion_interval(k as f64 / spread, n as f64 / spread, confidence);
    let (again, b) = (1.0 - pairs.g()?, pairs.b()?);
    let [again_low, again_high] = of(pairs.n00, pairs.after_loss());
    let [b_low, b_high] = of(pairs.n10, pairs.after_success());
    let low = mu - (again - again_low).hypot(b_high - b);
    let high = mu + (again_high - again).hypot(b - b_low);
    Some([low.max(-1.0), high.min(1.0)])
}

/// Variance of a chain's mean over that of as many independent packets, `(1 + mu) / (1 - mu)`, with
/// a visit that does not end added to each state.
fn variance_factor(pairs: &Pairs) -> f64 {
    let ends = |moves: u64, visits: u64| (moves as f64).max(0.5) / (visits as f64 + 1.0);
    let ends = ends(pairs.n01, pairs.after_loss()) + ends(pairs.n10, pairs.after_success());
    (2.0 - ends) / ends
}

/// Variances of PRR and `mu` over a chain's, at least 1.
#[derive(Clone, Copy)]
struct Spread {
    prr: f64,
    mu: f64,
}

impl Spread {
    fn of(trace: &Outcomes, pairs: &Pairs, confidence: f64) -> Self {
        let short = Self::over(trace, pairs, confidence, STRETCHES);
        let long = |ratio: f64| ratio > WANDERS;
        if !long(short.prr) && !long(short.mu) {
            return short;
        }
        let more = Self::over(trace, pairs, confidence, LONG_STRETCHES);
        let larger = |a: f64, b: f64| if long(a) { a.max(b) } else { a };
        Self { prr: larger(short.prr, more.prr), mu: larger(short.mu, more.mu) }
    }

    /// The ratios from `count` stretches, each statistic linearised about that of the whole trace.
    fn over(trace: &Outcomes, pairs: &Pairs, confidence: f64, count: usize) -> Self {
        let n = trace.len();
        let chain = Self { prr: 1.0, mu: 1.0 };
        let tail = (1.0 - confidence.clamp(0.0, 1.0)) / 2.0;
        let (Some(g), Some(b), Some(se)) = (pairs.g(), pairs.b(), pairs.mu_standard_error()) else {
            return chain;
        };
        let Ok(t) = StudentsT::new(0.0, 1.0, (count - 1) as f64) else { return chain };
        if n < SHORTEST * count || tail <= 0.0 || tail >= 0.5 {
            return chain;
        }
        let prr = trace.received() as f64 / n as f64;
        let (mut of_prr, mut of_mu) = (0.0, 0.0);
        for i in 0..count {
            let (from, to) = (i * n / count, (i + 1) * n / count);
            let part = Pairs::within(trace, from..(to + 1).min(n));
            let (lost, kept) = (part.after_loss() as f64, part.after_success() as f64);
            let more = received_within(trace, from..to) as f64 - prr * (to - from) as f64;
            let ends = (part.n01 as f64 - g * lost) / pairs.after_loss() as f64
                + (part.n10 as f64 - b * kept) / pairs.after_success() as f64;
            of_prr += more * more;
            of_mu += ends * ends;
        }
        let quantile = |p: f64| t.inverse_cdf(p) / normal_quantile(p);
        let allowance =
            quantile(1.0 - tail) * quantile(1.0 - tail) * count as f64 / (count - 1) as f64;
        let of_chain = n as f64 * prr * (1.0 - prr) * variance_factor(pairs);
        Self {
            prr: (allowance * of_prr / of_chain).max(1.0),
            mu: (allowance * of_mu / (se * se)).max(1.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::synth::{GeParams, LossyGe, SynthModel};
    use airtcp_random::Seed;

    #[test]
    fn losses_that_are_all_alone_leave_mu_open() {
        // Nine losses of 300, 30 apart: P(lost | lost) is 0 of 9, so up to 1 - 0.025^(1/9) =
        // 0.3363, and b is 9 of 290: 0.0143 to 0.0581. The bootstrap gives mu from -0.05 to -0.02.
        let trace: Outcomes = (0..300).map(|i| i % 30 != 10 || i == 280).collect();
        assert_eq!(trace.received(), 291);
        let pairs = Pairs::of(&trace);
        let [low, high] = mu_interval(&pairs, 1.0, 0.95).unwrap();
        let b = 9.0 / 290.0;
        assert!((high - (-b + 0.336_27f64.hypot(b - 0.0143))).abs() < 2e-4, "{high}");
        assert!((low - (-b - (0.0581 - b))).abs() < 2e-4, "{low}");
    }

    #[test]
    fn equal_outcomes_get_the_exact_binomial_bound() {
        let perfect: Outcomes = [true; 300].into_iter().collect();
        let got = intervals(&perfect, 0.95);
        let [low, high] = got.prr.unwrap();
        // 0.025^(1/300) = 0.98778.
        assert!((low - 0.987_78).abs() < 1e-5 && high >= 1.0, "{low} {high}");
        assert_eq!(got.mu, None);
        let dead: Outcomes = [false; 300].into_iter().collect();
        assert!((intervals(&dead, 0.95).prr.unwrap()[1] - (1.0 - low)).abs() < 1e-9);
        assert_eq!(intervals(&Outcomes::new(), 0.95), Intervals { prr: None, mu: None });
    }

    /// Counts over `traces` traces: intervals of PRR and of mu that miss, intervals of mu wholly
    /// below zero, traces with both outcomes, and traces with a defined mu.
    fn misses(model: &SynthModel, truth: [f64; 2], n: usize, traces: u32) -> [u32; 5] {
        let mut found = [0; 5];
        for i in 0..traces {
            let trace = model.generate(n, &mut Seed::new(u64::from(i)).stream("cover")).unwrap();
            let outside = |[low, high]: [f64; 2], truth: f64| truth < low || high < truth;
            let got = intervals(&trace, 0.95);
            if trace.received() > 0 && trace.received() < n {
                found[0] += u32::from(outside(got.prr.unwrap(), truth[0]));
                found[3] += 1;
            }
            if let Some(mu) = got.mu {
                found[1] += u32::from(outside(mu, truth[1]));
                found[2] += u32::from(mu[1] < 0.0);
                found[4] += 1;
            }
        }
        found
    }

    #[test]
    fn intervals_hold_the_truth_with_few_losses_and_with_long_bursts() {
        // A correct interval misses 5 %. It misses more than 5 % + 4 binomial errors of the usable
        // traces with a probability of 1e-4 per case. The seeds are fixed.
        for (prr, mu, n, traces) in [
            (0.99, 0.0, 300, 200),
            (0.97, 0.0, 300, 200),
            (0.998, 0.0, 20_000, 100),
            (0.99, 0.6, 300, 200),
            (0.97, 0.9, 1_000, 200),
            (0.9, 0.9, 300, 200),
            (0.5, 0.0, 300, 200),
            (0.5, 0.9, 5_000, 100),
            (0.1, 0.6, 300, 200),
            (0.5, -0.5, 1_000, 200),
        ] {
            let model = SynthModel::GilbertElliott(GeParams::from_prr_mu(prr, mu).unwrap());
            let [of_prr, of_mu, _, some, defined] = misses(&model, [prr, mu], n, traces);
            let most = |of: u32| {
                let of = f64::from(of);
                0.05 * of + 4.0 * (0.05 * 0.95 * of).sqrt()
            };
            assert!(f64::from(of_prr) <= most(some), "PRR {prr} {mu} {n}: {of_prr} of {some}");
            assert!(f64::from(of_mu) <= most(defined), "mu {prr} {mu} {n}: {of_mu} of {defined}");
        }
    }

    #[test]
    fn intervals_are_not_wider_than_they_must_be() {
        // With many events some intervals must miss: no miss in 400 has a probability of 1e-9 at 5
        // %, and of 0.02 at 1 %.
        let model = SynthModel::GilbertElliott(GeParams::from_prr_mu(0.6, 0.7).unwrap());
        let [of_prr, of_mu, ..] = misses(&model, [0.6, 0.7], 5_000, 400);
        assert!(of_prr > 0 && of_mu > 0, "{of_prr} {of_mu}");
    }

    #[test]
    fn independent_losses_do_not_oscillate() {
        let model = SynthModel::Independent { prr: 0.97 };
        let [.., below, _, defined] = misses(&model, [0.97, 0.0], 300, 200);
        // 2.5 % on either side, plus four errors.
        assert!(f64::from(below) <= 0.025 * f64::from(defined) + 4.0 * 5.0f64.sqrt(), "{below}");
    }

    #[test]
    fn links_that_are_no_chain_get_wider_intervals() {
        // States that last 100 packets, with 5 and 50 % of loss in them.
        let of = LossyGe { g: 0.01, b: 0.01, loss_good: 0.05, loss_bad: 0.5 };
        let (loss, both) =
            (0.275, 0.5 * (0.05 * (0.99 * 0.05 + 0.01 * 0.5) + 0.5 * (0.01 * 0.05 + 0.99 * 0.5)));
        let mu = both / loss - (loss - both) / (1.0 - loss);
        let [of_prr, of_mu, .., defined] =
            misses(&SynthModel::LossyGilbertElliott(of), [1.0 - loss, mu], 20_000, 100);
        let most = 0.05 * f64::from(defined) + 4.0 * (0.05 * 0.95 * f64::from(defined)).sqrt();
        assert!(f64::from(of_prr) <= most && f64::from(of_mu) <= most, "{of_prr} {of_mu}");
    }
}
