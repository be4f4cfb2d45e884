//! Packet scripts: a dialogue with one sans-IO TCP connection, one line per segment.
//!
//! [`parse`] reads a script, [`run`] plays it against a [`Connection`](airtcp_transport::tcp::Connection) in virtual
//! time. The script is the peer and the application: lines with `<` are segments the connection
//! receives, lines with `>` are segments it must send, at exactly that time and in that order.
//! The dialect is described in `docs/dev/packet-scripts.md`.
//!
//! Leaves out: two connections at once (see [`Pair`](crate::Pair)), urgent data, bytes of
//! payload; a segment is a length, as everywhere in this project.

mod expect;
mod notation;
mod parse;
mod pattern;
mod run;
#[cfg(test)]
mod tests;

use std::fmt;

use airtcp_packet::Seq;
use airtcp_transport::tcp::{Role, TcpConfig};
use airtcp_units::{Nanos, Span};

pub use parse::parse;
pub use run::run;

use expect::Expectation;
use pattern::Pattern;

/// A script that has been read.
#[derive(Debug, Clone)]
pub struct Script {
    file: String,
    config: TcpConfig,
    role: Role,
    origins: Origins,
    tolerance: Span,
    steps: Vec<Step>,
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
    /// The name given to [`parse`].
    pub file: String,
    /// Line, from 1.
    pub line: usize,
    /// What was found and what was expected or is accepted.
    pub message: String,
}

/// One timed line.
#[derive(Debug, Clone)]
struct Step {
    line: usize,
    at: When,
    /// Instead of the script's.
    tolerance: Option<Span>,
    action: Action,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum When {
    /// At the instant of the line before.
    Same,
    At(Nanos),
    /// After the line before.
    After(Span),
}

#[derive(Debug, Clone)]
enum Action {
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

/// Where the two sequence spaces begin, on the wire and in the script.
#[derive(Debug, Clone, Copy)]
struct Origins {
    ours: Origin,
    peer: Origin,
}

/// The number of a SYN.
#[derive(Debug, Clone, Copy)]
struct Origin {
    wire: Seq,
    script: i64,
}

impl Origin {
    /// The wire form of a number in the script.
    const fn to_wire(self, number: i64) -> Seq {
        Seq(self.wire.0.wrapping_add(number.wrapping_sub(self.script) as u32))
    }

    /// The script's form of a number on the wire, within 2^31 of the SYN.
    fn to_script(self, seq: Seq) -> i64 {
        self.script + i64::from(seq.distance_from(self.wire))
    }
}

/// A time as scripts write it: seconds, to the millisecond at least.
struct Seconds(Nanos);

impl fmt::Display for Seconds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (secs, ns) = (self.0.0 / 1_000_000_000, self.0.0 % 1_000_000_000);
        let digits = format!("{ns:09}");
        let kept = digits.trim_end_matches('0').len().max(3);
        write!(f, "{secs}.{}", &digits[..kept])
    }
}
