//! ARF: auto rate fallback.
//!
//! ```text
//! down one step after `failures` consecutive failures
//! up one step after `successes` consecutive successes, or at the first success once `timer`
//!   attempts have passed since the last decision to step down or up
//! the first attempt after a step up is a probe: if it fails, down at once
//! ```
//! Source: Kamerman and Monteban, *WaveLAN-II*, Bell Labs Technical Journal 2(3), 1997. The timer
//! counts attempts, as in ns-3. Two rules differ from ns-3. After a failed probe the failures count
//! from 0; ns-3 needs a success before the next step down. The timer expires at `timer` attempts or
//! more; ns-3 requires equality, and misses a timer that expires on a failure.

use airtcp_probe::ConfigError;

use super::climb::{Climber, Climbing, Thresholds};
use crate::rate::{Control, ControlInputs, positive};

/// ARF.
#[derive(
    Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize, schemars::JsonSchema,
)]
#[serde(deny_unknown_fields, default)]
pub struct ArfConfig {
    /// Consecutive failures that lower the rate.
    pub failures: u32,
    /// Consecutive successes that raise the rate.
    pub successes: u32,
    /// Attempts at one rate after which the next success raises the rate.
    pub timer: u32,
}

impl Default for ArfConfig {
    fn default() -> Self {
        Self { failures: 2, successes: 10, timer: 15 }
    }
}

/// ARF.
pub type Arf = Climber<ArfConfig>;

impl Climbing for ArfConfig {}

impl Control for Arf {
    type Config = ArfConfig;

    fn build(config: &ArfConfig, inputs: &ControlInputs<'_>) -> Result<Self, ConfigError> {
        positive("failures", config.failures)?;
        positive("successes", config.successes)?;
        positive("timer", config.timer)?;
        let ArfConfig { failures, successes, timer } = *config;
        let thresholds = Thresholds { failures, successes, timer: Some(timer), probes: true };
        Ok(Self::new(config.clone(), inputs, inputs.start.unwrap_or(0), thresholds))
    }

    #[cfg(test)]
    fn samples() -> Vec<ArfConfig> {
        vec![ArfConfig::default(), ArfConfig { failures: 1, successes: 3, timer: 4 }]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rate::RateConfig;
    use crate::rate::conformance::script;

    #[test]
    fn scripted() {
        script(
            &RateConfig::Arf(ArfConfig::default()),
            &[
                // Ten in a row: up; the probe fails: back; two failures at the bottom stay there.
                ("..........", &[0; 10]),
                ("xxx", &[1, 0, 0]),
                ("..........", &[0; 10]),
                // The probe succeeds; then two consecutive failures lower the rate.
                (".x.xx", &[1, 1, 1, 1, 1]),
                ("..........", &[0; 10]),
                // 14 attempts without ten consecutive successes, and the fifteenth succeeds: up.
                (".........x....", &[1; 14]),
                (".", &[1]),
                ("x", &[2]),
                // The timer expires on a failure: the next success raises the rate.
                (".......x......x.", &[1; 16]),
                (".", &[2]),
            ],
        );
    }
}
