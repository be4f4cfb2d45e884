//! Congestion laws from outside in a run: what they need while a piece of it runs, and the end of a run
//! after one has failed.

use airtcp_congestion::external::{Failure, around, makers, set_replication};
use airtcp_congestion::{ExternalLaw, LawConfig};
use airtcp_scenario::{Resolved, ScenarioError};

/// The laws from outside of a plan; usually none.
pub(crate) struct OwnLaws<'a>(Vec<&'a ExternalLaw>);

/// A replication with these laws, on this thread.
pub(crate) struct Begun<'o, 'a>(&'o OwnLaws<'a>);

impl Drop for Begun<'_, '_> {
    fn drop(&mut self) {
        set_replication(None);
        self.0.0.iter().for_each(|law| law.maker().ends());
    }
}

impl<'a> OwnLaws<'a> {
    /// Those of a plan's flows.
    pub(crate) fn of(plan: &'a Resolved) -> Self {
        Self(makers(plan.flows.iter().filter_map(|flow| flow.tcp.congestion.external())))
    }

    /// That of one configuration.
    pub(crate) fn single(law: &'a LawConfig) -> Self {
        Self(makers(law.external()))
    }

    /// Tells the makers that a replication begins on this thread; it ends when this is dropped. Its laws are made
    /// afterwards.
    pub(crate) fn begin(&self, number: Option<u32>) -> Begun<'_, 'a> {
        set_replication(number);
        self.0.iter().for_each(|law| law.maker().begins());
        Begun(self)
    }

    /// Does a piece of a run.
    pub(crate) fn around<T>(&self, mut work: impl FnMut() -> T) -> T {
        let mut done = None;
        if !self.0.is_empty() {
            around(&self.0, &mut || done = Some(work()));
        }
        // A maker that does not call back leaves the work to do.
        done.unwrap_or_else(work)
    }

    /// True after one has failed.
    pub(crate) fn have_failed(&self) -> bool {
        self.0.iter().any(|law| law.maker().has_failed())
    }

    /// Why one has failed.
    pub(crate) fn failure(&self) -> Option<Failure> {
        self.0.iter().find_map(|law| law.maker().failure())
    }

    /// # Errors
    /// If one has failed; its maker knows why.
    pub(crate) fn check(&self) -> Result<(), ScenarioError> {
        match self.0.iter().find(|law| law.maker().has_failed()) {
            None => Ok(()),
            Some(law) => {
                let label = law.label();
                Err(ScenarioError::at("", format!("the congestion law \"{label}\" failed")))
            }
        }
    }
}
