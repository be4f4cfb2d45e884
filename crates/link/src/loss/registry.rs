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

    /// No loss
    "none" None(super::NoLoss, super::NoLossConfig) from "own";
    /// Independent losses with a constant probability
    "bernoulli" Bernoulli(super::Bernoulli, super::BernoulliConfig) from "own";
    /// Two-state chain (good, bad) with a loss probability per state, in continuous time by default
    "gilbert-elliott" GilbertElliott(super::GilbertElliott, super::GilbertElliottConfig) from "Gilbert 1960; Elliott 1963";
    /// Correlated losses as Linux's netem draws them; their share is not the given probability
    "netem-correlated" NetemCorrelated(super::NetemCorrelated, super::NetemCorrelatedConfig) from "Linux sch_netem (get_crandom)";
    /// Alternates between two loss probabilities after uniformly distributed times
    "two-state" TwoState(super::TwoState, super::TwoStateConfig) from "S2 section VI (bursty process)";
    /// Loses every packet during periodic blackouts, as caused by a hidden station
    "blackout" Blackout(super::Blackout, super::BlackoutConfig) from "S0 section IV-C/D";
    /// Loses the packets with the given numbers
    "script" Script(super::Script, super::ScriptConfig) from "own";
    /// Replays a recorded delivery trace, indexed by time slot
    "trace" Trace(super::Trace, super::TraceConfig) from "S1 (TOSSIM link with a trace)";
    /// Alternating runs of successes and losses, drawn from empirical run lengths
    "semi-markov" SemiMarkov(super::SemiMarkov, super::SemiMarkovConfig) from "S2 figure 12 (run lengths as measured)";
}

/// Object-safe form of [`LossModel`], implemented for every one of them.
pub trait DynLossModel: LossModel + std::fmt::Debug + Send {}
impl<M: LossModel + std::fmt::Debug + Send> DynLossModel for M {}

impl Default for LossConfig {
    /// No loss.
    fn default() -> Self {
        Self::None(super::NoLossConfig {})
    }
}

impl LossConfig {
    /// True if the link never loses a packet: no loss model, or one with probability zero.
    pub fn is_lossless(&self) -> bool {
        match self {
            Self::None(_) => true,
            Self::Bernoulli(config) => config.probability.get() <= 0.0,
            _ => false,
        }
    }
}

impl Loss {
    /// Builds the loss model a scenario describes; its random draws come from `seed` under `label`.
    /// `slot` is the link's, the default slot of the model; `load` reads a delivery trace.
    ///
    /// # Errors
    /// If a value is impossible. The message names the key and the accepted values.
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
