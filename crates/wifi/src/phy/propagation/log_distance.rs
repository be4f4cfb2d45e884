//! Log-distance path loss.
//!
//! ```text
//! loss = L0 + 10 gamma log10(d / d0) dB,   d >= d0;   L0 at shorter distances
//! ```
//!
//! `L0` is the loss at the reference distance `d0`, by default that of free space: S3's
//! `K = 20 log10(lambda / (4 pi d0)) = -46.68 dB` at 5.15 GHz and 1 m. `gamma` is 2 in free space and 3
//! to 4 in buildings; S3 has 3.5. Below `d0`, where the fit does not hold, the loss is constant, as in
//! ns-3. Source: T. Rappaport, *Wireless Communications*, 2nd ed., eq. 4.68; S3 section 6.2.

use airtcp_probe::ConfigError;
use airtcp_units::detmath;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{DistanceLaw, FreeSpace, Model, PropagationContext, accept};

/// Default exponent (ns-3's).
const EXPONENT: f64 = 3.0;
/// Default reference distance in metres.
const REFERENCE_M: f64 = 1.0;

/// The table of log-distance.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct LogDistanceConfig {
    /// Exponent gamma.
    pub exponent: f64,
    /// Reference distance in metres.
    pub reference_m: f64,
    /// Loss at the reference distance in dB. Default: that of free space.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reference_loss_db: Option<f64>,
}

impl Default for LogDistanceConfig {
    fn default() -> Self {
        Self { exponent: EXPONENT, reference_m: REFERENCE_M, reference_loss_db: None }
    }
}

/// Log-distance path loss.
#[derive(Debug, Clone, Copy)]
pub struct LogDistance {
    exponent: f64,
    reference_m: f64,
    reference_loss_db: f64,
}

impl DistanceLaw for LogDistance {
    fn loss_at(&self, distance_m: f64) -> Option<f64> {
        let ratio = (distance_m / self.reference_m).max(1.0);
        Some(self.reference_loss_db + 10.0 * self.exponent * detmath::log10(ratio))
    }
}

impl Model for LogDistance {
    type Config = LogDistanceConfig;

    fn build(
        config: &LogDistanceConfig,
        context: &PropagationContext<'_>,
    ) -> Result<Self, ConfigError> {
        let reference_m = accept("reference_m", config.reference_m, 0.01, 1e5, "m")?;
        let reference_loss_db = match config.reference_loss_db {
            Some(db) => accept("reference_loss_db", db, 0.0, 300.0, "dB")?,
            None => FreeSpace::new(context.frequency_hz).loss_at_distance(reference_m),
        };
        let exponent = accept("exponent", config.exponent, 0.0, 20.0, "")?;
        Ok(Self { exponent, reference_m, reference_loss_db })
    }

    #[cfg(test)]
    fn samples() -> Vec<LogDistanceConfig> {
        vec![
            LogDistanceConfig::default(),
            LogDistanceConfig { exponent: 3.5, reference_m: 2.0, reference_loss_db: Some(40.0) },
        ]
    }
}
