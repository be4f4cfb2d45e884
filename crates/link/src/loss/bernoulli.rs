//! Independent losses: every packet is lost with probability `p`.
//!
//! The decision depends on the packet's number on the link, not on a sequence of draws: with two
//! protocols on one channel, the n-th packet is lost in both runs or in neither.

use airtcp_probe::ConfigError;
use airtcp_random::{Keyed, Seed};
use airtcp_units::{Pace, Probability};

use crate::protocol::SymbolSet;

use super::{Build, Frame, LossModel, Model};

/// Independent losses.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BernoulliConfig {
    /// Probability that a packet is lost, for instance 0.01 or "1 %".
    pub probability: Probability,
}

/// Independent losses.
#[derive(Debug, Clone)]
pub struct Bernoulli {
    probability: f64,
    /// A draw is below this bound with the loss probability.
    bound: u64,
    draws: Keyed,
}

impl Bernoulli {
    /// Losses with the given probability, drawn from `seed` under `label`.
    pub fn new(probability: Probability, seed: Seed, label: &str) -> Self {
        let probability = probability.get();
        Self { probability, bound: Keyed::bound(probability), draws: seed.keyed(label) }
    }
}

impl LossModel for Bernoulli {
    #[inline]
    fn loses(&mut self, frame: &Frame) -> bool {
        self.draws.is_below(frame.ordinal, self.bound)
    }

    fn losses_of_train(&mut self, first: &Frame, _: Pace, count: u16) -> SymbolSet {
        if self.probability <= 0.0 {
            return SymbolSet::EMPTY;
        }
        let (mut lost, mut place) = (SymbolSet::EMPTY, 0);
        while place < count {
            let here = (count - place).min(64);
            let ordinal = first.ordinal + u64::from(place);
            let bits = self.draws.are_below(ordinal, u32::from(here), self.bound);
            lost.insert_bits(place, bits);
            place += here;
        }
        lost
    }

    fn mean_loss(&self) -> Option<f64> {
        Some(self.probability)
    }
}

impl Model for Bernoulli {
    type Config = BernoulliConfig;

    fn build(config: &BernoulliConfig, build: &Build<'_>) -> Result<Self, ConfigError> {
        Ok(Self::new(config.probability, build.seed, &build.label("frame")))
    }

    #[cfg(test)]
    fn samples() -> Vec<BernoulliConfig> {
        [0.0, 0.01, 0.5, 1.0]
            .map(|p| BernoulliConfig { probability: Probability::clamped(p) })
            .into()
    }
}
