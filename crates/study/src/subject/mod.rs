//! What a comparison runs over: scenarios, delivery traces, capacities, cells.

pub(crate) mod cell;
pub(crate) mod cell_observe;
pub(crate) mod channel;
pub(crate) mod cwnd;
pub(crate) mod describe;
pub(crate) mod input;
pub(crate) mod observe;
pub(crate) mod over_trace;
mod packed;
pub(crate) mod plan;
pub(crate) mod prepare;
pub(crate) mod remedies;
pub(crate) mod scenarios;
pub(crate) mod synthetic_links;
pub(crate) mod traces;

use airtcp_scenario::ScenarioError;
use airtcp_sim::parallel::Stop;

use crate::base::jobs::{Job, Jobs, Packed};

/// What a job gives; `None` if it was stopped. An error keeps a replication from running: it may have a layout of its own.
pub(crate) type Ran<T> = Result<Option<T>, ScenarioError>;

/// Variants that run in the same replications, each with the same random numbers for what they share.
pub(crate) trait Subject: Sync {
    /// What a job gives.
    type Done: Send + Packed;

    /// How many variants there are, and how many jobs each has.
    fn jobs(&self) -> (usize, u32);

    /// What names the results of a variant, with everything on which they depend; `None` if they are not kept.
    fn key(&self, _variant: usize) -> Option<String> {
        None
    }

    /// Runs one job of a variant.
    fn run(&self, variant: usize, number: u32, stop: &Stop) -> Ran<Self::Done>;
}

/// By variant, the replications that all variants have finished; `None` if there are none.
type Finished<T> = Option<Vec<Vec<T>>>;

/// Runs subjects in order, each under a name by which `located` places an error. Returns what each finished, and true
/// if a replication is missing.
///
/// # Errors
/// The first error of a run.
pub(crate) fn run<N: Copy + Sync, S: Subject, E: Send>(
    subjects: &[(N, &S)],
    workers: Option<u32>,
    located: impl Fn(N, ScenarioError) -> E + Sync,
    report: impl FnMut(usize, usize) -> bool,
) -> Result<(Vec<Finished<S::Done>>, bool), E> {
    let mut jobs = Jobs::new();
    for (_, subject) in subjects {
        let (variants, each) = subject.jobs();
        jobs.add((0..variants).map(|variant| (variant, each)).collect(), 1, 1);
    }
    let job = |job: Job<'_, usize>, stop: &Stop| {
        let (name, subject) = subjects[job.subject];
        subject.run(*job.variant, job.replication, stop).map_err(|e| located(name, e))
    };
    let key = |job: &Job<'_, usize>| {
        let (of, number) = (job.subject, job.replication);
        Some(format!("{of} of {}, {number}: {}", subjects.len(), subjects[of].1.key(*job.variant)?))
    };
    let (mut all, mut interrupted) = (Vec::new(), false);
    for found in jobs.share(workers, job, key, report)? {
        let (finished, is_complete) = found.complete();
        interrupted |= !is_complete;
        let finished: Vec<Vec<S::Done>> = finished.into_iter().map(|(_, done)| done).collect();
        all.push(finished.iter().any(|done| !done.is_empty()).then_some(finished));
    }
    Ok((all, interrupted))
}
