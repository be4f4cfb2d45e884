//! The keys of a single station of a cell.

use airtcp_queueing::QueueConfig;
use airtcp_units::BitRate;
use airtcp_wifi::phy::Standard;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A station with keys of its own.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StationSpec {
    /// Name of its node.
    pub name: String,
    /// Its version of 802.11. Accepted is "802.11b" in a cell of 802.11g: the station sends and decodes
    /// only DSSS and CCK. Default: that of the cell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub standard: Option<Standard>,
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
