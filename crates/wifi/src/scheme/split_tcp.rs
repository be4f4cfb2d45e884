//! Split TCP: the access point terminates the sender's connection and opens one to the receiver.
//!
//! ```text
//! early   acknowledges what the access point has buffered: the sender's round trip is that of its half
//! late    acknowledges what the receiver has acknowledged: ACKs keep their end-to-end meaning
//! ```
//! The buffer bounds what waits at the access point, and the receive window of each half advertises
//! the part that is free. The state machine is `middle/split.rs` of the transport crate. Sources: Bakre and
//! Badrinath, "I-TCP: indirect TCP for mobile hosts", 1995; S3 references 12 and 35.

use airtcp_probe::{ConfigError, within};
use airtcp_units::{Bytes, Span};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Boundary, Family, Seams};

/// When the access point acknowledges data of a sender.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Acknowledge {
    /// When it has buffered them.
    #[default]
    Early,
    /// When the receiver has acknowledged them.
    Late,
}

/// Keys of `split-tcp`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct SplitTcpConfig {
    /// When the access point acknowledges data of a sender.
    pub acknowledge: Acknowledge,
    /// Data of a flow that the access point buffers, in each direction; without window scaling at
    /// most 65535 bytes are used.
    pub buffer: Bytes,
    /// Time at which the access point loses the state of all its connections and the packets in its
    /// queues for the air; packets that come later go from end to end. Default: never.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fails_at: Option<Span>,
}

impl Default for SplitTcpConfig {
    fn default() -> Self {
        Self { acknowledge: Acknowledge::Early, buffer: Bytes(1 << 18), fails_at: None }
    }
}

/// Split TCP in a cell.
#[derive(Debug)]
pub struct SplitTcp;

impl Family for SplitTcp {
    type Config = SplitTcpConfig;

    fn build(config: &SplitTcpConfig, seams: &mut Seams) -> Result<Self, ConfigError> {
        within("buffer", config.buffer, Bytes(4096), Bytes(1 << 30))?;
        let SplitTcpConfig { acknowledge, buffer, fails_at } = *config;
        let late = acknowledge == Acknowledge::Late;
        seams.set_boundary(Boundary::SplitTcp { late, buffer, fails_at })?;
        Ok(Self)
    }

    #[cfg(test)]
    fn samples() -> Vec<SplitTcpConfig> {
        let with = |acknowledge| SplitTcpConfig { acknowledge, ..SplitTcpConfig::default() };
        vec![with(Acknowledge::Early), with(Acknowledge::Late)]
    }
}
