//! DCF+: a MAC ACK that reserves the medium for a packet to the sender of the data.
//!
//! ```text
//! DATA -> SIFS -> ACK + reservation -> SIFS -> CTS -> SIFS -> DATA -> SIFS -> ACK
//! ```
//! For TCP data, the packet in return is a TCP ACK. It does not contend, and its overhead is one
//! CTS. The station that receives data looks at the heads of its categories, highest first; if none
//! of them is for the sender, its ACK is a plain one. Source: S3 section 4.5 and figure 4.2 (its
//! reference 28). `mac/hooks.rs` lists the choices where S3 is silent.

use airtcp_probe::ConfigError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{At, Family, Seams};

/// Keys of `dcf+`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct DcfPlusConfig {
    /// Stations whose MAC ACKs reserve the medium.
    pub at: At,
}

/// DCF+ in a cell.
#[derive(Debug)]
pub struct DcfPlus;

impl Family for DcfPlus {
    type Config = DcfPlusConfig;

    fn build(config: &DcfPlusConfig, seams: &mut Seams) -> Result<Self, ConfigError> {
        for station in (0..seams.stations.len()).filter(|i| config.at.includes(*i)) {
            seams.own(station, "what its MAC ACKs reserve")?;
            seams.stations[station].exchange.reverse_data = true;
        }
        Ok(Self)
    }

    #[cfg(test)]
    fn samples() -> Vec<DcfPlusConfig> {
        [At::Both, At::AccessPoint, At::Stations].map(|at| DcfPlusConfig { at }).into()
    }
}
