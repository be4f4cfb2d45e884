//! Configuration of multi-user operation (OFDMA) of 802.11ax.
//!
//! Source: IEEE 802.11ax-2021 clauses 26.5 (multi-user operation) and 26.2.7 (MU EDCA).

use airtcp_probe::ConfigError;
use airtcp_units::Span;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Order in which the access point serves stations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum MuScheduler {
    /// First the stations that were served longest ago.
    #[default]
    RoundRobin,
    /// First the stations with the highest ratio of the expected rate to the mean throughput (proportional fair).
    Proportional,
}

/// Access parameters of stations that the access point triggers (MU EDCA).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct MuEdcaConfig {
    /// Slots of the inter-frame space: 2 to 15, or 0 for no contention at all. Default: 0.
    pub aifsn: u32,
    /// Minimum contention window, one less than a power of 2. Default: 15.
    pub cw_min: u32,
    /// Maximum contention window, one less than a power of 2. Default: 1023.
    pub cw_max: u32,
    /// Time after a triggered transmission in which the parameters hold, in multiples of 8.192 ms (8 TU) up to
    /// 255 of them. Default: 8.192 ms.
    pub timer: Span,
}

/// Unit of the MU EDCA timer: 8 TU of 1024 us.
const TIMER_UNIT: Span = Span::from_micros(8 * 1_024);

impl Default for MuEdcaConfig {
    fn default() -> Self {
        Self { aifsn: 0, cw_min: 15, cw_max: 1023, timer: TIMER_UNIT }
    }
}

/// Multi-user operation (OFDMA): one transmission opportunity serves several stations, each in its resource unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct OfdmaConfig {
    /// The access point sends HE MU PPDUs. Default: true.
    pub downlink: bool,
    /// The access point triggers the stations. Default: true.
    pub uplink: bool,
    /// Order in which the access point serves stations.
    pub scheduler: MuScheduler,
    /// Maximum number of stations in one PPDU or trigger frame, 2 to 74. Default: 8.
    pub max_stations: u32,
    /// Access parameters of triggered stations. Default: those of `edca`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mu_edca: Option<MuEdcaConfig>,
}

impl Default for OfdmaConfig {
    fn default() -> Self {
        Self {
            downlink: true,
            uplink: true,
            scheduler: MuScheduler::default(),
            max_stations: 8,
            mu_edca: None,
        }
    }
}

impl OfdmaConfig {
    /// Checks the values that do not depend on the rest of the cell.
    ///
    /// # Errors
    /// The first key that is impossible or has no effect.
    pub(in crate::mac) fn validate(&self) -> Result<(), ConfigError> {
        if !(self.downlink || self.uplink) {
            let message =
                "has neither downlink nor uplink: omit the table, or set one of them to true";
            return Err(ConfigError::new("ofdma", message));
        }
        if !(2..=74).contains(&self.max_stations) {
            let message = format!("is {}: expected 2 to 74", self.max_stations);
            return Err(ConfigError::new("ofdma.max_stations", message));
        }
        let Some(edca) = &self.mu_edca else { return Ok(()) };
        if !self.uplink {
            let message = "needs ofdma.uplink, because it holds for triggered stations: omit it, or set \
                           ofdma.uplink = true";
            return Err(ConfigError::new("ofdma.mu_edca", message));
        }
        edca.validate()
    }
}

impl MuEdcaConfig {
    fn validate(&self) -> Result<(), ConfigError> {
        if self.aifsn == 1 || self.aifsn > 15 {
            let message = format!("is {}: expected 0 and 2 to 15", self.aifsn);
            return Err(ConfigError::new("ofdma.mu_edca.aifsn", message));
        }
        for (key, cw) in
            [("ofdma.mu_edca.cw_min", self.cw_min), ("ofdma.mu_edca.cw_max", self.cw_max)]
        {
            if !(cw < 32_768 && (cw + 1).is_power_of_two()) {
                let message = format!("is {cw}: one less than a power of 2, up to 32767");
                return Err(ConfigError::new(key, message));
            }
        }
        if self.cw_min > self.cw_max {
            let message = format!("is {}, above cw_max = {}", self.cw_min, self.cw_max);
            return Err(ConfigError::new("ofdma.mu_edca.cw_min", message));
        }
        let units = self.timer.0 / TIMER_UNIT.0;
        if !self.timer.0.is_multiple_of(TIMER_UNIT.0) || !(1..=255).contains(&units) {
            let nearest = Span(TIMER_UNIT.0 * units.clamp(1, 255));
            let message = format!(
                "is {}: expected multiples of {TIMER_UNIT} up to 255 of them, such as {nearest}",
                self.timer
            );
            return Err(ConfigError::new("ofdma.mu_edca.timer", message));
        }
        Ok(())
    }
}
