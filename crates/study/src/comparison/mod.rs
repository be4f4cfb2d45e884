//! Several TCPs over the same channel: `airtcp compare`.
//!
//! An [`Input`] is a scenario or a delivery trace; a variant is a TCP by name, optionally
//! with a link protocol or a queue discipline. Every variant runs in every replication with the
//! same random numbers for the channel (common random numbers), so that differences between
//! variants are paired: see [`crate::numbers::paired`].
//!
//! [`mod@assemble`] makes the result of the runs. Remedies are compared in a list of their own.

pub(crate) mod assemble;
mod criteria;
pub(crate) mod remarks;
pub(crate) mod schemes;
pub(crate) mod verdict;

use crate::base::draws::Naming;
use crate::base::error::CompareError;
use crate::document::Skipped;
use crate::document::compare::{COMPARE_SCHEMA, CompareResult};
use crate::document::compare_options::CompareOptions;
use crate::subject::channel::{Prepared, labels};
use crate::subject::input::{Input, at};
use crate::subject::prepare::{asked, prepare};
use crate::subject::run;
use assemble::{assemble, assemble_remedies};
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
    let asked = asked(given, options)?;
    let mut naming = Naming::new(options.seed.unwrap_or(1));
    let prepared: Vec<Prepared<'_>> =
        given.iter().map(|given| prepare(given, &mut naming, &asked)).collect::<Result<_, _>>()?;
    let inputs = given.iter().zip(&prepared);
    let channels: Vec<_> =
        inputs.flat_map(|(given, made)| made.channels().map(move |runs| (given, runs))).collect();
    let (found, interrupted) = run(&channels, options.workers, at, report)?;
    let mut found = found.into_iter();
    let mut subjects = Vec::new();
    for Prepared { mut subject, cases, remedies } in prepared {
        for runs in &cases {
            let Some(finished) = found.next().flatten() else { continue };
            let case = assemble(runs, finished);
            remark(&mut subject, &case, runs.is_random);
            subject.cases.push(case);
        }
        subject.remedies = remedies.and_then(|remedy| {
            found.next().flatten().map(|finished| assemble_remedies(remedy, finished))
        });
        if !subject.cases.is_empty() {
            subjects.push(subject);
        }
    }
    // Links of varying capacity have other usual remedies: their names are kept unresolved.
    let varies = |g: &Input| matches!(g, Input::Link(link) if link.capacity.is_some());
    let remedies =
        if given.iter().any(varies) { asked.names.to_vec() } else { labels(&asked.remedies) };
    let variants = labels(&asked.variants);
    Ok(CompareResult {
        schema: COMPARE_SCHEMA.into(),
        airtcp_version: env!("CARGO_PKG_VERSION").into(),
        seed: subjects.first().map_or_else(|| options.seed.unwrap_or(1), |s| s.seed),
        reference: variants[asked.reference].clone(),
        rival: options.share.clone(),
        options: CompareOptions { tcp: variants.clone(), remedies, ..options.clone() },
        variants,
        subjects,
        skipped,
        interrupted,
        failed: Vec::new(),
    })
}

#[cfg(test)]
mod tests;
