//! The extension module `airtcp._core`: it takes scenarios, returns tables and has no logic.
//!
//! Documents pass as JSON text, tables as Arrow. Long calls release the interpreter, report their
//! progress and react to Ctrl-C (see `progress`). Users call the Python package `airtcp`; its stub
//! `_core.pyi` mirrors this file.

mod air;
mod capture;
mod capture_live;
mod capture_series;
mod capture_tables;
mod compare;
mod crew;
mod delays;
mod error;
mod estimate;
mod fit;
mod info;
mod law;
mod models;
mod panics;
mod path;
mod points;
mod progress;
mod recording;
mod records;
mod result;
mod run;
mod schemes;
mod series;
mod study;
mod table;
mod timeline;
mod traces;

use pyo3::prelude::*;

/// The functions that the Python package `airtcp` calls.
#[pymodule(name = "_core")]
mod core {
    #[pymodule_export]
    use crate::capture::{CaptureResult, capture};
    #[pymodule_export]
    use crate::capture_live::LiveCapture;
    #[pymodule_export]
    use crate::compare::{Kept, compare};
    #[pymodule_export]
    use crate::error::{AirtcpError, LawError, ScenarioError, TraceError};
    #[pymodule_export]
    use crate::estimate::mean_interval;
    #[pymodule_export]
    use crate::fit::fit_throughput;
    #[pymodule_export]
    use crate::info::{registry, schema, text_kind, version};
    #[pymodule_export]
    use crate::law::{
        Ack, Congestion, Idle, LawBase, Laws, Library, Lost, Params, Promises, Random, Rate, Sent,
        cbrt, check_law, exp, last_words_to, law_functions, law_header, log, pow,
    };
    #[pymodule_export]
    use crate::models::trace_models;
    #[pymodule_export]
    use crate::panics::{first_panic, quiet_panics};
    #[pymodule_export]
    use crate::points::{Point, Points};
    #[pymodule_export]
    use crate::progress::stopping;
    #[pymodule_export]
    use crate::result::CoreResult;
    #[pymodule_export]
    use crate::run::{RunResult, parsable, run, warnings};
    #[pymodule_export]
    use crate::schemes::compare_schemes;
    #[pymodule_export]
    use crate::study::study;
    #[pymodule_export]
    use crate::table::Table;
    #[pymodule_export]
    use crate::traces::{binary_kind, trace_convert, trace_stats, trace_synth};

    use pyo3::prelude::*;

    /// Errors of laws without a result have `None` in its place.
    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        let law = module.getattr("LawError")?;
        ["result", "kept", "job"].iter().try_for_each(|name| law.setattr(*name, module.py().None()))
    }
}
