//! Independent random streams, one for each component.
//!
//! A component's stream derives from the root seed, the replication number and a label path such as
//! `"link/3/loss"`. A node that is added, or a component that draws more, therefore does not change the
//! numbers of others, and two protocols compared on one channel meet the same channel (common random
//! numbers). [`Stream`] gives sequences of draws. [`Keyed`] decides for numbered items ("is frame 17
//! lost?"), whatever the order of the queries.
//!
//! The samplers come from no library, because their values must not change with a library's version. All
//! logarithms go through `units::detmath`.

mod keyed;
mod seed;
mod stream;

pub use keyed::Keyed;
pub use seed::{Seed, digest};
pub use stream::Stream;
