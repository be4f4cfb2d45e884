//! What the tests of several crates share. A development dependency only.
//!
//! [`script`] reads and runs packet scripts: short dialogues with one TCP connection, written
//! in the notation of tcpdump. [`Pair`] joins two connections by a pipe that loses, reorders and
//! duplicates on command; [`strategies`] draws such patterns for property tests.

mod pair;
mod pipe;
pub mod script;
pub mod strategies;

pub use pair::{Pair, Stall};
pub use pipe::Pipe;
