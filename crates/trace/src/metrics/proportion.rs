//! The exact interval of a proportion (Clopper and Pearson 1934).
//!
//! `k` successes of `n` trials put every `p` into the interval for which neither `P(X >= k)` nor
//! `P(X <= k)` is below half of the permitted miss probability. Its ends are quantiles of the beta
//! distribution, which also exist if `k` and `n` are not whole numbers. For correlated trials, both
//! are divided by the same factor.
//!
//! With [`MANY`] or more successes and failures, Wilson's score interval replaces it. The two then
//! differ by less than 3 % of their width, and the continued fraction of the beta distribution
//! needs many terms.

use statrs::distribution::{ContinuousCDF, Normal};
use statrs::function::beta::beta_reg;

/// Successes and failures from which Wilson's interval is used.
const MANY: f64 = 1000.0;
/// Halvings of the search: the end is known to 2^-60.
const HALVINGS: usize = 60;

/// The interval `[low, high]` of a proportion that misses the truth with probability `1 -
/// confidence` at most, from `k` successes of `n` trials (`n > 0`).
pub fn proportion_interval(k: f64, n: f64, confidence: f64) -> [f64; 2] {
    let tail = (1.0 - confidence.clamp(0.0, 1.0)) / 2.0;
    let k = k.clamp(0.0, n);
    if tail <= 0.0 {
        return [0.0, 1.0];
    }
    if k.min(n - k) >= MANY {
        return wilson(k / n, n, tail);
    }
    // P(X >= k | p) = I_p(k, n - k + 1) rises with p; P(X <= k | p) = 1 - I_p(k + 1, n - k).
    let low = if k > 0.0 { rising(|p| beta_reg(k, n - k + 1.0, p), tail) } else { 0.0 };
    let high = if k < n { rising(|p| beta_reg(k + 1.0, n - k, p), 1.0 - tail) } else { 1.0 };
    [low, high]
}

/// The point between 0 and 1 at which a rising function reaches `level`.
fn rising(f: impl Fn(f64) -> f64, level: f64) -> f64 {
    let (mut low, mut high) = (0.0f64, 1.0f64);
    for _ in 0..HALVINGS {
        // Near zero, halving the exponent range converges faster than halving the values.
        let middle =
            if high < 1e-3 && low > 0.0 { (low * high).sqrt() } else { f64::midpoint(low, high) };
        if middle.to_bits() == low.to_bits() || middle.to_bits() == high.to_bits() {
            // No number is left between them, and further halvings change nothing.
            break;
        }
        if f(middle) < level {
            low = middle;
        } else {
            high = middle;
        }
    }
    f64::midpoint(low, high)
}

fn wilson(p: f64, n: f64, tail: f64) -> [f64; 2] {
    let z = normal_quantile(1.0 - tail);
    let centre = p + z * z / (2.0 * n);
    let half = z * (p * (1.0 - p) / n + z * z / (4.0 * n * n)).sqrt();
    [centre - half, centre + half].map(|x| x / (1.0 + z * z / n))
}

/// The quantile of the normal distribution.
pub(super) fn normal_quantile(p: f64) -> f64 {
    Normal::standard().inverse_cdf(p)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(found: [f64; 2], expected: [f64; 2], within: f64) {
        for (a, b) in found.into_iter().zip(expected) {
            assert!((a - b).abs() < within, "{found:?} {expected:?}");
        }
    }

    #[test]
    fn the_ends_are_where_the_binomial_tails_are() {
        // Clopper and Pearson's own example, 3 of 10: 0.067 and 0.652; 0 of 10: 1 - 0.025^(1/10).
        close(proportion_interval(3.0, 10.0, 0.95), [0.066_74, 0.652_45], 1e-5);
        close(proportion_interval(0.0, 10.0, 0.95), [0.0, 0.308_50], 1e-5);
        close(proportion_interval(10.0, 10.0, 0.95), [0.691_50, 1.0], 1e-5);
        // By summing the tails of the binomial distribution.
        for (k, n) in [(1usize, 20usize), (7, 50), (25, 60)] {
            let [low, high] = proportion_interval(k as f64, n as f64, 0.9);
            let term = |i: usize, p: f64| {
                let choose = (0..i).map(|j| (n - j) as f64 / (i - j) as f64).product::<f64>();
                let times = |x: f64, m: usize| (0..m).fold(1.0, |a, _| a * x);
                choose * times(p, i) * times(1.0 - p, n - i)
            };
            assert!(((k..=n).map(|i| term(i, low)).sum::<f64>() - 0.05).abs() < 1e-9);
            assert!(((0..=k).map(|i| term(i, high)).sum::<f64>() - 0.05).abs() < 1e-9);
        }
    }

    #[test]
    fn rare_events_among_very_many_have_poisson_ends() {
        // Poisson: 5 events leave a mean from 1.6235 to 11.6683.
        for n in [1e6, 1e8, 1e10] {
            let [low, high] = proportion_interval(5.0, n, 0.95);
            close([low * n, high * n], [1.6235, 11.6683], 2e-4);
            let [low, high] = proportion_interval(n - 5.0, n, 0.95);
            close([(1.0 - high) * n, (1.0 - low) * n], [1.6235, 11.6683], 2e-3);
        }
    }

    #[test]
    fn the_two_formulas_meet() {
        for (k, n) in [(999.9, 2_500.0), (999.9, 1e6), (999.9, 1e9)] {
            let exact = proportion_interval(k, n, 0.95);
            let score = wilson(k / n, n, 0.025);
            let width = score[1] - score[0];
            close(exact, score, 0.03 * width);
        }
    }

    /// The search ends early only when more halvings would change nothing.
    #[test]
    fn the_search_gives_what_all_halvings_give() {
        let all = |f: &dyn Fn(f64) -> f64, level: f64| {
            let (mut low, mut high) = (0.0f64, 1.0f64);
            for _ in 0..HALVINGS {
                let small = high < 1e-3 && low > 0.0;
                let middle = if small { (low * high).sqrt() } else { f64::midpoint(low, high) };
                if f(middle) < level { low = middle } else { high = middle }
            }
            f64::midpoint(low, high)
        };
        for (k, n) in
            [(0.3, 0.7), (1.0, 2.0), (3.0, 10.0), (299.0, 300.0), (5.0, 1e8), (12.7, 71.3)]
        {
            for level in [0.005, 0.025, 0.975] {
                let f = |p: f64| beta_reg(k, n - k + 1.0, p);
                assert_eq!(rising(f, level).to_bits(), all(&f, level).to_bits(), "{k} {n} {level}");
            }
        }
    }

    #[test]
    fn no_confidence_and_all_of_it() {
        let [low, high] = proportion_interval(30.0, 100.0, 1.0);
        assert!(low <= 0.0 && high >= 1.0);
        assert!(proportion_interval(0.3, 0.7, 0.95)[1] <= 1.0);
    }
}
