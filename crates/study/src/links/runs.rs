//! The runs of a study.
//!
//! One job is one simulation: TCP over the trace itself (with the link's metrics), over one synthetic
//! link, or one of the TCPs and remedies that are compared. A single long trace therefore keeps all
//! cores busy, as many short ones do.

use airtcp_probe::NoProbe;
use airtcp_sim::parallel::Stop;
use airtcp_sim::slotted::{self, SlottedConfig};
use airtcp_trace::LinkTrace;
use airtcp_trace::metrics;
use airtcp_units::Narrow;

use crate::base::budget::fits;
use crate::base::draws::Draws;
use crate::base::jobs::{Job, Jobs};
use crate::document::Skipped;
use crate::document::compare::Done as ComparedRuns;
use crate::document::study::{LinkStudy, STUDY_SCHEMA, StartEffect, StudyResult};
use crate::links::comparisons::Comparisons;
use crate::links::link_study::{self, Empirical, Replica};
use crate::subject::Subject;
use crate::subject::cwnd::CwndProbe;
use crate::subject::synthetic_links::{Kind, SyntheticLinks};
use crate::{StudyError, StudyOptions};

/// Most simulations in a study: their results take about 1 GB.
const MAX_SIMULATIONS: usize = 20_000_000;

/// Slots of the runs that a worker does in one batch: about 0.2 ms. Compared TCPs and remedies take
/// longer, and are not in batches.
const BATCH_SLOTS: usize = 20_000;

/// What runs over a link.
enum Variant {
    Trace,
    Synthetic(SyntheticLinks),
    /// One of the TCPs (0) or remedies (1) that are compared, by its number.
    Compared(usize, usize),
}

/// The result of a job.
enum Done {
    Trace(Box<Empirical>),
    Replica(Replica),
    Compared(usize, Box<ComparedRuns>),
}

/// Studies `links`. `report` is called on the calling thread with the number of simulated slots and
/// of all slots, and returns false to stop; finished links are kept.
///
/// # Errors
/// If the options are impossible.
pub fn study(
    links: &[LinkTrace],
    skipped: Vec<Skipped>,
    options: &StudyOptions,
    report: impl FnMut(usize, usize) -> bool,
) -> Result<StudyResult, StudyError> {
    let configs: Vec<SlottedConfig> =
        links.iter().map(|link| options.slotted(link.interval)).collect::<Result<_, _>>()?;
    for (link, config) in links.iter().zip(&configs) {
        fits(link, config)?;
    }
    let draws = Draws::of(options.seed, links);
    let compared = Comparisons::of(options, links, &configs)?;
    let job = |job: Job<'_, Variant>, stop: &Stop| {
        let (link, config) = (&links[job.subject], &configs[job.subject]);
        Ok(match job.variant {
            Variant::Trace => {
                let with_cwnd = job.subject < options.cwnd_links as usize;
                Some(Done::Trace(Box::new(over_trace(link, with_cwnd, config, options))))
            }
            Variant::Synthetic(links) => {
                links.draw(&draws[job.subject], job.replication).map(|drawn| {
                    let run = slotted::run(&drawn, None, config, &mut NoProbe);
                    Done::Replica(Replica::of(&drawn, &run))
                })
            }
            Variant::Compared(part, number) => {
                let runs = compared[job.subject].subjects()[*part];
                // An error of a plan was found when it was made.
                let done = runs.and_then(|runs| runs.run(*number, 0, stop).ok()?);
                done.map(|done| Done::Compared(*part, Box::new(done)))
            }
        })
    };
    let results = jobs(links, options, &compared)?.run(options.workers, job, report)?;
    let mut finished = Vec::new();
    let each = links.iter().zip(&configs).zip(compared).zip(results);
    for (((link, config), compared), results) in each {
        let (results, true) = results.complete() else { continue };
        finished.extend(Parts::of(results).study(link, config, options, compared));
    }
    let interrupted = finished.len() < links.len();
    Ok(StudyResult {
        schema: STUDY_SCHEMA.into(),
        airtcp_version: env!("CARGO_PKG_VERSION").into(),
        seed: options.seed,
        options: options.clone(),
        links: finished,
        capacities: Vec::new(),
        skipped,
        interrupted,
    })
}

