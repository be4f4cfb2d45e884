//! Explicit loss notification: the access point marks TCP ACKs whose gaps are losses of the air.
//!
//! The agent at the access point knows from the MAC which TCP segments were lost on the air: those
//! whose frames the access point gave up, and those of stations whose frames it lacks. It marks the
//! ACKs that show such a loss, and no other loss. A sender retransmits the segment at once and does not
//! reduce its window. The state machine is `middle/eln.rs` of the transport crate. Source: Balakrishnan and Katz,
//! "Explicit loss notification and wireless web performance", 1998.

use airtcp_probe::ConfigError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Boundary, Family, Seams};

/// Keys of `eln`: none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ElnConfig {}

/// The agent in a cell.
#[derive(Debug)]
pub struct Eln;

impl Family for Eln {
    type Config = ElnConfig;

    fn build(_: &ElnConfig, seams: &mut Seams) -> Result<Self, ConfigError> {
        seams.set_boundary(Boundary::Eln)?;
        Ok(Self)
    }

    #[cfg(test)]
    fn samples() -> Vec<ElnConfig> {
        vec![ElnConfig {}]
    }
}
