//! `compare_schemes`: scenarios with 802.11 cells in, schemes side by side out.

use airtcp_study::{
    Aspect, PairedDifference, SchemesOptions, SchemesResult, SchemesSubject, SchemesVerdict,
};
use pyo3::prelude::*;
use serde::Deserialize;

use crate::compare::{ScenarioText, read, refused};
use crate::crew::with_laws;
use crate::error;
use crate::law::Laws;
use crate::progress::{self, Watch};
use crate::result::{CoreResult, Document};
use crate::table::{Columns, Table};

/// What to compare on, and how.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Options {
    scenarios: Vec<ScenarioText>,
    /// Pairs of path and value that replace what the scenarios say.
    set: Vec<(String, String)>,
    schemes: SchemesOptions,
}

/// Compares schemes over the scenarios in `options`, a JSON object with `scenarios`, `set` and
/// `schemes`; `progress(done, total, label)` is called now and then. `laws` are those that the scenarios
/// name, and `crew` is this process's part among several that share the jobs.
#[pyfunction]
#[pyo3(signature = (options, progress = None, laws = None, crew = None))]
#[expect(clippy::needless_pass_by_value, reason = "arguments from Python come as values")]
pub(crate) fn compare_schemes(
    py: Python<'_>,
    options: &str,
    progress: Option<Py<PyAny>>,
    laws: Option<&Laws>,
    crew: Option<Py<PyAny>>,
) -> PyResult<CoreResult> {
    with_laws(py, laws, crew.as_ref(), || compare_offered(py, options, progress))
}

fn compare_offered(
    py: Python<'_>,
    options: &str,
    progress: Option<Py<PyAny>>,
) -> PyResult<CoreResult> {
    let options: Options = error::options(options)?;
    progress::begin();
    let given = read(options.scenarios, &options.set)?;
    let mut watch = Watch::new(progress);
    let inner = py.detach(|| {
        airtcp_study::compare_schemes(&given, &options.schemes, |done, total| {
            watch.report(done, total, "comparing")
        })
    });
    watch.into_error(py)?;
    let inner = inner.map_err(refused)?;
    let (seed, interrupted) = (inner.seed, inner.interrupted);
    Ok(CoreResult::of(Document { inner, seed, interrupted, tables: &TABLES }))
}

type Make = fn(&SchemesResult) -> PyResult<Table>;

/// The tables, in the order in which they are listed.
const TABLES: [(&str, Make); 6] = [
    ("outcomes", |found| outcomes(&found.subjects)),
    ("differences", |found| differences(&found.subjects)),
    ("rankings", |found| rankings(&found.subjects)),
    ("stations", |found| stations(&found.subjects)),
    ("variants", |found| variants(&found.subjects)),
    ("runs", |found| {
        let rows = flat(&found.subjects, |s| s.runs.iter().collect());
        named(&rows).records(&[], |r| Some(r.1)).finish()
    }),
];

/// The parts of all subjects, each with its subject.
fn flat<'a, T>(
    subjects: &'a [SchemesSubject],
    parts: impl Fn(&'a SchemesSubject) -> Vec<T>,
) -> Vec<(&'a SchemesSubject, T)> {
    subjects.iter().flat_map(|s| parts(s).into_iter().map(move |part| (s, part))).collect()
}

/// A table of such parts, with the name of the subject as its first column.
fn named<'a, T>(rows: &'a [(&'a SchemesSubject, T)]) -> Columns<'a, (&'a SchemesSubject, T)> {
    Columns::of(rows).text("subject", |r| r.0.name.as_str())
}

fn outcomes(subjects: &[SchemesSubject]) -> PyResult<Table> {
    let rows = flat(subjects, |s| s.outcomes.iter().collect());
    named(&rows)
        .count("replications", |r| u64::from(r.0.replications))
        .records(&[], |r| Some(r.1))
        .finish()
}

fn differences(subjects: &[SchemesSubject]) -> PyResult<Table> {
    type Row<'a> = (&'a str, &'a str, &'a PairedDifference);
    let rows: Vec<(&SchemesSubject, Row<'_>)> = flat(subjects, |s| {
        let each = s.outcomes.iter().flat_map(|outcome| {
            let found = outcome.differences.iter();
            found.map(|(key, difference)| (outcome.variant.as_str(), key.as_str(), difference))
        });
        each.collect()
    });
    named(&rows)
        .text("variant", |r| r.1.0)
        .text("quantity", |r| r.1.1)
        .text("standing", |r| r.1.2.standing.name())
        .estimate("difference", |r| Some(r.1.2.absolute))
        .estimate("difference_percent", |r| r.1.2.percent)
        .finish()
}

/// The place of each variant in each ranking, with what it is behind the best.
fn rankings(subjects: &[SchemesSubject]) -> PyResult<Table> {
    let rows = flat(subjects, |s| ranked(&s.verdict));
    named(&rows)
        .text("aspect", |r| r.1.0.name())
        .count("place", |r| r.1.1)
        .text("variant", |r| r.1.2)
        .text("against_best", |r| r.1.3)
        .text("against_reference", |r| r.1.4)
        .estimate("behind", |r| r.1.5)
        .finish()
}

type Ranked<'a> = (Aspect, u64, &'a str, &'static str, &'static str, Option<airtcp_sim::Estimate>);

fn ranked(verdict: &SchemesVerdict) -> Vec<Ranked<'_>> {
    let mut rows = Vec::new();
    for question in &verdict.questions {
        for (place, name) in (1..).zip(&question.ranking.order) {
            let best = match place {
                1 => "first",
                _ if question.ranking.worse.contains(name) => "worse",
                _ => "as-good",
            };
            let reference = if question.better.contains(name) {
                "better"
            } else if question.worse.contains(name) {
                "worse"
            } else {
                "undecided"
            };
            let lag = question.lags.iter().find(|lag| lag.variant == *name);
            let behind = lag.map(|lag| lag.behind);
            rows.push((question.aspect, place, name.as_str(), best, reference, behind));
        }
    }
    rows
}

fn stations(subjects: &[SchemesSubject]) -> PyResult<Table> {
    let rows = flat(subjects, |s| s.stations.iter().collect());
    named(&rows)
        .records(&[], |r| Some(r.1))
        .text("standing", |r| r.1.goodput_difference.map(|d| d.standing.name()))
        .estimate("goodput_difference_bps", |r| r.1.goodput_difference.map(|d| d.absolute))
        .estimate("goodput_difference_percent", |r| r.1.goodput_difference.and_then(|d| d.percent))
        .estimate("airtime_difference", |r| r.1.airtime_difference.map(|d| d.absolute))
        .finish()
}

/// What each variant sets, a row for each key; those that did not run with the reason.
fn variants(subjects: &[SchemesSubject]) -> PyResult<Table> {
    type Row<'a> = (&'a str, Option<&'a str>, Option<&'a str>);
    let rows: Vec<(&SchemesSubject, Row<'_>)> = flat(subjects, |s| {
        let sets = s.variants.iter().flat_map(|v| {
            let sets = v.sets.iter();
            sets.map(|set| (v.variant.as_str(), Some(set.as_str()), None))
        });
        let left = s.verdict.not_ranked.iter();
        sets.chain(left.map(|n| (n.variant.as_str(), None, Some(n.why())))).collect()
    });
    named(&rows)
        .text("variant", |r| r.1.0)
        .text("sets", |r| r.1.1)
        .text("not_ranked", |r| r.1.2)
        .finish()
}
