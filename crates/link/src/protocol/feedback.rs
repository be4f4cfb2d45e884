//! Reports of a link protocol's receiver: the table `feedback`.

use airtcp_probe::ConfigError;
use airtcp_units::{Bytes, Probability, Span};

/// Event that triggers a report on a transmission of a frame.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Trigger {
    /// Arrival of a unit of another frame or transmission (S2: out-of-order detection), or a timer
    /// if none follows.
    NextFrame,
    /// Arrival of the transmission's last unit; if that unit is lost, as `next-frame`.
    EndOfBlock,
}

/// Path of the reports.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    Default,
    serde::Serialize,
    serde::Deserialize,
    schemars::JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Way {
    /// Outside the link: reports take only the propagation delay.
    #[default]
    Free,
    /// On the link's reverse direction: reports wait for its transmitter, take time at its rate,
    /// and its loss model applies to them.
    Reverse,
}

/// Reports of a link protocol's receiver.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct FeedbackConfig {
    /// Path of the reports.
    pub way: Way,
    /// Event that triggers a report. Default: `next-frame` with
    /// LL-HARQ, `end-of-block` with LL-ARQ.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trigger: Option<Trigger>,
    /// Size of a report on the reverse direction.
    pub size: Bytes,
    /// Probability that a report is lost, in addition to losses on the reverse direction.
    pub loss: Probability,
    /// Report timer of the sender, from the end of a transmission. Default: twice the propagation
    /// delay plus twice the longest transmission so far; with `way = "reverse"` also the
    /// transmission time of three packets of 1500 bytes on the reverse direction.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timer: Option<Span>,
    /// Time after the expected end of a transmission at which the receiver reports without a
    /// trigger. Default: the duration of that transmission.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub idle: Option<Span>,
}

impl Default for FeedbackConfig {
    fn default() -> Self {
        Self {
            way: Way::Free,
            trigger: None,
            size: Bytes(8),
            loss: Probability::ZERO,
            timer: None,
            idle: None,
        }
    }
}

impl FeedbackConfig {
    /// Rejects impossible values.
    pub(super) fn check(&self) -> Result<(), ConfigError> {
        let refuse = |key: &'static str, message: &str| Err(ConfigError::new(key, message));
        if !(1..=1500).contains(&self.size.0) {
            return refuse("protocol.feedback.size", "expected 1 B to 1500 B");
        }
        if self.way == Way::Free && self.size != Self::default().size {
            let message = "has no effect with way = \"free\", where reports have no size; set way = \"reverse\"";
            return refuse("protocol.feedback.size", message);
        }
        if self.timer == Some(Span::ZERO) {
            return refuse("protocol.feedback.timer", "is 0 s; expected values above 0 s");
        }
        Ok(())
    }
}
