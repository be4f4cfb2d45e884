//! Randomness that stays put.
//!
//! Every component draws from a stream of its own, derived from the root seed, the replication
//! number and a label path such as `"link/3/loss"`. Adding a node, or drawing more in one
//! place, therefore moves nobody else's numbers, and two protocols compared on one channel
//! meet the same channel (common random numbers). [`Stream`] is for sequences of draws,
//! [`Keyed`] for decisions that belong to a numbered thing ("is frame 17 lost?") and must not
//! depend on the order in which they are asked.
//!
//! The samplers are written here rather than taken from a library because their values must
//! not change with a library's version. All logarithms go through `units::detmath`.

mod keyed;
mod seed;
mod stream;

pub use keyed::Keyed;
pub use seed::{Seed, digest};
pub use stream::Stream;
