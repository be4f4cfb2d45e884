//! TCP ACKs of the access point to several stations in one access (TAP).
//!
//! ```text
//! DIFS -> ACK a -> SIFS -> MAC ACK -> SIFS -> ACK b -> SIFS -> MAC ACK ...      at most `acks`
//! DIFS -> ACK a -> RIFS -> ACK b -> RIFS -> ACK c ...                           without MAC ACKs
//! ```
//! The access point sends TCP ACKs without back-off, DIFS after the medium becomes idle and so ahead
//! of all data, to up to `acks` different stations in one access. Each TCP ACK is a frame of its own.
//! ACKs leave the queue in order, so an access ends early if two consecutive ACKs are for the same
//! station. With `mac_acks` each TCP ACK has its own MAC ACK. Without, the frames have the ack policy
//! No Ack of QoS data (802.11e) and follow one another after RIFS (802.11n): one attempt each, and a
//! Duration of 0, since no other station can begin within RIFS. Uploads only. Source: S3 section 4.4
//! (its reference 38); IEEE 802.11-2012 clauses 8.2.4.5.4 and 9.3.2.3.2.

use airtcp_probe::ConfigError;
use airtcp_units::Span;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{ControlCategory, Family, Seams};
use crate::mac::{AckGroup, Category};

/// S3's maximum number of ACKs in one access, without and with RTS and CTS before data.
const DEFAULT_ACKS: [u32; 2] = [4, 8];

/// Keys of `tap`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct TapConfig {
    /// Maximum number of ACKs in one access, 1 to 64. Default: 4, or 8 if data frames are preceded
    /// by RTS and CTS.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub acks: Option<u32>,
    /// Receivers answer each TCP ACK with a MAC ACK. If false, the TCP ACKs follow one another after
    /// RIFS (2 us, which 802.11a, b and g lack), and each has one attempt.
    pub mac_acks: bool,
}

impl Default for TapConfig {
    fn default() -> Self {
        Self { acks: None, mac_acks: true }
    }
}

/// TAP in a cell.
#[derive(Debug)]
pub struct Tap;

impl Family for Tap {
    type Config = TapConfig;

    fn build(config: &TapConfig, seams: &mut Seams) -> Result<Self, ConfigError> {
        seams.need_edca()?;
        let acks = config.acks.unwrap_or(DEFAULT_ACKS[usize::from(seams.rts)]);
        if !(1..=64).contains(&acks) {
            return Err(ConfigError::new("acks", format!("is {acks}: expected 1 to 64")));
        }
        let category = Category::Voice;
        seams.set_control(0, ControlCategory::Fixed(category as u8))?;
        let params = seams.params(0, category)?;
        params.aifsn = 2;
        (params.cw_min, params.cw_max) = (0, 0);
        // The number of ACKs limits an access. An ACK and its MAC ACK take about 1.2 ms at 1 Mb/s, so
        // that only a group of more than 16 ACKs at that rate meets this limit.
        params.txop = Span::from_millis(20);
        let group = AckGroup { category: category as u8, acks, mac_acks: config.mac_acks };
        seams.stations[0].exchange.group = Some(group);
        Ok(Self)
    }

    #[cfg(test)]
    fn samples() -> Vec<TapConfig> {
        let with = |(acks, mac_acks)| TapConfig { acks, mac_acks };
        [(None, true), (Some(1), true), (Some(64), true), (Some(8), false)].map(with).into()
    }
}
