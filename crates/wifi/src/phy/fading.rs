//! Block fading: the gain of a path changes from one coherence time to the next.
//!
//! ```text
//! Rayleigh   g = -ln(u)                                       no line of sight: exponential, mean 1
//! Rician     g = |sqrt(K/(K+1)) + sqrt(1/(K+1)) z|^2          K: power of the line of sight over the rest
//! ```
//!
//! `g` multiplies the mean power; `z` is complex Gaussian with mean square 1. The gain is constant
//! within a block of the coherence time. Blocks are independent, and each pair of stations has its own
//! block boundaries. The gain depends only on the pair and the time: two protocols compared on one
//! channel meet the same fades.
//!
//! The coherence time is about `9 / (16 pi f_D)` for a Doppler shift `f_D = v f / c`: 37 ms at 1 km/h
//! and 5.2 GHz. Source: T. Rappaport, *Wireless Communications*, 2nd ed., sections 5.4 and 5.6. Leaves
//! out gradual change (Jakes' spectrum), fading within a frame, and frequency selectivity.

use airtcp_probe::ConfigError;
use airtcp_random::{Keyed, Seed};
use airtcp_units::{Db, Nanos, Span, detmath};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::propagation::accept;

/// The table `fading` of a cell.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "model", rename_all = "kebab-case", deny_unknown_fields)]
pub enum FadingConfig {
    /// No fading.
    #[default]
    None,
    /// Fading without a line of sight.
    Rayleigh {
        /// Time during which the gain is constant, for instance "15 ms".
        coherence_time: Span,
    },
    /// Fading with a line of sight.
    Rician {
        /// Time during which the gain is constant, for instance "15 ms".
        coherence_time: Span,
        /// Ratio K of the power of the line of sight to that of the reflections, in dB.
        k_db: f64,
    },
}

/// Gains of all pairs over time.
#[derive(Debug, Clone, Copy)]
pub struct Fading {
    /// Amplitude of the line of sight, and mean square of the reflections; `None` without fading.
    parts: Option<(f64, f64)>,
    block: u64,
    /// Draws the phase of a pair, and where its draws in `blocks` begin.
    pairs: Keyed,
    /// Draws of all blocks of all pairs.
    blocks: Keyed,
}

impl Fading {
    /// The fading of a scenario, with the random draws of `label`.
    ///
    /// # Errors
    /// If the coherence time is below 1 us or K is not between -40 and 60 dB.
    pub fn new(config: &FadingConfig, seed: Seed, label: &str) -> Result<Self, ConfigError> {
        let (parts, time) = match *config {
            FadingConfig::None => (None, Span::MAX),
            FadingConfig::Rayleigh { coherence_time } => (Some((0.0, 1.0)), coherence_time),
            FadingConfig::Rician { coherence_time, k_db } => {
                let k = Db(accept("k_db", k_db, -40.0, 60.0, "dB")?).linear();
                (Some(((k / (k + 1.0)).sqrt(), 1.0 / (k + 1.0))), coherence_time)
            }
        };
        if time < Span::from_micros(1) {
            let text = format!("is {time}: expected 1 us and longer");
            return Err(ConfigError::new("coherence_time", text));
        }
        Ok(Self {
            parts,
            block: time.0,
            pairs: seed.keyed(&format!("{label}/fading/pair")),
            blocks: seed.keyed(&format!("{label}/fading/block")),
        })
    }

    /// True without fading.
    pub const fn is_none(&self) -> bool {
        self.parts.is_none()
    }

    /// Factor on the mean power of a pair ([`pair_key`](super::propagation::pair_key)) at a time; 1 on
    /// average.
    #[inline]
    pub fn gain(&self, pair_key: u64, now: Nanos) -> f64 {
        let Some((line, scatter)) = self.parts else { return 1.0 };
        let own = self.pairs.bits(pair_key);
        // The pair's phase within a block, and the number of the block.
        let phase = self.pairs.bits(!pair_key) % self.block;
        let number = (now.0 % self.block + phase) / self.block + now.0 / self.block;
        let counter = own.wrapping_add(number.wrapping_mul(2));
        let square = -detmath::ln_1p(-self.blocks.unit(counter)) * scatter;
        if line <= 0.0 {
            return square;
        }
        let angle = std::f64::consts::TAU * self.blocks.unit(counter.wrapping_add(1));
        // |line + r e^(i angle)|^2; rounding must not make it negative.
        let r = square.sqrt();
        (line * line + 2.0 * line * r * detmath::cos(angle) + square).max(0.0)
    }
}

#[cfg(test)]
#[allow(clippy::float_cmp, reason = "some answers are exact")]
mod tests {
    use super::*;

    const BLOCK: Span = Span::from_millis(10);

