//! Errors of a scenario: one sentence that says where, what was found and what is accepted.

use std::fmt;

use airtcp_probe::short_numbers;

/// A scenario that cannot be run, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScenarioError {
    /// The file, or what stands in its place.
    pub file: String,
    /// Line in the file, from 1, where it is known.
    pub line: Option<usize>,
    /// Path to the value, such as `links[0].loss.p`; empty for the whole file.
    pub path: String,
    /// What is wrong, and what would be right.
    pub message: String,
}

impl ScenarioError {
    /// An error at `path`, not yet [`located`](Self::located) in a file.
    pub fn at(path: impl Into<String>, message: impl Into<String>) -> Self {
        Self {
            file: String::new(),
            line: None,
            path: path.into(),
            message: short_numbers(message.into()),
        }
    }
}

impl fmt::Display for ScenarioError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.file.is_empty() {
            f.write_str(&self.file)?;
            if let Some(line) = self.line {
                write!(f, ":{line}")?;
            }
            f.write_str(": ")?;
        }
        if !self.path.is_empty() {
            write!(f, "{}: ", self.path)?;
        }
        f.write_str(&self.message)
    }
}

impl std::error::Error for ScenarioError {}
