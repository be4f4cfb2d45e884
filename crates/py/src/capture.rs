//! Captures: files in, what happened on the wire and in the air out.

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;

use airtcp_capture::bottleneck::{Told, measure};
use airtcp_capture::delivery::{DeliveryTrace, TraceReport, write};
use airtcp_capture::tcp::{RetransmissionRow, TrackerLimits, Vantage};
use airtcp_capture::{
    Asked, CaptureError, CaptureReport, Examination, FileReport, Points, Wanted, analyse, examine,
    json_text, points,
};
use airtcp_sim::parallel::default_workers;
use pyo3::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::capture_series;
use crate::capture_tables;
use crate::error;
use crate::path::NativePath;
use crate::progress::{self, Watch};
use crate::result::{CoreResult, Reported};
use crate::table::Table;

/// Most records of all logs of segments together.
const RECORDS: usize = 1 << 22;
/// Most points of all series together.
const POINTS: usize = 1 << 20;

/// How to analyse captures.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Options {
    /// List the retransmissions, and the packets of joined captures, one by one in the document.
    events: bool,
    /// Record what happens over time.
    series: bool,
    /// Keep every segment, to measure the bottleneck of a transfer.
    log: bool,
    /// The only interface that is read, by its name.
    interface: Option<String>,
    /// Where the capture was taken, if it is told.
    vantage: Option<Vantage>,
    /// Captures of the air, and of hosts, beside those whose kind is recognised.
    air: Vec<NativePath>,
    hosts: Vec<NativePath>,
    /// File or folder for delivery traces.
    traces: Option<NativePath>,
    /// Look for periodic losses on the air.
    patterns: bool,
    /// Replace existing traces.
    replace: bool,
    /// Threads; without a number, as many as there are cores.
    workers: Option<usize>,
    /// Decrypted copies of captures among the files.
    decrypted: Vec<Decrypted>,
}

impl Options {
    /// Limits of the memory, and how connections are followed.
    pub(crate) fn limits(&self) -> TrackerLimits {
        TrackerLimits {
            series: self.series.then_some(POINTS),
            log: (self.log || self.series).then_some(RECORDS),
            vantage: self.vantage,
            workers: self.workers.unwrap_or_else(default_workers),
            ..TrackerLimits::default()
        }
    }

    /// The only interface that is read.
    pub(crate) fn interface(&self) -> Option<&str> {
        self.interface.as_deref()
    }
}

/// A decrypted copy of a capture.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Decrypted {
    /// The copy, and the capture.
    path: String,
    name: String,
    /// Frames that were decrypted, of those encrypted.
    frames: u64,
    protected: u64,
    /// tshark stopped at damage.
    stopped: bool,
}

