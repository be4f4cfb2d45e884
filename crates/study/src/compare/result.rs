//! What a comparison reports. The names here are the documented, versioned JSON format.
//!
//! Quantities are in SI units named in their keys. An [`Estimate`](airtcp_sim::Estimate) is a mean with its 95 %
//! interval over the replications (or stretches) of a case.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

mod outcome;
mod verdict;

pub(crate) use outcome::Done;
pub use outcome::{CompareRun, Difference, Outcome, Standing, Window};
pub use verdict::{Compared, Criterion, Measure, NotRanked, Ranking, Verdict};

use super::options::CompareOptions;
use crate::document::{Skipped, TraceSource};

/// Version of the format of comparisons.
pub const COMPARE_SCHEMA: &str = "airtcp.compare/1";

/// Everything a comparison reports.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CompareResult {
    /// Format of this document.
    pub schema: String,
    /// Version of the program.
    pub airtcp_version: String,
    /// Root seed of the first subject: the same seed gives the same numbers.
    pub seed: u64,
    /// The options with every default filled in.
    pub options: CompareOptions,
    /// The TCP variants, in the order given.
    pub variants: Vec<String>,
    /// The variant that the others are compared with.
    pub reference: String,
    /// The variant that each has to share with, if sharing was asked for.
    pub rival: Option<String>,
    /// The scenarios and links, in the order given; only those with something finished.
    pub subjects: Vec<Subject>,
    /// Files that were passed over, and why: no traces, or an interval that is no slot.
    pub skipped: Vec<Skipped>,
    /// True if the comparison was stopped before its end.
    pub interrupted: bool,
}

/// What was given to compare TCPs on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SubjectKind {
    /// A scenario.
    Scenario,
    /// A delivery trace, one packet a slot.
    Trace,
    /// A delivery trace as the losses of a link with a rate, a delay and a queue.
    TraceAsLink,
    /// A file of a link's capacity over time, behind a queue and with a delay.
    Capacity,
}

/// One scenario or link.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Subject {
    /// The scenario's file or the link's name.
    pub name: String,
    /// What it is.
    pub kind: SubjectKind,
    /// The scenario's title.
    pub title: Option<String>,
    /// Where the trace came from.
    pub source: Option<TraceSource>,
    /// Root seed.
    pub seed: u64,
    /// Time compared in each replication, the warm-up left out; of a trace, its duration.
    pub duration_s: f64,
    /// Duration of a slot, of a trace.
    pub slot_s: Option<f64>,
    /// True if neither the trace nor the options say how long a slot is, and 10 ms is assumed.
    pub slot_assumed: bool,
    /// The flows whose TCP is exchanged, of a scenario.
    pub flows: Vec<String>,
    /// The TCP parameters that each variant has here.
    pub tcp: Vec<VariantTcp>,
    /// The scenario with every default filled in; its flows have their own TCP.
    pub scenario: Option<Value>,
    /// What a reader of the numbers must know.
    pub notes: Vec<String>,
    /// What each TCP got: over the scenario or trace itself, and over links that look like it.
    pub cases: Vec<Case>,
    /// What would help against its losses, or on a link of varying capacity against the wait in its queue;
    /// null if that was not asked for.
    pub remedies: Option<Remedies>,
}

/// What a remedy is to change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Aim {
    /// Losses: goodput is to rise.
    Losses,
    /// The wait in a queue: the delivery time is to fall.
    Delay,
}

/// Remedies beside plain TCP. Against losses they are transports with erasure coding and link protocols;
/// against the wait in the queue of a link of varying capacity, queue disciplines.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Remedies {
    /// What they are to change.
    pub aim: Aim,
    /// The TCP without remedy that each is compared with.
    pub reference: String,
    /// The parameters that each has here.
    pub tcp: Vec<VariantTcp>,
    /// What was left out, and what the channel can and cannot show.
    pub notes: Vec<String>,
    /// What each got; of a study without the single runs and windows.
    #[serde(flatten)]
    pub case: Case,
}

/// A variant's parameters on a subject.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct VariantTcp {
    /// The variant.
    pub variant: String,
    /// What it speaks: `tcp`, `lt-tcp` or `sliding`.
    pub transport: String,
    /// Its congestion law; of `sliding`, which has its own, that of the TCP in its place.
    pub law: String,
    /// Its loss recovery; of TCP alone.
    pub recovery: String,
    /// All its parameters; of the first flow, where flows have parameters of their own.
    pub parameters: Value,
}

/// The channel under which the variants are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Channel {
    /// The scenario.
    Scenario,
    /// The trace itself.
    Trace,
    /// Independent losses of the trace's PRR.
    Independent,
    /// Gilbert-Elliott chains of the trace's PRR and `mu`.
    GilbertElliott,
}

impl Channel {
    /// Its name in documents.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Scenario => "scenario",
            Self::Trace => "trace",
            Self::Independent => "independent",
            Self::GilbertElliott => "gilbert-elliott",
        }
    }
}

/// What the intervals are over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Over {
    /// Replications with randomness of their own, the same for every variant.
    Replications,
    /// Equal stretches of one trace.
    Stretches,
}

/// All variants over one channel.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Case {
    /// The channel.
    pub channel: Channel,
    /// What the intervals are over.
    pub over: Over,
    /// How many there are of it.
    pub replications: u32,
    /// What each variant got, in order.
    pub outcomes: Vec<Outcome>,
    /// The variants by goodput alone.
    pub ranking: Ranking,
    /// What to conclude: goodput weighed against delay, waste and what is left to others.
    pub verdict: Verdict,
    /// Each variant in each replication.
    pub runs: Vec<CompareRun>,
    /// Congestion windows of the first replication (of the whole trace), of the first flow.
    pub windows: Vec<Window>,
}
