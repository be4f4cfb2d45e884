//! Access parameters of single stations, and a controller that adjusts their AIFSN.
//!
//! ```text
//! share(i) = data frames received from station i in an interval / those from all stations
//! AIFSN(i) + 1  if share(i) > (1 + tolerance) / n      AIFSN(i) - 1  if share(i) < (1 - tolerance) / n
//! ```
//! `n` counts the stations that sent data in the interval. The AIFSN stays between `aifsn_min` and
//! `aifsn_max`, and a new one holds from the station's next back-off. S3 names the idea (its reference
//! 37) but no controller: the rule above is a choice. Leaves out: how stations learn their parameters
//! (in a real cell, from beacons). Sources: S3 section 4.6; IEEE 802.11-2012 clause 9.19.2.

use airtcp_probe::ConfigError;
use airtcp_units::{Nanos, Span};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Family, Seams};
use crate::mac::Category;

/// Access parameters of one station, where they are not those of the cell.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PerStation {
    /// Name of its node.
    pub station: String,
    /// Slots of the inter-frame space, 1 to 15.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub aifsn: Option<u32>,
    /// Least contention window, one less than a power of 2.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cw_min: Option<u32>,
    /// Greatest contention window, one less than a power of 2.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cw_max: Option<u32>,
    /// Limit of a transmission opportunity; 0 for one frame exchange.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub txop_limit: Option<Span>,
    /// Attempts (not retries) of a frame without RTS, and of an RTS, 1 to 255.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attempts: Option<u32>,
}

/// A controller that gives stations with less throughput a shorter inter-frame space.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ControllerConfig {
    /// Time between adjustments, at least 1 ms.
    pub interval: Span,
    /// Least AIFSN, 1 to 15.
    pub aifsn_min: u32,
    /// Greatest AIFSN, 1 to 15.
    pub aifsn_max: u32,
    /// Relative difference from an equal share that causes no adjustment, 0 to 1.
    pub tolerance: f64,
}

impl Default for ControllerConfig {
    fn default() -> Self {
        Self { interval: Span::from_secs(1), aifsn_min: 2, aifsn_max: 10, tolerance: 0.1 }
    }
}

/// Keys of `per-station`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct PerStationConfig {
    /// Category to which the parameters apply, in a cell with EDCA.
    pub category: Category,
    /// Stations with parameters of their own.
    pub stations: Vec<PerStation>,
    /// Adjusts the AIFSN of all stations. Default: none; `{}` is one with the default keys.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub controller: Option<ControllerConfig>,
}

/// Parameters of single stations, in a cell.
#[derive(Debug)]
pub struct PerStationScheme;

impl ControllerConfig {
    fn check(&self) -> Result<(), ConfigError> {
        let wrong = |key, message| Err(ConfigError::new(key, message));
        if self.interval < Span::from_millis(1) {
            let message = format!("is {}: accepted are 1 ms or more", self.interval);
            return wrong("controller.interval", message);
        }
        let range = 1..=15;
        if !range.contains(&self.aifsn_min) {
            let message = format!("is {}: accepted are 1 to 15", self.aifsn_min);
            return wrong("controller.aifsn_min", message);
        }
        if !(self.aifsn_min..=15).contains(&self.aifsn_max) {
            let message = format!("is {}: accepted are {} to 15", self.aifsn_max, self.aifsn_min);
            return wrong("controller.aifsn_max", message);
        }
        if !(0.0..=1.0).contains(&self.tolerance) {
            let message = format!("is {}: accepted are 0 to 1", self.tolerance);
            return wrong("controller.tolerance", message);
        }
        Ok(())
    }
}

impl Family for PerStationScheme {
    type Config = PerStationConfig;

