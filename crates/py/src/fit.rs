//! `fit_throughput`: fits and formulas for the throughput of links.

use airtcp_trace::predict::{
    FitOptions, FitTable, LinkSample, fit_throughput_with_progress as fit,
};
use pyo3::prelude::*;
use serde::{Deserialize, Serialize};

use crate::error;
use crate::progress::Watch;

/// Links to fit, and how.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Request {
    links: Vec<LinkSample>,
    #[serde(default)]
    options: FitOptions,
}

/// The table, with the request and the program's version.
#[derive(Serialize)]
struct Answer {
    schema: &'static str,
    airtcp_version: &'static str,
    options: FitOptions,
    /// The forms that cannot be fitted and why, and those that can; null if all were fitted.
    shortfall: Option<String>,
    #[serde(flatten)]
    table: FitTable,
}

/// Fits TCP throughput to PRR, mu and further metrics of links, and evaluates the published
/// formulas. `request` is a JSON object with `links` and `options`; gives the document as JSON.
/// `progress(done, total, label)` is called during the work.
#[pyfunction]
#[pyo3(signature = (request, progress = None))]
pub(crate) fn fit_throughput(
    py: Python<'_>,
    request: &str,
    progress: Option<Py<PyAny>>,
) -> PyResult<String> {
    let Request { links, options } = error::options(request)?;
    let mut watch = Watch::new(progress);
    let table = py
        .detach(|| fit(&links, &options, |done, total| watch.report(done, total, "fitting")))
        .map_err(error::refuse)?;
    watch.into_error(py)?;
    let answer = Answer {
        schema: "airtcp.fit/1",
        airtcp_version: env!("CARGO_PKG_VERSION"),
        shortfall: table.shortfall(),
        options,
        table,
    };
    serde_json::to_string(&answer).map_err(error::refuse)
}
