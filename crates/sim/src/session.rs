//! A run on the calling thread, a number of events at a time: for a caller that shows progress, or stops the
//! run, without threads (a web page).

use airtcp_probe::{NoProbe, Probe, Relay};
use airtcp_scenario::{Resolved, ScenarioError};
use airtcp_units::{Nanos, Narrow};

use crate::build::TraceLoader;
use crate::build::check::check;
use crate::pieces::Pieces;
use crate::results::{Replication, RunResult};
use crate::run::collect;

/// A run that has begun. Its replications run one after the other, the first one with a probe. The results
/// are those of [`run_recorded`](crate::run_recorded).
pub struct Session<P> {
    plan: Resolved,
    first: Option<Pieces<Relay<'static>>>,
    later: Option<Pieces<NoProbe>>,
    finished: Vec<Replication>,
    probe: Option<P>,
}

impl<P: Probe + 'static> Session<P> {
    /// Checks the plan and builds its first replication.
    ///
    /// # Errors
    /// If the plan cannot run.
    pub fn begin(plan: Resolved, load: &TraceLoader<'_>, probe: P) -> Result<Self, ScenarioError> {
        check(&plan)?;
        let first = Some(Pieces::begin(&plan, 0, load, Relay::keeping(probe), 1)?);
        Ok(Self { plan, first, later: None, finished: Vec::new(), probe: None })
    }

    /// Runs up to `events` events. True if all replications are finished.
    ///
    /// # Errors
    /// If a later replication cannot be built.
    pub fn step(&mut self, load: &TraceLoader<'_>, events: u64) -> Result<bool, ScenarioError> {
        if let Some(first) = &mut self.first {
            if first.advance(&self.plan, events)
                && let Some((results, probe)) = self.first.take().map(Pieces::end)
            {
                self.finished.extend(results);
                self.probe = probe.into_kept();
            }
        } else if let Some(later) = &mut self.later
            && later.advance(&self.plan, events)
            && let Some((results, NoProbe)) = self.later.take().map(Pieces::end)
        {
            self.finished.extend(results);
        }
        let next = u32::narrow(self.finished.len());
        if next >= self.plan.scenario.replications {
            return Ok(true);
        }
        if self.first.is_none() && self.later.is_none() {
            self.later = Some(Pieces::begin(&self.plan, next, load, NoProbe, 1)?);
        }
        Ok(false)
    }

    /// Time that the running replication has reached; the end of the run between replications.
    pub fn now(&self) -> Nanos {
        let running = self.first.as_ref().map(Pieces::now);
        let running = running.or_else(|| self.later.as_ref().map(Pieces::now));
        running.unwrap_or(Nanos::ZERO + self.plan.scenario.duration)
    }

    /// Number of finished replications.
    pub fn finished(&self) -> usize {
        self.finished.len()
    }

    /// The plan.
    pub const fn plan(&self) -> &Resolved {
        &self.plan
    }

    /// The probe, with what it recorded so far.
    pub fn probe(&self) -> Option<&P> {
        self.first.as_ref().and_then(|first| first.probe().kept()).or(self.probe.as_ref())
    }

    /// The results of the replications that are finished so far.
    pub fn so_far(&self) -> RunResult {
        collect(&self.plan, self.finished.clone())
    }

    /// The results, and the probe if the first replication is finished.
    pub fn end(self) -> (RunResult, Option<P>) {
        (collect(&self.plan, self.finished), self.probe)
    }
}
