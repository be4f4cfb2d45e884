//! TCP ACKs in the access category of the data that they acknowledge.
//!
//! With one category for all data this is EDCA itself. With several, an ACK contends with the
//! parameters of its data, so that the ACKs of one category do not slow the data of another. Source:
//! S3 section 4.3 (its reference 18).

use airtcp_probe::ConfigError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{At, ControlCategory, Family, Seams};

/// Keys of `same-category`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct SameCategoryConfig {
    /// Where the scheme acts.
    pub at: At,
}

/// ACKs in the category of their data, in a cell.
#[derive(Debug)]
pub struct SameCategory;

impl Family for SameCategory {
    type Config = SameCategoryConfig;

    fn build(config: &SameCategoryConfig, seams: &mut Seams) -> Result<Self, ConfigError> {
        seams.need_edca()?;
        for station in (0..seams.stations.len()).filter(|i| config.at.includes(*i)) {
            seams.set_control(station, ControlCategory::OfData)?;
        }
        Ok(Self)
    }

    #[cfg(test)]
    fn samples() -> Vec<SameCategoryConfig> {
        [At::Both, At::AccessPoint, At::Stations].map(|at| SameCategoryConfig { at }).into()
    }
}
