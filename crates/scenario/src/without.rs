//! The table `without`: parts that a run leaves out, to measure what they cost.
//!
//! Everything else stays as it is: names, order and random draws of the other flows and stations.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Parts that a run leaves out, to measure what they cost. Names, order and random draws of the others stay.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Without {
    /// Names of flows, as in the results. They never start, and deliver nothing.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub flows: Vec<String>,
    /// Names of cells. Flows through them never start, they send no beacons, and other cells do not hear them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub cells: Vec<String>,
    /// Names of cells that get a medium of their own, as on channels that overlap no other.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub overlap: Vec<String>,
    /// Names of stations whose distance is taken away: they stand 1 m from their access point. Their own keys keep
    /// their effect, and all others stay where each replication places them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub distance: Vec<String>,
}

impl Without {
    /// True if nothing is left out.
    pub(crate) fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}