impl Decrypted {
    /// Gives the copy's part of a report the name of the capture, and states what was decrypted.
    fn tell(&self, files: &mut [FileReport]) {
        for file in files.iter_mut().filter(|file| file.path == self.path) {
            file.path.clone_from(&self.name);
            let (frames, protected) = (self.frames, self.protected);
            file.warnings.push(if frames > 0 {
                format!("tshark decrypted {frames} of {protected} encrypted data frames")
            } else if protected > 0 {
                format!(
                    "tshark decrypted none of {protected} encrypted data frames: the passphrase or \
                     the SSID is wrong, or the capture lacks the handshake (EAPOL) of the stations"
                )
            } else {
                "no data frame is encrypted".to_owned()
            });
            if self.stopped {
                file.warnings.push(
                    "tshark stopped at damage: what follows is not analysed; without \
                     --decrypt-with, it is"
                        .to_owned(),
                );
            }
        }
    }
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

/// What an analysis of captures found.
struct Analysed {
    document: CaptureDocument,
    series: bool,
}

/// The result of an analysis of captures.
#[pyclass(frozen, extends = CoreResult, module = "airtcp._core")]
pub struct CaptureResult(Arc<Analysed>);

/// Analyses the captures at `paths`, each by the place at which it was taken.
#[pyfunction]
#[pyo3(signature = (paths, options, progress = None))]
pub(crate) fn capture(
    py: Python<'_>,
    paths: Vec<PathBuf>,
    options: &str,
    progress: Option<Py<PyAny>>,
) -> PyResult<Py<CaptureResult>> {
    let options: Options = error::options(options)?;
    progress::begin();
    let mut watch = Watch::new(progress);
    let found = py.detach(|| {
        // Python's list is copied into this one, which is given up here.
        let (paths, options) = (paths, &options);
        found(&paths, options, |done, total| {
            let [done, total] = [done, total.unwrap_or(0)]
                .map(|bytes| usize::try_from(bytes).unwrap_or(usize::MAX));
            if !progress::interrupted() && watch.report(done, total, "reading") {
                ControlFlow::Continue(())
            } else {
                ControlFlow::Break(())
            }
        })
    });
    watch.into_error(py)?;
    let mut found = found.map_err(error::trace)?;
    found.report.interrupted |= progress::interrupted();
    for copy in &options.decrypted {
        copy.tell(&mut found.report.files);
    }
    let traces = match &options.traces {
        Some(to) if !found.report.interrupted => Some(written(&found, to, options.replace)?),
        _ => None,
    };
    CaptureResult::of(py, found.report, &options, traces)
}

/// Analyses captures: plainly, or by the places at which they were taken.
fn found(
    paths: &[PathBuf],
    options: &Options,
    progress: impl FnMut(u64, Option<u64>) -> ControlFlow<()>,
) -> Result<Examination, CaptureError> {
    let limits = options.limits();
    let asked = Asked { limits, interface: options.interface() };
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
        return examine(&taken, wanted, asked, progress);
    }
    let all = if count == paths.len() { paths.to_vec() } else { [taken.air, taken.hosts].concat() };
    let report = analyse(&all, asked, progress)?;
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

impl CaptureResult {
    /// The result with a report.
    pub(crate) fn of(
        py: Python<'_>,
        report: CaptureReport,
        options: &Options,
        traces: Option<TracesReport>,
    ) -> PyResult<Py<Self>> {
        let airtcp_version = env!("CARGO_PKG_VERSION").to_owned();
        let retransmissions = options.events.then(|| report.tcp.retransmissions());
        let document = CaptureDocument { airtcp_version, report, retransmissions, traces };
        let analysed = Arc::new(Analysed { document, series: options.series });
        let base = PyClassInitializer::from(CoreResult(analysed.clone()));
        Py::new(py, base.add_subclass(Self(analysed)))
    }
}

#[pymethods]
impl CaptureResult {
    /// Gives the document as JSON to `write`, a piece at a time. With `connections`, at most that many of them.
    #[pyo3(signature = (write, connections = None))]
    fn write_json(
        &self,
        py: Python<'_>,
        write: &Bound<'_, PyAny>,
        connections: Option<usize>,
    ) -> PyResult<()> {
        let mut refused = None;
        let most = connections.map(|most| ("connections", most));
        let written = json_text::write(&self.0.document, most, &mut |piece| {
            let taken = py.check_signals().and_then(|()| write.call1((piece,)));
            refused = taken.err();
            refused.is_none()
        });
        match refused {
            Some(error) => Err(error),
            None => written.map_err(error::refuse),
        }
    }

    /// Numbers of connections, of 802.11 links, and of comparisons between points in the document.
    #[getter]
    fn counts(&self) -> (usize, usize, usize) {
        let report = &self.0.document.report;
        (report.tcp.connections.len(), report.links.len(), report.between.len())
    }

    /// The bottleneck of a connection's sender, as JSON; `null` if its segments were not kept.
    fn bottleneck(
        &self,
        py: Python<'_>,
        connection: usize,
        sender: &str,
        told: &str,
    ) -> PyResult<String> {
        let told: Told = error::options(told)?;
        let connections = &self.0.document.report.tcp.connections;
        let found = py.detach(|| measure(connections, connection, sender, told));
        serde_json::to_string(&found).map_err(error::refuse)
    }
}

impl Reported for Analysed {
    fn json(&self) -> serde_json::Result<String> {
        serde_json::to_string(&self.document)
    }

    fn interrupted(&self) -> bool {
        self.document.report.interrupted
    }

    /// Those of series exist only if series were recorded.
    fn table_names(&self) -> Vec<&'static str> {
        let series = if self.series { &capture_series::TABLES[..] } else { &[] };
        capture_tables::TABLES.iter().chain(series).copied().collect()
    }

    fn table(&self, name: &str) -> PyResult<Table> {
        if capture_series::TABLES.contains(&name) {
            return capture_series::table(name, &self.document.report.tcp);
        }
        capture_tables::table(name, &self.document.report)
    }
}
