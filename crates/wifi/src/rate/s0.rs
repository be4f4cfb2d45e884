//! S0's simple algorithm: "the rate is reduced when the sender suffers from successive transmission
//! failures and vice-versa".
//!
//! ```text
//! down one step after `failures` attempts in a row that failed, and again after as many more
//! up one step after `successes` in a row that were acknowledged
//! ```
//! S0 gives no numbers. 2 and 10 are those of ARF (a choice), which S0's wording describes without
//! ARF's timer and its way back after a rise.

use airtcp_probe::ConfigError;

use super::{Attempt, Control, ControlInputs, Ladder, Outcome, Peers, RateControl, positive};
use crate::phy::Mode;

/// S0's simple algorithm.
#[derive(
    Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize, schemars::JsonSchema,
)]
#[serde(deny_unknown_fields, default)]
pub struct S0Config {
    /// Failures in a row before the rate falls.
    pub failures: u32,
    /// Successes in a row before it rises.
    pub successes: u32,
}

impl Default for S0Config {
    fn default() -> Self {
        Self { failures: 2, successes: 10 }
    }
}

/// Where a destination stands.
#[derive(Debug, Clone)]
struct State {
    step: usize,
    successes: u32,
    failures: u32,
}

/// S0's simple algorithm.
#[derive(Debug, Clone)]
pub struct S0 {
    config: S0Config,
    ladder: Ladder,
    peers: Peers<State>,
}

impl RateControl for S0 {
    fn pick(&self, attempt: &Attempt) -> Mode {
        self.ladder.mode(self.peers.get(attempt.to).step)
    }

    fn on_result(&mut self, outcome: &Outcome) {
        let Some(acknowledged) = outcome.acknowledged() else { return };
        let state = self.peers.get_mut(outcome.attempt.to);
        if acknowledged {
            state.failures = 0;
            state.successes += 1;
            if state.successes >= self.config.successes {
                state.successes = 0;
                state.step = (state.step + 1).min(self.ladder.top());
            }
        } else {
            state.successes = 0;
            state.failures += 1;
            if state.failures >= self.config.failures {
                state.failures = 0;
                state.step = state.step.saturating_sub(1);
            }
        }
    }
}

impl Control for S0 {
    type Config = S0Config;

    fn build(config: &S0Config, inputs: &ControlInputs<'_>) -> Result<Self, ConfigError> {
        positive("failures", config.failures)?;
        positive("successes", config.successes)?;
        let step = inputs.start.unwrap_or(inputs.ladder.top());
        Ok(Self {
            config: config.clone(),
            ladder: inputs.ladder.clone(),
            peers: Peers::new(State { step, successes: 0, failures: 0 }),
        })
    }

    #[cfg(test)]
    fn samples() -> Vec<S0Config> {
        vec![S0Config::default(), S0Config { failures: 1, successes: 3 }]
    }
}

#[cfg(test)]
mod tests {
    use super::super::RateConfig;
    use super::super::conformance::script;
    use super::*;

    #[test]
    fn scripted() {
        let config = |failures, successes| RateConfig::S0(S0Config { failures, successes });
        // Starts at the top (step 7); a line is what was sent and in which step.
        script(
            &config(2, 3),
            &[
                ("x.x", &[7, 7, 7]),
                // Two in a row with the failure before: down; two more: down again.
                ("xxx", &[7, 6, 6]),
                // One success after the third failure; three successes: up.
                ("....", &[5, 5, 5, 6]),
                ("..", &[6, 6]),
                ("....", &[7, 7, 7, 7]),
            ],
        );
    }
}
