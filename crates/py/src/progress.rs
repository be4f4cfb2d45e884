//! Long calls: they release the interpreter, report progress and react to Ctrl-C.
//!
//! A long call works with the interpreter released and asks [`Watch`] between pieces of work. On
//! Ctrl-C the watch stops the work, and the call returns the finished part, marked as interrupted.
//! An exception of the progress function also stops the work and passes to the caller.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;

use crate::error::LawError;

/// Most calls of the progress function during a piece of work.
const STEPS: usize = 400;

/// Interval between two checks of the signals.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// True after Ctrl-C in the present call, for threads that wait for a pipe.
static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// An exception that came while Python waited for other processes.
static KEPT: Mutex<Option<PyErr>> = Mutex::new(None);

/// Keeps an exception for the next report, which stops the work with it.
pub(crate) fn keep(error: PyErr) {
    KEPT.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
}

/// Begins a call that may wait for a pipe.
pub(crate) fn begin() {
    INTERRUPTED.store(false, Ordering::Relaxed);
    airtcp_trace::reader::waiting::set_go_on(go_on);
}

/// True if the wait may go on; checks the signals if it runs on the main thread.
fn go_on() -> bool {
    if Python::attach(|py| py.check_signals().is_err()) {
        INTERRUPTED.store(true, Ordering::Relaxed);
    }
    !INTERRUPTED.load(Ordering::Relaxed)
}

/// True if Ctrl-C ended the present call, or its wait for a pipe.
pub(crate) fn interrupted() -> bool {
    INTERRUPTED.load(Ordering::Relaxed)
}

/// True if Ctrl-C or an exception stops the present call.
#[pyfunction]
pub(crate) fn stopping() -> bool {
    interrupted()
}

/// The exception of Ctrl-C in place of an error, if Ctrl-C ended the wait for a pipe.
pub(crate) fn or_interrupt(error: PyErr) -> PyErr {
    if INTERRUPTED.load(Ordering::Relaxed) { PyKeyboardInterrupt::new_err(()) } else { error }
}

/// Connects running work with the interpreter.
pub(crate) struct Watch {
    progress: Option<Py<PyAny>>,
    last: Option<usize>,
    error: Option<PyErr>,
}

impl Watch {
    pub(crate) fn new(progress: Option<Py<PyAny>>) -> Self {
        Self { progress, last: None, error: None }
    }

    /// Reports the progress of the work. False means stop.
    pub(crate) fn report(&mut self, done: usize, total: usize, label: &str) -> bool {
        if self.error.is_some() {
            return false;
        }
        let outcome = Python::attach(|py| {
            if let Some(kept) = KEPT.lock().unwrap_or_else(PoisonError::into_inner).take() {
                return Err(kept);
            }
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

    /// The error, if it is that of a law.
    pub(crate) fn error_of_law(&self, py: Python<'_>) -> Option<PyErr> {
        let error = self.error.as_ref().filter(|e| e.is_instance_of::<LawError>(py));
        error.map(|error| error.clone_ref(py))
    }

    /// The error that stopped the work, unless Ctrl-C did.
    pub(crate) fn into_error(self, py: Python<'_>) -> PyResult<()> {
        match self.error {
            Some(error) if !error.is_instance_of::<PyKeyboardInterrupt>(py) => Err(error),
            _ => Ok(()),
        }
    }

    /// Does `work` on another thread, which may report progress, and checks the signals meanwhile.
    /// It is for work that cannot be stopped: on Ctrl-C the thread is abandoned and the exception
    /// passes to the caller.
    pub(crate) fn beside<T: Send + 'static>(
        &mut self,
        py: Python<'_>,
        label: &str,
        work: impl FnOnce(&dyn Fn(usize, usize)) -> T + Send + 'static,
    ) -> PyResult<T> {
        enum Message<T> {
            Progress(usize, usize),
            Done(T),
        }
        let (sender, receiver) = mpsc::channel();
        std::thread::spawn(move || {
            // A missing receiver means that the caller no longer waits.
            let done = work(&|done, total| drop(sender.send(Message::Progress(done, total))));
            drop(sender.send(Message::Done(done)));
        });
        self.next();
        let (mut done, mut total) = (0, 0);
        let watch = &mut *self;
        let result = py.detach(move || {
            loop {
                match receiver.recv_timeout(POLL_INTERVAL) {
                    Ok(Message::Done(result)) => return Some(result),
                    Ok(Message::Progress(d, t)) => (done, total) = (d, t),
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
