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
    /// Path from the model's table to the one with the key, such as `stations[1]`; empty if they are the same.
    pub table: String,
    /// The key in error; empty if the table as a whole is.
    pub key: &'static str,
    /// What was found and what is accepted.
    pub message: String,
}

impl ConfigError {
    /// An error at `key`.
    pub fn new(key: &'static str, message: impl Into<String>) -> Self {
        Self { table: String::new(), key, message: short_numbers(message.into()) }
    }

    /// The error in a table within the model's own.
    #[must_use]
    pub fn in_table(self, table: impl Into<String>) -> Self {
        Self { table: table.into(), ..self }
    }

    /// Path of the key from the model's table; empty if the table as a whole is in error.
    pub fn path(&self) -> String {
        let parts = [self.table.as_str(), self.key];
        let parts: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        parts.join(".")
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
        let path = self.path();
        if !path.is_empty() {
            write!(f, "{path}: ")?;
        }
        f.write_str(&self.message)
    }
}

impl std::error::Error for ConfigError {}
