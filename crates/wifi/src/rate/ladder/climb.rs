//! Controls that climb a ladder: down one step after consecutive failures, up one step after consecutive successes.
//!
//! A law says with its thresholds when a destination's step changes, and may change the thresholds with it.

use super::{Ladder, Peers};
use crate::phy::Mode;
use crate::rate::{Attempt, ControlInputs, Outcome, RateControl};

/// When the step of a destination changes.
#[derive(Debug, Clone)]
pub(super) struct Thresholds {
    /// Consecutive failures that lower it.
    pub(super) failures: u32,
    /// Consecutive successes that raise it.
    pub(super) successes: u32,
    /// Attempts at one step after which the next success raises it; `None` if they do not.
    pub(super) timer: Option<u32>,
    /// True if the first attempt after a step up is a probe, whose failure lowers the step at once.
    pub(super) probes: bool,
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

/// A law of climbing.
pub(super) trait Climbing {
    /// The step of a destination has changed: takes new thresholds.
    fn on_change(&self, _thresholds: &mut Thresholds, _change: StepChange) {}
}

/// Where a destination stands.
#[derive(Debug, Clone)]
struct Place {
    step: usize,
    successes: u32,
    failures: u32,
    attempts: u32,
    probing: bool,
}

impl Place {
    const fn new(step: usize) -> Self {
        Self { step, successes: 0, failures: 0, attempts: 0, probing: false }
    }

    fn acknowledged(&mut self, thresholds: &Thresholds, top: usize) -> StepChange {
        self.attempts = self.attempts.saturating_add(1);
        self.successes = self.successes.saturating_add(1);
        self.failures = 0;
        self.probing = false;
        let in_time = thresholds.timer.is_none_or(|timer| self.attempts < timer);
        if self.step == top || (self.successes < thresholds.successes && in_time) {
            return StepChange::None;
        }
        *self = Self { probing: thresholds.probes, ..Self::new(self.step + 1) };
        StepChange::Up
    }

    fn failed(&mut self, thresholds: &Thresholds) -> StepChange {
        self.attempts = self.attempts.saturating_add(1);
        self.failures += 1;
        self.successes = 0;
        let change = if self.probing {
            StepChange::Back
        } else if self.failures >= thresholds.failures {
            StepChange::Down
        } else {
            return StepChange::None;
        };
        *self = Self::new(self.step.saturating_sub(1));
        change
    }
}

/// A control that climbs by a law.
#[derive(Debug, Clone)]
pub struct Climber<L> {
    law: L,
    ladder: Ladder,
    peers: Peers<(Place, Thresholds)>,
}

impl<L> Climber<L> {
    /// Each destination begins at `start` with these thresholds.
    pub(super) fn new(
        law: L,
        inputs: &ControlInputs<'_>,
        start: usize,
        thresholds: Thresholds,
    ) -> Self {
        let peers = Peers::new((Place::new(start), thresholds));
        Self { law, ladder: inputs.ladder.clone(), peers }
    }
}

impl<L: Climbing> RateControl for Climber<L> {
    fn learns_from_receptions(&self) -> bool {
        false
    }

    fn pick(&self, attempt: &Attempt) -> Mode {
        self.ladder.mode(self.peers.get(attempt.to).0.step)
    }

    fn on_result(&mut self, outcome: &Outcome) {
        let Some(succeeded) = outcome.succeeded() else { return };
        let (place, thresholds) = self.peers.get_mut(outcome.attempt.to);
        let change = if succeeded {
            place.acknowledged(thresholds, self.ladder.top())
        } else {
            place.failed(thresholds)
        };
        self.law.on_change(thresholds, change);
    }
}
