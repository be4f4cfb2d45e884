//! Steps instead of curves: a chunk survives from some SINR on, and not below.
//!
//! `threshold` has one for each rate. Of OFDM they are what the standard's least sensitivity leaves above
//! the noise it assumes (10 dB noise figure, 5 dB for the implementation, -101 dBm thermal noise):
//! `sensitivity + 86 dB`. Of DSSS and CCK it is ns-2's capture threshold, 10 dB.
//!
//! `ideal` has one for all, 0 dB, and asks for more than it: a chunk survives if it is stronger than
//! noise and interference together. Where receivers hear only what is well above the noise, no frame is
//! then lost to noise, and of frames that overlap the strongest survives if it outweighs the rest; two
//! of the same power are both lost.
//!
//! Source: IEEE 802.11-2012 table 18-14 and clause 18.3.10.2; ns-2 `CPThresh_`; inventory 3.11 for 0 dB.

use airtcp_probe::ConfigError;
use airtcp_units::{BitRate, Db};

use super::{BitLaw, Model};
use crate::phy::{Mode, Standard};

/// Least sensitivity of the OFDM rates, in dBm.
const SENSITIVITY: [f64; 8] = [-82.0, -81.0, -79.0, -77.0, -74.0, -70.0, -66.0, -65.0];
/// The noise that table presumes, in dBm: thermal, noise figure and implementation margin.
const ASSUMED_NOISE: f64 = -101.0 + 10.0 + 5.0;
/// Threshold of DSSS and CCK, in dB.
const DSSS_THRESHOLD: f64 = 10.0;
/// Thresholds accepted, in dB.
const ACCEPTED: std::ops::RangeInclusive<f64> = -50.0..=60.0;

/// The table of thresholds.
#[derive(
    Debug, Clone, PartialEq, Default, serde::Serialize, serde::Deserialize, schemars::JsonSchema,
)]
#[serde(deny_unknown_fields, default)]
pub struct ThresholdConfig {
    /// SINR every rate needs, in dB; otherwise each has its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sinr_db: Option<f64>,
    /// SINR some rates need; goes before `sinr_db`.
    pub rates: Vec<ModeThreshold>,
}

/// The threshold of one rate.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ModeThreshold {
    /// Which rate, for instance "54 Mb/s".
    pub rate: BitRate,
    /// SINR it needs, in dB.
    pub sinr_db: f64,
}

/// The table of the ideal receiver.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct IdealConfig {
    /// What a frame must exceed noise and interference by to survive, in dB.
    pub capture_db: f64,
}

impl Default for IdealConfig {
    fn default() -> Self {
        Self { capture_db: 0.0 }
    }
}

/// A step at each rate's threshold.
#[derive(Debug, Clone)]
pub struct Threshold {
    least: [f64; Mode::COUNT],
}

/// One step for all rates.
#[derive(Debug, Clone, Copy)]
pub struct Ideal {
    above: f64,
}

fn linear(key: &'static str, db: f64) -> Result<f64, ConfigError> {
    if ACCEPTED.contains(&db) {
        return Ok(Db(db).linear());
    }
    let (low, high) = (ACCEPTED.start(), ACCEPTED.end());
    Err(ConfigError::new(key, format!("is {db} dB: accepted are {low} to {high} dB")))
}

const fn step(survives: bool) -> f64 {
    if survives { 0.0 } else { f64::NEG_INFINITY }
}

impl BitLaw for Threshold {
    #[inline]
    fn ln_bit_success(&self, mode: Mode, sinr: f64) -> f64 {
        step(sinr >= self.least[mode.index()])
    }
}

impl Model for Threshold {
    type Config = ThresholdConfig;

    fn build(config: &ThresholdConfig) -> Result<Self, ConfigError> {
        let mut least = [Db(DSSS_THRESHOLD).linear(); Mode::COUNT];
        for (mode, sensitivity) in Mode::OFDM.iter().zip(SENSITIVITY) {
            least[mode.index()] = Db(sensitivity - ASSUMED_NOISE).linear();
        }
        if let Some(db) = config.sinr_db {
            least = [linear("sinr_db", db)?; Mode::COUNT];
        }
        for row in &config.rates {
            least[Standard::G.mode(row.rate)?.index()] = linear("sinr_db", row.sinr_db)?;
        }
        Ok(Self { least })
    }

    #[cfg(test)]
    fn samples() -> Vec<ThresholdConfig> {
        let row = ModeThreshold { rate: BitRate::from_mbps(11), sinr_db: 3.0 };
        vec![ThresholdConfig::default(), ThresholdConfig { sinr_db: Some(10.0), rates: vec![row] }]
    }
}

impl BitLaw for Ideal {
    #[inline]
    fn ln_bit_success(&self, _: Mode, sinr: f64) -> f64 {
        step(sinr > self.above)
    }
}

impl Model for Ideal {
    type Config = IdealConfig;

    fn build(config: &IdealConfig) -> Result<Self, ConfigError> {
        Ok(Self { above: linear("capture_db", config.capture_db)? })
    }

    #[cfg(test)]
    fn samples() -> Vec<IdealConfig> {
        vec![IdealConfig::default(), IdealConfig { capture_db: 10.0 }]
    }
}
