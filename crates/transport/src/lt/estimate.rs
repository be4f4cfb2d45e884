//! The loss estimate and its deviation, S0 equation 1.
//!
//! ```text
//! E = alpha new + (1 - alpha) E            new = share of a block's first N segments that was lost
//! s = sqrt(E (1 - E) / N)                  binomial: of the share lost of N segments
//! V = alpha (new - E)^2 + (1 - alpha) V    ewma: s = sqrt(V), whatever N
//! ```
//!
//! S2 asks for "one standard deviation above the expected loss" without specifying it: both are
//! available. Shares from 0 to 1.

use super::config::{Deviation, LtConfig};

/// The basis of parity: the loss estimate and its spread.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Protection {
    /// Estimated loss rate E.
    pub estimate: f64,
    /// Mean square deviation of the samples; `None` for the binomial one.
    pub variance: Option<f64>,
    /// Standard deviations above the expected loss.
    pub deviations: f64,
}

impl Protection {
    /// `s` for a block of `n` segments, times the configured number of deviations.
    pub fn spread(&self, n: u16) -> f64 {
        let binomial = self.estimate * (1.0 - self.estimate) / f64::from(n.max(1));
        self.deviations * self.variance.unwrap_or(binomial).max(0.0).sqrt()
    }

    /// `E + s`: the share of `n` segments for which parity is sent.
    pub fn expected_share(&self, n: u16) -> f64 {
        (self.estimate + self.spread(n)).clamp(0.0, 1.0)
    }
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Estimator {
    alpha: f64,
    estimate: f64,
    variance: f64,
    deviation: Deviation,
    deviations: f64,
}

impl Estimator {
    pub(crate) const fn new(config: &LtConfig) -> Self {
        Self {
            alpha: config.alpha,
            estimate: config.initial_estimate,
            variance: 0.0,
            deviation: config.std,
            deviations: config.deviations,
        }
    }

    /// The sample of a block: `lost` of its first `sent` segments.
    pub(crate) fn sample(&mut self, lost: u16, sent: u16) {
        if sent == 0 {
            return;
        }
        let new = (f64::from(lost) / f64::from(sent)).min(1.0);
        let error = new - self.estimate;
        self.variance = self.alpha * error * error + (1.0 - self.alpha) * self.variance;
        self.estimate = self.alpha * new + (1.0 - self.alpha) * self.estimate;
    }

    pub(crate) const fn estimate(&self) -> f64 {
        self.estimate
    }

    pub(crate) fn protection(&self) -> Protection {
        Protection {
            estimate: self.estimate,
            variance: (self.deviation == Deviation::Ewma).then_some(self.variance),
            deviations: self.deviations,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(a: f64, b: f64) -> bool {
        (a - b).abs() < 1e-12
    }

    /// S0 equation 1 by hand: 0, then samples 0.4, 0, 1.
    #[test]
    fn the_equation_of_the_paper() {
        let mut e = Estimator::new(&LtConfig::default());
        let expected = [(4, 10, 0.2), (0, 10, 0.1), (20, 20, 0.55), (0, 0, 0.55)];
        for (lost, sent, value) in expected {
            e.sample(lost, sent);
            assert!(close(e.estimate(), value), "{} for {value}", e.estimate());
        }
    }

    #[test]
    fn deviations_by_hand() {
        let mut e = Estimator::new(&LtConfig::default());
        for _ in 0..60 {
            e.sample(2, 10);
        }
        let p = e.protection();
        // sqrt(0.2 * 0.8 / 16) = 0.1.
        assert!(close(p.spread(16), 0.1) && close(p.expected_share(16), 0.3));
        assert!(close(Protection { deviations: 0.0, ..p }.expected_share(16), 0.2));

        let mut e = Estimator::new(&LtConfig { std: Deviation::Ewma, ..LtConfig::default() });
        // Deviations 0.4 and then -0.2 from the estimate before each: V = 0.5 * 0.16 = 0.08,
        // then 0.5 * 0.04 + 0.5 * 0.08 = 0.06.
        e.sample(4, 10);
        e.sample(0, 10);
        assert!(close(e.protection().spread(10), 0.06f64.sqrt()));
    }
}
