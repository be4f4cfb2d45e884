//! Ablations: changes to medium access that no real device makes, to isolate the cause of a result.
//!
//! They test S3's explanation of unfairness between TCP flows, which is the loss of TCP ACKs on the
//! air: separate retry limits for TCP data and TCP ACKs, and TCP ACKs that are never lost.

use airtcp_probe::ConfigError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Class;

/// Changes to medium access that no real device makes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct AblationConfig {
    /// Replaces `attempts` for packets with payload.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attempts_data: Option<u32>,
    /// Replaces `attempts` for TCP segments without payload.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attempts_tcp_ack: Option<u32>,
    /// The first frame that carries a TCP segment without payload always reaches its receiver,
    /// whatever else is on the air. The receiver answers with a MAC ACK unless it is transmitting
    /// when the frame ends. Without the MAC ACK the sender retransmits the frame as usual.
    pub ack_oracle: bool,
}

impl AblationConfig {
    pub(super) fn validate(&self) -> Result<(), ConfigError> {
        let both = [
            ("ablation.attempts_data", self.attempts_data),
            ("ablation.attempts_tcp_ack", self.attempts_tcp_ack),
        ];
        for (key, attempts) in both {
            if let Some(attempts) = attempts.filter(|n| !(1..=255).contains(n)) {
                let message = format!("is {attempts}: accepted are 1 to 255");
                return Err(ConfigError::new(key, message));
            }
        }
        Ok(())
    }

    /// Attempts of a frame of a class without RTS, and of its RTS; `None` unless configured.
    pub(super) const fn attempts(&self, class: Class) -> Option<u32> {
        match class {
            Class::Data => self.attempts_data,
            Class::TcpAck => self.attempts_tcp_ack,
            _ => None,
        }
    }
}
