//! One line of `airtcp list`: what a registered algorithm is called and where it comes from.
//!
//! Every open family (congestion laws, queue disciplines, loss models ...) answers a function
//! `registry()` with its entries, generated from the same line that adds the algorithm to the
//! family's enum, so that the list cannot forget one.

/// A registered algorithm.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Entry {
    /// The family it belongs to, one word: `"loss"`, `"queue"`, `"congestion"`.
    pub family: &'static str,
    /// Its tag in a scenario.
    pub name: &'static str,
    /// What it does, one sentence without a full stop.
    pub description: &'static str,
    /// Where it comes from: RFC and section, paper, or "own".
    pub source: &'static str,
}
