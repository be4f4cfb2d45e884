//! The first error of a law in a run, and the exception that it becomes.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use airtcp_congestion::external;
use airtcp_units::Nanos;
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use pyo3::types::PyTraceback;

use crate::error::LawError;

/// An error of a law.
#[derive(Debug)]
pub(super) struct Failure {
    pub(super) label: String,
    /// The flow; `None` if it has no name.
    pub(super) flow: Option<String>,
    /// The replication; `None` outside a run.
    pub(super) replication: Option<u32>,
    pub(super) method: &'static str,
    pub(super) now: Nanos,
    pub(super) acks: u64,
    pub(super) error: PyErr,
}

/// The first error of the laws of a call.
#[derive(Debug, Default)]
pub(super) struct Failures {
    any: AtomicBool,
    first: Mutex<Option<Failure>>,
}

impl Failures {
    /// Keeps an error if it is the first.
    pub(super) fn add(&self, failure: Failure) {
        self.first.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(failure);
        self.any.store(true, Ordering::Release);
    }

    pub(super) fn any(&self) -> bool {
        self.any.load(Ordering::Acquire)
    }

    /// The first error, as Python raises it.
    pub(super) fn take(&self, py: Python<'_>) -> Option<PyErr> {
        let failure = self.first.lock().unwrap_or_else(PoisonError::into_inner).take()?;
        if failure.error.is_instance_of::<PyKeyboardInterrupt>(py) {
            // Ctrl-C also ends a law that does not return; what is finished is kept.
            return (!crate::progress::interrupted()).then_some(failure.error);
        }
        let raised = LawError::new_err(failure.said(py));
        raised.set_cause(py, Some(failure.error));
        Some(raised)
    }

    /// The first error in words; `None` if Ctrl-C ended the law.
    pub(super) fn first(&self) -> Option<external::Failure> {
        Python::attach(|py| {
            let first = self.first.lock().unwrap_or_else(PoisonError::into_inner);
            let failure = first.as_ref()?;
            if failure.error.is_instance_of::<PyKeyboardInterrupt>(py) {
                return None;
            }
            let reason = failure.said(py);
            Some(external::Failure { replication: failure.replication, reason })
        })
    }
}

impl Failure {
    /// Call, time, flow, error and its line.
    fn said(&self, py: Python<'_>) -> String {
        let Self { label, flow, method, now, acks, error, .. } = self;
        let at = now.as_secs_f64();
        let flow = flow.as_ref().map_or_else(String::new, |name| format!(", flow {name}"));
        let said = format!("{label}.{method} at {at:.3} s{flow}, ACK {acks}: {error}");
        match error.traceback(py).and_then(|traceback| place(&traceback).ok()) {
            Some(place) => format!("{said} ({place})"),
            None => said,
        }
    }
}

/// File and line of the frame in which an exception was raised.
fn place(traceback: &Bound<'_, PyTraceback>) -> PyResult<String> {
    let mut last = traceback.clone().into_any();
    loop {
        let next = last.getattr("tb_next")?;
        if next.is_none() {
            break;
        }
        last = next;
    }
    let file: String =
        last.getattr("tb_frame")?.getattr("f_code")?.getattr("co_filename")?.extract()?;
    let line: u32 = last.getattr("tb_lineno")?.extract()?;
    Ok(format!("{file}, line {line}"))
}
