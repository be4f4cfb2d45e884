//! `run`: simulates a scenario and returns a result with tables.

use std::collections::BTreeMap;
use std::sync::Arc;

use airtcp_scenario::{Resolved, ScenarioError, Source};
use airtcp_sim::Estimate;
use airtcp_sim::results::CodingResult;
use airtcp_sim::results::{FailedReplication, FlowResult, LinkResult, Replication};
use airtcp_study::{ExplainedRun, Traces, Why};
use airtcp_transport::tcp::Variant;
use pyo3::prelude::*;

use crate::air;
use crate::crew::with_laws_kept;
use crate::delays;
use crate::error;
use crate::law::{self, Laws};
use crate::progress::{self, Watch};
use crate::recording::{self, Options, Recorded};
use crate::records::keys;
use crate::result::{CoreResult, Reported};
use crate::series::Named;
use crate::table::{Columns, Table};
use crate::timeline;

/// What a run left: its document, what was recorded, and the scenario that ran.
struct Finished {
    inner: ExplainedRun,
    recorded: Recorded,
    plan: Resolved,
}

/// The result of a run, with what was recorded.
#[pyclass(frozen, extends = CoreResult, module = "airtcp._core")]
pub struct RunResult(Arc<Finished>);

/// Refuses a text that a TOML parser would take too long to read; `name` stands for its file in
/// messages.
#[pyfunction]
pub(crate) fn parsable(text: &str, name: &str) -> PyResult<()> {
    airtcp_scenario::parsable(text, name).map_err(|e| error::scenario(&e))
}

/// Runs the scenario in `text`; `name` stands for its file in messages. `options` is a JSON object;
/// `progress(done, total, label)` is called during the work. `crew` is this process's part among several
/// that share the jobs.
#[pyfunction]
#[pyo3(signature = (text, name, options, progress = None, laws = None, crew = None))]
#[expect(clippy::needless_pass_by_value, reason = "arguments from Python come as values")]
pub(crate) fn run(
    py: Python<'_>,
    text: &str,
    name: &str,
    options: &str,
    progress: Option<Py<PyAny>>,
    laws: Option<&Laws>,
    crew: Option<Py<PyAny>>,
) -> PyResult<Py<RunResult>> {
    with_laws_kept(py, laws, crew.as_ref(), || run_offered(py, text, name, options, progress))
}

fn run_offered(
    py: Python<'_>,
    text: &str,
    name: &str,
    options: &str,
    progress: Option<Py<PyAny>>,
) -> PyResult<(Py<RunResult>, Option<PyErr>)> {
    let options: Options = error::options(options)?;
    let tcp = tcp(&options)?;
    let refuse = |e: ScenarioError| error::scenario(e.given_by(&options.set).located(name, text));
    progress::begin();
    let traces = Traces::new(&options.folder, BTreeMap::new());
    let plan =
        planned(text, name, &options, tcp.as_ref(), &traces).map_err(progress::or_interrupt)?;
    let mut watch = Watch::new(progress);
    let outcome = py.detach(|| simulate(&plan, &options, &traces, refuse, &mut watch));
    let (mut run, recorded) = outcome.map_err(progress::or_interrupt)?;
    let elsewhere = watch.error_of_law(py);
    if let Some(error) = elsewhere.as_ref().filter(|_| !run.replications.is_empty()) {
        run.failed = Some(failed_elsewhere(py, error));
    }
    let why = options.why.unwrap_or(Why::No);
    watch.next();
    let explanation = py.detach(|| {
        let source = Source::new(text, name)?.with_tcp(tcp);
        let report = |done, total| watch.report(done, total, "taking things away");
        airtcp_study::explain(&source, &options.set, &traces, why, &run, options.workers, report)
    });
    if elsewhere.is_none() || run.failed.is_none() {
        watch.into_error(py)?;
    }
    let explanation = explanation.map_err(refuse)?;
    let finished = Finished { inner: ExplainedRun { run, explanation }, recorded, plan };
    let finished = Arc::new(finished);
    let base = PyClassInitializer::from(CoreResult(finished.clone()));
    Ok((Py::new(py, base.add_subclass(RunResult(finished)))?, elsewhere))
}

