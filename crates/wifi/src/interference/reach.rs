//! Stations that an interferer reaches.
//!
//! The table names the stations, or gives a position and a range, or gives a position and a power,
//! to which the cell's path loss applies. Without a power, the interferer destroys every frame it
//! overlaps; with a power, the SINR decides.

use airtcp_probe::ConfigError;
use airtcp_random::Seed;
use airtcp_units::{Dbm, Narrow};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::phy::propagation::{Position, Propagation, accept};

/// Powers accepted, in dBm.
const POWERS: (f64, f64) = (-150.0, 60.0);

/// Reach of an interferer.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ReachConfig {
    /// Nodes it reaches. Default: all.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub stations: Vec<String>,
    /// Position, `[x, y]` in metres. Needs `range_m` or `power_dbm`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub position: Option<Position>,
    /// Maximum distance of the stations it reaches from its position, in metres.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub range_m: Option<f64>,
    /// Received power within the channel at each station it reaches, in dBm. Without this and
    /// `power_dbm` it destroys every frame it overlaps.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub received_dbm: Option<f64>,
    /// Transmit power within the channel at its position, in dBm.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub power_dbm: Option<f64>,
}

/// Inputs of an interferer's construction beside its table.
#[derive(Debug, Clone, Copy)]
pub struct InterferenceContext<'a> {
    /// Names of the stations in the order of their numbers.
    pub stations: &'a [String],
    /// Positions of the stations.
    pub positions: &'a [Position],
    /// Propagation between positions.
    pub propagation: &'a Propagation,
    /// Energy detection threshold in mW.
    pub energy_detect_mw: f64,
    /// Number of the interferer, from 0.
    pub number: usize,
    /// Seed of its random draws.
    pub seed: Seed,
    /// Label of these draws.
    pub label: &'a str,
}

/// Effect of an interferer at each station.
#[derive(Debug, Clone, PartialEq)]
pub struct Reach {
    /// Power in mW by station; infinite where it destroys frames.
    power: Vec<f64>,
}

impl Reach {
    /// Power in mW at a station; 0 outside its reach, infinite where it destroys frames.
    #[inline]
    pub fn power_mw(&self, station: usize) -> f64 {
        self.power.get(station).copied().unwrap_or(0.0)
    }

    /// True if it destroys the frames that it overlaps at a station.
    #[inline]
    pub fn destroys(&self, station: usize) -> bool {
        self.power_mw(station) == f64::INFINITY
    }

    pub(crate) fn build(
        config: &ReachConfig,
        context: &InterferenceContext<'_>,
    ) -> Result<Self, ConfigError> {
        let named = members("reach.stations", &config.stations, context)?;
        let near = near(config, context)?;
        let power = received(config, context)?;
        let reaches = |i: usize| near[i] && (named.is_empty() || named.contains(&u32::narrow(i)));
        let at = |i: usize| if reaches(i) { power[i] } else { 0.0 };
        Ok(Self { power: (0..context.stations.len()).map(at).collect() })
    }
}

/// Numbers of the named stations.
pub(crate) fn members(
    key: &'static str,
    names: &[String],
    context: &InterferenceContext<'_>,
) -> Result<Vec<u32>, ConfigError> {
    let number = |name: &String| {
        let found = context.stations.iter().position(|n| n == name);
        found.map(u32::narrow).ok_or_else(|| {
            let known = context.stations.iter().take(8).map(String::as_str).collect::<Vec<_>>();
            let more = if context.stations.len() > known.len() { ", ..." } else { "" };
            let known = known.join(", ");
            ConfigError::new(key, format!("the cell has no node \"{name}\" (nodes: {known}{more})"))
        })
    };
    names.iter().map(number).collect()
}

fn near(config: &ReachConfig, context: &InterferenceContext<'_>) -> Result<Vec<bool>, ConfigError> {
    let Some(range) = config.range_m else { return Ok(vec![true; context.stations.len()]) };
    accept("reach.range_m", range, 0.0, 1e6, "m")?;
    let position = position(config, "reach.range_m")?;
    Ok(context.positions.iter().map(|p| p.distance_m(position) <= range).collect())
}

fn position(config: &ReachConfig, key: &'static str) -> Result<Position, ConfigError> {
    match config.position {
        Some(position) if position.is_finite() => Ok(position),
        Some(position) => {
            let text = format!("is {position}: expected finite numbers");
            Err(ConfigError::new("reach.position", text))
        }
        None => Err(ConfigError::new(key, "needs reach.position")),
    }
}

fn received(
    config: &ReachConfig,
    context: &InterferenceContext<'_>,
) -> Result<Vec<f64>, ConfigError> {
    let n = context.stations.len();
    match (config.received_dbm, config.power_dbm) {
        (Some(_), Some(_)) => {
            let text = "excludes power_dbm: give one of the two";
            Err(ConfigError::new("reach.received_dbm", text))
        }
        (Some(dbm), None) => {
            accept("reach.received_dbm", dbm, POWERS.0, POWERS.1, "dBm")?;
            Ok(vec![Dbm(dbm).milliwatts(); n])
        }
        (None, Some(dbm)) => {
            accept("reach.power_dbm", dbm, POWERS.0, POWERS.1, "dBm")?;
            let from = position(config, "reach.power_dbm")?;
            if context.propagation.loss_at(1.0).is_none() {
                let text = "needs a path loss that depends on distance: use received_dbm instead";
                return Err(ConfigError::new("reach.power_dbm", text));
            }
            // A number that no station has, so that its shadowing is independent.
            let number = n + context.number;
            let at = |(i, to): (usize, &Position)| {
                Dbm(dbm - context.propagation.loss_db(number, from, i, *to)).milliwatts()
            };
            Ok(context.positions.iter().enumerate().map(at).collect())
        }
        (None, None) => {
            if config.position.is_some() && config.range_m.is_none() {
                let text = "has no effect without range_m or power_dbm";
                return Err(ConfigError::new("reach.position", text));
            }
            Ok(vec![f64::INFINITY; n])
        }
    }
}
