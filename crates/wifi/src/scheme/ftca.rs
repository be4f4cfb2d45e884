//! Fair TCP Channel Access: TCP packets without payload go in the highest access category.
//!
//! ```text
//! TCP, no payload (ACK, SYN, SYN-ACK, FIN, RST)   -> voice, or `exclusive`: a category above voice
//! everything else (a SYN with data too)           -> the flow's own category
//! ```
//! `ack_access` decides whether such a packet may be sent without back-off if it arrives at an empty
//! queue. S3's simulator sends it without back-off. With `always-backoff`, ACKs of two stations
//! collide less often, but leave later. Leaves out: a classifier below encryption, which cannot see
//! the TCP header. IPv4 and IPv6 make no difference, because a packet is a length here. Source: S3
//! section 5.

use airtcp_probe::ConfigError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{At, ControlCategory, Family, Seams};
use crate::mac::Category;

/// Access of TCP packets without payload that come to an empty queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum AckAccess {
    /// As the cell's `mac.immediate_access` says.
    #[default]
    Immediate,
    /// With a back-off, always.
    AlwaysBackoff,
}

/// Keys of `ftca`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct FtcaConfig {
    /// Where the scheme acts.
    pub at: At,
    /// True for a category above voice that carries nothing else.
    pub exclusive: bool,
    /// Access of TCP packets without payload that come to an empty queue.
    pub ack_access: AckAccess,
}

/// FTCA in a cell.
#[derive(Debug)]
pub struct Ftca;

impl Family for Ftca {
    type Config = FtcaConfig;

    fn build(config: &FtcaConfig, seams: &mut Seams) -> Result<Self, ConfigError> {
        seams.need_edca()?;
        if config.exclusive {
            seams.add_exclusive();
        }
        let highest = Category::Voice as u8 + u8::from(config.exclusive);
        for station in (0..seams.stations.len()).filter(|i| config.at.includes(*i)) {
            seams.set_control(station, ControlCategory::Fixed(highest))?;
            seams.stations[station].always_backoff[usize::from(highest)] =
                config.ack_access == AckAccess::AlwaysBackoff;
        }
        Ok(Self)
    }

    #[cfg(test)]
    fn samples() -> Vec<FtcaConfig> {
        let mut all = Vec::new();
        for at in [At::Both, At::AccessPoint, At::Stations] {
            for exclusive in [false, true] {
                for ack_access in [AckAccess::Immediate, AckAccess::AlwaysBackoff] {
                    all.push(FtcaConfig { at, exclusive, ack_access });
                }
            }
        }
        all
    }
}
