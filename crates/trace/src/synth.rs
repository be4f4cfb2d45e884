//! Synthetic delivery traces, for comparison with real ones and for demonstrations.
//!
//! Models: independent losses, Gilbert-Elliott (with or without loss inside each state),
//! semi-Markov chains whose run lengths are geometric, heavy-tailed, empirical or a mixture,
//! conditional delivery, hidden and inhomogeneous Markov chains, and chaotic maps. Traces are drawn
//! run by run, not bit by bit, so that an ensemble of millions of slots costs one draw per run. The
//! same model, length and stream give the same trace.
//!
//! Left out: chains of higher order.

mod bernoulli;
mod chaotic;
mod conditional;
mod error;
mod expected;
mod geometric;
mod gilbert;
mod hidden;
mod inhomogeneous;
mod model;
mod runs;

pub use chaotic::{ChaoticMap, Side};
pub use conditional::Conditional;
pub use error::SynthError;
pub use expected::ExpectedRuns;
pub use gilbert::{GeParams, LossyGe};
pub use hidden::HiddenMarkov;
pub use inhomogeneous::Inhomogeneous;
pub use model::SynthModel;
pub use runs::{Part, RunLengths, SemiMarkov};
