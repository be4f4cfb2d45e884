//! Noise of the receiver, and injected noise.
//!
//! ```text
//! floor    = k T B F                         T = 290 K, B: the channel, F: noise figure
//! injected = 10^((level - coupling) / 10) mW on top
//! ```
//!
//! Thermal noise over 20 MHz is -101 dBm. S3's -99 dBm is a noise figure of 2 dB; the default is ns-3's
//! 7 dB.
//!
//! S2 injects noise of -40 to -25 dBm at the combiner before the antenna, and does not state the level
//! at the receiver. The model assumes a fixed coupling loss (a choice) by which -40 dBm arrives at the
//! level of the floor, which then rises by 3 dB. A table of measured floors by injected level, linear
//! in dB between its rows, can replace the coupling loss. The injected level can change over time, in
//! steps. Source: S2 section VI.

use airtcp_probe::ConfigError;
use airtcp_units::{Dbm, Nanos, Span, detmath};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::propagation::accept;

/// Boltzmann's constant in joules per kelvin.
const BOLTZMANN: f64 = 1.380_649e-23;
/// Reference temperature of noise figures, in kelvin.
const TEMPERATURE_K: f64 = 290.0;
/// Default noise figure in dB (ns-3's).
const FIGURE_DB: f64 = 7.0;
/// Injected level that arrives at the level of the floor with the default coupling, in dBm.
const EQUAL_DBM: f64 = -40.0;
/// Levels accepted, in dBm.
const LEVELS: (f64, f64) = (-200.0, 60.0);

/// The table `noise` of a cell.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct NoiseConfig {
    /// Noise figure of receivers in dB.
    pub figure_db: f64,
    /// Noise floor in dBm, for instance -99 (S3). Default: computed from the noise figure.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub floor_dbm: Option<f64>,
    /// Level of injected noise in dBm. Default: none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub injected_dbm: Option<f64>,
    /// Changes of the injected noise, in order of time. Before the first one, `injected_dbm` applies.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<NoiseStep>,
    /// Loss of injected noise on its way to the receiver in dB. Default: the loss by which -40 dBm
    /// arrives at the level of the floor.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub coupling_db: Option<f64>,
    /// Noise floor at each injected level, levels rising, in place of a coupling.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub table: Vec<InjectedFloor>,
}

/// A change of the injected noise.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NoiseStep {
    /// Time of the change, from the start of the run.
    pub at: Span,
    /// Level of injected noise from then on, in dBm. Default: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub injected_dbm: Option<f64>,
}

/// Noise floor at an injected level.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct InjectedFloor {
    /// Level of injected noise in dBm.
    pub injected_dbm: f64,
    /// Noise floor in dBm.
    pub floor_dbm: f64,
}

impl Default for NoiseConfig {
    fn default() -> Self {
        Self {
            figure_db: FIGURE_DB,
            floor_dbm: None,
            injected_dbm: None,
            steps: Vec::new(),
            coupling_db: None,
            table: Vec::new(),
        }
    }
}

/// The noise of receivers.
#[derive(Debug, Clone)]
pub struct Noise {
    base_mw: f64,
    coupling_db: f64,
    table: Vec<InjectedFloor>,
    floor_mw: f64,
    steps: Vec<(Nanos, f64)>,
}

/// Thermal noise over a bandwidth in Hz.
pub fn thermal(bandwidth_hz: f64) -> Dbm {
    Dbm(10.0 * detmath::log10(1e3 * BOLTZMANN * TEMPERATURE_K * bandwidth_hz))
}

impl Noise {
    /// The noise of a scenario, over a bandwidth.
    ///
    /// # Errors
    /// If a value is impossible, or an injected level lies outside the table.
    pub fn new(config: &NoiseConfig, bandwidth_hz: f64) -> Result<Self, ConfigError> {
        let figure = accept("figure_db", config.figure_db, 0.0, 60.0, "dB")?;
        let base = match config.floor_dbm {
            Some(dbm) => accept("floor_dbm", dbm, LEVELS.0, LEVELS.1, "dBm")?,
            None => thermal(bandwidth_hz).0 + figure,
        };
        let coupling_db = match config.coupling_db {
            Some(db) => accept("coupling_db", db, 0.0, 200.0, "dB")?,
            None => EQUAL_DBM - base,
        };
        if config.coupling_db.is_some() && !config.table.is_empty() {
            let text = "excludes table: give one of the two";
            return Err(ConfigError::new("coupling_db", text));
        }
        for row in &config.table {
            accept("injected_dbm", row.injected_dbm, LEVELS.0, LEVELS.1, "dBm")?;
            accept("floor_dbm", row.floor_dbm, LEVELS.0, LEVELS.1, "dBm")?;
        }
        if !config.table.windows(2).all(|w| w[0].injected_dbm < w[1].injected_dbm) {
            return Err(ConfigError::new("table", "has levels out of order: expected rising ones"));
        }
        let base_mw = Dbm(base).milliwatts();
        let table = config.table.clone();
        let mut noise = Self { base_mw, coupling_db, table, floor_mw: base_mw, steps: Vec::new() };
        if let Some(level) = config.injected_dbm {
            noise.floor_mw = noise.injected_mw(level)?;
        }
        if !config.steps.windows(2).all(|w| w[0].at < w[1].at) {
            return Err(ConfigError::new("steps", "has times out of order: expected rising ones"));
        }
        for step in &config.steps {
            let floor = step.injected_dbm.map_or(Ok(base_mw), |level| noise.injected_mw(level))?;
            noise.steps.push((Nanos::ZERO + step.at, floor));
        }
        Ok(noise)
    }

