//! The table of a Gilbert-Elliott channel.

use airtcp_units::{Probability, Span};

/// What makes the chain step.
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
pub enum Stepping {
    /// Time, continuously.
    #[default]
    Time,
    /// Time, at the boundaries of slots.
    Slot,
    /// Every packet.
    Packet,
}

/// The table of a Gilbert-Elliott channel. The chain is given in one of five ways: `g` and `b`;
/// `prr` and `mu`; `mean_loss` and `mean_burst`; or, in continuous time, `mean_good` and
/// `mean_bad`, or `mean_loss` and `mean_bad`.
#[derive(
    Debug, Clone, PartialEq, Default, serde::Serialize, serde::Deserialize, schemars::JsonSchema,
)]
#[serde(deny_unknown_fields, default)]
pub struct GilbertElliottConfig {
    /// What makes the chain step.
    pub stepping: Stepping,
    /// Probability of bad -> good from one slot or packet to the next.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub g: Option<Probability>,
    /// Probability of good -> bad from one slot or packet to the next.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub b: Option<Probability>,
    /// Packet reception ratio.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prr: Option<Probability>,
    /// Burstiness `1 - g - b`: 0 for independent losses, near 1 for long bursts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mu: Option<f64>,
    /// Share of packets lost in the long run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mean_loss: Option<Probability>,
    /// Mean length of a stay in the bad state in slots or packets: `1/g`, the mean loss burst
    /// where the bad state loses everything and the good state nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mean_burst: Option<f64>,
    /// Mean time in the good state.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mean_good: Option<Span>,
    /// Mean time in the bad state.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mean_bad: Option<Span>,
    /// Probability that a packet is lost in the good state; 0 if not given.
    pub loss_good: Probability,
    /// Probability that a packet is lost in the bad state; 1 if not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub loss_bad: Option<Probability>,
    /// Time between the packets that `g`, `b`, `mu` and `mean_burst` speak of; the link's slot if
    /// not given. Not used when stepping by packet.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slot: Option<Span>,
}