    fn build(config: &PerStationConfig, seams: &mut Seams) -> Result<Self, ConfigError> {
        if config.stations.is_empty() && config.controller.is_none() {
            let message = "is empty: give stations with their parameters, or a controller";
            return Err(ConfigError::new("stations", message));
        }
        for own in &config.stations {
            let station = seams.station(&own.station)?;
            let params = seams.params(station, config.category)?;
            params.aifsn = own.aifsn.unwrap_or(params.aifsn);
            params.cw_min = own.cw_min.unwrap_or(params.cw_min);
            params.cw_max = own.cw_max.unwrap_or(params.cw_max);
            params.txop = own.txop_limit.unwrap_or(params.txop);
            let checked = *params;
            checked.check(&own.station).map_err(|e| ConfigError::new("stations", e.message))?;
            if let Some(attempts) = own.attempts {
                if !(1..=255).contains(&attempts) {
                    let message = format!("is {attempts}: accepted are 1 to 255");
                    return Err(ConfigError::new("attempts", message));
                }
                seams.stations[station].exchange.attempts = Some(attempts);
            }
        }
        if let Some(controller) = config.controller {
            controller.check()?;
            seams.own(0, "what adjusts the AIFSN of stations")?;
            let category = seams.place_of(config.category);
            let start = seams.stations.iter().skip(1).map(|s| s.access[category].aifsn);
            let start = start.collect();
            seams.controllers.push(AifsController::new(controller, category, start));
            for station in seams.stations.iter_mut().skip(1) {
                station.exchange.adjusts_ifs = true;
            }
        }
        Ok(Self)
    }

    #[cfg(test)]
    fn samples() -> Vec<PerStationConfig> {
        let station = PerStation {
            station: "sta1".into(),
            aifsn: Some(2),
            cw_min: Some(7),
            cw_max: Some(31),
            txop_limit: Some(Span::from_millis(1)),
            attempts: Some(9),
        };
        let usual = PerStationConfig::default();
        let controller = Some(ControllerConfig::default());
        vec![
            PerStationConfig { stations: vec![station], ..usual.clone() },
            PerStationConfig { controller, ..usual },
        ]
    }
}

/// The controller of a cell, with its state.
#[derive(Debug, Clone, PartialEq)]
pub struct AifsController {
    config: ControllerConfig,
    /// Category that it adjusts.
    pub(crate) category: usize,
    /// AIFSN of each station, without the access point.
    aifsn: Vec<u32>,
    /// Data frames received from each station up to the last adjustment.
    received_before: Vec<u64>,
    /// Time of the next adjustment.
    pub(crate) next: Nanos,
}

impl AifsController {
    fn new(config: ControllerConfig, category: usize, aifsn: Vec<u32>) -> Self {
        let received_before = vec![0; aifsn.len()];
        Self { config, category, aifsn, received_before, next: Nanos::ZERO + config.interval }
    }

    /// AIFSN of a station, numbered from 0 without the access point.
    pub(crate) fn aifsn(&self, station: usize) -> Option<u32> {
        self.aifsn.get(station).copied()
    }

    /// Adjusts the AIFSN by the data frames `received` from each station since the start.
    pub(crate) fn adjust(&mut self, received: &[u64]) {
        self.next += self.config.interval;
        let counts: Vec<u64> =
            received.iter().zip(&self.received_before).map(|(now, before)| now - before).collect();
        self.received_before = received.to_vec();
        let active = counts.iter().filter(|frames| **frames > 0).count() as f64;
        let all = counts.iter().sum::<u64>() as f64;
        for (aifsn, frames) in self.aifsn.iter_mut().zip(counts).filter(|(_, frames)| *frames > 0) {
            // 1 is an equal share.
            let relative_share = frames as f64 * active / all;
            if relative_share > 1.0 + self.config.tolerance {
                *aifsn = (*aifsn + 1).min(self.config.aifsn_max);
            } else if relative_share < 1.0 - self.config.tolerance {
                *aifsn = aifsn.saturating_sub(1).max(self.config.aifsn_min);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_station_with_less_gets_a_shorter_space() {
        let mut controller = AifsController::new(ControllerConfig::default(), 0, vec![3, 3, 3]);
        controller.adjust(&[100, 100, 20]);
        assert_eq!(controller.aifsn, [4, 4, 2]);
        // The least AIFSN holds, and a station that sends nothing is left alone.
        controller.adjust(&[200, 100, 30]);
        assert_eq!(controller.aifsn, [5, 4, 2]);
        assert_eq!(controller.next, Nanos::ZERO + Span::from_secs(3));
    }

    #[test]
    fn equal_shares_change_nothing() {
        let mut controller = AifsController::new(ControllerConfig::default(), 0, vec![5, 7]);
        controller.adjust(&[1000, 1050]);
        assert_eq!(controller.aifsn, [5, 7]);
    }
}
