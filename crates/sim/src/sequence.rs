//! Replications one after the other on the calling thread, and more of them whenever the caller asks: for
//! sweeps, which run many short scenarios and decide from the first replications how many they need.

use airtcp_probe::NoProbe;
use airtcp_scenario::{Resolved, ScenarioError};
use airtcp_units::Narrow;

use crate::build::TraceLoader;
use crate::build::check::check;
use crate::own_laws::OwnLaws;
use crate::pieces::Pieces;
use crate::results::{Replication, Summary};
use crate::run::CHUNK;

/// The finished replications of a scenario, without the distributions of delays. Replication `k` is that of
/// [`run`](crate::run()), whatever the number of calls and of replications.
#[derive(Debug, Default)]
pub struct Sequence {
    finished: Vec<Replication>,
}

impl Sequence {
    /// Runs the replications of a plan that are not finished. All calls need the same plan, except for its
    /// number of replications. Calls `go_on` between pieces of work; if it returns false, the run stops and
    /// keeps finished replications. True if all are finished.
    ///
    /// # Errors
    /// If the plan cannot run.
    pub fn run_on(
        &mut self,
        plan: &Resolved,
        load: &TraceLoader<'_>,
        mut go_on: impl FnMut() -> bool,
    ) -> Result<bool, ScenarioError> {
        check(plan)?;
        let laws = OwnLaws::of(plan);
        laws.check()?;
        for number in u32::narrow(self.finished.len())..plan.scenario.replications {
            let _begun = laws.begin(Some(number));
            let mut pieces = Pieces::begin(plan, number, load, NoProbe, 1)?;
            loop {
                if !go_on() {
                    return Ok(false);
                }
                let done = laws.around(|| pieces.advance(plan, CHUNK));
                laws.check()?;
                if done {
                    break;
                }
            }
            let (results, NoProbe) = pieces.end();
            let small = |replication| Replication { histograms: Vec::new(), ..replication };
            self.finished.extend(results.into_iter().map(small));
        }
        Ok(true)
    }

    /// The finished replications.
    pub fn finished_replications(&self) -> &[Replication] {
        &self.finished
    }

    /// Number of finished replications.
    pub fn finished(&self) -> usize {
        self.finished.len()
    }

    /// Means and intervals over the finished replications, of the quantities whose key is in `keep`.
    pub fn summary(&self, plan: &Resolved, keep: &dyn Fn(&str) -> bool) -> Summary {
        Summary::of(plan, &self.finished, keep)
    }
}
