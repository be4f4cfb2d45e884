//! Points of a sweep: one scenario with many sets of values. A point runs on the calling thread and
//! returns the asked quantities, without the document.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use airtcp_scenario::{Resolved, ScenarioError, Source};
use airtcp_sim::results::Summary;
use airtcp_sim::{Estimate, Sequence};
use airtcp_study::Traces;
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;

use crate::error;
use crate::law::{self, Laws, Offered};
use crate::progress::{self, Watch};

/// Kind, name, and mean and interval of each measure.
type Row = (&'static str, String, Vec<Option<f64>>);

/// What all points share.
struct Shared {
    source: Source,
    /// The folder of the traces that the scenario names.
    folder: PathBuf,
    /// Keys of the asked quantities.
    measures: Vec<String>,
    /// The laws that the scenario names.
    laws: Option<Py<Laws>>,
}

/// A scenario that runs at many points.
#[pyclass(frozen, module = "airtcp._core")]
pub struct Points {
    shared: Arc<Shared>,
}

#[pymethods]
impl Points {
    /// Parses the scenario in `text`; `name` stands for its file in messages. `measures` are keys of
    /// the summary of a run, and `laws` those of one's own that the scenario names.
    #[new]
    #[pyo3(signature = (text, name, folder, measures, laws = None))]
    fn new(
        text: &str,
        name: &str,
        folder: PathBuf,
        measures: Vec<String>,
        laws: Option<Py<Laws>>,
    ) -> PyResult<Self> {
        let source = Source::new(text, name).map_err(|e| error::text(&e, name, text))?;
        Ok(Self { shared: Arc::new(Shared { source, folder, measures, laws }) })
    }

    /// Refuses values of a point that no scenario has: unknown keys, wrong types and units. Reads no
    /// other file.
    #[expect(clippy::needless_pass_by_value, reason = "arguments from Python come as values")]
    fn read(&self, values: Vec<(String, String)>) -> PyResult<()> {
        let _offered = self.shared.offered()?;
        self.shared.source.scenario(&values).map_err(error::scenario).map(drop)
    }

    /// Refuses values of a point that make no network, such as a flow to an unknown node.
    #[expect(clippy::needless_pass_by_value, reason = "arguments from Python come as values")]
    fn plan(&self, values: Vec<(String, String)>) -> PyResult<()> {
        progress::begin();
        let _offered = self.shared.offered()?;
        self.shared.planned(&values).map_err(progress::or_interrupt).map(drop)
    }

    /// A point without replications.
    fn point(&self) -> Point {
        Point { shared: self.shared.clone(), sequence: Sequence::default() }
    }
}

/// A point, and its finished replications.
#[pyclass(module = "airtcp._core")]
pub struct Point {
    shared: Arc<Shared>,
    sequence: Sequence,
}

#[pymethods]
impl Point {
    /// Runs the replications of the scenario with these values that are not finished. Returns
    /// their number, and a row for the run, each flow, link, cell and station: kind, name, and mean,
    /// lower and upper end of each measure. A second call may have more replications, and needs the
    /// same other values.
    #[expect(clippy::needless_pass_by_value, reason = "arguments from Python come as values")]
    fn run(
        &mut self,
        py: Python<'_>,
        values: Vec<(String, String)>,
    ) -> PyResult<(usize, Vec<Row>)> {
        progress::begin();
        let offered = self.shared.offered()?;
        let done = self.run_offered(py, &values);
        offered.settle(py, done)
    }
}

impl Point {
    fn run_offered(
        &mut self,
        py: Python<'_>,
        values: &[(String, String)],
    ) -> PyResult<(usize, Vec<Row>)> {
        let plan = self.shared.planned(values).map_err(progress::or_interrupt)?;
        let traces = Traces::new(&self.shared.folder, BTreeMap::new());
        let load = |path: &str| traces.load(path);
        let mut watch = Watch::new(None);
        let sequence = &mut self.sequence;
        let outcome =
            py.detach(|| sequence.run_on(&plan, &load, || watch.report(0, 1, "simulating")));
        watch.into_error(py)?;
        let whole = outcome.map_err(|e| {
            progress::or_interrupt(error::scenario(self.shared.source.locate(e, values)))
        })?;
        if !whole {
            return Err(PyKeyboardInterrupt::new_err(()));
        }
        let measures = &self.shared.measures;
        let keep = |key: &str| measures.iter().any(|measure| measure == key);
        Ok((self.sequence.finished(), rows(&self.sequence.summary(&plan, &keep), measures)))
    }
}

impl Shared {
    /// Offers the laws while a call lasts.
    fn offered(&self) -> PyResult<Offered> {
        law::offered(self.laws.as_ref().map(Py::get))
    }

    /// The scenario with the values of a point, with the files that its layouts name, resolved.
    fn planned(&self, values: &[(String, String)]) -> PyResult<Resolved> {
        let refuse = |e: ScenarioError| error::scenario(self.source.locate(e, values));
        let mut scenario = self.source.scenario(values).map_err(error::scenario)?;
        scenario.read_files(&self.folder).map_err(refuse)?;
        airtcp_study::read_capacities(&mut scenario, &self.folder).map_err(refuse)?;
        scenario.resolve().map_err(refuse)
    }
}

/// The rows of a summary. Only flows, links, cells and stations with one of the measures have a row.
fn rows(summary: &Summary, measures: &[String]) -> Vec<Row> {
    let run = [
        ("total_goodput_bps", summary.total_goodput_bps),
        ("jain_index", summary.jain_index),
        ("max_difference_bps", summary.max_difference_bps),
    ];
    let run = run.into_iter().chain(summary.jain_by_direction());
    let run: BTreeMap<String, Estimate> =
        run.map(|(key, estimate)| (key.to_owned(), estimate)).collect();
    let mut rows = Vec::new();
    let mut add = |kind, name: &str, quantities: &BTreeMap<String, Estimate>| {
        if measures.iter().any(|key| quantities.contains_key(key)) {
            let values = measures.iter().flat_map(|key| numbers(quantities.get(key)));
            rows.push((kind, name.to_owned(), values.collect()));
        }
    };
    add("run", "all", &run);
    for flow in &summary.flows {
        add("flow", &flow.name, &flow.quantities);
    }
    for link in &summary.links {
        add("link", &link.name, &link.quantities);
    }
    for cell in &summary.cells {
        add("cell", &cell.name, &cell.quantities);
        for station in &cell.stations {
            add("station", &station.name, &station.quantities);
        }
    }
    rows
}

/// Mean and interval, as a document has them: a number that is not finite is absent.
fn numbers(estimate: Option<&Estimate>) -> [Option<f64>; 3] {
    let found = estimate.map_or([None; 3], |e| [e.mean, e.ci_low, e.ci_high]);
    found.map(|number| number.filter(|x| x.is_finite()))
}
