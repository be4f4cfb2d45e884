//! Errors of a scenario: one sentence with the place, what was found and what is accepted.

use std::fmt;

use airtcp_probe::short_numbers;

/// Why a scenario cannot run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScenarioError {
    /// Name of the file, or of another source of the text.
    pub file: String,
    /// Line in the file, from 1, if known.
    pub line: Option<usize>,
    /// Path of the value, such as `links[0].loss.p`; empty for the whole file.
    pub path: String,
    /// What was found and what is accepted.
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
