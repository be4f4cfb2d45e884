//! The Gilbert-Elliott chain (Gilbert 1960, Elliott 1963), which steps once per packet.
//!
//! S1 uses the plain form, in which the state is the outcome: `g` = P(lost -> received), `b` =
//! P(received -> lost), stationary PRR `g / (g + b)`, burstiness `mu = 1 - g - b`. Hence `g = PRR
//! (1 - mu)` and `b = (1 - PRR)(1 - mu)`, and because both must be probabilities `mu >= max(-PRR /
//! (1 - PRR), -(1 - PRR) / PRR)`. The general form has two hidden states, each with its loss
//! probability. Both start from stationarity.

use airtcp_random::Stream;
use airtcp_units::Outcomes;
use serde::{Deserialize, Serialize};

use super::bernoulli;
use super::error::SynthError;
use super::geometric::{Geometric, append_run};

/// Permitted rounding error of a computed transition probability.
const ROUNDING: f64 = 1e-9;

/// A two-state chain whose state is the outcome.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GeParams {
    /// P(received | previous lost).
    pub g: f64,
    /// P(lost | previous received).
    pub b: f64,
}

impl GeParams {
    /// From the transition probabilities, which may not both be 0 (the chain would never move
    /// and have no stationary state).
    pub fn from_g_b(g: f64, b: f64) -> Result<Self, SynthError> {
        let (g, b) = (SynthError::probability("g", g)?, SynthError::probability("b", b)?);
        if g + b <= 0.0 {
            return Err(SynthError::new("g + b", 0, "one of the two must be above 0"));
        }
        Ok(Self { g, b })
    }

    /// The smallest mu that a chain with this PRR can have; 0 for a PRR of 0 or 1.
    pub fn smallest_mu(prr: f64) -> f64 {
        let loss = 1.0 - prr;
        if prr <= 0.0 || loss <= 0.0 {
            return 0.0;
        }
        (-prr / loss).max(-loss / prr)
    }

    /// The chain with stationary reception ratio `prr` and burstiness `mu`.
    pub fn from_prr_mu(prr: f64, mu: f64) -> Result<Self, SynthError> {
        let prr = SynthError::probability("prr", prr)?;
        let smallest = Self::smallest_mu(prr);
        if !(smallest - ROUNDING..1.0).contains(&mu) {
            return Err(SynthError::new(
                "mu",
                mu,
                format!(
                    "a Gilbert-Elliott chain with PRR {prr} needs {smallest:.6} <= mu < 1 \
                     (both g = PRR (1 - mu) and b = (1 - PRR)(1 - mu) must be at most 1)"
                ),
            ));
        }
        Self::from_g_b((prr * (1.0 - mu)).min(1.0), ((1.0 - prr) * (1.0 - mu)).min(1.0))
    }

    /// The chain nearest to `prr` and `mu` if the pair is out of range, as on a short trace; the
    /// flag tells that mu was moved. `None` if `prr` is no probability or `mu` no number.
    pub fn nearest(prr: f64, mu: f64) -> Option<(Self, bool)> {
        if mu.is_nan() {
            return None;
        }
        // The largest mu of a chain that changes state.
        let used = mu.clamp(Self::smallest_mu(prr), 1.0 - ROUNDING);
        Some((Self::from_prr_mu(prr, used).ok()?, (used - mu).abs() > ROUNDING))
    }

    /// The chain with the given mean loss ratio (0 to below 1) and mean length of a loss burst
    /// in packets (at least 1).
    pub fn from_loss_and_burst(mean_loss: f64, mean_burst: f64) -> Result<Self, SynthError> {
        if !(0.0..1.0).contains(&mean_loss) {
            let accepted = "expected a loss ratio from 0 to below 1";
            return Err(SynthError::new("mean loss", mean_loss, accepted));
        }
        // Packets between bursts are at least 1: loss / (1 - loss) / burst <= 1.
        let smallest = (mean_loss / (1.0 - mean_loss)).max(1.0);
        if !(mean_burst.is_finite() && mean_burst >= smallest - ROUNDING) {
            return Err(SynthError::new(
                "mean burst length",
                mean_burst,
                format!("at mean loss {mean_loss} it is a number of packets from {smallest} up"),
            ));
        }
        let g = (1.0 / mean_burst).min(1.0);
        Self::from_g_b(g, (g * mean_loss / (1.0 - mean_loss)).min(1.0))
    }

    /// Stationary packet reception ratio.
    pub fn prr(&self) -> f64 {
        self.g / (self.g + self.b)
    }

    /// Burstiness.
    pub fn mu(&self) -> f64 {
        1.0 - self.g - self.b
    }

    /// A trace of `n` packets, run by run.
    pub(super) fn generate(&self, n: usize, stream: &mut Stream) -> Result<Outcomes, SynthError> {
        let chain = Self::from_g_b(self.g, self.b)?;
        let mut out = Outcomes::with_capacity(n);
        if n == 0 {
            return Ok(out);
        }
        let lengths = [Geometric::new(chain.g), Geometric::new(chain.b)];
        let mut received = stream.chance(chain.prr());
        while append_run(&mut out, received, lengths[usize::from(received)].draw(stream), n) {
            received = !received;
        }
        Ok(out)
    }
}

/// A two-state chain with hidden states, good and bad, and a loss probability in each.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LossyGe {
    /// P(good | previous bad).
    pub g: f64,
    /// P(bad | previous good).
    pub b: f64,
    /// Loss probability in the good state.
    pub loss_good: f64,
    /// Loss probability in the bad state.
    pub loss_bad: f64,
}

impl LossyGe {
    /// Stationary packet reception ratio.
    pub fn prr(&self) -> f64 {
        let good = self.g / (self.g + self.b);
        1.0 - good * self.loss_good - (1.0 - good) * self.loss_bad
    }

    pub(super) fn generate(&self, n: usize, stream: &mut Stream) -> Result<Outcomes, SynthError> {
        let chain = GeParams::from_g_b(self.g, self.b)?;
        let delivery = [
            1.0 - SynthError::probability("loss_bad", self.loss_bad)?,
            1.0 - SynthError::probability("loss_good", self.loss_good)?,
        ];
        let stays = [Geometric::new(chain.g), Geometric::new(chain.b)];
        let mut out = Outcomes::with_capacity(n);
        let mut good = stream.chance(chain.prr());
        while out.len() < n {
            let stay = stays[usize::from(good)].draw(stream);
            let run = usize::try_from(stay).unwrap_or(usize::MAX).min(n - out.len());
            bernoulli::append(&mut out, delivery[usize::from(good)], run, stream);
            good = !good;
        }
        Ok(out)
    }
}
