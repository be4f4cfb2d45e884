//! Captures: files in, what happened on the wire and in the air out.

use std::ops::ControlFlow;
use std::path::PathBuf;

use airtcp_capture::delivery::{DeliveryTrace, TraceReport, write};
use airtcp_capture::tcp::TrackerLimits;
use airtcp_capture::{
    CaptureError, CaptureReport, Examination, Points, Wanted, analyse, examine, points,
};
use pyo3::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::error;
use crate::path::NativePath;
use crate::progress::{self, Watch};

/// How to analyse captures.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Options {
    /// Keep the retransmissions, and the packets of joined captures, one by one.
    events: bool,
    /// Captures of the air, and of hosts, beside those whose kind is recognised.
    air: Vec<NativePath>,
    hosts: Vec<NativePath>,
    /// File or folder for delivery traces.
    traces: Option<NativePath>,
    /// Look for periodic losses on the air.
    patterns: bool,
    /// Replace existing traces.
    replace: bool,
}

/// The document of `airtcp capture`.
#[derive(Serialize, JsonSchema)]
pub(crate) struct CaptureDocument {
    /// Version of the program.
    airtcp_version: String,
    /// What was found.
    #[serde(flatten)]
    report: CaptureReport,
    /// Delivery traces that were written.
    #[serde(skip_serializing_if = "Option::is_none")]
    traces: Option<TracesReport>,
}

/// Delivery traces that were written.
#[derive(Serialize, JsonSchema)]
pub(crate) struct TracesReport {
    /// The files.
    files: Vec<String>,
    /// The traces, in the order of the files or of the table.
    traces: Vec<TraceReport>,
    /// Why a connection has no trace.
    left_out: Vec<String>,
}

/// Analyses the captures at `paths`; gives the document as JSON.
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
    let found = py.detach(|| {
        found(&paths, &options, |done, total| {
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
    let mut found = found.map_err(error::trace)?;
    found.report.interrupted |= progress::interrupted();
    if !options.events {
        for connection in &mut found.report.tcp.connections {
            for direction in &mut connection.directions {
                direction.events.clear();
            }
        }
    }
    let traces = match &options.traces {
        Some(to) if !found.report.interrupted => Some(written(&found, to, options.replace)?),
        _ => None,
    };
    let airtcp_version = env!("CARGO_PKG_VERSION").to_owned();
    let document = CaptureDocument { airtcp_version, report: found.report, traces };
    serde_json::to_string(&document).map_err(error::refuse)
}

/// Analyses captures: plainly, or by the places at which they were taken.
fn found(
    paths: &[PathBuf],
    options: &Options,
    progress: impl FnMut(u64, Option<u64>) -> ControlFlow<()>,
) -> Result<Examination, CaptureError> {
    let limits = TrackerLimits::default();
    let count = paths.len() + options.air.len() + options.hosts.len();
    let mut taken = if count > 1 || options.traces.is_some() || options.patterns {
        points(paths)?
    } else {
        Points { hosts: paths.to_vec(), ..Points::default() }
    };
    taken.air.extend(options.air.iter().map(|path| path.to_path_buf()));
    taken.hosts.extend(options.hosts.iter().map(|path| path.to_path_buf()));
    let wanted = Wanted { packets: options.events, traces: options.traces.is_some() };
    if taken.is_joined() || wanted.traces || options.patterns {
        return examine(&taken, wanted, limits, progress);
    }
    let all = if count == paths.len() { paths.to_vec() } else { [taken.air, taken.hosts].concat() };
    let report = analyse(&all, limits, progress)?;
    Ok(Examination { report, traces: Vec::new(), untraced: Vec::new() })
}

fn written(found: &Examination, to: &NativePath, replace: bool) -> PyResult<TracesReport> {
    let files = if found.traces.is_empty() {
        Vec::new()
    } else {
        write(&found.traces, to, replace).map_err(error::trace)?
    };
    Ok(TracesReport {
        files: files.iter().map(|path| path.display().to_string()).collect(),
        traces: found.traces.iter().map(DeliveryTrace::report).collect(),
        left_out: found.untraced.clone(),
    })
}
