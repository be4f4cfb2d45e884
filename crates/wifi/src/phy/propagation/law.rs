//! What a path loss answers, and what it is built with.

use airtcp_probe::ConfigError;
use airtcp_random::Seed;
use airtcp_units::Dbm;

use super::Position;

/// Speed of light in metres a second.
pub(crate) const LIGHT: f64 = 299_792_458.0;
/// Stations nearer than this overlap, in metres: no model holds there, and two antennas have no room.
pub const MIN_DISTANCE_M: f64 = 0.01;

/// What a propagation model is built with besides its table.
#[derive(Debug, Clone, Copy)]
pub struct PropagationContext<'a> {
    /// Frequency unless the table says another, in Hz: `Standard::frequency_hz`.
    pub frequency_hz: f64,
    /// Names of the stations in the order of their numbers; the matrix model is written with them.
    pub stations: &'a [String],
    /// Where the draws of shadowing come from,
    pub seed: Seed,
    /// and their path.
    pub label: &'a str,
}

/// What a registered path loss answers.
pub trait DistanceLaw {
    /// Loss in dB between stations number `a` and `b` at their positions; infinite if nothing
    /// arrives, never NaN, never below 0.
    fn loss_db(&self, a: usize, pa: Position, b: usize, pb: Position) -> f64;

    /// Loss in dB at a distance in metres; `None` if distance does not decide.
    fn loss_at(&self, distance_m: f64) -> Option<f64>;

    /// The thresholds of receivers the model is meant for, with everybody sending with `power`;
    /// `None` if it is for any.
    fn thresholds(&self, power: Dbm) -> Option<Thresholds> {
        let _ = power;
        None
    }
}

/// How a registered path loss is built. `context.frequency_hz` is the one that counts.
pub(crate) trait Model: DistanceLaw + Sized {
    type Config;
    fn build(config: &Self::Config, context: &PropagationContext<'_>) -> Result<Self, ConfigError>;
    /// Configurations the common tests run, with stations "a", "b", "c".
    #[cfg(test)]
    fn samples() -> Vec<Self::Config>;
}

/// Powers that receivers compare with.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Thresholds {
    /// Weakest frame that is received.
    pub decode: Dbm,
    /// Weakest frame that makes the medium busy and disturbs others.
    pub sense: Dbm,
}

/// Refuses a number outside `low ..= high` (or NaN).
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
    Err(ConfigError::new(key, format!("is {value}{unit}: accepted are {low} to {high}{unit}")))
}
