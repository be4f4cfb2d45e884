//! Loss models: which packets a link takes.
//!
//! A model is asked once for every packet, when its transmission starts. Where the physical cause
//! is something that happens in time (fading, interference), the model's state is a function of
//! time and of the channel's own random draws: it does not matter who asks, or how often, so two
//! protocols compared on one channel meet the same channel, and a sender that backs off finds the
//! channel changed when it returns.

mod bernoulli;
mod blackout;
mod gilbert_elliott;
mod model;
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
pub use none::{NoLoss, NoLossConfig};
pub use registry::{Loss, LossConfig, registry};
pub use script::{DropItem, End, Only, Script, ScriptConfig};
pub use semi_markov::{RunStepping, SemiMarkov, SemiMarkovConfig};
pub use trace::{AtEnd, Trace, TraceConfig};
pub use two_state::{TwoState, TwoStateConfig};

pub(crate) use model::Build;
use model::{Model, at_least_a_microsecond, one_by_one};
