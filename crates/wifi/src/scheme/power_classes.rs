//! Two classes of transmit power, so that the receiver captures frames of the stronger class.
//!
//! ```text
//! P(capture) = P(S_high / S_low > z) = 1 / (1 + z / g)      Rayleigh fading of both, mean ratio g
//! ```
//! Stations of the high class transmit with `gain_db` more than the cell's power. If two frames
//! overlap, the receiver decodes the stronger one where capture and the frame error model allow it.
//! With Rayleigh fading, frames of the low class are also captured at times. S3 reports that a
//! difference of 10 mW changed the throughput by more than a factor of 3. S3 states no ratio of
//! powers; 10 dB is a choice. Source: S3 section 4.6 (its reference 27).

use airtcp_probe::ConfigError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Family, Seams};

/// Keys of `power-classes`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct PowerClassesConfig {
    /// Stations of the high class. Default: every second one, beginning with the first.
    pub high: Vec<String>,
    /// Power of the high class relative to that of the cell in dB, 0 to 40.
    pub gain_db: f64,
}

impl Default for PowerClassesConfig {
    fn default() -> Self {
        Self { high: Vec::new(), gain_db: 10.0 }
    }
}

/// Power classes in a cell.
#[derive(Debug)]
pub struct PowerClasses;

impl Family for PowerClasses {
    type Config = PowerClassesConfig;

    fn build(config: &PowerClassesConfig, seams: &mut Seams) -> Result<Self, ConfigError> {
        if !(0.0..=40.0).contains(&config.gain_db) {
            let message = format!("is {}: expected 0 to 40 dB", config.gain_db);
            return Err(ConfigError::new("gain_db", message));
        }
        let named = config.high.iter().map(|name| seams.station(name));
        let mut high = named
            .collect::<Result<Vec<_>, _>>()
            .map_err(|e| ConfigError::new("high", e.message))?;
        if high.is_empty() {
            high = (1..seams.stations.len()).step_by(2).collect();
        }
        high.sort_unstable();
        high.dedup();
        for station in high {
            seams.own(station, "the transmit power")?;
            seams.stations[station].power_gain_db = config.gain_db;
        }
        Ok(Self)
    }

    #[cfg(test)]
    fn samples() -> Vec<PowerClassesConfig> {
        let usual = PowerClassesConfig::default();
        vec![
            usual.clone(),
            PowerClassesConfig { high: vec!["sta0".into(), "sta2".into()], gain_db: 3.0 },
            PowerClassesConfig { gain_db: 0.0, ..usual },
        ]
    }
}
