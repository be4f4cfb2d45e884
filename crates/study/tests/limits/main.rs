//! What limits the flows of scenarios made for it: each has causes that are known beforehand.

#![allow(clippy::unwrap_used, reason = "a test may fail")]

mod cells;
mod ends;
mod links;
mod many;
mod runs;

use std::collections::BTreeMap;
use std::path::Path;

use airtcp_scenario::{ScenarioError, Source};
use airtcp_sim::results::RunResult;
use airtcp_study::{Cause, Explanation, Limit, Traces, Why, explain};

/// Runs a scenario that reads no traces, and finds what limits its flows.
fn explained(text: &str, why: Why) -> Explanation {
    let run = run(text, &[]);
    with(text, &run, why, None, |_, _| true).unwrap()
}

/// A run of a scenario with overrides.
fn run(text: &str, sets: &[(String, String)]) -> RunResult {
    let plan = airtcp_scenario::read(text, "t.toml", sets).unwrap().resolve().unwrap();
    airtcp_sim::run(&plan, &|name| Err(format!("no trace {name}")), None, |_, _| true).unwrap()
}

fn with(
    text: &str,
    run: &RunResult,
    why: Why,
    workers: Option<usize>,
    report: impl FnMut(usize, usize) -> bool,
) -> Result<Explanation, ScenarioError> {
    let source = Source::new(text, "t.toml").unwrap();
    explain(&source, &[], &Traces::new(Path::new(""), BTreeMap::new()), why, run, workers, report)
}

/// Causes and places.
fn named(found: &Explanation) -> Vec<(Cause, &str)> {
    found.limits.iter().map(|limit| (limit.cause, limit.place.as_str())).collect()
}

/// The limit of a cause.
fn of(found: &Explanation, cause: Cause) -> &Limit {
    let limit = found.limits.iter().find(|limit| limit.cause == cause);
    limit.unwrap_or_else(|| panic!("{cause:?} is not among {:?}", found.limits))
}

/// Paths and values of arguments of `--set`.
fn pairs(change: &[String]) -> Vec<(String, String)> {
    let pair = |set: &String| {
        let (path, value) = set.split_once('=').unwrap();
        (path.to_owned(), value.to_owned())
    };
    change.iter().map(pair).collect()
}