/// The jobs of a study.
fn jobs(
    links: &[LinkTrace],
    options: &StudyOptions,
    compared: &[Comparisons<'_>],
) -> Result<Jobs<Variant>, StudyError> {
    let mut jobs = Jobs::new();
    for (link, compared) in links.iter().zip(compared) {
        let synthetic = [Kind::Independent, Kind::GilbertElliott]
            .into_iter()
            .filter_map(|kind| SyntheticLinks::of(link, kind, options.analyse.drawn_order))
            .map(|links| (Variant::Synthetic(links), options.replicas));
        let compared = compared.subjects().map(|runs| runs.map_or(0, |runs| runs.jobs().0));
        let compared = compared.into_iter().enumerate();
        let compared: Vec<_> = compared
            .flat_map(|(part, n)| (0..n).map(move |number| (Variant::Compared(part, number), 1)))
            .collect();
        let slots = link.outcomes.len();
        let batch = if compared.is_empty() { BATCH_SLOTS / slots.max(1) } else { 1 };
        let variants = std::iter::once((Variant::Trace, 1)).chain(synthetic).chain(compared);
        jobs.add(variants.collect(), slots, batch);
    }
    if jobs.len() > MAX_SIMULATIONS {
        return Err(StudyError::Range {
            option: "replicas",
            found: format!("{} of each kind for {} links", options.replicas, links.len()),
            accepted: "up to 20000000 simulations in all; take fewer replicas or fewer links",
        });
    }
    Ok(jobs)
}

/// The metrics of a trace, and TCP over it.
fn over_trace(
    link: &LinkTrace,
    with_cwnd: bool,
    config: &SlottedConfig,
    options: &StudyOptions,
) -> Empirical {
    let outcomes = &link.outcomes;
    let stats = link.analyse(&options.analyse);
    let start = metrics::start(outcomes).map(|start| {
        let rest = outcomes.slice(usize::narrow(start.packets)..outcomes.len());
        let run = slotted::run(&rest, None, config, &mut NoProbe);
        StartEffect { start, packets_per_second_without: run.packets_per_second() }
    });
    let (run, cwnd) = if with_cwnd {
        let mut probe = CwndProbe::new(config.tcp.mss, config.slot * outcomes.len() as u64);
        let run = slotted::run(outcomes, None, config, &mut probe);
        (run, Some(probe.finish()))
    } else {
        (slotted::run(outcomes, None, config, &mut NoProbe), None)
    };
    Empirical { stats, start, run, cwnd }
}

/// The results of a link, by variant.
#[derive(Default)]
struct Parts {
    trace: Option<Empirical>,
    independent: Vec<Replica>,
    chains: Vec<Replica>,
    compared: [Vec<ComparedRuns>; 2],
}

impl Parts {
    fn of(results: Vec<(Variant, Vec<Done>)>) -> Self {
        let mut parts = Self::default();
        for (variant, found) in results {
            for done in found {
                match (&variant, done) {
                    (_, Done::Trace(trace)) => parts.trace = Some(*trace),
                    (Variant::Synthetic(links), Done::Replica(replica)) => match links.kind {
                        Kind::Independent => parts.independent.push(replica),
                        Kind::GilbertElliott => parts.chains.push(replica),
                    },
                    (_, Done::Compared(part, runs)) => parts.compared[part].push(*runs),
                    (_, Done::Replica(_)) => {}
                }
            }
        }
        parts
    }

    fn study(
        self,
        link: &LinkTrace,
        config: &SlottedConfig,
        options: &StudyOptions,
        compared: Comparisons<'_>,
    ) -> Option<LinkStudy> {
        let synthetic = (&self.independent[..], &self.chains[..]);
        let study = link_study::of_link(link, config, options, self.trace?, synthetic);
        let (compared, remedies) = compared.assemble(self.compared);
        Some(LinkStudy { compared, remedies, ..study })
    }
}
