//! AARF: ARF that probes a higher rate less often after failed probes.
//!
//! ```text
//! as ARF, with a separate threshold of successes and timer for each destination
//! failed probe     threshold = min(threshold * factor, max_successes), timer = timer * factor
//! rate decrease    threshold = successes, timer = initial timer
//! ```
//! Source: Lacage, Manshaei and Turletti, *IEEE 802.11 rate adaptation: a practical approach*,
//! MSWiM 2004 (threshold up to 50); the limit 60 and the growing timer are ns-3's.

use airtcp_probe::ConfigError;

use super::climb::{Climber, Climbing, StepChange, Thresholds};
use crate::rate::{Control, ControlInputs, positive};

/// AARF.
#[derive(
    Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize, schemars::JsonSchema,
)]
#[serde(deny_unknown_fields, default)]
pub struct AarfConfig {
    /// Consecutive failures that lower the rate.
    pub failures: u32,
    /// Consecutive successes that raise the rate: initial threshold.
    pub successes: u32,
    /// Maximum of that threshold.
    pub max_successes: u32,
    /// Attempts at one rate after which the next success raises the rate: initial timer.
    pub timer: u32,
    /// Factor by which a failed probe multiplies threshold and timer.
    pub factor: u32,
}

impl Default for AarfConfig {
    fn default() -> Self {
        Self { failures: 2, successes: 10, max_successes: 60, timer: 15, factor: 2 }
    }
}

/// AARF.
pub type Aarf = Climber<AarfConfig>;

impl Climbing for AarfConfig {
    fn on_change(&self, thresholds: &mut Thresholds, change: StepChange) {
        match change {
            StepChange::None | StepChange::Up => {}
            StepChange::Back => {
                let more = thresholds.successes.saturating_mul(self.factor);
                thresholds.successes = more.min(self.max_successes);
                thresholds.timer = thresholds.timer.map(|timer| timer.saturating_mul(self.factor));
            }
            StepChange::Down => {
                thresholds.successes = self.successes;
                thresholds.timer = Some(self.timer);
            }
        }
    }
}

impl Control for Aarf {
    type Config = AarfConfig;

    fn build(config: &AarfConfig, inputs: &ControlInputs<'_>) -> Result<Self, ConfigError> {
        positive("failures", config.failures)?;
        positive("successes", config.successes)?;
        positive("timer", config.timer)?;
        positive("factor", config.factor)?;
        if config.max_successes < config.successes {
            let message =
                format!("is {}, below successes ({})", config.max_successes, config.successes);
            return Err(ConfigError::new("max_successes", message));
        }
        let AarfConfig { failures, successes, timer, .. } = *config;
        let thresholds = Thresholds { failures, successes, timer: Some(timer), probes: true };
        Ok(Self::new(config.clone(), inputs, inputs.start.unwrap_or(0), thresholds))
    }

    #[cfg(test)]
    fn samples() -> Vec<AarfConfig> {
        let quick = AarfConfig { failures: 1, successes: 2, max_successes: 8, timer: 9, factor: 3 };
        vec![AarfConfig::default(), quick]
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
            &RateConfig::Aarf(AarfConfig::default()),
            &[
                // Each failed probe doubles the threshold: 10, 20, 40, 60, 60.
                ("..........", &[0; 10]),
                ("x", &[1]),
                ("....................", &[0; 20]),
                ("x", &[1]),
                ("........................................", &[0; 40]),
                ("x", &[1]),
                ("............................................................", &[0; 60]),
                ("x", &[1]),
                ("............................................................", &[0; 60]),
                // A successful probe does not reset the threshold to ten; a rate decrease does.
                (".xx", &[1; 3]),
                ("..........", &[0; 10]),
                (".", &[1]),
            ],
        );
    }
}
