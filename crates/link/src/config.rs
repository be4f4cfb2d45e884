//! Scenario table of one direction of a link.

use airtcp_probe::ConfigError;
use airtcp_units::{Bytes, Probability, Span};

use crate::{Delay, LossConfig, PolicerConfig, ProtocolConfig, Rate};

/// One direction of a link. All keys have defaults: an empty table is a link of unlimited rate
/// without delay or loss.
#[derive(
    Debug, Clone, PartialEq, Default, serde::Serialize, serde::Deserialize, schemars::JsonSchema,
)]
#[serde(deny_unknown_fields, default)]
pub struct LinkConfig {
    /// Transmission rate, for instance "10 Mb/s", or the table of a varying rate. Without `rate`
    /// and `slot`, transmission takes no time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rate: Option<Rate>,
    /// Transmission time of each packet, whatever its size, for instance "10 ms". Excludes `rate`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slot: Option<Span>,
    /// Propagation delay, one way, for instance "40 ms", or the table of a changing delay.
    pub delay: Delay,
    /// Maximum packet size, IP header included. Longer packets are dropped before transmission.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mtu: Option<Bytes>,
    /// Policer in front of the queue.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub policer: Option<PolicerConfig>,
    /// Loss model.
    pub loss: LossConfig,
    /// What a loss takes.
    pub loss_unit: LossUnit,
    /// Random variation of the delay.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub jitter: Option<JitterConfig>,
    /// Reordering: holds packets back so that later packets overtake them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reordering: Option<ReorderingConfig>,
    /// Probability that the link delivers a packet twice, given that the packet is not lost.
    pub duplication: Probability,
    /// Link protocol, which recovers losses on the link.
    pub protocol: ProtocolConfig,
}

/// What a loss takes.
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
pub enum LossUnit {
    /// One packet.
    #[default]
    Packet,
    /// The data packets of a TCP flow that come to the queue of the link at one instant, up to 64 KiB, as netem on
    /// a sending host with GSO. The model decides once for all of them.
    SuperSegment,
}

/// Distribution of a random delay.
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
pub enum Distribution {
    /// Uniform between 0 and twice the mean.
    #[default]
    Uniform,
    /// Exponential, without an upper bound.
    Exponential,
}

/// Random extra delay of every packet.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct JitterConfig {
    /// Mean extra delay.
    pub mean: Span,
    /// Distribution of the extra delay.
    #[serde(default)]
    pub distribution: Distribution,
    /// If true, packets arrive in the order of transmission: a packet waits for the previous one.
    /// If false, packets may overtake each other.
    #[serde(default = "yes")]
    pub keep_order: bool,
}

/// Holds packets back so that later packets overtake them: at random, every n-th packet, or both.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReorderingConfig {
    /// Probability that a packet is held back.
    #[serde(default)]
    pub probability: Probability,
    /// Hold back every packet whose number, counted from 1, is a multiple of this.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub every: Option<u64>,
    /// Minimum extra delay of a packet that is held back.
    pub extra: Span,
    /// Maximum extra delay; the extra delay is uniform between `extra` and `extra_max`. Default:
    /// `extra`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub extra_max: Option<Span>,
}

const fn yes() -> bool {
    true
}

impl LinkConfig {
    /// Rejects impossible values. [`Loss::new`](crate::Loss::new) checks the loss model.
    pub(crate) fn check(&self) -> Result<(), ConfigError> {
        if let (Some(rate), Some(slot)) = (&self.rate, self.slot) {
            return Err(ConfigError::new(
                "slot",
                format!(
                    "both a rate ({rate}) and a slot ({slot}) are given; a packet takes either \
                     the time its length needs at the rate, or one slot"
                ),
            ));
        }
        self.check_changes()?;
        if self.slot == Some(Span::ZERO) {
            return Err(ConfigError::new(
                "slot",
                "a slot of 0 s is impossible; omit the key for a link of unlimited rate",
            ));
        }
        if self.mtu.is_some_and(|mtu| mtu.0 < 68) {
            return Err(ConfigError::new(
                "mtu",
                "an MTU is at least 68 B (RFC 791), and TCP needs room beside its headers",
            ));
        }
        if let Some(policer) = &self.policer {
            policer.check()?;
        }
        if self.loss_unit == LossUnit::SuperSegment && self.protocol.common().is_some() {
            return Err(ConfigError::new(
                "loss_unit",
                format!(
                    "\"super-segment\" is not for a link with protocol {}, which loses units; accepted is \
                     \"packet\"",
                    self.protocol.kind()
                ),
            ));
        }
        self.check_order()?;
        if let Some(r) = &self.reordering {
            if r.every == Some(0) {
                return Err(ConfigError::new(
                    "reordering.every",
                    "is 0; expected 1 (every packet) or more",
                ));
            }
            if r.extra_max.is_some_and(|max| max < r.extra) {
                return Err(ConfigError::new(
                    "reordering.extra_max",
                    format!("is below extra, {}", r.extra),
                ));
            }
        }
        Ok(())
    }

    /// What changes over time: the rate as recorded, and steps.
    fn check_changes(&self) -> Result<(), ConfigError> {
        match &self.rate {
            Some(Rate::Trace(trace)) if trace.scaled()?.is_none() => {
                let message = format!("\"{}\" was not read", trace.trace);
                return Err(ConfigError::new("rate.trace", message));
            }
            Some(Rate::Steps(all)) => all.check("rate.steps")?,
            _ => {}
        }
        match &self.delay {
            Delay::Steps(all) => all.check("delay.steps"),
            Delay::Constant(_) => Ok(()),
        }
    }

    /// A link protocol assumes that units arrive in the order of transmission.
    fn check_order(&self) -> Result<(), ConfigError> {
        if self.protocol.common().is_none() {
            return Ok(());
        }
        let given = [
            ("jitter", self.jitter.is_some()),
            ("reordering", self.reordering.is_some()),
            ("duplication", self.duplication.get() > 0.0),
            ("delay.steps", matches!(self.delay, Delay::Steps(_))),
        ];
        for (key, given) in given {
            if given {
                return Err(ConfigError::new(
                    key,
                    format!(
                        "is not for a link with protocol {}, whose units arrive once and in order; \
                         put it on another link of the way",
                        self.protocol.kind()
                    ),
                ));
            }
        }
        Ok(())
    }
}