    /// The noise floor in mW until the first step, injected noise included.
    #[inline]
    pub const fn floor_mw(&self) -> f64 {
        self.floor_mw
    }

    /// The changes of the noise floor: time, and the new floor in mW.
    pub fn steps(&self) -> &[(Nanos, f64)] {
        &self.steps
    }

    /// The noise floor in mW without injected noise.
    pub const fn base_mw(&self) -> f64 {
        self.base_mw
    }

    /// The noise floor in mW with injected noise of a level in dBm.
    ///
    /// # Errors
    /// If the level is impossible or outside the table.
    pub fn injected_mw(&self, level_dbm: f64) -> Result<f64, ConfigError> {
        accept("injected_dbm", level_dbm, LEVELS.0, LEVELS.1, "dBm")?;
        let (Some(first), Some(last)) = (self.table.first(), self.table.last()) else {
            return Ok(self.base_mw + Dbm(level_dbm - self.coupling_db).milliwatts());
        };
        accept("injected_dbm", level_dbm, first.injected_dbm, last.injected_dbm, "dBm")?;
        let after = self.table.partition_point(|row| row.injected_dbm <= level_dbm);
        let below = self.table[after - 1];
        let Some(above) = self.table.get(after) else {
            return Ok(Dbm(below.floor_dbm).milliwatts());
        };
        let way = (level_dbm - below.injected_dbm) / (above.injected_dbm - below.injected_dbm);
        Ok(Dbm(below.floor_dbm + way * (above.floor_dbm - below.floor_dbm)).milliwatts())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn noise(text: &str) -> Result<Noise, ConfigError> {
        Noise::new(&toml::from_str(text).unwrap(), 20e6)
    }

    fn dbm(mw: f64) -> f64 {
        10.0 * detmath::log10(mw)
    }

    #[test]
    fn floors() {
        assert!((thermal(20e6).0 - -100.965).abs() < 0.001);
        assert!((dbm(noise("").unwrap().floor_mw()) - -93.965).abs() < 0.001);
        assert!((dbm(noise("figure_db = 2").unwrap().floor_mw()) - -98.965).abs() < 0.001);
        assert!((dbm(noise("floor_dbm = -99").unwrap().base_mw()) - -99.0).abs() < 1e-9);
        let b = Noise::new(&NoiseConfig::default(), 22e6).unwrap();
        assert!((b.floor_mw() / noise("").unwrap().floor_mw() - 1.1).abs() < 1e-9);
    }

    /// -40 dBm doubles any floor; 10 dB more adds ten times as much.
    #[test]
    fn injected_noise() {
        for text in ["", "floor_dbm = -99", "figure_db = 0"] {
            let noise = noise(text).unwrap();
            let more = |level| noise.injected_mw(level).unwrap() / noise.base_mw();
            assert!((more(-40.0) - 2.0).abs() < 1e-9);
            assert!((more(-30.0) - 11.0).abs() < 1e-9);
            assert!((more(-200.0) - 1.0).abs() < 1e-9);
        }
        let steady = noise("floor_dbm = -90\ncoupling_db = 60\ninjected_dbm = -25").unwrap();
        assert!((dbm(steady.floor_mw() - steady.base_mw()) - -85.0).abs() < 1e-9);
    }

    #[test]
    fn steps() {
        let text = "floor_dbm = -90\ninjected_dbm = -30\nsteps = [{ at = \"1 s\" },\n\
                    { at = \"2 s\", injected_dbm = -40 }]";
        let noise = noise(text).unwrap();
        let more = |mw: f64| mw / noise.base_mw();
        assert!((more(noise.floor_mw()) - 11.0).abs() < 1e-9);
        let [(first, quiet), (second, doubled)] = noise.steps() else { panic!() };
        assert_eq!((*first, *second), (Nanos(1_000_000_000), Nanos(2_000_000_000)));
        assert!((more(*quiet) - 1.0).abs() < 1e-9 && (more(*doubled) - 2.0).abs() < 1e-9);
    }

    #[test]
    fn a_table_is_read_in_db() {
        let table = "table = [{ injected_dbm = -40, floor_dbm = -90 },\n\
                     { injected_dbm = -30, floor_dbm = -84 }, { injected_dbm = -25, floor_dbm = -80 }]";
        let read = noise(table).unwrap();
        for (level, floor) in [(-40.0, -90.0), (-35.0, -87.0), (-30.0, -84.0), (-25.0, -80.0)] {
            assert!((dbm(read.injected_mw(level).unwrap()) - floor).abs() < 1e-9, "{level}");
        }
        let error = noise(&format!("injected_dbm = -41\n{table}")).unwrap_err();
        assert_eq!(error.to_string(), "injected_dbm: is -41 dBm: expected -40 to -25 dBm");
    }

    #[test]
    fn bad_input_is_named() {
        let refuse = |text: &str| noise(text).unwrap_err().key;
        assert_eq!(refuse("figure_db = -1"), "figure_db");
        assert_eq!(refuse("floor_dbm = nan"), "floor_dbm");
        assert_eq!(refuse("coupling_db = -3"), "coupling_db");
        let two = "table = [{ injected_dbm = -40, floor_dbm = -90 }, { injected_dbm = -40, floor_dbm = -80 }]";
        assert_eq!(refuse(two), "table");
        assert_eq!(refuse("steps = [{ at = \"1 s\" }, { at = \"1 s\" }]"), "steps");
        assert_eq!(refuse(&format!("coupling_db = 3\n{two}")), "coupling_db");
    }
}
