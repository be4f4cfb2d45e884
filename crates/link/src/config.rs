//! The table of a link (one direction) in a scenario.

use airtcp_probe::ConfigError;
use airtcp_units::{Bytes, Probability, Span};

use crate::{LossConfig, ProtocolConfig, Rate};

/// One direction of a link. Everything has a default: an empty table is a wire of unlimited rate
/// and no delay.
#[derive(
    Debug, Clone, PartialEq, Default, serde::Serialize, serde::Deserialize, schemars::JsonSchema,
)]
#[serde(deny_unknown_fields, default)]
pub struct LinkConfig {
    /// Rate of the transmitter, for instance "10 Mb/s", or the table of a rate that varies. Without it
    /// (and without `slot`) packets take no time to transmit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rate: Option<Rate>,
    /// Instead of a rate: every packet takes this long, whatever its size, for instance "10 ms".
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slot: Option<Span>,
    /// Propagation delay, one way, for instance "40 ms".
    pub delay: Span,
    /// Longest packet that passes, IP header included; longer ones are dropped untransmitted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mtu: Option<Bytes>,
    /// What is lost.
    pub loss: LossConfig,
    /// Random variation of the delay.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub jitter: Option<JitterConfig>,
    /// Packets that are held back and overtaken.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reordering: Option<ReorderingConfig>,
    /// Probability that a packet that is not lost arrives twice.
    pub duplication: Probability,
    /// What the link does about losses: a link protocol.
    pub protocol: ProtocolConfig,
}

/// How a random delay is distributed.
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
    /// Evenly between nothing and twice the mean.
    #[default]
    Uniform,
    /// Exponential: short delays are common, long ones have no limit.
    Exponential,
}

/// Random extra delay of every packet.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct JitterConfig {
    /// Mean extra delay.
    pub mean: Span,
    /// How it is distributed.
    #[serde(default)]
    pub distribution: Distribution,
    /// Whether packets still arrive in the order they were sent (a packet then waits for the one
    /// before it) or may overtake.
    #[serde(default = "yes")]
    pub keep_order: bool,
}

/// Packets held back so that later ones overtake them: by chance, every n-th, or both.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReorderingConfig {
    /// Probability that a packet is held back.
    #[serde(default)]
    pub probability: Probability,
    /// Hold back every packet whose number, counted from 1, is a multiple of this.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub every: Option<u64>,
    /// For how long: at least this.
    pub extra: Span,
    /// And at most this (evenly distributed between the two); the same as `extra` if not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub extra_max: Option<Span>,
}

const fn yes() -> bool {
    true
}

impl LinkConfig {
    /// Refuses what no link can be (its loss model is checked when it is built).
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
        if let Some(Rate::Trace(trace)) = &self.rate
            && trace.capacity.is_none()
        {
            return Err(ConfigError::new(
                "rate.trace",
                format!("\"{}\" was not read", trace.trace),
            ));
        }
        if self.slot == Some(Span::ZERO) {
            return Err(ConfigError::new(
                "slot",
                "a slot of 0 s is impossible; leave it out for a link of unlimited rate",
            ));
        }
        if self.mtu.is_some_and(|mtu| mtu.0 < 68) {
            return Err(ConfigError::new(
                "mtu",
                "an MTU is at least 68 B (RFC 791), and TCP needs room beside its headers",
            ));
        }
        self.check_order()?;
        if let Some(r) = &self.reordering {
            if r.every == Some(0) {
                return Err(ConfigError::new(
                    "reordering.every",
                    "0 is not a distance between packets; it is 1 (every packet) or more",
                ));
            }
            if r.extra_max.is_some_and(|max| max < r.extra) {
                return Err(ConfigError::new(
                    "reordering.extra_max",
                    format!("the longest extra delay lies below the shortest, {}", r.extra),
                ));
            }
        }
        Ok(())
    }

    /// A link protocol counts on units that arrive in the order in which they were sent.
    fn check_order(&self) -> Result<(), ConfigError> {
        if self.protocol.common().is_none() {
            return Ok(());
        }
        let given = [
            ("jitter", self.jitter.is_some()),
            ("reordering", self.reordering.is_some()),
            ("duplication", self.duplication.get() > 0.0),
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
