//! What a comparison runs over: scenarios, delivery traces, capacities, cells.

pub(crate) mod cell;
pub(crate) mod cell_observe;
pub(crate) mod channel;
pub(crate) mod cwnd;
pub(crate) mod describe;
pub(crate) mod input;
pub(crate) mod observe;
pub(crate) mod over_trace;
pub(crate) mod plan;
pub(crate) mod prepare;
pub(crate) mod remedies;
pub(crate) mod scenarios;
pub(crate) mod synthetic_links;
pub(crate) mod traces;

use airtcp_scenario::ScenarioError;
use airtcp_sim::parallel::Stop;

/// Variants that run in the same replications, each with the same random numbers for what they share.
pub(crate) trait Subject: Sync {
    /// What a job gives.
    type Done: Send;

    /// How many variants there are.
    fn variants(&self) -> usize;

    /// How many jobs each variant has.
    fn jobs(&self) -> u32;

    /// Runs one job of a variant; `None` if it was stopped.
    ///
    /// # Errors
    /// What keeps this replication from running: it may have a layout of its own.
    fn run(
        &self,
        variant: usize,
        number: u32,
        stop: &Stop,
    ) -> Result<Option<Self::Done>, ScenarioError>;
}