    fn fading(config: FadingConfig) -> Fading {
        Fading::new(&config, Seed::new(5), "cell").unwrap()
    }

    fn rician(k_db: f64) -> Fading {
        fading(FadingConfig::Rician { coherence_time: BLOCK, k_db })
    }

    fn gains(fading: &Fading, n: u64) -> impl Iterator<Item = f64> {
        (0..n).map(|i| fading.gain(77, Nanos(i * BLOCK.0)))
    }

    fn moments(fading: &Fading) -> (f64, f64) {
        let n = 200_000;
        let (sum, squares) = gains(fading, n).fold((0.0, 0.0), |(s, q), g| (s + g, q + g * g));
        (sum / n as f64, squares / n as f64)
    }

    #[test]
    fn rayleigh_power_is_exponential() {
        let rayleigh = fading(FadingConfig::Rayleigh { coherence_time: BLOCK });
        let n = 200_000;
        for level in [0.01, 0.1, 0.5, 1.0, 3.0] {
            let below = gains(&rayleigh, n).filter(|g| *g <= level).count() as f64 / n as f64;
            let p = 1.0 - detmath::exp(-level);
            // Five standard errors.
            assert!((below - p).abs() < 5.0 * (p * (1.0 - p) / n as f64).sqrt(), "{level} {below}");
        }
        let (mean, second) = moments(&rayleigh);
        assert!((mean - 1.0).abs() < 5.0 / 447.0, "{mean}");
        assert!((second - 2.0).abs() < 5.0 * 20.0_f64.sqrt() / 447.0, "{second}");
    }

    /// E g = 1, E g^2 = (2 + 4 K + K^2) / (1 + K)^2.
    #[test]
    fn rician_moments() {
        for k_db in [-10.0, 0.0, 6.0, 20.0] {
            let k = Db(k_db).linear();
            let expected = (2.0 + 4.0 * k + k * k) / ((1.0 + k) * (1.0 + k));
            let (mean, second) = moments(&rician(k_db));
            let deviation = (expected - 1.0).sqrt();
            assert!((mean - 1.0).abs() < 5.0 * deviation / 447.0, "{k_db} {mean}");
            assert!((second - expected).abs() < 0.03 * expected, "{k_db} {second} {expected}");
        }
    }

    /// With a very small K, Rician fading is Rayleigh fading; with a very large K the gain is constant.
    #[test]
    fn rician_limits() {
        let weak = gains(&rician(-40.0), 100_000).filter(|g| *g <= 0.1).count() as f64 / 1e5;
        assert!((weak - (1.0 - detmath::exp(-0.1))).abs() < 0.005, "{weak}");
        assert!(gains(&rician(60.0), 1_000).all(|g| (g - 1.0).abs() < 0.01));
        assert_eq!(fading(FadingConfig::None).gain(3, Nanos(9)), 1.0);
    }

    /// The gain is constant within a block of exactly the coherence time. Pairs have their own block
    /// boundaries and are uncorrelated.
    #[test]
    fn blocks() {
        let rayleigh = fading(FadingConfig::Rayleigh { coherence_time: Span(1_000) });
        let changes = |pair: u64| -> Vec<u64> {
            let gain = |t| rayleigh.gain(pair, Nanos(t)).to_bits();
            (1..20_000).filter(|t| gain(*t) != gain(t - 1)).collect()
        };
        let (one, other) = (changes(1), changes(2));
        assert!(one.windows(2).all(|w| w[1] - w[0] == 1_000), "{one:?}");
        assert!((19..=20).contains(&one.len()));
        assert_ne!(one[0], other[0]);
        let product: f64 = (0..100_000)
            .map(|i| Nanos(i * 1_000))
            .map(|t| (rayleigh.gain(1, t) - 1.0) * (rayleigh.gain(2, t) - 1.0))
            .sum::<f64>()
            / 1e5;
        assert!(product.abs() < 5.0 / 316.0, "{product}");
        assert!(rayleigh.gain(1, Nanos::NEVER) >= 0.0);
    }

    #[test]
    fn bad_input_is_named() {
        let refuse = |config| Fading::new(&config, Seed::new(1), "x").unwrap_err().key;
        let none = Span(10);
        assert_eq!(refuse(FadingConfig::Rayleigh { coherence_time: none }), "coherence_time");
        let k_db = f64::NAN;
        assert_eq!(refuse(FadingConfig::Rician { coherence_time: BLOCK, k_db }), "k_db");
        let text = "model = \"rician\"\ncoherence_time = \"15 ms\"\nk_db = 6";
        let read: FadingConfig = toml::from_str(text).unwrap();
        let coherence_time = Span::from_millis(15);
        assert_eq!(read, FadingConfig::Rician { coherence_time, k_db: 6.0 });
    }
}
