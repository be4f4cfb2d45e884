//! Loss models decide which packets a link loses.
//!
//! The link queries the model once per packet, at the start of its transmission. If the physical
//! cause evolves in time (fading, interference), the model's state depends only on the time and the
//! channel's own random draws. The sequence of queries has no influence. Two protocols compared on
//! one channel therefore meet the same channel, and the channel changes while a sender backs off.

mod bernoulli;
mod blackout;
mod gilbert_elliott;
mod model;
mod netem_correlated;
mod none;
mod registry;
mod script;
mod semi_markov;
mod sojourn;
mod trace;
mod two_state;

#[cfg(test)]
mod conformance;

pub use bernoulli::{Bernoulli, BernoulliConfig};
pub use blackout::{Blackout, BlackoutConfig};
pub use gilbert_elliott::{GilbertElliott, GilbertElliottConfig, Stepping};
pub use model::{Frame, Load, LossModel};
pub use netem_correlated::{NetemCorrelated, NetemCorrelatedConfig};
pub use none::{NoLoss, NoLossConfig};
pub use registry::{Loss, LossConfig, registry};
pub use script::{DropItem, End, Only, Script, ScriptConfig};
pub use semi_markov::{RunStepping, SemiMarkov, SemiMarkovConfig};
pub use trace::{AtEnd, Trace, TraceConfig};
pub use two_state::{TwoState, TwoStateConfig};

pub(crate) use model::Build;
use model::{Model, at_least_a_microsecond, one_by_one};
