//! The registered loss models: one line each.

use airtcp_probe::ConfigError;
use airtcp_random::Seed;
use airtcp_units::{Pace, Span};

use super::{Build, Frame, Load, LossModel, Model};
use crate::protocol::SymbolSet;

airtcp_probe::family! {
    /// Any registered loss model.
    #[derive(Debug)]
    pub enum Loss or Dyn(Box<dyn DynLossModel>);
    /// The table `loss` of a link; `model` chooses the model.
    pub enum LossConfig of "loss", tag "model" as model, samples of Model;

    /// Nothing is lost
    "none" None(super::NoLoss, super::NoLossConfig) from "own";
    /// Every packet is lost with the same probability, independently
    "bernoulli" Bernoulli(super::Bernoulli, super::BernoulliConfig) from "own";
    /// A two-state chain, good and bad, with a loss probability in each; steps in time by default
    "gilbert-elliott" GilbertElliott(super::GilbertElliott, super::GilbertElliottConfig) from "Gilbert 1960; Elliott 1963";
    /// Alternates between two loss probabilities, each for a random time between two bounds
    "two-state" TwoState(super::TwoState, super::TwoStateConfig) from "S2 section VI (bursty process)";
    /// Loses every packet in periodic bursts, as from a hidden station
    "blackout" Blackout(super::Blackout, super::BlackoutConfig) from "S0 section IV-C/D";
    /// The packets with the given numbers are lost
    "script" Script(super::Script, super::ScriptConfig) from "own";
    /// A recorded delivery trace, indexed by time slot
    "trace" Trace(super::Trace, super::TraceConfig) from "S1 (TOSSIM link with a trace)";
    /// Alternating runs of successes and losses, drawn from empirical run lengths
    "semi-markov" SemiMarkov(super::SemiMarkov, super::SemiMarkovConfig) from "S2 figure 12 (run lengths as measured)";
}

/// A loss model that fits in a box. Implemented for every [`LossModel`]; nobody writes it.
pub trait DynLossModel: LossModel + std::fmt::Debug + Send {}
impl<M: LossModel + std::fmt::Debug + Send> DynLossModel for M {}

impl Default for LossConfig {
    /// No loss.
    fn default() -> Self {
        Self::None(super::NoLossConfig {})
    }
}

impl LossConfig {
    /// True if nothing can be lost: there is no loss model, or one with probability zero.
    pub fn is_lossless(&self) -> bool {
        match self {
            Self::None(_) => true,
            Self::Bernoulli(config) => config.probability.get() <= 0.0,
            _ => false,
        }
    }
}

impl Loss {
    /// Builds the loss model a scenario describes; its random draws come from `seed` under
    /// `label`. `slot` is the link's, which models that need one fall back to; `load` reads a
    /// delivery trace.
    ///
    /// # Errors
    /// If a value is impossible; the message names the key and what is accepted.
    pub fn new(
        config: &LossConfig,
        seed: Seed,
        label: &str,
        slot: Option<Span>,
        load: Load<'_>,
    ) -> Result<Self, ConfigError> {
        Self::build(config, &Build { seed, label, slot, load })
    }

    pub(crate) fn build(config: &LossConfig, build: &Build<'_>) -> Result<Self, ConfigError> {
        build!(config, c => Model::build(c, build))
    }

    /// A loss model written outside this crate.
    pub fn custom(model: impl LossModel + std::fmt::Debug + Send + 'static) -> Self {
        Self::Dyn(Box::new(model))
    }
}

impl LossModel for Loss {
    #[inline]
    fn loses(&mut self, frame: &Frame) -> bool {
        each!(self, m => m.loses(frame))
    }
    #[inline]
    fn losses_of_train(&mut self, first: &Frame, pace: Pace, count: u16) -> SymbolSet {
        each!(self, m => m.losses_of_train(first, pace, count))
    }
    fn mean_loss(&self) -> Option<f64> {
        each!(self, m => m.mean_loss())
    }
    fn is_independent_of_traffic(&self) -> bool {
        each!(self, m => m.is_independent_of_traffic())
    }
}
