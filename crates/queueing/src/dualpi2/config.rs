//! Parameters of DualPI2 (RFC 9332 appendix A, figure 2), with its defaults.

use airtcp_units::{Probability, Span};

/// DualPI2 queue.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct DualPi2Config {
    /// Target of the wait in the queue of classic flows. Default: 15 ms.
    pub target: Span,
    /// Time between two updates of the base probability. Default: 16 ms.
    pub update: Span,
    /// Gain for the distance from the target, in 1/s. Default: 0.16.
    pub alpha: f64,
    /// Gain for the change since the last update, in 1/s. Default: 3.2.
    pub beta: f64,
    /// Coupling factor k: a scalable flow meets k times the base probability, a classic flow its square. Default: 2.
    pub coupling: f64,
    /// Wait of a scalable flow's packet from which it may be marked. Default: 800 us.
    pub ramp_start: Span,
    /// Width of the ramp over which this probability rises to 1; 0 s is a step, as with DCTCP. Default: 400 us.
    pub ramp: Span,
    /// The ramp marks only while more packets than this are in the queue of scalable flows, the leaving one included.
    /// Default: 1.
    pub ramp_packets: u32,
    /// Share of the bytes for classic flows while both queues hold packets, at least. Default: 1/16.
    pub classic_weight: Probability,
    /// Maximum number of packets in both queues. Default: 10000 (Linux).
    pub limit: u32,
}

impl Default for DualPi2Config {
    fn default() -> Self {
        Self {
            target: Span::from_millis(15),
            update: Span::from_millis(16),
            alpha: 0.16,
            beta: 3.2,
            coupling: 2.0,
            ramp_start: Span::from_micros(800),
            ramp: Span::from_micros(400),
            ramp_packets: 1,
            classic_weight: Probability::clamped(1.0 / 16.0),
            limit: 10_000,
        }
    }
}
