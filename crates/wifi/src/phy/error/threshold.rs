//! Thresholds: a chunk of a frame is received if its SINR reaches a threshold.
//!
//! `threshold` has one threshold per rate or scheme. For OFDM (HT, VHT and HE included) it is the standard's minimum
//! sensitivity over the noise that the standard assumes (10 dB noise figure, 5 dB implementation margin, -101 dBm
//! thermal noise over 20 MHz): `sensitivity + 86 dB`, the same for any width. For DSSS and CCK it is ns-2's capture
//! threshold, 10 dB.
//!
//! `ideal` has one threshold for all rates, 0 dB, which the SINR must exceed: a chunk is received if
//! it is stronger than noise and interference together. If receivers detect only frames well above
//! the noise, noise destroys no frame. Of overlapping frames the strongest is received if it is
//! stronger than all others together; two frames of equal power are both lost.
//!
//! Source: IEEE 802.11-2012 table 18-14 and clause 18.3.10.2; ns-2 `CPThresh_`.

use airtcp_probe::ConfigError;
use airtcp_units::{BitRate, Db};

use super::rows::{BySchemes, Row, RowKeys};
use super::{BitLaw, Model};
use crate::phy::{Mode, PerMode, Width};

/// Noise that these values assume, in dBm: thermal, noise figure and implementation margin.
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
    /// Threshold of all rates in dB. Default: each rate's own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sinr_db: Option<f64>,
    /// Thresholds of some rates or schemes, which override `sinr_db`.
    pub rates: Vec<ModeThreshold>,
}

/// The threshold of one rate, or of schemes of 802.11n, ac and ax.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ModeThreshold {
    /// The rate of 802.11a, b or g, for instance "54 Mb/s".
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate: Option<BitRate>,
    /// In place of `rate`: index of the modulation and coding scheme of 802.11n, ac and ax, 0 to 11 for each number of
    /// streams.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mcs: Option<u8>,
    /// Number of streams of the scheme. The threshold is then for the SINR of the frame. Default: any number; the
    /// threshold is then for the SINR of one stream.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub streams: Option<u8>,
    /// Width of the scheme. Default: any width.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub width: Option<Width>,
    /// Minimum SINR in dB.
    pub sinr_db: f64,
}

/// The table of the ideal receiver.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct IdealConfig {
    /// Ratio in dB by which a frame must exceed noise and interference.
    pub capture_db: f64,
}

impl Default for IdealConfig {
    fn default() -> Self {
        Self { capture_db: 0.0 }
    }
}

/// One threshold per rate.
#[derive(Debug, Clone)]
pub struct Threshold {
    least: PerMode<f64>,
    /// Threshold of all schemes of HT, VHT and HE, if there is one.
    schemes: Option<f64>,
    /// Thresholds of some schemes.
    rows: BySchemes<f64>,
}

/// One threshold for all rates.
#[derive(Debug, Clone, Copy)]
pub struct Ideal {
    above: f64,
}

fn linear(key: &'static str, db: f64) -> Result<f64, ConfigError> {
    if ACCEPTED.contains(&db) {
        return Ok(Db(db).linear());
    }
    let (low, high) = (ACCEPTED.start(), ACCEPTED.end());
    Err(ConfigError::new(key, format!("is {db} dB: expected {low} to {high} dB")))
}

const fn step(survives: bool) -> f64 {
    if survives { 0.0 } else { f64::NEG_INFINITY }
}

impl BitLaw for Threshold {
    #[inline]
    fn ln_bit_success(&self, mode: Mode, sinr: f64) -> f64 {
        if mode.is_mcs() {
            if let Some(least) = self.rows.get(mode) {
                return step(sinr >= *least);
            }
            let own =
                mode.sensitivity_20_mhz_dbm().map_or(DSSS_THRESHOLD, |dbm| dbm - ASSUMED_NOISE);
            return step(sinr >= self.schemes.unwrap_or_else(|| Db(own).linear()));
        }
        step(sinr >= self.least.get(mode))
    }

    fn is_of_frame(&self, mode: Mode) -> bool {
        self.rows.names_streams(mode)
    }
}

impl Model for Threshold {
    type Config = ThresholdConfig;

    fn build(config: &ThresholdConfig) -> Result<Self, ConfigError> {
        let mut least = PerMode::all(Db(DSSS_THRESHOLD).linear());
        for mode in Mode::OFDM {
            if let Some(sensitivity) = mode.sensitivity_20_mhz_dbm() {
                *least.get_mut(mode) = Db(sensitivity - ASSUMED_NOISE).linear();
            }
        }
        let schemes = config.sinr_db.map(|db| linear("sinr_db", db)).transpose()?;
        if let Some(all) = schemes {
            least = PerMode::all(all);
        }
        let mut rows = BySchemes::new();
        for (number, row) in config.rates.iter().enumerate() {
            let ModeThreshold { rate, mcs, streams, width, sinr_db } = row;
            let here = |e: ConfigError| e.in_table(format!("rates[{number}]"));
            let keys = RowKeys { rate: *rate, mcs: *mcs, streams: *streams, width: *width };
            let row = keys.row().map_err(here)?;
            let value = linear("sinr_db", *sinr_db).map_err(here)?;
            match row {
                Row::Rate(mode) => *least.get_mut(mode) = value,
                Row::Schemes(of) if rows.add(of, value) => {}
                Row::Schemes(_) => {
                    let text = format!("is the second row for {row}: accepted is one");
                    return Err(here(ConfigError::new("", text)));
                }
            }
        }
        Ok(Self { least, schemes, rows })
    }

    #[cfg(test)]
    fn samples() -> Vec<ThresholdConfig> {
        let old = ModeThreshold {
            rate: Some(BitRate::from_mbps(11)),
            mcs: None,
            streams: None,
            width: None,
            sinr_db: 3.0,
        };
        let new = ModeThreshold { rate: None, mcs: Some(4), streams: Some(3), ..old.clone() };
        let rates = vec![old, new];
        vec![ThresholdConfig::default(), ThresholdConfig { sinr_db: Some(10.0), rates }]
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
