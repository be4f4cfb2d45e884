//! Two ranges: one for reception, and one for carrier sense and interference.
//!
//! ```text
//! loss = 60 dB                 d <= decode range            received
//!        60 dB + margin        d <= interference range      sensed; destroys frames that it overlaps
//!        infinite              beyond                       no signal
//! ```
//!
//! For the geometry of S0 (250 m and 500 m), which has ranges and no powers. The receiver's thresholds
//! lie halfway between the levels ([`Propagation::thresholds`](super::Propagation::thresholds)), so
//! that rounding never decides. A station exactly at a range is within it.
//!
//! The levels are choices. At 60 dB frames arrive far above any noise. With a margin of 1 dB an
//! interfering frame is nearly as strong as the frame that it overlaps, which is then lost with OFDM
//! (by NIST's law) and CCK. Unless the capture model decides first, DSSS frames at 1 Mb/s survive, and
//! so do most at 2 Mb/s. With a larger margin frames at low rates survive. Walls add to the loss: a
//! wall of 2 dB or more hides stations from each other.

use airtcp_probe::ConfigError;
use airtcp_units::Dbm;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{DistanceLaw, Model, PropagationContext, Thresholds, accept};

/// Loss within the decode range, in dB.
const NEAR_LOSS_DB: f64 = 60.0;
/// Default extra loss beyond the decode range, in dB.
const MARGIN_DB: f64 = 1.0;

/// The table of ranges.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct RangesConfig {
    /// Maximum distance at which frames are received, in metres.
    pub decode_m: f64,
    /// Maximum distance at which frames are sensed and interfere, in metres.
    pub interference_m: f64,
    /// Extra loss beyond `decode_m`, in dB.
    pub margin_db: f64,
}

impl Default for RangesConfig {
    /// S0's.
    fn default() -> Self {
        Self { decode_m: 250.0, interference_m: 500.0, margin_db: MARGIN_DB }
    }
}

/// Two ranges.
#[derive(Debug, Clone, Copy)]
pub struct Ranges {
    decode_m: f64,
    interference_m: f64,
    margin_db: f64,
}

impl DistanceLaw for Ranges {
    fn loss_at(&self, distance_m: f64) -> Option<f64> {
        Some(if distance_m <= self.decode_m {
            NEAR_LOSS_DB
        } else if distance_m <= self.interference_m {
            NEAR_LOSS_DB + self.margin_db
        } else {
            f64::INFINITY
        })
    }

    fn thresholds(&self, power: Dbm) -> Option<Thresholds> {
        let half = self.margin_db / 2.0;
        let decode = Dbm(power.0 - NEAR_LOSS_DB - half);
        Some(Thresholds { decode, sense: Dbm(decode.0 - self.margin_db) })
    }
}

impl Model for Ranges {
    type Config = RangesConfig;

    fn build(config: &RangesConfig, _: &PropagationContext<'_>) -> Result<Self, ConfigError> {
        let decode_m = accept("decode_m", config.decode_m, 0.01, 1e6, "m")?;
        let interference_m = accept("interference_m", config.interference_m, 0.01, 1e6, "m")?;
        if interference_m < decode_m {
            let text = format!(
                "is {interference_m} m, less than decode_m ({decode_m} m): expected decode_m \
                 and more"
            );
            return Err(ConfigError::new("interference_m", text));
        }
        let margin_db = accept("margin_db", config.margin_db, 0.1, 40.0, "dB")?;
        Ok(Self { decode_m, interference_m, margin_db })
    }

    #[cfg(test)]
    fn samples() -> Vec<RangesConfig> {
        vec![RangesConfig::default()]
    }
}
