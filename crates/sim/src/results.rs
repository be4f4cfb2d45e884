//! Results of a run: per flow, link and cell, per replication, and as a summary over replications.
//!
//! Keys name the SI unit of each quantity. Rates and means are over the measured time: from the end of the
//! warm-up (or the flow's start, if later) to the end.

mod boundary;
mod cell;
mod delays;
mod drops;
mod estimate;
mod fairness;
mod flow;
mod goodput;
mod link;
pub mod packed;
mod range;
mod replication;
pub(crate) mod short_aggregates;
mod station;
mod student;
mod summary;

use airtcp_congestion::external::Failure;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use boundary::BoundaryResult;
pub use cell::CellResult;
pub use delays::{DelayDistribution, DelayDistributions};
pub use drops::DropResult;
pub(crate) use drops::place;
pub use estimate::{Estimate, Estimates, ratio_parts};
pub use fairness::{Sharing, jain_index, max_difference};
pub use flow::{CodingResult, FlowResult, WaitShares};
pub use goodput::{Rare, bottlenecks, most_bps};
pub use link::{LinkResult, ProtocolResult};
pub use range::Range;
pub use replication::{Conservation, Replication};
pub(crate) use replication::{Snapshot, replication};
pub use station::{CategoryResult, FrameResult, RateResult, StationResult};
pub use summary::{CellEstimates, Summary};

/// Version of the format of run results.
pub const RUN_SCHEMA: &str = "airtcp.run/1";

/// The results of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RunResult {
    /// Format of this document.
    pub schema: String,
    /// Version of the program.
    pub airtcp_version: String,
    /// Root seed.
    pub seed: u64,
    /// The scenario with every default filled in.
    pub scenario: Value,
    /// Per replication, in order; only finished ones.
    pub replications: Vec<Replication>,
    /// Means and intervals over replications.
    pub summary: Summary,
    /// Distributions of delays over the packets of all replications; absent without packets.
    #[serde(default, skip_serializing_if = "DelayDistributions::is_empty")]
    pub delays: DelayDistributions,
    /// Warnings about the scenario, such as stations out of range.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// True if the run stopped before all replications were finished.
    pub interrupted: bool,
    /// The replication that ended the run, if a congestion law of one's own failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failed: Option<FailedReplication>,
}

/// A replication in which a congestion law of one's own failed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FailedReplication {
    /// Its number, from 0; absent if it is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replication: Option<u32>,
    /// The call, its time and flow, and the error.
    pub reason: String,
}

impl From<Failure> for FailedReplication {
    fn from(Failure { replication, reason }: Failure) -> Self {
        Self { replication, reason }
    }
}
