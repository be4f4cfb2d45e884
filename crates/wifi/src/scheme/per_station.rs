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
use airtcp_units::Span;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{AifsController, ControllerConfig, Family, Seams};
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

impl PerStation {
    /// Sets the parameters.
    fn set(&self, category: Category, seams: &mut Seams) -> Result<(), ConfigError> {
        let station = seams.station(&self.station)?;
        let Self { aifsn, cw_min, cw_max, txop_limit, attempts, .. } = *self;
        if (aifsn, cw_min, cw_max, txop_limit, attempts) == (None, None, None, None, None) {
            let message = format!(
                "names \"{}\" without a parameter, so that nothing differs: give aifsn, cw_min, cw_max, \
                 txop_limit or attempts, or leave the station out",
                self.station
            );
            return Err(ConfigError::new("", message));
        }
        let params = seams.params(station, category)?;
        params.aifsn = aifsn.unwrap_or(params.aifsn);
        params.cw_min = cw_min.unwrap_or(params.cw_min);
        params.cw_max = cw_max.unwrap_or(params.cw_max);
        params.txop = txop_limit.unwrap_or(params.txop);
        let checked = *params;
        checked.check(&self.station)?;
        if let Some(attempts) = attempts {
            if !(1..=255).contains(&attempts) {
                let message = format!("is {attempts}: expected 1 to 255");
                return Err(ConfigError::new("attempts", message));
            }
            seams.stations[station].exchange.attempts = Some(attempts);
        }
        Ok(())
    }
}

/// Parameters of single stations, in a cell.
#[derive(Debug)]
pub struct PerStationScheme;

impl Family for PerStationScheme {
    type Config = PerStationConfig;

    fn build(config: &PerStationConfig, seams: &mut Seams) -> Result<Self, ConfigError> {
        if config.stations.is_empty() && config.controller.is_none() {
            let message = "is empty: give stations with their parameters, or a controller";
            return Err(ConfigError::new("stations", message));
        }
        for (place, own) in config.stations.iter().enumerate() {
            let table = || format!("stations[{place}]");
            own.set(config.category, seams).map_err(|e| match e.key {
                // The conflict of two schemes is that of the whole entry.
                "scheme" => e,
                _ => e.in_table(table()),
            })?;
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
