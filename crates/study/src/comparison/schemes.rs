//! The same cell under several schemes: `airtcp compare CELL.toml --schemes ...`.
//!
//! A variant is a scheme of medium access, a queue discipline, RTS, or a combination: see
//! [`crate::variant::scheme`]. Every variant runs in every replication with the same random numbers, so that differences
//! between variants are paired, as those of TCPs are. [`outcomes`] makes the numbers of each, [`mod@verdict`] the conclusion.

mod outcomes;
mod verdict;

#[cfg(test)]
mod tests;

use crate::base::error::CompareError;
use crate::document::schemes::{SCHEMES_SCHEMA, SchemeRun, SchemesResult, SchemesSubject};
use crate::document::schemes_options::SchemesOptions;
use crate::subject::cell::Plans;
use crate::subject::input::{Input, at, located, with_runs};
use crate::subject::run;
use outcomes::outcome;
use verdict::{Setup, verdict};

/// Compares schemes over the scenarios in `given`. `report` is called on the calling thread with the number
/// of finished jobs and how many there are, and returns false to stop; replications that every
/// variant has finished are kept.
///
/// # Errors
/// If an option or a scenario is impossible, or a variant that is named cannot act.
pub fn compare_schemes(
    given: &[Input],
    options: &SchemesOptions,
    report: impl FnMut(usize, usize) -> bool,
) -> Result<SchemesResult, CompareError> {
    let wanted = options.wanted()?;
    let mut plans = Vec::with_capacity(given.len());
    for input in given {
        let Input::Scenario { name, scenario, folder, .. } = input else {
            let message = "schemes act in 802.11 cells, which a trace has not: give a scenario with [[cells]]";
            return Err(CompareError::other(message));
        };
        let scenario = with_runs(scenario, options.seed, options.replications);
        let made = Plans::new(&scenario, folder, &wanted).map_err(|e| located(e, input))?;
        plans.push((name, made));
    }
    let subjects: Vec<(&Input, &Plans)> =
        given.iter().zip(plans.iter().map(|(_, made)| made)).collect();
    let (found, interrupted) = run(&subjects, options.workers, at, report)?;
    let each = plans.iter().zip(found);
    let subjects: Vec<SchemesSubject> =
        each.filter_map(|((name, made), found)| Some(subject(made, name, found?))).collect();
    Ok(SchemesResult {
        schema: SCHEMES_SCHEMA.into(),
        airtcp_version: env!("CARGO_PKG_VERSION").into(),
        seed: subjects.first().map_or_else(|| options.seed.unwrap_or(1), |s| s.seed),
        reference: wanted.first().map(|w| w.label.clone()).unwrap_or_default(),
        options: SchemesOptions {
            reference: wanted.first().map(|w| w.label.clone()),
            ..options.clone()
        },
        subjects,
        interrupted,
    })
}

/// The subject of what its variants finished.
fn subject(plans: &Plans, name: &str, runs: Vec<Vec<SchemeRun>>) -> SchemesSubject {
    let names: Vec<String> = plans.variants.iter().map(|v| v.variant.clone()).collect();
    let stations = plans.stations();
    let setup = Setup { names: &names, runs: &runs, flows: plans.flows.len(), stations: &stations };
    let verdict = verdict(&setup, plans.not_ranked.clone());
    let outcomes = names
        .iter()
        .zip(&runs)
        .enumerate()
        .map(|(number, (name, own))| outcome(name, own, (number > 0).then_some(&runs[0][..])));
    let plan = plans.first();
    let scenario = &plan.scenario;
    SchemesSubject {
        name: name.to_owned(),
        title: scenario.title.clone(),
        seed: scenario.seed,
        duration_s: scenario.duration.saturating_sub(scenario.warmup).as_secs_f64(),
        replications: verdict.replications,
        flows: plans.flows.iter().map(|i| plan.flows[*i].name.clone()).collect(),
        scenario: serde_json::to_value(scenario).unwrap_or_default(),
        notes: plans.notes(),
        variants: plans.variants.clone(),
        outcomes: outcomes.collect(),
        stations: outcomes::stations(plan, &names, &runs),
        verdict,
        runs: runs.into_iter().flatten().collect(),
    }
}
