//! Free-space path loss.
//!
//! ```text
//! loss = 20 log10(4 pi d / lambda) dB,  at least 0
//! ```
//!
//! Antennas have gain 1. Source: H. Friis, *A note on a simple transmission formula*, 1946. The formula
//! does not hold within a wavelength of the antenna. The model uses it there too, with a loss of at
//! least 0.

use airtcp_probe::ConfigError;
use airtcp_units::detmath;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{DistanceLaw, LIGHT, MIN_DISTANCE_M, Model, PropagationContext};

/// The table of free space: empty.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FreeSpaceConfig {}

/// Free space.
#[derive(Debug, Clone, Copy)]
pub struct FreeSpace {
    /// Loss at one metre in dB.
    at_metre_db: f64,
}

impl FreeSpace {
    /// Free space at a frequency in Hz.
    pub fn new(frequency_hz: f64) -> Self {
        let metres = 4.0 * std::f64::consts::PI * frequency_hz / LIGHT;
        Self { at_metre_db: 20.0 * detmath::log10(metres) }
    }

    /// Loss in dB at a distance in metres, at least 0.
    pub fn loss_at_distance(&self, distance_m: f64) -> f64 {
        let distance = distance_m.max(MIN_DISTANCE_M);
        (self.at_metre_db + 20.0 * detmath::log10(distance)).max(0.0)
    }
}

impl DistanceLaw for FreeSpace {
    fn loss_at(&self, distance_m: f64) -> Option<f64> {
        Some(self.loss_at_distance(distance_m))
    }
}

impl Model for FreeSpace {
    type Config = FreeSpaceConfig;

    fn build(_: &FreeSpaceConfig, context: &PropagationContext<'_>) -> Result<Self, ConfigError> {
        Ok(Self::new(context.frequency_hz))
    }

    #[cfg(test)]
    fn samples() -> Vec<FreeSpaceConfig> {
        vec![FreeSpaceConfig {}]
    }
}
