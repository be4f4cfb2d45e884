//! Shared by the tests of several crates. A development dependency only.
//!
//! [`script`] parses and runs packet scripts: short dialogues with one TCP connection in the notation of
//! tcpdump. [`Pair`] connects two TCP connections by pipes that lose, reorder and duplicate given packets,
//! [`Through`] by two pipes with a machine between them. [`strategies`] generates such patterns for
//! property tests.

mod arrived;
mod pair;
mod pipe;
pub mod script;
pub mod strategies;
mod through;

pub use pair::{Pair, Stall};
pub use pipe::Pipe;
pub use through::Through;
