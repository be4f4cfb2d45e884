//! Propagation: path loss, walls and shadowing.
//!
//! ```text
//! loss(a, b) = path loss(distance)  +  sum of the walls between  +  sigma N(a, b)        all in dB
//! ```
//!
//! The loss is the same in both directions and constant over time; [`fading`](super::fading) models
//! changes in time. `N(a, b)` is a standard normal number of the pair of stations, which does not depend
//! on other stations. Source of log-normal shadowing and partition losses: T. Rappaport, *Wireless
//! Communications*, 2nd ed., sections 4.9 and 4.11. Leaves out correlated shadowing of neighbours,
//! heights (stations are on a plane) and antenna patterns.

mod free_space;
mod law;
mod log_distance;
mod matrix;
mod position;
mod ranges;
mod registry;
mod two_ray;
mod walls;

#[cfg(test)]
#[allow(clippy::float_cmp, reason = "some answers are exact")]
mod tests;

pub use free_space::{FreeSpace, FreeSpaceConfig};
pub(crate) use law::accept;
pub use law::{DistanceLaw, MIN_DISTANCE_M, PropagationContext, Thresholds};
use law::{LIGHT, Model};
pub use log_distance::{LogDistance, LogDistanceConfig};
pub use matrix::{Matrix, MatrixConfig, PairLoss};
pub use position::{Position, pair_key};
pub use ranges::{Ranges, RangesConfig};
pub use registry::{PathLoss, PathLossConfig, registry};
pub use two_ray::{TwoRay, TwoRayConfig};
pub use walls::Wall;

use airtcp_probe::ConfigError;
use airtcp_random::Keyed;
use airtcp_units::{Dbm, detmath};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Maximum standard deviation of shadowing in dB; measurements find 3 to 12.
const LARGEST_SIGMA_DB: f64 = 30.0;

/// The table `propagation` of a cell.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct PropagationConfig {
    /// Path loss.
    pub path_loss: PathLossConfig,
    /// Frequency in MHz. Default: 5180 (802.11a), 2437 (802.11b and g).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub frequency_mhz: Option<f64>,
    /// Standard deviation of log-normal shadowing in dB; 0 is none.
    pub shadowing_db: f64,
    /// Walls, each with the loss of crossing it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub walls: Vec<Wall>,
}

/// Losses between all stations of a cell.
#[derive(Debug, Clone)]
pub struct Propagation {
    law: PathLoss,
    walls: Vec<Wall>,
    sigma_db: f64,
    shadows: Keyed,
}

impl Propagation {
    /// The propagation of a scenario.
    ///
    /// # Errors
    /// If a value is impossible; the message names the key and what is accepted.
    pub fn new(
        config: &PropagationConfig,
        context: &PropagationContext<'_>,
    ) -> Result<Self, ConfigError> {
        let mut context = *context;
        if let Some(mhz) = config.frequency_mhz {
            accept("frequency_mhz", mhz, 1.0, 1e6, "MHz")?;
            context.frequency_hz = mhz * 1e6;
        }
        accept("shadowing_db", config.shadowing_db, 0.0, LARGEST_SIGMA_DB, "dB")?;
        for wall in &config.walls {
            wall.check()?;
        }
        if config.shadowing_db > 0.0 && matches!(config.path_loss, PathLossConfig::Ranges(_)) {
            let text = "has no effect with \"ranges\", where power does not decrease with distance: \
                        use another path loss, or 0";
            return Err(ConfigError::new("shadowing_db", text));
        }
        Ok(Self {
            law: PathLoss::build(&config.path_loss, &context)?,
            walls: config.walls.clone(),
            sigma_db: config.shadowing_db,
            shadows: context.seed.keyed(&format!("{}/shadowing", context.label)),
        })
    }

    /// Loss in dB between stations number `a` and `b` at their positions: transmit power less received
    /// power. Infinite if no signal arrives; not NaN. Shadowing can make it negative.
    pub fn loss_db(&self, a: usize, pa: Position, b: usize, pb: Position) -> f64 {
        // The same order for both directions, so that walls decide ties equally.
        let ((a, pa), (b, pb)) = if a <= b { ((a, pa), (b, pb)) } else { ((b, pb), (a, pa)) };
        let walls: f64 = self.walls.iter().map(|wall| wall.loss_db(pa, pb)).sum();
        self.law.loss_db(a, pa, b, pb) + walls + self.shadow_db(a, b)
    }

    /// Loss in dB at a distance, without walls and shadowing; `None` if the loss does not depend on
    /// distance.
    pub fn loss_at(&self, distance_m: f64) -> Option<f64> {
        self.law.loss_at(distance_m)
    }

    /// Receiver thresholds that the model requires if all stations transmit with `power`; `None` if
    /// the thresholds are free.
    pub fn thresholds(&self, power: Dbm) -> Option<Thresholds> {
        self.law.thresholds(power)
    }

    fn shadow_db(&self, a: usize, b: usize) -> f64 {
        if self.sigma_db <= 0.0 {
            return 0.0;
        }
        // Box-Muller transform of two draws of the pair.
        let counter = pair_key(a, b).wrapping_mul(2);
        let radius = (-2.0 * detmath::ln_1p(-self.shadows.unit(counter))).sqrt();
        let angle = std::f64::consts::TAU * self.shadows.unit(counter.wrapping_add(1));
        self.sigma_db * radius * detmath::cos(angle)
    }

    /// Checks that positions are finite and that no two stations overlap.
    ///
    /// # Errors
    /// If not; the message names the stations.
    pub fn check(&self, positions: &[Position], names: &[String]) -> Result<(), ConfigError> {
        let name = |i: usize| names.get(i).map_or_else(|| i.to_string(), |n| format!("\"{n}\""));
        for (i, p) in positions.iter().enumerate() {
            if !p.is_finite() {
                let text = format!("{} is at {p}: expected finite numbers", name(i));
                return Err(ConfigError::new("stations", text));
            }
            if matches!(self.law, PathLoss::Matrix(_)) {
                continue;
            }
            let near = |q: &Position| p.distance_m(*q) < MIN_DISTANCE_M;
            if let Some(j) = positions[..i].iter().position(near) {
                let text = format!(
                    "{} and {} are both at {p}: expected {MIN_DISTANCE_M} m apart or more",
                    name(j),
                    name(i)
                );
                return Err(ConfigError::new("stations", text));
            }
        }
        Ok(())
    }
}
