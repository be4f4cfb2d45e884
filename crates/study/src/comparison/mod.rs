//! Several TCPs over the same channel: `airtcp compare`.
//!
//! A [`Input`] is a scenario or a delivery trace; a [`VariantSpec`] is a TCP by name, optionally
//! with a link protocol or a queue discipline. Every variant runs in every replication with the
//! same random numbers for the channel (common random numbers), so that differences between
//! variants are paired: see [`crate::numbers::paired`].
//!
//! [`assemble`] makes the result of the runs; [`remedies`] are compared in a list of their own.

pub(crate) mod assemble;
pub(crate) mod remarks;
pub(crate) mod schemes;
mod schemes_assemble;
mod schemes_verdict;
pub(crate) mod verdict;

use airtcp_sim::parallel::Stop;

use crate::base::compare_error::CompareError;
use crate::base::draws::Naming;
use crate::base::jobs::{Job, Jobs, Results};
use crate::document::Skipped;
use crate::document::compare::{COMPARE_SCHEMA, CompareResult, Done, Subject};
use crate::document::compare_options::CompareOptions;
use crate::subject::input::{self, Input};
use crate::subject::planned::{Planned, Prepared};
use crate::subject::remedies;
use crate::variant::tcp::VariantSpec;
use assemble::{Setup, assemble, assemble_remedies};
use remarks::remark;

/// Compares TCPs over everything in `given`. `report` is called on the calling thread with the
/// number of finished jobs and how many there are, and returns false to stop; replications that
/// every variant has finished are kept.
///
/// # Errors
/// If an option, a variant or a scenario is impossible.
pub fn compare(
    given: &[Input],
    skipped: Vec<Skipped>,
    options: &CompareOptions,
    report: impl FnMut(usize, usize) -> bool,
) -> Result<CompareResult, CompareError> {
    options.check()?;
    let (variants, reference) = options.variants()?;
    if options.as_link.is_some() && !given.iter().any(|g| matches!(g, Input::Link(_))) {
        return Err(CompareError::other(
            "as_link: puts traces behind a link, and none was given; a scenario has its own links",
        ));
    }
    let few = given.len() <= options.remedies_up_to as usize;
    let asked: &[String] = if few { &options.remedies } else { &[] };
    let remedies = remedies::choices(asked)?;
    let mut naming = Naming::new(options.seed.unwrap_or(1));
    let prepared: Vec<Prepared<'_>> = given
        .iter()
        .map(|g| input::prepare(g, &mut naming, &variants, (&remedies, asked), options))
        .collect::<Result<_, _>>()?;
    let found = run(given, &prepared, (variants.len(), options.workers), report)?;
    let (subjects, interrupted) = put_together(prepared, found, &variants, reference);
    let labels = |specs: &[VariantSpec]| specs.iter().map(|s| s.label().to_owned()).collect();
    // Links of varying capacity have other usual remedies: their names are kept unresolved.
    let varies = |g: &Input| matches!(g, Input::Link(link) if link.capacity.is_some());
    let remedies = if given.iter().any(varies) { asked.to_vec() } else { labels(&remedies) };
    let names: Vec<String> = labels(&variants);
    Ok(CompareResult {
        schema: COMPARE_SCHEMA.into(),
        airtcp_version: env!("CARGO_PKG_VERSION").into(),
        seed: subjects.first().map_or_else(|| options.seed.unwrap_or(1), |s| s.seed),
        reference: names[reference].clone(),
        rival: options.share.clone(),
        options: CompareOptions { tcp: names.clone(), remedies, ..options.clone() },
        variants: names,
        subjects,
        skipped,
        interrupted,
    })
}

/// The results of a channel, by variant.
type Found = Results<usize, Done>;

/// Runs the channels of each input in order, and after them its remedies.
fn run(
    given: &[Input],
    prepared: &[Prepared<'_>],
    (variants, workers): (usize, Option<u32>),
    report: impl FnMut(usize, usize) -> bool,
) -> Result<Vec<Found>, CompareError> {
    let mut channels: Vec<(&Input, &Planned<'_>)> = Vec::new();
    let mut jobs = Jobs::new();
    for (given, subject) in given.iter().zip(prepared) {
        let cases = subject.cases.iter().map(|planned| (planned, variants));
        let remedies = subject.remedies.iter().map(|r| (&r.planned, r.names.len()));
        for (planned, each) in cases.chain(remedies) {
            jobs.add((0..each).map(|variant| (variant, planned.jobs())).collect(), 1);
            channels.push((given, planned));
        }
    }
    let job = |job: Job<'_, usize>, stop: &Stop| {
        let (given, planned) = channels[job.subject];
        let done = planned.run(*job.variant, job.replication, stop);
        done.map_err(|e| input::at(given, e))
    };
    jobs.run(workers, job, report)
}

/// Puts the results into the subjects, and drops subjects without results. True if a replication is
/// missing.
fn put_together(
    prepared: Vec<Prepared<'_>>,
    found: Vec<Found>,
    variants: &[VariantSpec],
    reference: usize,
) -> (Vec<Subject>, bool) {
    let names: Vec<String> = variants.iter().map(|v| v.label().to_owned()).collect();
    let mut found = found.into_iter();
    let mut interrupted = false;
    // The finished replications of the next channel, if there are any.
    let mut next = || {
        let (finished, all) = found.next()?.complete();
        interrupted |= !all;
        let finished: Vec<Vec<Done>> = finished.into_iter().map(|(_, done)| done).collect();
        finished.iter().any(|done| !done.is_empty()).then_some(finished)
    };
    let mut subjects = Vec::new();
    for Prepared { mut subject, cases, remedies } in prepared {
        for case in cases {
            let Some(finished) = next() else { continue };
            let setup = Setup {
                most_bps: case.most_bps(),
                is_random: case.is_random(),
                channel: case.channel(),
                over: case.over(),
                names: &names,
                coded: variants.iter().any(VariantSpec::is_coded),
                reference,
                unmet: case.unmet(),
            };
            let made = assemble(&setup, finished);
            remark(&mut subject, &made, case.is_random());
            subject.cases.push(made);
        }
        subject.remedies =
            remedies.and_then(|remedy| next().map(|finished| assemble_remedies(remedy, finished)));
        if !subject.cases.is_empty() {
            subjects.push(subject);
        }
    }
    (subjects, interrupted)
}

#[cfg(test)]
mod tests;
