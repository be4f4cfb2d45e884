//! Captures: files in, what happened on the wire out.

use std::ops::ControlFlow;
use std::path::PathBuf;

use airtcp_capture::tcp::TrackerLimits;
use airtcp_capture::{CaptureReport, analyse};
use pyo3::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::error;
use crate::progress::{self, Watch};

/// How to analyse captures.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Options {
    /// Keep the retransmissions one by one.
    events: bool,
}

/// The document of `airtcp capture`.
#[derive(Serialize, JsonSchema)]
pub(crate) struct CaptureDocument {
    /// Version of the program.
    airtcp_version: String,
    /// What was found.
    #[serde(flatten)]
    report: CaptureReport,
}

/// Analyses the captures at `paths` as one; gives the document as JSON.
#[pyfunction]
#[pyo3(signature = (paths, options, progress = None))]
pub(crate) fn capture(
    py: Python<'_>,
    paths: Vec<PathBuf>,
    options: &str,
    progress: Option<Py<PyAny>>,
) -> PyResult<String> {
    let options: Options = error::options(options)?;
    progress::begin();
    let mut watch = Watch::new(progress);
    let report = py.detach(|| {
        let files = paths;
        analyse(&files, TrackerLimits::default(), |done, total| {
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
    if !options.events {
        for connection in &mut report.tcp.connections {
            for direction in &mut connection.directions {
                direction.events.clear();
            }
        }
    }
    let airtcp_version = env!("CARGO_PKG_VERSION").to_owned();
    serde_json::to_string(&CaptureDocument { airtcp_version, report }).map_err(error::refuse)
}
