//! TCP ACK agent: MAC acknowledgements of data frames become TCP ACKs at the access point.
//!
//! When a station's MAC has acknowledged a TCP data frame, the access point sends the TCP ACK to
//! the wired sender. The station drops those of its own ACKs that add no information, so that they
//! take no airtime. The state machine is `middle/ack_agent.rs` of the transport crate. Source:
//! Pang, Liew, Leung, "Performance improvement of 802.11 wireless access network with TCP ACK agent
//! and auto-zoom backoff algorithm", 2005; S3 reference 34 and figure 4.3.

use airtcp_probe::ConfigError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Boundary, Family, Seams};

/// Keys of `ack-agent`: none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct AckAgentConfig {}

/// The agent in a cell.
#[derive(Debug)]
pub struct AckAgent;

impl Family for AckAgent {
    type Config = AckAgentConfig;

    fn build(_: &AckAgentConfig, seams: &mut Seams) -> Result<Self, ConfigError> {
        seams.set_boundary(Boundary::AckAgent)?;
        Ok(Self)
    }

    #[cfg(test)]
    fn samples() -> Vec<AckAgentConfig> {
        vec![AckAgentConfig {}]
    }
}
