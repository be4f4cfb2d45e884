//! What a script says, line by line.

use airtcp_transport::tcp::{Role, TcpConfig};
use airtcp_units::{Nanos, Span};

use super::expect::Expectation;
use super::origin::Origins;
use super::pattern::Pattern;

/// A script that has been read.
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
    /// Number of timed lines; a line that stands for several segments counts once for each.
    pub fn len(&self) -> usize {
        self.steps.len()
    }

    /// True if the script does nothing.
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }
}

/// What is wrong, and in which line of which file: the script itself, or the connection that
/// did something else.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{file}:{line}: {message}")]
pub struct ScriptError {
    /// The name given to [`parse`](super::parse).
    pub file: String,
    /// Line, from 1.
    pub line: usize,
    /// What was found and what was expected or is accepted.
    pub message: String,
}

/// One timed line.
#[derive(Debug, Clone)]
pub(super) struct Step {
    pub(super) line: usize,
    pub(super) at: When,
    /// Instead of the script's.
    pub(super) tolerance: Option<Span>,
    pub(super) action: Action,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum When {
    /// At the instant of the line before.
    Same,
    At(Nanos),
    /// After the line before.
    After(Span),
}

#[derive(Debug, Clone)]
pub(super) enum Action {
    Open,
    /// The bytes written and how many of them are accepted.
    Write(u64, Option<u64>),
    /// The most to read and how many bytes that gives.
    Read(u64, Option<u64>),
    Close,
    Abort,
    AutoRead(bool),
    /// The connection receives a segment.
    Receives(Box<Pattern>),
    /// The connection must send a segment.
    Sends(Box<Pattern>),
    /// Whatever is sent at this instant is of no interest.
    Skip,
    /// Nothing may be sent for so long.
    Silence(Span),
    Expect(Vec<Expectation>),
}
