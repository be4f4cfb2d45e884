//! Ablations: changes of medium access that no real one has, to find out what a result is due to.
//!
//! They take apart S3's explanation of unfairness between TCP flows (that TCP ACKs are lost on the air): attempts of TCP data
//! and of TCP ACKs apart, and TCP ACKs that are never lost.

use airtcp_probe::ConfigError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Class;

/// What is changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct AblationConfig {
    /// `attempts` of packets with payload, in place of those of all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attempts_data: Option<u32>,
    /// `attempts` of TCP segments without payload, in place of those of all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attempts_tcp_ack: Option<u32>,
    /// Whether a TCP segment without payload always reaches its station with the first frame that
    /// carries it, whatever else is on the air there. That station answers with a MAC ACK unless it
    /// is itself sending when the frame ends; then the frame is repeated as usual, though nothing
    /// is missing.
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

    /// Attempts of a frame of a class without RTS, and of its RTS, where they are its own.
    pub(super) const fn attempts(&self, class: Class) -> Option<u32> {
        match class {
            Class::Data => self.attempts_data,
            Class::TcpAck => self.attempts_tcp_ack,
            _ => None,
        }
    }
}
