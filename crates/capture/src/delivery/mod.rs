//! Delivery traces: for each attempt on an 802.11 link, or for each segment of a TCP direction, whether
//! it arrived, with its time. `airtcp study` and `airtcp trace` read them.

mod attempts;
mod segments;
mod write;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub(crate) use attempts::of_link;
pub(crate) use segments::of_direction;
pub use write::{WriteError, write};

/// Fewest outcomes of a trace; a shorter one says little about a link.
pub(crate) const MIN_OUTCOMES: usize = 100;

/// What a trace has an outcome for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Unit {
    /// Each attempt on an 802.11 link.
    Attempt,
    /// The first copy of each TCP segment.
    Segment,
}

/// A delivery trace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeliveryTrace {
    /// Sender and receiver.
    pub from: String,
    /// Receiver.
    pub to: String,
    /// What it has an outcome for.
    pub unit: Unit,
    /// Time in ns since 1970-01-01 and whether it arrived, in the order of sending.
    pub outcomes: Vec<(u64, bool)>,
    /// What a reader must know: how many were added, left out, or decided by a rule.
    pub notes: Vec<String>,
}

/// What is said of a trace that was written.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TraceReport {
    /// Sender.
    pub from: String,
    /// Receiver.
    pub to: String,
    /// What it has an outcome for.
    pub unit: Unit,
    /// Outcomes.
    pub outcomes: u64,
    /// Share that arrived.
    pub delivered: f64,
    /// How many were added, left out, or decided by a rule.
    pub notes: Vec<String>,
}

impl DeliveryTrace {
    /// The name of the link: sender and receiver.
    pub fn name(&self) -> String {
        format!("{}>{}", self.from, self.to)
    }

    /// What is said of it.
    pub fn report(&self) -> TraceReport {
        let arrived = self.outcomes.iter().filter(|(_, arrived)| *arrived).count();
        TraceReport {
            from: self.from.clone(),
            to: self.to.clone(),
            unit: self.unit,
            outcomes: self.outcomes.len() as u64,
            delivered: arrived as f64 / self.outcomes.len().max(1) as f64,
            notes: self.notes.clone(),
        }
    }
}

/// Adds a note if something was counted.
pub(crate) fn note(notes: &mut Vec<String>, count: u64, one: &str, many: &str) {
    if count > 0 {
        notes.push(format!("{count} {}", if count == 1 { one } else { many }));
    }
}
