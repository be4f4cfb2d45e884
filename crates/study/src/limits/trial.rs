//! Runs variants of a scenario: the same draws, with something taken away.
//!
//! Replications that ran are kept: a variant that is tried again, or in more replications, runs the others only.

use std::collections::BTreeMap;
use std::sync::Mutex;

use airtcp_scenario::{Resolved, Scenario, ScenarioError, Source, Without};
use airtcp_sim::parallel::Stop;
use airtcp_sim::results::{Replication, RunResult};
use airtcp_units::{Nanos, Narrow, Span};

use super::change::{Change, sets};
use crate::base::loader::Traces;
use crate::subject::{Ran, Subject, run};

/// A variant may take this many times the events of the scenario as given: an unlimited flow sends more.
const MORE_EVENTS: u64 = 2;
/// Events that a variant may always take: a scenario in which nothing arrives has few.
const LEAST_EVENTS: u64 = 300_000;
/// A variant whose bound left it less than this share of the time goes on with a larger bound.
const LEAST_SHARE: f64 = 0.25;
/// How often the bound is made four times as large.
const TRIES: u32 = 2;

/// Time and replications of the variants.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Extent {
    pub(crate) duration: Span,
    pub(crate) replications: u32,
    /// Whether this is less than the scenario's time.
    pub(crate) is_short: bool,
}

/// A scenario whose variants run.
pub(crate) struct Bench<'a> {
    pub(crate) source: &'a Source,
    /// Arguments of `--set` of the user.
    pub(crate) given: &'a [(String, String)],
    /// What the scenario leaves out itself.
    pub(crate) without: &'a Without,
    pub(crate) traces: &'a Traces,
    /// Whether also what no sentence needs runs, as with `Why::Yes`.
    pub(crate) is_thorough: bool,
    pub(crate) extent: Extent,
    pub(crate) workers: Option<usize>,
    /// Events of each replication of the scenario as given, if variants are bounded by them.
    pub(crate) events: Option<Vec<u64>>,
    /// Flows of other parts of the scenario, which are left out.
    pub(crate) left_out: Vec<String>,
    /// What ran of this part with this duration.
    pub(crate) memory: Memory,
}

/// Paths and values of a variant.
type Sets = Vec<(String, String)>;

/// The replications that variants of one part and one duration have, in order from the first.
#[derive(Debug, Default)]
pub(crate) struct Memory(Mutex<BTreeMap<Sets, Vec<Replication>>>);

impl Memory {
    /// A memory in which the scenario as given has these replications.
    pub(crate) fn with_base(runs: &[Replication]) -> Self {
        Self(Mutex::new(BTreeMap::from([(Vec::new(), runs.to_vec())])))
    }

    fn get(&self, sets: &Sets) -> Vec<Replication> {
        self.all().get(sets).cloned().unwrap_or_default()
    }

    fn keep(&self, sets: Sets, runs: &[Replication]) {
        self.all().insert(sets, runs.to_vec());
    }

    fn all(&self) -> std::sync::MutexGuard<'_, BTreeMap<Sets, Vec<Replication>>> {
        self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

/// A variant that ran.
#[derive(Debug, Clone)]
pub(crate) struct Outcome {
    pub(crate) plan: Resolved,
    pub(crate) runs: Vec<Replication>,
}

impl Outcome {
    /// Goodput of the flows `of` together, in each replication, in b/s.
    pub(crate) fn totals(&self, of: &[usize]) -> Vec<f64> {
        self.runs.iter().map(|run| together(run, of)).collect()
    }

    /// Goodput of the slowest of the flows `of` in each replication, in b/s.
    pub(crate) fn slowest(&self, of: &[usize]) -> Vec<f64> {
        let least = |run: &Replication| {
            of.iter().map(|i| run.flows[*i].goodput_bps).fold(f64::INFINITY, f64::min)
        };
        self.runs.iter().map(least).collect()
    }

    /// Mean goodput of a flow, in b/s.
    pub(crate) fn mean(&self, flow: usize) -> f64 {
        self.totals(&[flow]).iter().sum::<f64>() / self.runs.len().max(1) as f64
    }

