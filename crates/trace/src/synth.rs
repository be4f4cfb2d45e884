//! Synthetic delivery traces, for comparison with real ones and for demonstrations.
//!
//! Models: independent losses, Gilbert-Elliott (with or without loss inside each state),
//! semi-Markov chains whose run lengths are geometric, heavy-tailed, empirical or a mixture,
//! conditional delivery, hidden and inhomogeneous Markov chains, and chaotic maps.
//! Traces are drawn run by run, not bit by bit, so that the millions of slots of an ensemble cost
//! a draw per run. The same model, length and stream give the same trace.
//!
//! Left out: chains of higher order.

mod bernoulli;
mod chaotic;
mod conditional;
mod expected;
mod gilbert;
mod hidden;
mod inhomogeneous;
mod runs;

use std::fmt;

use airtcp_random::Stream;
use airtcp_units::Outcomes;
use serde::{Deserialize, Serialize};

pub use chaotic::{ChaoticMap, Side};
pub use conditional::Conditional;
pub use expected::ExpectedRuns;
pub use gilbert::{GeParams, LossyGe};
pub use hidden::HiddenMarkov;
pub use inhomogeneous::Inhomogeneous;
pub use runs::{Part, RunLengths, SemiMarkov};

/// Why a synthetic trace cannot be made. The message names the parameter, what was given and
/// what is accepted.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{parameter} = {found}: {accepted}")]
pub struct SynthError {
    /// Name of the parameter.
    pub parameter: &'static str,
    /// Its value.
    pub found: String,
    /// What would be accepted.
    pub accepted: String,
}

impl SynthError {
    pub(crate) fn new(
        parameter: &'static str,
        found: impl fmt::Display,
        accepted: impl Into<String>,
    ) -> Self {
        Self { parameter, found: format!("{found}"), accepted: accepted.into() }
    }

    /// Checks a probability.
    pub(crate) fn probability(parameter: &'static str, p: f64) -> Result<f64, Self> {
        if (0.0..=1.0).contains(&p) {
            return Ok(p);
        }
        Err(Self::new(parameter, p, "expected a probability between 0 and 1"))
    }
}

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

/// Lengths 1, 2, 3 ... of runs that end with a fixed probability after each packet; the constant
/// of the distribution is worked out once.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Geometric {
    /// `1 / ln(1 - p)`; 0 for p = 1, minus infinity for p = 0.
    scale: f64,
}

impl Geometric {
    pub(crate) fn new(end: f64) -> Self {
        Self { scale: 1.0 / airtcp_units::detmath::ln_1p(-end.clamp(0.0, 1.0)) }
    }

    #[inline]
    pub(crate) fn draw(self, stream: &mut Stream) -> u64 {
        // ln(1) = 0 times minus infinity is NaN, which casts to 0: one run in 2^53.
        let extra = airtcp_units::detmath::ln(stream.unit_positive()) * self.scale;
        (extra as u64).saturating_add(1)
    }
}

/// Appends `run` outcomes or as many as still fit into `n`; true while there is room.
#[inline]
pub(crate) fn append_run(out: &mut Outcomes, received: bool, run: u64, n: usize) -> bool {
    let room = n - out.len();
    out.push_run(received, usize::try_from(run).unwrap_or(usize::MAX).min(room));
    out.len() < n
}

#[cfg(test)]
mod tests;
