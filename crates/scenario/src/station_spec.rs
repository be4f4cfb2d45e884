//! The keys of a single station of a cell.

use airtcp_queueing::QueueConfig;
use airtcp_units::BitRate;
use airtcp_wifi::phy::{GuardInterval, SetupKeys, Standard, Width};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A station with keys of its own.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StationSpec {
    /// Name of its node.
    pub name: String,
    /// Its version of 802.11. Accepted is "802.11b" in a cell of 802.11g: the station sends and decodes
    /// only DSSS and CCK. In a cell of 802.11n, ac or ax, all older ones of the band are accepted: frames
    /// between it and the access point are those of the older standard. Default: that of the cell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub standard: Option<Standard>,
    /// Width of its channel in 802.11n, ac and ax. Default: that of the cell, as far as its standard has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub width: Option<Width>,
    /// Number of its spatial streams in 802.11n, ac and ax. Default: that of the cell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub streams: Option<u8>,
    /// Guard interval of its frames, and of the access point's to it, in 802.11n, ac and ax. Default: that of
    /// the cell, or the default of its standard.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub guard_interval: Option<GuardInterval>,
    /// Rate of its data frames, and of the access point's data frames to it. Needs the rate control
    /// "fixed". Default: that of the cell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate: Option<BitRate>,
    /// Index of the modulation and coding scheme of these frames, in place of `rate`. Default: that of the cell,
    /// or the highest index below that its standard has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mcs: Option<u8>,
    /// Power of its transmitter in dBm. Default: that of the cell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub power_dbm: Option<f64>,
    /// Its queue. Default: that of the cell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub queue: Option<QueueConfig>,
}

impl StationSpec {
    /// Its keys of the physical layer.
    pub(crate) const fn setup_keys(&self) -> SetupKeys {
        let Self { width, streams, guard_interval: guard, .. } = *self;
        SetupKeys { band: None, width, streams, guard, coding: None }
    }

    /// True if it has a rate of its own.
    pub(crate) const fn has_rate(&self) -> bool {
        self.rate.is_some() || self.mcs.is_some()
    }
}
