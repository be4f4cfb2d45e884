//! `compare`: compares TCPs over scenarios and traces.

use std::path::PathBuf;
use std::sync::Arc;

use airtcp_scenario::ScenarioError;
use airtcp_study::{
    Case, CompareError, CompareOptions, CompareResult, CompareRun, FailedTcp, Input, Outcome,
    PairedDifference, Subject,
};
use airtcp_trace::reader::ReadOptions;
use pyo3::prelude::*;
use serde::Deserialize;

use crate::crew::with_laws;
use crate::error;
use crate::law::Laws;
use crate::path::NativePath;
use crate::progress::{self, Watch};
use crate::result::{CoreResult, Document};
use crate::table::{Columns, Table};
use crate::traces::read_slotted;

/// A scenario: its file and its text.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ScenarioText {
    /// Its file, for messages.
    name: String,
    /// Text of the file.
    text: String,
    /// The folder of the traces that it names.
    folder: NativePath,
}

/// What to compare on, how to read it and how to compare.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Options {
    scenarios: Vec<ScenarioText>,
    /// Pairs of path and value that replace what the scenarios say.
    set: Vec<(String, String)>,
    read: ReadOptions,
    compare: CompareOptions,
    /// TCPs that failed in a call before this, for the document.
    failed: Vec<FailedTcp>,
    /// True if a call before this was stopped.
    interrupted: bool,
}

/// Results that outlive a call: a comparison without a law that failed takes those of the others.
#[derive(Default)]
#[pyclass(frozen, module = "airtcp._core")]
pub struct Kept(Arc<airtcp_study::Kept>);

#[pymethods]
impl Kept {
    #[new]
    fn new() -> Self {
        Self::default()
    }

    /// Number of results.
    fn __len__(&self) -> usize {
        self.0.len()
    }
}

/// Compares TCPs over the scenarios in `options` and the traces at `paths` ("-" is standard input).
/// `options` is a JSON object with `scenarios`, `set`, `read` and `compare`; `progress(done, total,
/// label)` is called during the work. `crew` is this process's part among several that share the jobs; `kept` has
/// results of a call before, and gets those of this one.
#[pyfunction]
#[pyo3(signature = (paths, options, progress = None, laws = None, crew = None, kept = None))]
#[expect(clippy::needless_pass_by_value, reason = "arguments from Python come as values")]
pub(crate) fn compare(
    py: Python<'_>,
    paths: Vec<PathBuf>,
    options: &str,
    progress: Option<Py<PyAny>>,
    laws: Option<&Laws>,
    crew: Option<Py<PyAny>>,
    kept: Option<&Kept>,
) -> PyResult<CoreResult> {
    let _keeping = airtcp_study::keep(kept.map(|kept| kept.0.clone()));
    with_laws(py, laws, crew.as_ref(), || compare_offered(py, paths, options, progress))
}

fn compare_offered(
    py: Python<'_>,
    paths: Vec<PathBuf>,
    options: &str,
    progress: Option<Py<PyAny>>,
) -> PyResult<CoreResult> {
    let options: Options = error::options(options)?;
    progress::begin();
    let mut given = read(options.scenarios, &options.set)?;
    let mut watch = Watch::new(progress);
    let mut skipped = Vec::new();
    if !paths.is_empty() {
        let (links, passed_over) =
            read_slotted(py, &mut watch, paths, options.read, options.compare.slot)?;
        skipped = passed_over;
        given.extend(links.into_iter().map(|link| Input::Link(Box::new(link))));
    }
    let inner = py.detach(|| {
        airtcp_study::compare(&given, skipped, &options.compare, |done, total| {
            watch.report(done, total, "comparing")
        })
    });
    watch.into_error(py)?;
    let mut inner = inner.map_err(refused)?;
    inner.failed = options.failed;
    inner.interrupted |= options.interrupted;
    let (seed, interrupted) = (inner.seed, inner.interrupted);
    Ok(CoreResult::of(Document { inner, seed, interrupted, tables: &TABLES }))
}

