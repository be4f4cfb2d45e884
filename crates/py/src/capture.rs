//! Captures: files in, what happened on the wire out.

use std::ops::ControlFlow;
use std::path::PathBuf;

use airtcp_capture::tcp::{RetransmissionRow, TrackerLimits, Vantage};
use airtcp_capture::{CaptureReport, analyse};
use pyo3::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::capture_series;
use crate::capture_tables;
use crate::error;
use crate::progress::{self, Watch};
use crate::table::Table;

/// Most points of all series together.
const POINTS: usize = 1 << 20;

/// How to analyse captures.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Options {
    /// List the retransmissions one by one in the document.
    events: bool,
    /// Record what happens over time.
    series: bool,
    /// Where the capture was taken, if it is told.
    vantage: Option<Vantage>,
}

/// The document of `airtcp capture`.
#[derive(Serialize, JsonSchema)]
pub(crate) struct CaptureDocument {
    /// Version of the program.
    airtcp_version: String,
    /// What was found.
    #[serde(flatten)]
    report: CaptureReport,
    /// With `--events`, every segment that was sent again.
    #[serde(skip_serializing_if = "Option::is_none")]
    retransmissions: Option<Vec<RetransmissionRow>>,
}

/// The result of an analysis of captures.
#[pyclass(frozen, module = "airtcp._core")]
pub struct CaptureResult {
    document: CaptureDocument,
    series: bool,
}

/// Analyses the captures at `paths` as one.
#[pyfunction]
#[pyo3(signature = (paths, options, progress = None))]
pub(crate) fn capture(
    py: Python<'_>,
    paths: Vec<PathBuf>,
    options: &str,
    progress: Option<Py<PyAny>>,
) -> PyResult<CaptureResult> {
    let options: Options = error::options(options)?;
    let limits = TrackerLimits {
        series: options.series.then_some(POINTS),
        vantage: options.vantage,
        ..TrackerLimits::default()
    };
    progress::begin();
    let mut watch = Watch::new(progress);
    let report = py.detach(|| {
        let files = paths;
        analyse(&files, limits, |done, total| {
            let [done, total] = [done, total.unwrap_or(0)]
                .map(|bytes| usize::try_from(bytes).unwrap_or(usize::MAX));
            if watch.report(done, total, "reading") {
                ControlFlow::Continue(())
            } else {
                ControlFlow::Break(())
            }
        })
    });
    watch.into_error(py)?;
    let mut report = report.map_err(error::trace)?;
    report.interrupted |= progress::interrupted();
    let retransmissions = options.events.then(|| report.tcp.retransmissions());
    let airtcp_version = env!("CARGO_PKG_VERSION").to_owned();
    let document = CaptureDocument { airtcp_version, report, retransmissions };
    Ok(CaptureResult { document, series: options.series })
}

#[pymethods]
impl CaptureResult {
    /// The document, as JSON.
    fn json(&self) -> PyResult<String> {
        serde_json::to_string(&self.document).map_err(error::refuse)
    }

    /// Whether the analysis was stopped before its end.
    #[getter]
    fn interrupted(&self) -> bool {
        self.document.report.interrupted
    }

    /// Names of the tables. Those of series exist only if series were recorded.
    fn table_names(&self) -> Vec<&'static str> {
        let series = if self.series { &capture_series::TABLES[..] } else { &[] };
        capture_tables::TABLES.iter().chain(series).copied().collect()
    }

    /// One of the tables.
    fn table(&self, name: &str) -> PyResult<Table> {
        if !self.table_names().contains(&name) {
            return Err(error::no_table(name, &self.table_names()));
        }
        if capture_series::TABLES.contains(&name) {
            return capture_series::table(name, &self.document.report.tcp);
        }
        capture_tables::table(name, &self.document.report)
    }
}
