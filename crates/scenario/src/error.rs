//! Errors of a scenario: one sentence with the place, what was found and what is accepted.

use std::fmt;

use airtcp_probe::short_numbers;

use crate::steps::{Step, steps};

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
    /// Path and value of the override that gave the value, if one did. They are named in place of the file and the line.
    pub given: Option<Box<(String, String)>>,
}

impl ScenarioError {
    /// An error at `path`, not yet [`located`](Self::located) in a file.
    pub fn at(path: impl Into<String>, message: impl Into<String>) -> Self {
        Self {
            file: String::new(),
            line: None,
            path: path.into(),
            message: short_numbers(message.into()),
            given: None,
        }
    }

    /// The same error with the override that gave the value, if one of `set` did. The last one wins.
    #[must_use]
    pub fn given_by(self, set: &[(String, String)]) -> Self {
        let own = plain_steps(&self.path);
        let gives = |(path, _): &&(String, String)| {
            let steps = plain_steps(path);
            !steps.is_empty() && own.starts_with(&steps)
        };
        let given = self.given.or_else(|| set.iter().rev().find(gives).cloned().map(Box::new));
        Self { given, ..self }
    }
}

/// The steps of a path, without the table of the forward direction, which a scenario need not write.
fn plain_steps(path: &str) -> Vec<Step<'_>> {
    steps(path).into_iter().filter(|step| *step != Step::Key("forward")).collect()
}

impl fmt::Display for ScenarioError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some((path, value)) = self.given.as_deref() {
            write!(f, "{path}={value}: ")?;
            if *path == self.path {
                return f.write_str(&self.message);
            }
        } else if !self.file.is_empty() {
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
