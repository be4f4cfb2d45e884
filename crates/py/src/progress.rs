//! Long calls: the interpreter is free to run, progress is told, and Ctrl-C is noticed.
//!
//! A long call does its work with the interpreter released and asks [`Watch`] between pieces. On
//! Ctrl-C the watch says stop and the call gives back what is finished, marked as interrupted; an
//! exception from the progress function stops the work too and goes on to the caller.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;

/// Times the progress function is called over the whole of a piece of work, at most.
const STEPS: usize = 400;

/// How long to wait for work before looking at the signals.
const PATIENCE: Duration = Duration::from_millis(50);

/// True once Ctrl-C was noticed in the present call, for threads that wait for a pipe.
static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// Begins a call that may wait for a pipe.
pub(crate) fn begin() {
    INTERRUPTED.store(false, Ordering::Relaxed);
    airtcp_trace::reader::waiting::ask(go_on);
}

/// Says whether to go on waiting; on the main thread it looks at the signals itself.
fn go_on() -> bool {
    if Python::attach(|py| py.check_signals().is_err()) {
        INTERRUPTED.store(true, Ordering::Relaxed);
    }
    !INTERRUPTED.load(Ordering::Relaxed)
}

/// The exception of Ctrl-C in place of an error, if that is what ended the wait for a pipe.
pub(crate) fn or_interrupt(error: PyErr) -> PyErr {
    if INTERRUPTED.load(Ordering::Relaxed) { PyKeyboardInterrupt::new_err(()) } else { error }
}

/// Stands between running work and the interpreter.
pub(crate) struct Watch {
    progress: Option<Py<PyAny>>,
    last: Option<usize>,
    error: Option<PyErr>,
}

impl Watch {
    pub(crate) fn new(progress: Option<Py<PyAny>>) -> Self {
        Self { progress, last: None, error: None }
    }

    /// Tells how far the work is. False means stop.
    pub(crate) fn report(&mut self, done: usize, total: usize, label: &str) -> bool {
        if self.error.is_some() {
            return false;
        }
        let outcome = Python::attach(|py| {
            py.check_signals()?;
            let step = done.saturating_mul(STEPS).checked_div(total).unwrap_or(0);
            if let Some(progress) = &self.progress
                && self.last.replace(step) != Some(step)
            {
                progress.call1(py, (done, total, label))?;
            }
            PyResult::Ok(())
        });
        self.error = outcome.err();
        if self.error.is_some() {
            INTERRUPTED.store(true, Ordering::Relaxed);
        }
        self.error.is_none()
    }

    /// Starts a new piece of work, with its own steps.
    pub(crate) fn next(&mut self) {
        self.last = None;
    }

    /// What stopped the work, unless that was Ctrl-C.
    pub(crate) fn into_error(self, py: Python<'_>) -> PyResult<()> {
        match self.error {
            Some(error) if !error.is_instance_of::<PyKeyboardInterrupt>(py) => Err(error),
            _ => Ok(()),
        }
    }

    /// Does `work` on a thread of its own, which may tell its progress, and looks at the signals
    /// meanwhile. For work that cannot be stopped: on Ctrl-C it is left to itself and the
    /// exception goes on.
    pub(crate) fn beside<T: Send + 'static>(
        &mut self,
        py: Python<'_>,
        label: &str,
        work: impl FnOnce(&dyn Fn(usize, usize)) -> T + Send + 'static,
    ) -> PyResult<T> {
        enum Told<T> {
            Progress(usize, usize),
            Done(T),
        }
        let (sender, receiver) = mpsc::channel();
        std::thread::spawn(move || {
            // A receiver that is gone means that nobody waits any more.
            let done = work(&|done, total| drop(sender.send(Told::Progress(done, total))));
            drop(sender.send(Told::Done(done)));
        });
        self.next();
        let (mut done, mut total) = (0, 0);
        let watch = &mut *self;
        let result = py.detach(move || {
            loop {
                match receiver.recv_timeout(PATIENCE) {
                    Ok(Told::Done(result)) => return Some(result),
                    Ok(Told::Progress(d, t)) => (done, total) = (d, t),
                    Err(RecvTimeoutError::Timeout) => {}
                    Err(RecvTimeoutError::Disconnected) => return None,
                }
                if !watch.report(done, total, label) {
                    return None;
                }
            }
        });
        match (result, self.error.take()) {
            (Some(result), _) => Ok(result),
            (None, Some(error)) => Err(error),
            (None, None) => Err(crate::error::refuse("reading ended unexpectedly")),
        }
    }
}
