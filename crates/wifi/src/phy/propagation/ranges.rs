//! Two ranges: who receives whom, and who disturbs whom, without the physics.
//!
//! ```text
//! loss = 60 dB                 d <= decode range            received
//!        60 dB + margin        d <= interference range      sensed, and destroys what it overlaps
//!        infinite              beyond                       not there
//! ```
//!
//! For the geometry of S0 (250 m and 500 m), which gives ranges and no powers. The receiver's thresholds
//! lie halfway between the levels ([`Propagation::thresholds`](super::Propagation::thresholds)), so
//! that no rounding decides, and a station exactly at a range is within it. The levels are choices: 60 dB leaves
//! any noise far below; a margin of 1 dB makes a disturbing frame nearly as strong as the one it hits,
//! which is then lost with OFDM (by NIST's law) and CCK. DSSS at 1 Mb/s withstands it, at 2 Mb/s most
//! frames do, unless a capture model decides before. A larger margin lets low rates survive. Walls add to the loss: one of 2 dB or more
//! hides stations from each other.

use airtcp_probe::ConfigError;
use airtcp_units::Dbm;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{DistanceLaw, Model, Position, PropagationContext, Thresholds, accept};

/// Loss within the decode range, in dB.
const NEAR_LOSS_DB: f64 = 60.0;
/// How much weaker frames from beyond the decode range are unless given, in dB.
const MARGIN_DB: f64 = 1.0;

/// The table of ranges.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct RangesConfig {
    /// Up to here frames are received, in metres.
    pub decode_m: f64,
    /// Up to here they are sensed and interfere, in metres.
    pub interference_m: f64,
    /// How much weaker than received ones frames are that only interfere, in dB.
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

impl Ranges {
    fn at(&self, distance_m: f64) -> f64 {
        if distance_m <= self.decode_m {
            NEAR_LOSS_DB
        } else if distance_m <= self.interference_m {
            NEAR_LOSS_DB + self.margin_db
        } else {
            f64::INFINITY
        }
    }
}

impl DistanceLaw for Ranges {
    fn loss_db(&self, _: usize, pa: Position, _: usize, pb: Position) -> f64 {
        self.at(pa.distance_m(pb))
    }

    fn loss_at(&self, distance_m: f64) -> Option<f64> {
        Some(self.at(distance_m))
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
                "is {interference_m} m, less than decode_m ({decode_m} m): what is received is \
                 sensed"
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