    /// The mean over the replications of a number of each.
    pub(crate) fn average(&self, of: impl Fn(&Replication) -> f64) -> f64 {
        self.runs.iter().map(of).sum::<f64>() / self.runs.len().max(1) as f64
    }
}

/// Goodput of the flows `of` together, in b/s: what they delivered over the time in which one of them was active.
///
/// The sum of their goodputs is no rate if they were active at different times: it may be above that of the link.
pub(crate) fn together(run: &Replication, of: &[usize]) -> f64 {
    let mut active: Vec<[Nanos; 2]> = of.iter().map(|i| run.flows[*i].active).collect();
    active.sort_unstable();
    let (mut span, mut until) = (Span::ZERO, Nanos(0));
    for [from, to] in active {
        span += to.since(from.max(until));
        until = until.max(to);
    }
    let delivered: u64 = of.iter().map(|i| run.flows[*i].delivered_bytes).sum();
    if span == Span::ZERO { 0.0 } else { delivered as f64 * 8.0 / span.as_secs_f64() }
}

/// Why a variant did not run.
#[derive(Debug)]
pub(crate) enum NotRun {
    /// The scenario cannot have it.
    Refused(ScenarioError),
    /// The user stopped the search.
    Stopped,
    /// A part of the scenario's time does not decide what the search needs.
    TooShort,
}

impl Bench<'_> {
    /// Begins with another part or duration: nothing of it ran, unless it is the whole of the `run`.
    pub(crate) fn forget(&mut self, written: &Scenario, run: &RunResult) {
        let is_whole = self.left_out.is_empty() && self.extent.duration == written.duration;
        self.memory =
            if is_whole { Memory::with_base(&run.replications) } else { Memory::default() };
    }

