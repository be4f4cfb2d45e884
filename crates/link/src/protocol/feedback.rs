//! How the receiver of a link protocol answers: the table `feedback`.

use airtcp_probe::ConfigError;
use airtcp_units::{Bytes, Probability, Span};

/// What makes a receiver report on a transmission of a frame.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Trigger {
    /// The arrival of a unit of another frame, or of another transmission (S2: out-of-order
    /// detection); when nothing follows, a timer.
    NextFrame,
    /// The arrival of its last unit; if that is lost, as `next-frame`.
    EndOfBlock,
}

/// On which way reports come back.
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
    /// Beside the link: they take the propagation delay and nothing else.
    #[default]
    Free,
    /// On the link's other direction: they wait there for its transmitter, take their time at its
    /// rate, and its loss model acts on them.
    Reverse,
}

/// How the receiver answers.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct FeedbackConfig {
    /// On which way reports come back.
    pub way: Way,
    /// What triggers them. Default: `next-frame` with LL-HARQ, `end-of-block` with LL-ARQ.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trigger: Option<Trigger>,
    /// Length of a report on the reverse direction.
    pub size: Bytes,
    /// Probability that a report is lost, besides what the reverse direction does to it.
    pub loss: Probability,
    /// How long the sender waits for a report after the end of a transmission. Default: twice the
    /// propagation delay and twice the longest transmission so far; with `way = "reverse"` also
    /// the time of three packets of 1500 bytes there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timer: Option<Span>,
    /// How long the receiver waits for something that triggers a report, from when a
    /// transmission should have ended. Default: as long as that transmission takes.
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
    /// Refuses what no feedback can be.
    pub(super) fn check(&self) -> Result<(), ConfigError> {
        let refuse = |key: &'static str, message: &str| Err(ConfigError::new(key, message));
        if !(1..=1500).contains(&self.size.0) {
            return refuse("protocol.feedback.size", "a report has 1 B to 1500 B");
        }
        if self.way == Way::Free && self.size != Self::default().size {
            let message =
                "has no use with way = \"free\", where reports take no room: set way = \"reverse\"";
            return refuse("protocol.feedback.size", message);
        }
        if self.timer == Some(Span::ZERO) {
            return refuse("protocol.feedback.timer", "a sender that waits 0 s hears no report");
        }
        Ok(())
    }
}
