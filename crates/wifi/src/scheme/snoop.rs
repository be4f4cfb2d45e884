//! Snoop: the access point caches TCP data towards its stations and retransmits them itself.
//!
//! A duplicate ACK for a segment in the cache causes a local retransmission and goes no further; a
//! local timer covers losses without duplicate ACKs. The sender learns only of losses between
//! itself and the access point. The state machine is `middle/snoop.rs` of the transport crate.
//! Source: Balakrishnan, Seshan, Amir, Katz, "Improving TCP/IP performance over wireless networks",
//! 1995; S3 reference 21. Leaves out: priority of local retransmissions in the queue, and data from
//! stations.

use airtcp_probe::{ConfigError, within};
use airtcp_units::Span;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Boundary, Family, Seams};

/// Keys of `snoop`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct SnoopConfig {
    /// Segments cached for a flow; if the cache is full, its oldest segment is dropped.
    pub cache_segments: u32,
    /// Duplicate ACKs that cause a local retransmission.
    pub dup_thresh: u32,
    /// Minimum of the local retransmission timeout.
    pub rto_min: Span,
    /// Maximum of the local retransmission timeout, and its value before the first measurement.
    pub rto_max: Span,
}

impl Default for SnoopConfig {
    fn default() -> Self {
        Self {
            cache_segments: 1000,
            dup_thresh: 1,
            rto_min: Span::from_millis(100),
            rto_max: Span::from_secs(1),
        }
    }
}

/// Snoop in a cell.
#[derive(Debug)]
pub struct Snoop;

impl Family for Snoop {
    type Config = SnoopConfig;

    fn build(config: &SnoopConfig, seams: &mut Seams) -> Result<Self, ConfigError> {
        within("cache_segments", config.cache_segments, 1, 1 << 20)?;
        within("dup_thresh", config.dup_thresh, 1, 1000)?;
        within("rto_min", config.rto_min, Span::from_millis(1), Span::from_secs(60))?;
        within("rto_max", config.rto_max, config.rto_min, Span::from_secs(60))?;
        let SnoopConfig { cache_segments, dup_thresh, rto_min, rto_max } = *config;
        seams.set_boundary(Boundary::Snoop { cache_segments, dup_thresh, rto_min, rto_max })?;
        Ok(Self)
    }

    #[cfg(test)]
    fn samples() -> Vec<SnoopConfig> {
        let default = SnoopConfig::default();
        vec![default, SnoopConfig { cache_segments: 1, dup_thresh: 3, ..default }]
    }
}
