//! Two-ray path loss: the direct ray, and the ray reflected by the ground.
//!
//! ```text
//! d <= dc   free space                          dc = 4 pi h h / lambda
//! d >  dc   loss = 40 log10(d) - 20 log10(h h) dB
//! ```
//!
//! `h` is the height of all antennas. The two formulas meet at the crossover `dc`. Beyond it both rays
//! nearly cancel, and the loss does not depend on the frequency. The length of the direct ray is taken
//! as the distance on the ground. Source: T. Rappaport, *Wireless Communications*, 2nd ed., section
//! 4.6; ns-2's Propagation/TwoRayGround has the same rule. With ns-2's defaults (1.5 m, 914 MHz,
//! 0.28183815 W) 3.652e-10 W arrive at 250 m.

use airtcp_probe::ConfigError;
use airtcp_units::detmath;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{DistanceLaw, FreeSpace, LIGHT, Model, PropagationContext, accept};

/// Default height of antennas in metres (ns-2's).
const HEIGHT_M: f64 = 1.5;

/// The table of two-ray path loss.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct TwoRayConfig {
    /// Height of all antennas in metres.
    pub height_m: f64,
}

impl Default for TwoRayConfig {
    fn default() -> Self {
        Self { height_m: HEIGHT_M }
    }
}

/// Two-ray path loss.
#[derive(Debug, Clone, Copy)]
pub struct TwoRay {
    free: FreeSpace,
    crossover_m: f64,
    /// `20 log10(h h)`.
    gain_db: f64,
}

impl TwoRay {
    /// Distance beyond which the loss grows with the fourth power of the distance, in metres.
    pub const fn crossover_m(&self) -> f64 {
        self.crossover_m
    }
}

impl DistanceLaw for TwoRay {
    fn loss_at(&self, distance_m: f64) -> Option<f64> {
        if distance_m <= self.crossover_m {
            return self.free.loss_at(distance_m);
        }
        Some((40.0 * detmath::log10(distance_m) - self.gain_db).max(0.0))
    }
}

impl Model for TwoRay {
    type Config = TwoRayConfig;

    fn build(config: &TwoRayConfig, context: &PropagationContext<'_>) -> Result<Self, ConfigError> {
        let height = accept("height_m", config.height_m, 0.1, 1e3, "m")?;
        let square = height * height;
        Ok(Self {
            free: FreeSpace::new(context.frequency_hz),
            crossover_m: 4.0 * std::f64::consts::PI * square * context.frequency_hz / LIGHT,
            gain_db: 20.0 * detmath::log10(square),
        })
    }

    #[cfg(test)]
    fn samples() -> Vec<TwoRayConfig> {
        vec![TwoRayConfig::default(), TwoRayConfig { height_m: 0.2 }]
    }
}
