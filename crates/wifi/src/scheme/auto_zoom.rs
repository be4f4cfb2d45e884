//! Auto-zoom back-off: a minimum contention window that shrinks while transmissions succeed.
//!
//! ```text
//! success   CWmin <- max(CWmin / 2, least)      CW <- CWmin
//! failure   CWmin <- that of the cell           CW <- CWmin if CW was below it, else 2 CW + 1
//! ```
//! Under light or asymmetric load the window becomes very small; a collision restores it at once.
//! Only the abstract of the original paper was available: the factor of 2 and the default of `least`
//! are choices. Source: S3 section 4.5.

use airtcp_probe::ConfigError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{At, Family, Seams};

/// Keys of `auto-zoom`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct AutoZoomConfig {
    /// Where the scheme acts.
    pub at: At,
    /// Minimum to which CWmin shrinks, one less than a power of 2.
    pub least: u32,
}

impl Default for AutoZoomConfig {
    fn default() -> Self {
        Self { at: At::Both, least: 1 }
    }
}

/// Auto-zoom back-off in a cell.
#[derive(Debug)]
pub struct AutoZoom;

impl Family for AutoZoom {
    type Config = AutoZoomConfig;

    fn build(config: &AutoZoomConfig, seams: &mut Seams) -> Result<Self, ConfigError> {
        let least = config.least;
        if !(least < 32_768 && (least + 1).is_power_of_two()) {
            let message = format!("is {least}: expected one less than a power of 2, up to 32767");
            return Err(ConfigError::new("least", message));
        }
        for station in (0..seams.stations.len()).filter(|i| config.at.includes(*i)) {
            seams.own(station, "the least contention window after a success")?;
            seams.stations[station].exchange.zoom = Some(least);
        }
        Ok(Self)
    }

    #[cfg(test)]
    fn samples() -> Vec<AutoZoomConfig> {
        let mut all = Vec::new();
        for at in [At::Both, At::AccessPoint, At::Stations] {
            for least in [0, 1, 7, 32_767] {
                all.push(AutoZoomConfig { at, least });
            }
        }
        all
    }
}