/// The replication in which a law failed in another process, which said its number.
fn failed_elsewhere(py: Python<'_>, error: &PyErr) -> FailedReplication {
    let value = error.value(py);
    let number = value.getattr("job").and_then(|job| job.extract());
    FailedReplication { replication: number.ok(), reason: value.to_string() }
}

/// Warnings about a scenario before it runs. `options` and `laws` are as for `run`.
#[pyfunction]
#[pyo3(signature = (text, name, options, laws = None))]
pub(crate) fn warnings(
    text: &str,
    name: &str,
    options: &str,
    laws: Option<&Laws>,
) -> PyResult<Vec<String>> {
    let _offered = law::offered(laws)?;
    let options: Options = error::options(options)?;
    let tcp = tcp(&options)?;
    progress::begin();
    let traces = Traces::new(&options.folder, BTreeMap::new());
    let plan =
        planned(text, name, &options, tcp.as_ref(), &traces).map_err(progress::or_interrupt)?;
    let mut said = airtcp_sim::warnings(&plan);
    if options.capture {
        said.extend(airtcp_sim::large_capture(&plan));
    }
    Ok(said)
}

/// Reads a scenario, with the files that its layouts name, and resolves it.
fn planned(
    text: &str,
    name: &str,
    options: &Options,
    tcp: Option<&Variant>,
    traces: &Traces,
) -> PyResult<Resolved> {
    let read = || Source::new(text, name)?.with_tcp(tcp.cloned()).scenario(&options.set);
    let mut scenario = read().map_err(|e| error::text(&e, name, text))?;
    let refuse = |e: ScenarioError| error::scenario(e.given_by(&options.set).located(name, text));
    scenario.read_files(&options.folder).map_err(refuse)?;
    traces.read_capacities(&mut scenario).map_err(refuse)?;
    scenario.resolve().map_err(refuse)
}

/// The TCP of the options.
fn tcp(options: &Options) -> PyResult<Option<Variant>> {
    options.tcp.as_deref().map(Variant::parse).transpose().map_err(error::refuse)
}

fn simulate(
    plan: &Resolved,
    options: &Options,
    traces: &Traces,
    refuse: impl Fn(ScenarioError) -> PyErr,
    watch: &mut Watch,
) -> PyResult<(airtcp_sim::RunResult, Recorded)> {
    let load = |path: &str| traces.load(path);
    let report = |done, total| watch.report(done, total, "simulating");
    let Some(recorder) = recording::recorder(plan, options)? else {
        // A run without a recorder is faster.
        let result = airtcp_sim::run(plan, &load, options.workers, report).map_err(&refuse)?;
        return Ok((result, Recorded { whole: true, ..Recorded::default() }));
    };
    let (result, recorder) =
        airtcp_sim::run_recorded(plan, &load, options.workers, recorder, report).map_err(refuse)?;
    Ok((result, recorder.map(recording::finish).unwrap_or_default()))
}

const TABLES: [&str; 4] = ["flows", "links", "summary", "delays"];
/// The tables of scenarios with cells.
const CELL_TABLES: [&str; 4] = ["stations", "frames", "rates", "categories"];

#[pymethods]
impl RunResult {
    /// True if the first replication, which is recorded, ran to its end.
    #[getter]
    fn recorded(&self) -> bool {
        self.0.recorded.whole
    }

    /// The options whose captures could not be written, and the reasons.
    #[getter]
    fn lost(&self) -> Vec<(&'static str, String)> {
        self.0.recorded.lost.clone()
    }

    /// Start and end of the timeline in seconds, and whether it was cut short for lack of room;
    /// `None` if none was recorded.
    fn timeline(&self) -> Option<(f64, f64, bool)> {
        let timeline = self.0.recorded.timeline.as_ref()?;
        let (from, end) = (timeline.from().as_secs_f64(), timeline.end().as_secs_f64());
        Some((from, end, timeline.is_truncated()))
    }
}

impl Reported for Finished {
    fn json(&self) -> serde_json::Result<String> {
        serde_json::to_string(&self.inner)
    }

    fn seed(&self) -> Option<u64> {
        Some(self.inner.run.seed)
    }

    fn interrupted(&self) -> bool {
        self.inner.run.interrupted
    }

