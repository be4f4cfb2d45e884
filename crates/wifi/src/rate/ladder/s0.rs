//! S0's simple algorithm: "the rate is reduced when the sender suffers from successive transmission
//! failures and vice-versa".
//!
//! ```text
//! down one step after `failures` consecutive failed attempts
//! up one step after `successes` consecutive acknowledged attempts
//! ```
//! S0 gives no numbers. The defaults of 2 and 10 are those of ARF (a choice). S0 describes ARF without
//! its timer and without the step back after a failed probe.

use airtcp_probe::ConfigError;

use super::climb::{Climber, Climbing, Thresholds};
use crate::rate::{Control, ControlInputs, positive};

/// S0's simple algorithm.
#[derive(
    Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize, schemars::JsonSchema,
)]
#[serde(deny_unknown_fields, default)]
pub struct S0Config {
    /// Consecutive failures that lower the rate.
    pub failures: u32,
    /// Consecutive successes that raise the rate.
    pub successes: u32,
}

impl Default for S0Config {
    fn default() -> Self {
        Self { failures: 2, successes: 10 }
    }
}

/// S0's simple algorithm.
pub type S0 = Climber<S0Config>;

impl Climbing for S0Config {}

impl Control for S0 {
    type Config = S0Config;

    fn build(config: &S0Config, inputs: &ControlInputs<'_>) -> Result<Self, ConfigError> {
        positive("failures", config.failures)?;
        positive("successes", config.successes)?;
        let S0Config { failures, successes } = *config;
        let thresholds = Thresholds { failures, successes, timer: None, probes: false };
        let start = inputs.start.unwrap_or(inputs.ladder.top());
        Ok(Self::new(config.clone(), inputs, start, thresholds))
    }

    #[cfg(test)]
    fn samples() -> Vec<S0Config> {
        vec![S0Config::default(), S0Config { failures: 1, successes: 3 }]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rate::RateConfig;
    use crate::rate::conformance::script;

    #[test]
    fn scripted() {
        let config = |failures, successes| RateConfig::S0(S0Config { failures, successes });
        // Starts at the top (step 7). A line has the results of attempts and their steps.
        script(
            &config(2, 3),
            &[
                ("x.x", &[7, 7, 7]),
                // Two consecutive failures with the one before: down; two more: down again.
                ("xxx", &[7, 6, 6]),
                // One success after the third failure; three successes: up.
                ("....", &[5, 5, 5, 6]),
                ("..", &[6, 6]),
                ("....", &[7, 7, 7, 7]),
            ],
        );
    }
}
