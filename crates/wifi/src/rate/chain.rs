//! Multi-rate retry: up to four rates, each for a number of attempts, the last one for all others.
//!
//! ```text
//! (r0, c0), (r1, c1), (r2, c2), (r3, c3)
//! ```
//! A driver gives such a chain to the radio with each packet (`MadWifi`, `ath5k`); here the chain never
//! changes. S2 measured without it, with every attempt at one rate (`fixed`).

use airtcp_probe::ConfigError;
use airtcp_units::BitRate;

use super::{Attempt, Control, ControlInputs, RateControl, positive};
use crate::phy::Mode;

/// Maximum number of stages (Atheros radios).
const MAX_STAGES: usize = 4;

/// One rate of the chain.
#[derive(
    Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize, schemars::JsonSchema,
)]
#[serde(deny_unknown_fields)]
pub struct Stage {
    /// The rate.
    pub rate: BitRate,
    /// Attempts at this rate.
    #[serde(default = "one")]
    pub tries: u32,
}

const fn one() -> u32 {
    1
}

/// A retry chain.
#[derive(
    Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize, schemars::JsonSchema,
)]
#[serde(deny_unknown_fields)]
pub struct ChainConfig {
    /// The rates, in the order in which they are tried.
    pub stages: Vec<Stage>,
}

/// A retry chain.
#[derive(Debug, Clone)]
pub struct Chain {
    /// Modes, and the number of attempts after which the next one follows.
    stages: Vec<(Mode, u32)>,
    last: Mode,
}

impl RateControl for Chain {
    fn learns_from_receptions(&self) -> bool {
        false
    }

    fn pick(&self, attempt: &Attempt) -> Mode {
        let stage = self.stages.iter().find(|(_, until)| attempt.number < *until);
        stage.map_or(self.last, |(mode, _)| *mode)
    }
}

impl Control for Chain {
    type Config = ChainConfig;

    fn build(config: &ChainConfig, inputs: &ControlInputs<'_>) -> Result<Self, ConfigError> {
        if !(1..=MAX_STAGES).contains(&config.stages.len()) {
            let message = format!("has {} stages: expected 1 to 4", config.stages.len());
            return Err(ConfigError::new("stages", message));
        }
        if inputs.start.is_some() {
            let message = "has no effect with rate_control = \"chain\", whose stages set the rates";
            return Err(ConfigError::new("rate", message));
        }
        let mut stages = Vec::new();
        let mut until = 0u32;
        for stage in &config.stages {
            positive("tries", stage.tries)?;
            until = until.saturating_add(stage.tries);
            let allowed = inputs.ladder.modes().iter().find(|mode| mode.rate() == stage.rate);
            let Some(mode) = allowed else {
                let message = format!("is {}: expected {}", stage.rate, inputs.ladder);
                return Err(ConfigError::new("stages", message));
            };
            stages.push((*mode, until));
        }
        let last = stages.last().map_or_else(|| inputs.ladder.mode(0), |(mode, _)| *mode);
        Ok(Self { stages, last })
    }

    #[cfg(test)]
    fn samples() -> Vec<ChainConfig> {
        let stage = |mbps, tries| Stage { rate: BitRate::from_mbps(mbps), tries };
        vec![
            ChainConfig { stages: vec![stage(54, 2), stage(36, 2), stage(12, 1), stage(6, 1)] },
            ChainConfig { stages: vec![stage(54, 1), stage(6, 1)] },
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::super::RateConfig;
    use super::super::conformance::{Script, refusal};
    use super::*;

    #[test]
    fn stage_after_stage() {
        let mut s = Script::new(&RateConfig::Chain(Chain::samples().remove(0)));
        assert_eq!(s.packet("xxxxxxx.").1, [7, 7, 5, 5, 2, 0, 0, 0]);
        assert_eq!(s.packet(".").1, [7]);
    }

    #[test]
    fn impossible_chains_are_refused() {
        let refuse = |text: &str| refusal(&toml::from_str(text).unwrap());
        assert!(refuse("control = \"chain\"\nstages = []").contains("1 to 4"));
        let five = "control = \"chain\"\nstages = [{ rate = \"11 Mb/s\" }]";
        assert!(refuse(five).contains("expected 6 Mb/s, 9 Mb/s"));
    }
}
