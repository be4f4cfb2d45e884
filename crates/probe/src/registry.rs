//! Entries of `airtcp list`: name, description and source of a registered algorithm.
//!
//! Every open family (congestion laws, queue disciplines, loss models ...) has a function `registry()`
//! that returns its entries. The line that adds an algorithm to the family's enum also adds its entry.

use std::fmt;

use crate::wording::short_numbers;

/// A registered algorithm.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Entry {
    /// Family, for instance `"loss"`, `"queue"` or `"congestion"`.
    pub family: &'static str,
    /// Tag in a scenario.
    pub name: &'static str,
    /// Description, one sentence without a full stop.
    pub description: &'static str,
    /// Source: RFC and section, paper, or "own".
    pub source: &'static str,
}

/// Error in the configuration of a model: the key, and what was found and is accepted. The caller prepends
/// the path of the table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigError {
    /// The key in error; empty if the table as a whole is.
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

/// Refuses a value outside `low..=high`, NaN included.
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
