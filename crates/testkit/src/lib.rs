//! What the tests of several crates share. A development dependency only.
//!
//! [`script`] reads and runs packet scripts: short dialogues with one TCP connection, written
//! in the notation of tcpdump. [`Pair`] joins two connections by a pipe that loses, reorders and
//! duplicates on command, [`Through`] by two pipes with a machine between them; [`strategies`] draws
//! such patterns for property tests.

mod arrived;
mod pair;
mod pipe;
pub mod script;
pub mod strategies;
mod through;

pub use pair::{Pair, Stall};
pub use pipe::Pipe;
pub use through::Through;
