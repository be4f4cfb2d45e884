//! One line of `airtcp list`: what a registered algorithm is called and where it comes from.
//!
//! Every open family (congestion laws, queue disciplines, loss models ...) has a function
//! `registry()` that returns its entries. They are generated from the same line that adds the algorithm to the
//! family's enum, so that the list cannot forget one.

use std::fmt;

use crate::wording::short_numbers;

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

/// Why a model refuses its configuration: which key of its table, and a complete sentence with
/// what was found and what is accepted. The caller that knows the table's path prepends it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigError {
    /// The key at fault; empty if the whole table is.
    pub key: &'static str,
    /// What was found and what is accepted.
    pub message: String,
}

impl ConfigError {
    /// An error at `key`.
    pub fn new(key: &'static str, message: impl Into<String>) -> Self {
        Self { key, message: short_numbers(message.into()) }
    }
}

/// Refuses the value of a key outside `low..=high`, and one that does not compare (NaN).
///
/// # Errors
/// The key, what was found and what is accepted.
pub fn within<T: PartialOrd + Copy + fmt::Display>(
    key: &'static str,
    value: T,
    low: T,
    high: T,
) -> Result<(), ConfigError> {
    if (low..=high).contains(&value) {
        return Ok(());
    }
    Err(ConfigError::new(key, format!("{value} is out of range: accepted is {low} to {high}")))
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.key.is_empty() {
            write!(f, "{}: ", self.key)?;
        }
        f.write_str(&self.message)
    }
}

impl std::error::Error for ConfigError {}
