//! `trace_models`: the scores of the synthesisers on traces, as JSON.

use std::path::PathBuf;

use airtcp_study::StudyOptions;
use airtcp_trace::reader::ReadOptions;
use pyo3::prelude::*;
use serde::Deserialize;

use crate::error;
use crate::progress::Watch;
use crate::traces::{read_slotted, with_losses};

/// How to read the traces and how to run TCP.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Options {
    read: ReadOptions,
    study: StudyOptions,
}

/// Reads the traces at `paths`, scores every synthesiser on each, and returns the document as JSON.
#[pyfunction]
#[pyo3(signature = (paths, options, progress = None))]
pub(crate) fn trace_models(
    py: Python<'_>,
    paths: Vec<PathBuf>,
    options: &str,
    progress: Option<Py<PyAny>>,
) -> PyResult<String> {
    let options: Options = error::options(options)?;
    options.study.validate().map_err(error::refuse)?;
    let mut watch = Watch::new(progress);
    let (links, skipped) = read_slotted(py, &mut watch, paths, options.read, options.study.slot)?;
    with_losses(&links)?;
    let result = py
        .detach(|| {
            airtcp_study::score_synthesisers(&links, skipped, &options.study, |done, total| {
                watch.report(done, total, "fitting and simulating")
            })
        })
        .map_err(error::refuse)?;
    watch.into_error(py)?;
    serde_json::to_string(&result).map_err(error::refuse)
}
