//! Ablations: changes to medium access that no real device makes, to isolate the cause of a result.
//!
//! They test S3's explanation of unfairness between TCP flows, which is the loss of TCP ACKs on the
//! air: separate retry limits for TCP data and TCP ACKs, and TCP ACKs that are never lost. A faster clock shows what
//! the time on the air costs.

use airtcp_probe::ConfigError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Class;

/// Changes to medium access that no real device makes.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
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
    /// Divides all durations of the cell: frames, inter-frame spaces, slots, timeouts, limits, lifetimes, beacon
    /// intervals, and periods of the rate control. With 2 the same exchanges take half of the time. Wires,
    /// applications, TCP, fading and interferers keep their times. Cells on one medium have the same speed. From 0.1
    /// to 10; default: 1.
    #[serde(skip_serializing_if = "is_one")]
    pub speed: f64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_one(speed: &f64) -> bool {
    speed.to_bits() == 1.0_f64.to_bits()
}

/// Accepted speeds (a choice: beyond them, slots last less than two microseconds or the medium stands still).
const SPEEDS: std::ops::RangeInclusive<f64> = 0.1..=10.0;

impl Default for AblationConfig {
    fn default() -> Self {
        Self { attempts_data: None, attempts_tcp_ack: None, ack_oracle: false, speed: 1.0 }
    }
}

impl AblationConfig {
    pub(super) fn validate(&self) -> Result<(), ConfigError> {
        let both = [
            ("ablation.attempts_data", self.attempts_data),
            ("ablation.attempts_tcp_ack", self.attempts_tcp_ack),
        ];
        for (key, attempts) in both {
            if let Some(attempts) = attempts.filter(|n| !(1..=255).contains(n)) {
                let message = format!("is {attempts}: expected 1 to 255");
                return Err(ConfigError::new(key, message));
            }
        }
        if !SPEEDS.contains(&self.speed) {
            let message = format!("is {}: expected 0.1 to 10", self.speed);
            return Err(ConfigError::new("ablation.speed", message));
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
