//! A table of losses by pair of stations.
//!
//! It sets the power between each pair directly, without positions. Each loss applies in both
//! directions. Source: own.

use airtcp_probe::ConfigError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{DistanceLaw, Model, Position, PropagationContext, accept};

/// Maximum loss in dB; pairs out of range have none.
const LARGEST_DB: f64 = 400.0;

/// The table of losses by pair.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MatrixConfig {
    /// The losses.
    pub losses: Vec<PairLoss>,
    /// Loss of all other pairs in dB. Default: they receive no signal of each other.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub otherwise_db: Option<f64>,
}

/// The loss of a pair of stations.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PairLoss {
    /// The two stations, by name.
    pub between: [String; 2],
    /// Their loss in dB.
    pub loss_db: f64,
}

/// Losses by pair.
#[derive(Debug, Clone)]
pub struct Matrix {
    size: usize,
    losses: Vec<f64>,
    otherwise: f64,
}

impl DistanceLaw for Matrix {
    fn loss_db(&self, a: usize, _: Position, b: usize, _: Position) -> f64 {
        if a >= self.size || b >= self.size {
            return self.otherwise;
        }
        self.losses[a * self.size + b]
    }

    fn loss_at(&self, _: f64) -> Option<f64> {
        None
    }
}

impl Model for Matrix {
    type Config = MatrixConfig;

    fn build(config: &MatrixConfig, context: &PropagationContext<'_>) -> Result<Self, ConfigError> {
        let size = context.stations.len();
        let otherwise = match config.otherwise_db {
            Some(db) => accept("otherwise_db", db, 0.0, LARGEST_DB, "dB")?,
            None => f64::INFINITY,
        };
        let mut losses = vec![f64::NAN; size * size];
        for pair in &config.losses {
            let number = |name: &String| {
                context.stations.iter().position(|station| station == name).ok_or_else(|| {
                    let known = context.stations.join(", ");
                    let text = format!("the cell has no station \"{name}\" (stations: {known})");
                    ConfigError::new("losses", text)
                })
            };
            let (a, b) = (number(&pair.between[0])?, number(&pair.between[1])?);
            let both = || format!("\"{}\" and \"{}\"", pair.between[0], pair.between[1]);
            if a == b {
                let text = format!("{} are one station: expected two", both());
                return Err(ConfigError::new("losses", text));
            }
            if !losses[a * size + b].is_nan() {
                let text = format!("{} have two losses: accepted is one per pair", both());
                return Err(ConfigError::new("losses", text));
            }
            let db = accept("loss_db", pair.loss_db, 0.0, LARGEST_DB, "dB")?;
            losses[a * size + b] = db;
            losses[b * size + a] = db;
        }
        for loss in &mut losses {
            if loss.is_nan() {
                *loss = otherwise;
            }
        }
        Ok(Self { size, losses, otherwise })
    }

    #[cfg(test)]
    fn samples() -> Vec<MatrixConfig> {
        let pair = |a: &str, b: &str, loss_db| PairLoss { between: [a.into(), b.into()], loss_db };
        vec![
            MatrixConfig { losses: vec![pair("a", "b", 60.0)], otherwise_db: None },
            MatrixConfig { losses: vec![pair("c", "a", 70.0)], otherwise_db: Some(90.0) },
        ]
    }
}