    /// Paths and values of changes of the scenario.
    pub(crate) fn sets<'c>(&self, changes: impl IntoIterator<Item = &'c Change>) -> Sets {
        sets(changes, self.without)
    }

    /// The plan of the scenario with changes, in so many replications.
    pub(crate) fn plan(
        &self,
        replications: u32,
        changes: &[&Change],
    ) -> Result<Resolved, ScenarioError> {
        let mut all = self.given.to_vec();
        let pair = |path: &str, value: String| (path.to_owned(), value);
        all.push(pair("duration", self.extent.duration.to_string()));
        all.push(pair("replications", replications.to_string()));
        let mut changes: Vec<&Change> = changes.to_vec();
        let out = self.left_out.iter().fold(
            Change::new(
                super::change::Kind::Others,
                crate::document::limits::Cause::OtherFlows,
                "",
            ),
            |change, flow| change.without("flows", flow),
        );
        changes.push(&out);
        all.extend(self.sets(changes));
        let mut scenario = self.source.scenario(&all)?;
        scenario.read_files(self.traces.folder())?;
        self.traces.read_capacities(&mut scenario)?;
        scenario.resolve()
    }

    /// Runs the scenario as given.
    ///
    /// # Errors
    /// If it cannot run, or the user stopped.
    pub(crate) fn base(
        &self,
        report: &mut dyn FnMut(usize, usize) -> bool,
    ) -> Result<Outcome, NotRun> {
        self.run(self.extent.replications, &[Vec::new()], report)?
            .pop()
            .unwrap_or(Err(NotRun::Stopped))
    }

    /// Runs the variants in so many replications, each the scenario with some changes; in place of one that the
    /// scenario refuses, the reason. Replications that ran before are taken from there.
    ///
    /// # Errors
    /// If `report`, which is called with the finished runs and their number, returned false.
    pub(crate) fn run(
        &self,
        replications: u32,
        variants: &[Vec<&Change>],
        report: &mut dyn FnMut(usize, usize) -> bool,
    ) -> Result<Vec<Result<Outcome, NotRun>>, NotRun> {
        let ready = |changes: &Vec<&Change>| {
            let plan = self.plan(replications, changes)?;
            airtcp_sim::prepare(&plan, &|name: &str| self.traces.load(name))?;
            Ok(plan)
        };
        let plans: Vec<Result<Resolved, ScenarioError>> = variants.iter().map(ready).collect();
        let sets = |changes: &Vec<&Change>| self.sets(changes.iter().copied());
        let sets: Vec<Sets> = variants.iter().map(sets).collect();
        let mut kept: Vec<Vec<Replication>> =
            sets.iter().map(|sets| self.memory.get(sets)).collect();
        let mut jobs = Vec::new();
        for number in 0..replications {
            for (variant, plan) in plans.iter().enumerate() {
                if let Ok(plan) = plan
                    && kept[variant].len() <= number as usize
                {
                    jobs.push((variant, plan, number));
                }
            }
        }
        for (done, (variant, ..)) in self.run_jobs(&jobs, report)?.into_iter().zip(&jobs) {
            kept[*variant].push(done.map_err(NotRun::Refused)?);
        }
        let outcome =
            |((plan, sets), mut runs): ((Result<Resolved, _>, Sets), Vec<Replication>)| {
                let plan = plan.map_err(NotRun::Refused)?;
                self.memory.keep(sets, &runs);
                runs.truncate(replications as usize);
                Ok(Outcome { plan, runs })
            };
        Ok(plans.into_iter().zip(sets).zip(kept).map(outcome).collect())
    }

    /// Runs replications of plans.
    fn run_jobs(
        &self,
        jobs: &[(usize, &Resolved, u32)],
        report: &mut dyn FnMut(usize, usize) -> bool,
    ) -> Result<Vec<Result<Replication, ScenarioError>>, NotRun> {
        if jobs.is_empty() {
            return Ok(Vec::new());
        }
        let mut going = true;
        let workers = self.workers.map(u32::narrow);
        let ran = run(
            &[((), &Variants { bench: self, jobs })],
            workers,
            |(), e| e,
            |done, total| {
                going &= report(done, total);
                going
            },
        );
        let (found, interrupted) = ran.map_err(NotRun::Refused)?;
        if !going || interrupted {
            return Err(NotRun::Stopped);
        }
        Ok(found.into_iter().flatten().flatten().flatten().collect())
    }

    /// One replication, within the bound on events if there is one.
    fn replication(&self, plan: &Resolved, number: u32, stop: &Stop) -> Ran<Replication> {
        let load = |name: &str| self.traces.load(name);
        // Replications of a scenario take about the same number of events.
        let most = self.events.as_ref().and_then(|events| events.iter().max());
        let bound = self.events.as_ref().and_then(|events| events.get(number as usize)).or(most);
        let Some(bound) = bound else {
            return airtcp_sim::run_replication(plan, number, &load, stop);
        };
        let measured = plan.scenario.duration.saturating_sub(plan.scenario.warmup).as_secs_f64();
        let most = bound.saturating_mul(MORE_EVENTS).max(LEAST_EVENTS);
        let (mut tries, mut raised) = (0, most);
        let raise = |so_far: Span| {
            let is_enough = so_far.as_secs_f64() >= LEAST_SHARE * measured;
            (tries, raised) = (tries + 1, raised.saturating_mul(4));
            (!is_enough && tries <= TRIES).then_some(raised)
        };
        let done = airtcp_sim::run_raised_replication(plan, number, most, raise, &load, stop)?;
        Ok(done.map(|done| done.replication))
    }
}

/// Replications of variants that the scenario can have.
struct Variants<'b, 'a> {
    bench: &'b Bench<'a>,
    jobs: &'b [(usize, &'b Resolved, u32)],
}

impl Subject for Variants<'_, '_> {
    /// An error of one variant stops no other.
    type Done = Result<Replication, ScenarioError>;

    fn jobs(&self) -> (usize, u32) {
        (self.jobs.len(), 1)
    }

    fn run(&self, job: usize, _: u32, stop: &Stop) -> Ran<Self::Done> {
        let (_, plan, number) = self.jobs[job];
        Ok(self.bench.replication(plan, number, stop).transpose())
    }
}
