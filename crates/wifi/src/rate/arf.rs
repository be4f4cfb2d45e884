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

use super::{Attempt, Control, ControlInputs, Ladder, Outcome, Peers, RateControl, positive};
use crate::phy::Mode;

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

/// Change of a destination's step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StepChange {
    None,
    Up,
    /// Down after enough failures.
    Down,
    /// Down after a failed probe.
    Back,
}

/// State of a destination.
#[derive(Debug, Clone)]
pub(super) struct ArfState {
    pub(super) step: usize,
    successes: u32,
    failures: u32,
    attempts: u32,
    probing: bool,
}

impl ArfState {
    pub(super) const fn new(step: usize) -> Self {
        Self { step, successes: 0, failures: 0, attempts: 0, probing: false }
    }

    pub(super) fn acknowledged(&mut self, successes: u32, timer: u32, top: usize) -> StepChange {
        self.attempts = self.attempts.saturating_add(1);
        self.successes = self.successes.saturating_add(1);
        self.failures = 0;
        self.probing = false;
        if self.step == top || (self.successes < successes && self.attempts < timer) {
            return StepChange::None;
        }
        *self = Self { probing: true, ..Self::new(self.step + 1) };
        StepChange::Up
    }

    pub(super) fn failed(&mut self, failures: u32) -> StepChange {
        self.attempts = self.attempts.saturating_add(1);
        self.failures += 1;
        self.successes = 0;
        let change = if self.probing {
            StepChange::Back
        } else if self.failures >= failures {
            StepChange::Down
        } else {
            return StepChange::None;
        };
        *self = Self::new(self.step.saturating_sub(1));
        change
    }
}

/// ARF.
#[derive(Debug, Clone)]
pub struct Arf {
    config: ArfConfig,
    ladder: Ladder,
    peers: Peers<ArfState>,
}

impl RateControl for Arf {
    fn learns_from_receptions(&self) -> bool {
        false
    }

    fn pick(&self, attempt: &Attempt) -> Mode {
        self.ladder.mode(self.peers.get(attempt.to).step)
    }

    fn on_result(&mut self, outcome: &Outcome) {
        let Some(succeeded) = outcome.succeeded() else { return };
        let state = self.peers.get_mut(outcome.attempt.to);
        if succeeded {
            state.acknowledged(self.config.successes, self.config.timer, self.ladder.top());
        } else {
            state.failed(self.config.failures);
        }
    }
}

impl Control for Arf {
    type Config = ArfConfig;

    fn build(config: &ArfConfig, inputs: &ControlInputs<'_>) -> Result<Self, ConfigError> {
        positive("failures", config.failures)?;
        positive("successes", config.successes)?;
        positive("timer", config.timer)?;
        let peers = Peers::new(ArfState::new(inputs.start.unwrap_or(0)));
        Ok(Self { config: config.clone(), ladder: inputs.ladder.clone(), peers })
    }

    #[cfg(test)]
    fn samples() -> Vec<ArfConfig> {
        vec![ArfConfig::default(), ArfConfig { failures: 1, successes: 3, timer: 4 }]
    }
}

#[cfg(test)]
mod tests {
    use super::super::RateConfig;
    use super::super::conformance::script;
    use super::*;

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