/// Reads scenarios with the files that they name.
pub(crate) fn read(scenarios: Vec<ScenarioText>, set: &[(String, String)]) -> PyResult<Vec<Input>> {
    let mut given = Vec::new();
    for ScenarioText { name, text, folder } in scenarios {
        let mut scenario =
            airtcp_scenario::read(&text, &name, set).map_err(|e| error::text(&e, &name, &text))?;
        let refuse = |e: ScenarioError| {
            progress::or_interrupt(error::scenario(e.given_by(set).located(&name, &text)))
        };
        scenario.read_files(&folder).map_err(refuse)?;
        airtcp_study::read_capacities(&mut scenario, &folder).map_err(refuse)?;
        let folder = folder.to_path_buf();
        given.push(Input::Scenario {
            name,
            text,
            set: set.to_vec(),
            scenario: Box::new(scenario),
            folder,
        });
    }
    Ok(given)
}

/// What keeps a comparison from being made, as Python raises it.
pub(crate) fn refused(error: CompareError) -> PyErr {
    progress::or_interrupt(match error {
        CompareError::Scenario(e) => error::scenario(e),
        other => error::refuse(other),
    })
}

type Make = fn(&CompareResult) -> PyResult<Table>;

/// The tables, in the order in which they are listed.
const TABLES: [(&str, Make); 4] = [
    ("outcomes", |found| outcomes(&rows(found, |case| case.outcomes.iter().collect()))),
    ("runs", |found| runs(&rows(found, |case| case.runs.iter().collect()))),
    ("windows", windows),
    ("remedies", remedies),
];

/// A row, and the subject and the case it belongs to.
type Row<'a, T> = (&'a Subject, &'a Case, T);

fn rows<'a, T>(found: &'a CompareResult, part: impl Fn(&'a Case) -> Vec<T>) -> Vec<Row<'a, T>> {
    let mut rows = Vec::new();
    for subject in &found.subjects {
        for case in &subject.cases {
            rows.extend(part(case).into_iter().map(|row| (subject, case, row)));
        }
    }
    rows
}

fn remedies(found: &CompareResult) -> PyResult<Table> {
    let rows = found.subjects.iter().flat_map(|subject| {
        let case = subject.remedies.as_ref().map(|remedies| &remedies.case);
        let rows = case.into_iter().flat_map(|c| c.outcomes.iter().map(move |o| (c, o)));
        rows.map(move |(case, outcome)| (subject, case, outcome))
    });
    outcomes(&rows.collect::<Vec<_>>())
}

fn windows(found: &CompareResult) -> PyResult<Table> {
    let rows = rows(found, |case| {
        let points = case.windows.iter().flat_map(|w| {
            let course = w.course.t_s.iter().zip(&w.course.cwnd_packets);
            course.map(|(t, cwnd)| (w.variant.as_str(), *t, *cwnd))
        });
        points.collect()
    });
    placed(&rows)
        .text("variant", |r| r.2.0)
        .real("t_s", |r| r.2.1)
        .real("cwnd_packets", |r| r.2.2)
        .finish()
}

/// A table whose first columns are subject and channel.
fn placed<'a, T>(rows: &'a [Row<'a, T>]) -> Columns<'a, Row<'a, T>> {
    Columns::of(rows).text("subject", |r| r.0.name.as_str()).text("channel", |r| r.1.channel.name())
}

fn outcomes<'a>(rows: &'a [Row<'a, &'a Outcome>]) -> PyResult<Table> {
    let table = placed(rows)
        .count("replications", |r| u64::from(r.1.replications))
        .text("verdict", |r| r.1.verdict.place(&r.2.variant));
    outcome_columns(table, |r| r.2).finish()
}

/// The columns of a variant's outcome, with intervals.
pub(crate) fn outcome_columns<'a, R>(
    table: Columns<'a, R>,
    of: impl Fn(&'a R) -> &'a Outcome + Copy,
) -> Columns<'a, R> {
    type Get = fn(&Outcome) -> Option<PairedDifference>;
    let differences: [(&str, Get); 5] = [
        ("difference_bps", |o| o.difference),
        ("delivery_p95_difference_s", |o| o.delivery_p95_difference),
        ("waste_difference", |o| o.waste_difference),
        ("share_difference", |o| o.share_difference),
        ("rival_difference_bps", |o| o.rival_difference),
    ];
    let mut table = table
        .records(&[], move |r| Some(of(r)))
        .text("standing", move |r| of(r).difference.map(|d| d.standing.name()))
        .estimate("difference_percent", move |r| of(r).difference.and_then(|d| d.percent));
    for (name, get) in differences {
        table = table.estimate(name, move |r| get(of(r)).map(|d| d.absolute));
    }
    table
}

fn runs<'a>(rows: &'a [Row<'a, &'a CompareRun>]) -> PyResult<Table> {
    placed(rows).records(&[], |r| Some(r.2)).finish()
}
