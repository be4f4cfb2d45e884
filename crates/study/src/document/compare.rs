//! The result of a comparison. The names are the documented, versioned JSON format.
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
pub use verdict::{Compared, Criterion, Measure, NotRanked, Ranking, Reason, Verdict};

use crate::document::compare_options::CompareOptions;
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
    /// The variant that shares the path with each variant, if requested.
    pub rival: Option<String>,
    /// The scenarios and links in the given order; only those with results.
    pub subjects: Vec<Subject>,
    /// Skipped files and the reasons: the file is no trace, or its interval is no possible slot.
    pub skipped: Vec<Skipped>,
    /// True if the comparison was stopped before its end.
    pub interrupted: bool,
    /// TCPs that stand in no result, because their congestion law of one's own failed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failed: Vec<FailedTcp>,
}

/// A TCP whose congestion law failed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FailedTcp {
    /// The variant.
    pub variant: String,
    /// The call, its time and flow, and the error.
    pub reason: String,
}

/// Kinds of subjects on which TCPs are compared.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SubjectKind {
    /// A scenario.
    #[default]
    Scenario,
    /// A delivery trace, one packet a slot.
    Trace,
    /// A delivery trace as the losses of a link with a rate, a delay and a queue.
    TraceAsLink,
    /// A file of a link's capacity over time, behind a queue and with a delay.
    Capacity,
}

/// One scenario or link.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
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
    /// The flows of a scenario whose TCP the comparison replaces.
    pub flows: Vec<String>,
    /// The TCP parameters of each variant on this subject.
    pub tcp: Vec<VariantTcp>,
    /// The scenario with every default filled in; its flows have their own TCP.
    pub scenario: Option<Value>,
    /// Notes for the reader of the numbers.
    pub notes: Vec<String>,
    /// The results of each TCP: over the scenario or trace itself, and over its synthetic links.
    pub cases: Vec<Case>,
    /// Remedies against its losses, or on a link of varying capacity against the wait in its queue;
    /// null if none were requested.
    pub remedies: Option<Remedies>,
}

/// The aim of a remedy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Aim {
    /// Higher goodput in spite of losses.
    Losses,
    /// A shorter wait in the queue.
    Delay,
}

/// Remedies beside plain TCP. Against losses they are transports with erasure coding and link protocols;
/// against the wait in the queue of a link of varying capacity, queue disciplines.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Remedies {
    /// The aim of the remedies.
    pub aim: Aim,
    /// The TCP without a remedy that each is compared with.
    pub reference: String,
    /// The parameters of each remedy on this subject.
    pub tcp: Vec<VariantTcp>,
    /// The remedies left out, and what the channel can and cannot show.
    pub notes: Vec<String>,
    /// The results; in a study without the single runs and windows.
    #[serde(flatten)]
    pub case: Case,
}

/// A variant's parameters on a subject.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct VariantTcp {
    /// The variant.
    pub variant: String,
    /// Its transport: `tcp`, `lt-tcp` or `sliding`.
    pub transport: String,
    /// Its congestion law; for `sliding`, which has its own, that of the TCP that it replaces.
    pub law: String,
    /// Its loss recovery; only TCP has one.
    pub recovery: String,
    /// All its parameters; if flows differ in parameters, those of the first flow.
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

/// The samples of the intervals.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Over {
    /// Replications with different random numbers, the same for every variant.
    Replications,
    /// Equal stretches of one trace.
    Stretches,
}

/// All variants over one channel.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Case {
    /// The channel.
    pub channel: Channel,
    /// The samples of the intervals.
    pub over: Over,
    /// Number of these samples.
    pub replications: u32,
    /// The outcome of each variant, in order.
    pub outcomes: Vec<Outcome>,
    /// The variants by goodput alone.
    pub ranking: Ranking,
    /// The conclusion from goodput, delay, waste and the share left to other flows.
    pub verdict: Verdict,
    /// Each variant in each replication.
    pub runs: Vec<CompareRun>,
    /// Congestion windows of the first replication (of the whole trace), of the first flow.
    pub windows: Vec<Window>,
}

impl Case {
    /// The same without the single runs and windows.
    pub(crate) fn without_runs(self) -> Self {
        Self { runs: Vec::new(), windows: Vec::new(), ..self }
    }
}

impl Remedies {
    /// The same without the single runs and windows.
    pub(crate) fn without_runs(self) -> Self {
        Self { case: self.case.without_runs(), ..self }
    }
}
