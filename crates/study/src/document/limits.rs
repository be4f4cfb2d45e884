//! What limits the flows of a run, as its document has it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Whether to find what limits the flows.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Why {
    /// With a quarter of the measured time, and with a bound on the events of each run.
    #[default]
    Auto,
    /// With the whole time.
    Yes,
    /// No.
    No,
}

/// What was taken away.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Cause {
    /// Losses of a link, also those that a link protocol repairs.
    LinkLosses,
    /// Losses on the air of a cell that no collision causes.
    AirLosses,
    /// Drops or marks of a queue.
    Queue,
    /// The rate of a link that carries data.
    LinkRate,
    /// The rate of a policer.
    Policer,
    /// The rate of a shaper.
    Shaper,
    /// The rate of a link that carries only ACKs.
    ReturnPath,
    /// The airtime of a medium.
    Medium,
    /// Other flows.
    OtherFlows,
    /// The receive buffer, whose free space is the advertised window.
    ReceiveWindow,
    /// The send buffer.
    SendBuffer,
    /// The application, which asks for no more.
    Application,
    /// A station whose frames take long, and so the airtime of all.
    SlowStation,
    /// A station too far from its access point, or out of its range.
    Distance,
    /// Packets that overtake each other.
    Reordering,
    /// Stations that do not sense each other.
    HiddenStations,
    /// Sources of interference that are not 802.11.
    Interference,
    /// Other cells on the same medium.
    OtherCells,
    /// Propagation delays.
    RoundTripTime,
}

/// One limit: something without which flows get significantly more.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Limit {
    /// What limits.
    pub cause: Cause,
    /// Causes whose removal lifts the same limit as well.
    pub or: Vec<Cause>,
    /// Causes that `change` takes away together with this one, because none of them alone raises the goodput.
    pub with: Vec<Cause>,
    /// Causes that must be gone before this one limits; `change` takes them away, too.
    pub after: Vec<Cause>,
    /// Where: names of links, cells, stations or flows.
    #[serde(rename = "where")]
    pub place: String,
    /// The flows whose goodput the following numbers are: those that the removal raises by a tenth or more, or all
    /// judged ones if only their sum is decided.
    pub flows: Vec<String>,
    /// Whose goodput the following numbers are.
    pub of: Of,
    /// Mean goodput with the limit, in b/s. With `after`: without those causes.
    pub goodput_bps: f64,
    /// Mean goodput without the limit, in b/s.
    pub without_bps: f64,
    /// `without_bps` over `goodput_bps`; null if nothing arrives with the limit.
    pub ratio: Option<f64>,
    /// Lower end of the ratio's 95 % interval, from paired replications.
    pub low: Option<f64>,
    /// Upper end of the ratio's 95 % interval.
    pub high: Option<f64>,
    /// Arguments of `--set` that take the limit away.
    pub change: Vec<String>,
    /// Arguments of `--set` that a real network can have, such as a longer queue: tried, and of use. Empty if
    /// nothing is known, or what is known does not help.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub help: Vec<String>,
}

/// Whose goodput a limit is judged by.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Of {
    /// The flows of one part of the scenario together: what they delivered over the time in which one was active.
    #[default]
    Sum,
    /// The flows in `flows` together, as of a part.
    Flows,
    /// The slowest flow of each replication, which may be another one in each.
    SlowestOfEachRun,
}

/// How the limits were found.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct WhyResult {
    /// As asked.
    pub asked: Why,
    /// What the list of limits means.
    pub verdict: Verdict,
    /// Longest measured time of the runs, in seconds.
    pub measured_s: f64,
    /// Paired replications.
    pub replications: u32,
    /// Number of variants of the scenario that ran.
    pub variants: u32,
    /// Changes whose effect these replications do not decide.
    pub undecided: Vec<Undecided>,
    /// Changes that this scenario cannot have, each with the reason; not tried.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub refused: Vec<String>,
    /// Slow flows: what each is short of.
    pub slow_flows: Vec<SlowFlow>,
    /// Mean goodput of the slowest flow of each replication in b/s, if it is below half of the median flow.
    pub slowest_of_each_run_bps: Option<f64>,
}

/// What an empty list of limits means.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// Nobody asked.
    #[default]
    NotAsked,
    /// At least one limit is named.
    Limited,
    /// No single removal raises the goodput by a tenth.
    NothingSingle,
    /// The replications do not decide.
    CannotTell,
    /// The search was stopped.
    Stopped,
}

/// A change whose effect is not decided.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Undecided {
    /// What was taken away.
    pub cause: Cause,
    /// Where.
    #[serde(rename = "where")]
    pub place: String,
    /// Goodput without it over goodput with it.
    pub ratio: Option<f64>,
    /// Lower end of the ratio's 95 % interval.
    pub low: Option<f64>,
    /// Upper end of the ratio's 95 % interval.
    pub high: Option<f64>,
}

/// A flow that gets less than half of the median flow.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SlowFlow {
    /// Its name.
    pub flow: String,
    /// Its mean goodput in b/s.
    pub goodput_bps: f64,
    /// Mean goodput of the median flow in b/s.
    pub median_bps: f64,
    /// What it is short of; null if no removal doubles its goodput: it has its share of a full link or medium.
    pub short_of: Option<Cause>,
    /// Where.
    #[serde(rename = "where")]
    pub place: String,
    /// Its goodput without that, in b/s.
    pub without_bps: Option<f64>,
    /// Its goodput without all other flows, in b/s; null if `auto` has another explanation.
    pub alone_bps: Option<f64>,
    /// Its goodput if its station were 1 m from the access point, in b/s; null if `auto` finds the station not far.
    pub near_bps: Option<f64>,
    /// Arguments of `--set` that take away what it is short of.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub change: Vec<String>,
    /// Arguments of `--set` that a real network can have: tried, and of use.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub help: Vec<String>,
}

/// The limits of a run, and how they were found.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Explanation {
    /// The limits, in the order in which they bind: what keeps a link from being full comes before the link.
    pub limits: Vec<Limit>,
    /// How they were found.
    pub why: WhyResult,
}

impl Explanation {
    /// What is said if nobody asked.
    #[must_use]
    pub fn not_asked() -> Self {
        Self { why: WhyResult { asked: Why::No, ..WhyResult::default() }, limits: Vec::new() }
    }
}
