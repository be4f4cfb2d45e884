//! Scenario table of a Gilbert-Elliott channel.

use airtcp_units::{Probability, Span};

/// When the chain steps.
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
    /// In continuous time.
    #[default]
    Time,
    /// At slot boundaries.
    Slot,
    /// At each packet.
    Packet,
}

/// Gilbert-Elliott channel. One of five pairs of keys gives the chain: `g` and `b`; `prr` and `mu`;
/// `mean_loss` and `mean_burst`; or, in continuous time, `mean_good` and `mean_bad`, or `mean_loss`
/// and `mean_bad`.
#[derive(
    Debug, Clone, PartialEq, Default, serde::Serialize, serde::Deserialize, schemars::JsonSchema,
)]
#[serde(deny_unknown_fields, default)]
pub struct GilbertElliottConfig {
    /// When the chain steps.
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
    /// Long-run packet loss rate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mean_loss: Option<Probability>,
    /// Mean sojourn in the bad state in slots or packets, `1/g`. This is the mean loss burst if the
    /// bad state loses every packet and the good state none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mean_burst: Option<f64>,
    /// Mean time in the good state.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mean_good: Option<Span>,
    /// Mean time in the bad state.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mean_bad: Option<Span>,
    /// Loss probability in the good state.
    pub loss_good: Probability,
    /// Loss probability in the bad state. Default: 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub loss_bad: Option<Probability>,
    /// Time between packets to which `g`, `b`, `mu` and `mean_burst` refer. Default: the link's
    /// slot. Not used with `stepping = "packet"`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slot: Option<Span>,
}
