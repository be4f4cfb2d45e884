//! The keys of a single station of a cell.

use airtcp_queueing::QueueConfig;
use airtcp_units::BitRate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A station with keys of its own.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StationSpec {
    /// Name of its node.
    pub name: String,
    /// Rate of its data frames, and of the access point's data frames to it. Needs the rate control
    /// "fixed". Default: that of the cell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate: Option<BitRate>,
    /// Power of its transmitter in dBm. Default: that of the cell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub power_dbm: Option<f64>,
    /// Its queue. Default: that of the cell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub queue: Option<QueueConfig>,
}