    /// Tables of cells exist only with cells, those of series and of the timeline only if they
    /// were recorded.
    fn table_names(&self) -> Vec<&'static str> {
        let cells = if self.has_cells() { &CELL_TABLES[..] } else { &[] };
        let series = self.series().map(|series| series.names()).unwrap_or_default();
        let timeline = if self.recorded.timeline.is_some() { &timeline::TABLES[..] } else { &[] };
        TABLES.iter().chain(cells).chain(&series).chain(timeline).copied().collect()
    }

    fn table(&self, name: &str) -> PyResult<Table> {
        if let Some(timeline) = &self.recorded.timeline
            && timeline::TABLES.contains(&name)
        {
            return timeline::table(name, timeline, &self.plan);
        }
        if let Some(table) = self.series().and_then(|series| series.table(name)) {
            return table;
        }
        match name {
            "flows" => flows(&self.inner.run.replications),
            "links" => links(&self.inner.run.replications),
            "summary" => summary(&self.inner.run.summary),
            "delays" => delays::delays(&self.inner.run.delays),
            "stations" if self.has_cells() => air::stations(&self.inner.run.replications),
            "frames" if self.has_cells() => air::frames(&self.inner.run.replications),
            "rates" if self.has_cells() => air::rates(&self.inner.run.replications),
            "categories" if self.has_cells() => air::categories(&self.inner.run.replications),
            _ => Err(error::no_table(name, &self.table_names())),
        }
    }
}

impl Finished {
    const fn has_cells(&self) -> bool {
        !self.plan.cells.is_empty()
    }

    fn series(&self) -> Option<Named<'_>> {
        let (series, delivered) = self.recorded.series.as_ref()?;
        Some(Named { series, delivered, plan: &self.plan })
    }
}

fn flows(replications: &[Replication]) -> PyResult<Table> {
    let all: Vec<(u64, &FlowResult)> = replications
        .iter()
        .flat_map(|r| r.flows.iter().map(|flow| (u64::from(r.replication), flow)))
        .collect();
    let coded = all.iter().any(|r| r.1.coding.is_some());
    let table = Columns::of(&all).count("replication", |r| r.0);
    let but = if coded { Vec::new() } else { keys::<CodingResult>() };
    let but: Vec<&str> = but.iter().map(String::as_str).collect();
    table.records(&but, |r| Some(r.1)).finish()
}

fn links(replications: &[Replication]) -> PyResult<Table> {
    let all: Vec<(u64, &LinkResult)> = replications
        .iter()
        .flat_map(|r| r.links.iter().map(|link| (u64::from(r.replication), link)))
        .collect();
    let mut table = Columns::of(&all)
        .count("replication", |r| r.0)
        .records(&[], |r| Some(r.1))
        .text("protocol", |r| r.1.protocol.as_ref().map(|p| p.kind.as_str()))
        .records(&["kind"], |r| r.1.protocol.as_ref());
    for reason in airtcp_probe::DropReason::ALL.map(airtcp_probe::DropReason::name) {
        let drops = |r: &(u64, &LinkResult)| r.1.drops.get(reason).copied().unwrap_or(0);
        table = table.count(&format!("dropped_{reason}_packets"), drops);
    }
    table.finish()
}

fn summary(summary: &airtcp_sim::results::Summary) -> PyResult<Table> {
    let run = |quantity: &str, e| ("run", "all", quantity.to_owned(), e);
    let mut all = vec![
        run("total_goodput_bps", summary.total_goodput_bps),
        run("jain_index", summary.jain_index),
        run("max_difference_bps", summary.max_difference_bps),
    ];
    all.extend(summary.jain_by_direction().map(|(quantity, estimate)| run(quantity, estimate)));
    for (kind, list) in [("flow", &summary.flows), ("link", &summary.links)] {
        for one in list {
            let row = |(q, e): (&String, &Estimate)| (kind, one.name.as_str(), q.clone(), *e);
            all.extend(one.quantities.iter().map(row));
        }
    }
    for cell in &summary.cells {
        all.extend(air::summary(cell));
    }
    Columns::of(&all)
        .text("kind", |r| r.0)
        .text("name", |r| r.1)
        .text("quantity", |r| r.2.as_str())
        .real("mean", |r| r.3.mean)
        .real("ci_low", |r| r.3.ci_low)
        .real("ci_high", |r| r.3.ci_high)
        .finish()
}
