//! Probabilities of counts by chance.

use airtcp_units::detmath;

/// Largest ratio to the probability of the observed table up to which another one counts as extreme,
/// beside rounding.
const ROUNDING: f64 = 1.0 + 1e-7;

/// Probability of at least `count` events if `mean` are expected (Poisson). It bounds that of a
/// binomial count from above where `count` is above `mean` + 1.
pub(crate) fn at_least(count: u64, mean: f64) -> f64 {
    if count == 0 {
        return 1.0;
    }
    // From the term of `count` upwards: no difference of nearly equal numbers.
    let log_mean = detmath::ln(mean.max(f64::MIN_POSITIVE));
    let mut term = count as f64 * log_mean - mean - ln_factorial(count);
    let (mut sum, mut k) = (0.0, count as f64);
    loop {
        let part = detmath::exp(term);
        sum += part;
        k += 1.0;
        if (k > mean && part <= sum * 1e-12) || sum >= 1.0 {
            return sum.min(1.0);
        }
        term += log_mean - detmath::ln(k);
    }
}

/// Two-sided probability of Fisher's exact test: `marked[i]` of `all[i]` have a property in two groups.
/// `None` if a group is empty.
pub(crate) fn fisher(marked: [u64; 2], all: [u64; 2]) -> Option<f64> {
    if all.contains(&0) {
        return None;
    }
    let total = marked[0] + marked[1];
    let least = total.saturating_sub(all[1]);
    let most = total.min(all[0]);
    let whole = ln_choose(all[0] + all[1], total);
    let log = |count: u64| ln_choose(all[0], count) + ln_choose(all[1], total - count) - whole;
    let limit = detmath::exp(log(marked[0])) * ROUNDING;
    let mut sum = 0.0;
    for count in least..=most {
        let part = detmath::exp(log(count));
        if part <= limit {
            sum += part;
        }
    }
    Some(sum.min(1.0))
}

/// Probability of at least `count` of `trials` independent events of this probability.
pub(crate) fn binomial_at_least(count: u64, trials: u64, probability: f64) -> f64 {
    if count == 0 || probability >= 1.0 {
        return 1.0;
    }
    if count > trials || probability <= 0.0 {
        return 0.0;
    }
    let (yes, no) = (detmath::ln(probability), detmath::ln_1p(-probability));
    let mean = trials as f64 * probability;
    let mut sum = 0.0;
    for k in count..=trials {
        let part = detmath::exp(ln_choose(trials, k) + k as f64 * yes + (trials - k) as f64 * no);
        sum += part;
        if k as f64 > mean && part <= sum * 1e-12 {
            break;
        }
    }
    sum.min(1.0)
}

/// Probability that ranks of `marked` are as high if they were drawn from all values (Mann and Whitney
/// 1947; normal approximation with the correction for ties).
pub(crate) fn ranks_at_least(marked: &[u64], others: &[u64]) -> f64 {
    let (n, m) = (marked.len() as f64, others.len() as f64);
    if marked.is_empty() || others.is_empty() {
        return 1.0;
    }
    let all = marked.iter().map(|value| (*value, true));
    let mut all: Vec<(u64, bool)> = all.chain(others.iter().map(|value| (*value, false))).collect();
    all.sort_unstable();
    let (mut below, mut above, mut ties) = (0.0, 0.0, 0.0);
    for equal in all.chunk_by(|a, b| a.0 == b.0) {
        let own = equal.iter().filter(|value| value.1).count() as f64;
        let size = equal.len() as f64;
        above += own * (below + (size - own) / 2.0);
        below += size - own;
        ties += size * size * size - size;
    }
    let total = n + m;
    let variance = n * m / 12.0 * (total + 1.0 - ties / (total * (total - 1.0).max(1.0)));
    if variance <= 0.0 {
        return 1.0;
    }
    let z = (above - n * m / 2.0 - 0.5) / variance.sqrt();
    detmath::erfc(z / std::f64::consts::SQRT_2) / 2.0
}

fn ln_choose(n: u64, k: u64) -> f64 {
    ln_factorial(n) - ln_factorial(k) - ln_factorial(n - k)
}

/// The logarithm of a factorial: by its product, and from 32 on by Stirling's series to 1/n^5, whose
/// error is below 1e-13.
fn ln_factorial(n: u64) -> f64 {
    if n < 32 {
        return (2..=n).map(|k| detmath::ln(k as f64)).sum();
    }
    let x = n as f64;
    let inverse = 1.0 / x;
    let square = inverse * inverse;
    let series = inverse * (1.0 / 12.0 - square * (1.0 / 360.0 - square / 1260.0));
    (x + 0.5) * detmath::ln(x) - x + 0.5 * detmath::ln(std::f64::consts::TAU) + series
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn probabilities_by_hand() {
        // 1 - exp(-2); 1 - exp(-3) (1 + 3); the tail of a rare event.
        assert!((at_least(1, 2.0) - 0.864_664_717).abs() < 1e-9);
        assert!((at_least(2, 3.0) - 0.800_851_727).abs() < 1e-9);
        assert!((at_least(5, 0.01) / 8.264e-13 - 1.0).abs() < 1e-3);
        assert_eq!(at_least(0, 1.0).to_bits(), 1.0f64.to_bits());
        assert!((at_least(40, 100.0) - 1.0).abs() < 1e-9);
        // 1 - 0.9^3; 0.1^2 (3 - 2 0.1); a sure event.
        assert!((binomial_at_least(1, 3, 0.1) - 0.271).abs() < 1e-12);
        assert!((binomial_at_least(2, 3, 0.1) - 0.028).abs() < 1e-12);
        assert_eq!(binomial_at_least(2, 1, 0.5).to_bits(), 0.0f64.to_bits());
        // Ranks 4, 5, 6 of 6: U = 9, z = (9 - 4.5 - 0.5)/sqrt(5.25).
        assert!((ranks_at_least(&[4, 5, 6], &[1, 2, 3]) - 0.040_428).abs() < 1e-5);
        assert!(ranks_at_least(&[1, 1], &[1, 1, 1]) >= 0.5);
        // Fisher's tea: 3 of 4 and 1 of 4; and all against none.
        assert!((fisher([3, 1], [4, 4]).unwrap() - 34.0 / 70.0).abs() < 1e-12);
        assert!((fisher([4, 0], [4, 4]).unwrap() - 2.0 / 70.0).abs() < 1e-12);
        assert_eq!(fisher([0, 1], [0, 4]), None);
        // 60 of 100 against 30 of 100, by exact binomial coefficients.
        let p = fisher([60, 30], [100, 100]).unwrap();
        assert!((p / 3.304_592_989e-5 - 1.0).abs() < 1e-6, "{p}");
        let by_product: f64 = (2..=40u32).map(|k| detmath::ln(f64::from(k))).sum();
        assert!((ln_factorial(40) - by_product).abs() < 1e-10);
    }
}
