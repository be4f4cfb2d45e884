//! A sequence of random numbers, and the distributions models draw from.

use airtcp_units::{LowBits, Saturate, detmath};
use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::keyed::mix;

/// One component's stream: xoshiro256++, seeded from a label (see [`crate::Seed::stream`]).
#[derive(Debug, Clone)]
pub struct Stream(Xoshiro256PlusPlus);

impl Stream {
    pub(crate) fn from_key(key: [u64; 2]) -> Self {
        let mut seed = [0u8; 32];
        for (i, chunk) in seed.chunks_exact_mut(8).enumerate() {
            chunk.copy_from_slice(&mix(key[i % 2], key[1], i as u64).to_le_bytes());
        }
        Self(Xoshiro256PlusPlus::from_seed(seed))
    }

    /// 64 random bits.
    #[inline]
    pub fn next_u64(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// Uniform in [0, 1), with 53 random bits.
    #[inline]
    pub fn unit(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
    }

    /// Uniform in (0, 1]: safe under a logarithm.
    #[inline]
    pub fn unit_positive(&mut self) -> f64 {
        1.0 - self.unit()
    }

    /// True with probability `p`.
    #[inline]
    pub fn chance(&mut self, p: f64) -> bool {
        self.unit() < p
    }

    /// Uniform integer in `0..n`, without bias (Lemire's method); 0 if `n` is 0.
    pub fn below(&mut self, n: u64) -> u64 {
        if n == 0 {
            return 0;
        }
        let mut product = u128::from(self.next_u64()) * u128::from(n);
        // The threshold is below n, so the division is needed about once in 2^64 / n draws.
        if u64::low_bits(product) < n {
            let threshold = n.wrapping_neg() % n;
            while u64::low_bits(product) < threshold {
                product = u128::from(self.next_u64()) * u128::from(n);
            }
        }
        (product >> 64) as u64
    }

    /// Uniform real in `low..high`.
    pub fn uniform(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    /// Exponential with the given mean.
    pub fn exponential(&mut self, mean: f64) -> f64 {
        -mean * detmath::ln(self.unit_positive())
    }

    /// Number of trials up to and including the first success, each with probability `p`:
    /// 1, 2, 3 ... with mean `1/p`. `u64::MAX` if `p` is 0.
    pub fn geometric(&mut self, p: f64) -> u64 {
        if p >= 1.0 {
            return 1;
        }
        if p <= 0.0 {
            return u64::MAX;
        }
        // Saturates, so that a tiny p cannot wrap.
        let trials = detmath::ln(self.unit_positive()) / detmath::ln_1p(-p);
        u64::saturate(trials).saturating_add(1)
    }

    /// Pareto with the given scale (its minimum) and shape.
    pub fn pareto(&mut self, scale: f64, shape: f64) -> f64 {
        scale * detmath::pow(self.unit_positive(), -1.0 / shape)
    }

    /// Standard normal, by the Box-Muller transform. Only one value of each pair is used, so that the number
    /// of draws per value is fixed.
    pub fn normal(&mut self) -> f64 {
        let radius = (-2.0 * detmath::ln(self.unit_positive())).sqrt();
        radius * detmath::cos(std::f64::consts::TAU * self.unit())
    }
}

#[cfg(test)]
mod tests {
    use crate::Seed;

    fn mean_of(n: u32, mut draw: impl FnMut() -> f64) -> f64 {
        (0..n).map(|_| draw()).sum::<f64>() / f64::from(n)
    }

    #[test]
    fn distributions_have_their_means() {
        let mut s = Seed::new(7).stream("test");
        let n = 200_000;
        // Tolerances are five standard errors of each mean.
        assert!((mean_of(n, || s.unit()) - 0.5).abs() < 5.0 * 0.2887 / 447.0);
        assert!((mean_of(n, || s.exponential(3.0)) - 3.0).abs() < 5.0 * 3.0 / 447.0);
        assert!((mean_of(n, || s.geometric(0.25) as f64) - 4.0).abs() < 5.0 * 3.464 / 447.0);
        assert!((mean_of(n, || s.below(10) as f64) - 4.5).abs() < 5.0 * 2.872 / 447.0);
        assert!((mean_of(n, || s.normal())).abs() < 5.0 / 447.0);
        assert!((mean_of(n, || s.pareto(1.0, 4.0)) - 4.0 / 3.0).abs() < 5.0 * 0.4714 / 447.0);
        assert!(
            (mean_of(n, || f64::from(u8::from(s.chance(0.1)))) - 0.1).abs() < 5.0 * 0.3 / 447.0
        );
    }

    #[test]
    fn edges() {
        let mut s = Seed::new(7).stream("edges");
        assert_eq!(s.geometric(1.0), 1);
        assert_eq!(s.geometric(0.0), u64::MAX);
        assert_eq!(s.below(0), 0);
        assert_eq!(s.below(1), 0);
        assert!((0..1000).all(|_| !s.chance(0.0)));
        assert!((0..1000).all(|_| s.chance(1.0)));
    }
}
