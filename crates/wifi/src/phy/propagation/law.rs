//! Interface of a path loss, and the inputs of its construction.

use airtcp_probe::ConfigError;
use airtcp_random::Seed;
use airtcp_units::Dbm;

use super::Position;

/// Speed of light in metres per second.
pub(crate) const LIGHT: f64 = 299_792_458.0;
/// Minimum distance of stations in metres; no model holds below it.
pub const MIN_DISTANCE_M: f64 = 0.01;

/// Inputs of a propagation model's construction beside its table.
#[derive(Debug, Clone, Copy)]
pub struct PropagationContext<'a> {
    /// Default frequency in Hz: `Standard::frequency_hz`.
    pub frequency_hz: f64,
    /// Names of the stations in the order of their numbers, for the matrix model.
    pub stations: &'a [String],
    /// Seed of the random draws of shadowing.
    pub seed: Seed,
    /// Label of these draws.
    pub label: &'a str,
}

/// A registered path loss.
pub trait DistanceLaw {
    /// Loss in dB between stations number `a` and `b` at their positions; infinite if no signal
    /// arrives, not NaN, at least 0.
    fn loss_db(&self, a: usize, pa: Position, b: usize, pb: Position) -> f64 {
        let _ = (a, b);
        self.loss_at(pa.distance_m(pb)).unwrap_or(f64::INFINITY)
    }

    /// Loss in dB at a distance in metres; `None` if the loss does not depend on distance.
    fn loss_at(&self, distance_m: f64) -> Option<f64>;

    /// Receiver thresholds that the model requires if all stations transmit with `power`; `None` if
    /// the thresholds are free.
    fn thresholds(&self, power: Dbm) -> Option<Thresholds> {
        let _ = power;
        None
    }
}

/// Construction of a registered path loss, with the frequency of `context`.
pub(crate) trait Model: DistanceLaw + Sized {
    type Config;
    fn build(config: &Self::Config, context: &PropagationContext<'_>) -> Result<Self, ConfigError>;
    /// Configurations for the common tests, with stations "a", "b", "c".
    #[cfg(test)]
    fn samples() -> Vec<Self::Config>;
}

/// Receiver thresholds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Thresholds {
    /// Minimum power of a frame that is received.
    pub decode: Dbm,
    /// Minimum power of a frame that makes the medium busy and interferes.
    pub sense: Dbm,
}

/// Refuses a number outside `low ..= high`, or NaN.
pub(crate) fn accept(
    key: &'static str,
    value: f64,
    low: f64,
    high: f64,
    unit: &str,
) -> Result<f64, ConfigError> {
    if (low..=high).contains(&value) {
        return Ok(value);
    }
    let unit = if unit.is_empty() { String::new() } else { format!(" {unit}") };
    Err(ConfigError::new(key, format!("is {value}{unit}: expected {low} to {high}{unit}")))
}
