//! A parsed script.

use airtcp_transport::tcp::{Role, TcpConfig};
use airtcp_units::{Nanos, Span};

use super::expect::Expectation;
use super::origin::Origins;
use super::pattern::Pattern;

/// A parsed script.
#[derive(Debug, Clone)]
pub struct Script {
    pub(super) file: String,
    pub(super) config: TcpConfig,
    pub(super) role: Role,
    pub(super) origins: Origins,
    pub(super) tolerance: Span,
    pub(super) steps: Vec<Step>,
}

impl Script {
    /// Number of steps. A line that expands to several segments counts once for each.
    pub fn len(&self) -> usize {
        self.steps.len()
    }

    /// True if the script has no step.
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }
}

/// Error of a script's syntax, or a difference between the script and the connection.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{file}:{line}: {message}")]
pub struct ScriptError {
    /// The name given to [`parse`](super::parse).
    pub file: String,
    /// Line, from 1.
    pub line: usize,
    /// What was found and what is expected or accepted.
    pub message: String,
}

/// One step of a script.
#[derive(Debug, Clone)]
pub(super) struct Step {
    pub(super) line: usize,
    pub(super) at: When,
    /// Tolerance of this step; `None` for the script's.
    pub(super) tolerance: Option<Span>,
    pub(super) action: Action,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum When {
    /// At the time of the previous line.
    Same,
    At(Nanos),
    /// This time after the previous line.
    After(Span),
}

#[derive(Debug, Clone)]
pub(super) enum Action {
    Open,
    /// Bytes to write, and how many of them must be accepted.
    Write(u64, Option<u64>),
    /// Maximum bytes to read, and how many must be returned.
    Read(u64, Option<u64>),
    Close,
    Abort,
    AutoRead(bool),
    /// The connection receives a segment.
    Receives(Box<Pattern>),
    /// The connection must send a segment.
    Sends(Box<Pattern>),
    /// Ignores segments sent at this instant.
    Skip,
    /// The connection must send nothing for this time.
    Silence(Span),
    Expect(Vec<Expectation>),
}
