//! One replication, a number of events at a time.

use airtcp_probe::Probe;
use airtcp_random::Seed;
use airtcp_scenario::{Resolved, ScenarioError};
use airtcp_units::{Nanos, Narrow, Span};

use crate::build::{TraceLoader, build};
use crate::results::{Replication, Snapshot, replication};
use crate::world::World;

/// A replication that has begun. Its measured time is cut into equal parts, each with its own results.
pub(crate) struct Pieces<P: Probe> {
    world: World<P>,
    number: u32,
    parts: u32,
    /// Counters at the start of the present part; `None` during the warm-up.
    before: Option<Snapshot>,
    results: Vec<Replication>,
}

impl<P: Probe> Pieces<P> {
    /// Builds the world of replication `number`.
    ///
    /// # Errors
    /// If a model refuses its parameters.
    pub(crate) fn begin(
        plan: &Resolved,
        number: u32,
        load: &TraceLoader<'_>,
        probe: P,
        parts: u32,
    ) -> Result<Self, ScenarioError> {
        let seed = Seed { root: plan.scenario.seed, replication: number };
        let world = build(plan, seed, load, probe)?;
        let mut begun =
            Self { world, number, parts: parts.max(1), before: None, results: Vec::new() };
        // Without a warm-up, the measured time includes the events at time 0.
        if plan.scenario.warmup == Span::ZERO {
            begun.measure();
        }
        Ok(begun)
    }

    fn measure(&mut self) {
        self.world.settle_waits();
        self.before = Some(Snapshot::take(&self.world));
        self.world.forget_exchanges();
    }

    /// Runs `budget` events, or fewer to the end of the present part. True if all parts are finished.
    pub(crate) fn advance(&mut self, plan: &Resolved, budget: u64) -> bool {
        let begin = Nanos::ZERO + plan.scenario.warmup;
        let Some(before) = &self.before else {
            if self.world.run_until(begin, budget) {
                self.measure();
            }
            return false;
        };
        if self.is_finished() {
            return true;
        }
        let measured = plan.scenario.duration.saturating_sub(plan.scenario.warmup);
        let part = self.results.len() as u128 + 1;
        let until = u128::from(measured.0) * part / u128::from(self.parts);
        if self.world.run_until(begin + Span(u64::narrow(until)), budget) {
            self.results.push(replication(&self.world, plan, before, self.number));
            if !self.is_finished() {
                self.world.settle_waits();
                self.before = Some(Snapshot::take(&self.world));
            }
        }
        self.is_finished()
    }

    /// Ends the replication at the last event: the present part lasts until there. A replication that ends in its
    /// warm-up has measured no time.
    pub(crate) fn cut(&mut self, plan: &Resolved) {
        if self.is_finished() {
            return;
        }
        self.world.stop();
        if self.before.is_none() {
            self.measure();
        }
        if let Some(before) = &self.before {
            self.results.push(replication(&self.world, plan, before, self.number));
        }
    }

    /// The time measured so far, without that of finished parts.
    pub(crate) fn measured(&self) -> Span {
        self.before.as_ref().map_or(Span::ZERO, |before| self.now().since(before.at))
    }

    /// Events processed so far.
    pub(crate) const fn events(&self) -> u64 {
        self.world.events()
    }

    fn is_finished(&self) -> bool {
        self.results.len() >= self.parts as usize
    }

    /// The time that the run has reached.
    pub(crate) const fn now(&self) -> Nanos {
        self.world.now()
    }

    /// The probe, with what it recorded so far.
    pub(crate) const fn probe(&self) -> &P {
        self.world.probe()
    }

    /// The results of the finished parts, and the probe.
    pub(crate) fn end(self) -> (Vec<Replication>, P) {
        (self.results, self.world.into_probe())
    }
}
