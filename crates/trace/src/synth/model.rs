//! The models by their tags, and the drawing of their traces.

use airtcp_random::Stream;
use airtcp_units::Outcomes;
use serde::{Deserialize, Serialize};

use super::bernoulli;
use super::chaotic::ChaoticMap;
use super::conditional::Conditional;
use super::error::SynthError;
use super::gilbert::{GeParams, LossyGe};
use super::hidden::HiddenMarkov;
use super::inhomogeneous::Inhomogeneous;
use super::runs::SemiMarkov;

/// A model that can draw traces.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(tag = "model", rename_all = "kebab-case")]
pub enum SynthModel {
    /// Every packet received with probability `prr`, independently.
    Independent {
        /// Packet reception ratio.
        prr: f64,
    },
    /// Two states, received and lost (what S1 calls Gilbert-Elliott).
    GilbertElliott(GeParams),
    /// Two hidden states with a loss probability in each.
    LossyGilbertElliott(LossyGe),
    /// Runs of successes and losses with given length distributions.
    SemiMarkov(SemiMarkov),
    /// Delivery that depends on the length of the run so far.
    Conditional(Conditional),
    /// A chain of hidden states with a delivery probability in each.
    HiddenMarkov(HiddenMarkov),
    /// Two states whose transition probabilities change with time.
    Inhomogeneous(Inhomogeneous),
    /// A chaotic map.
    ChaoticMap(ChaoticMap),
}

impl SynthModel {
    /// A trace of `n` packets.
    pub fn generate(&self, n: usize, stream: &mut Stream) -> Result<Outcomes, SynthError> {
        match self {
            Self::Independent { prr } => {
                let prr = SynthError::probability("prr", *prr)?;
                let mut out = Outcomes::with_capacity(n);
                bernoulli::append(&mut out, prr, n, stream);
                Ok(out)
            }
            Self::GilbertElliott(params) => params.generate(n, stream),
            Self::LossyGilbertElliott(params) => params.generate(n, stream),
            Self::SemiMarkov(model) => model.generate(n, stream),
            Self::Conditional(model) => model.generate(n, stream),
            Self::HiddenMarkov(model) => model.generate(n, stream),
            Self::Inhomogeneous(model) => model.generate(n, stream),
            Self::ChaoticMap(model) => model.generate(n, stream),
        }
    }
}

#[cfg(test)]
mod tests;
