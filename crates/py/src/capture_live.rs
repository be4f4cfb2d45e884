//! A capture that is analysed while it is written: a thread reads the stream, and Python asks for reports.

use std::path::PathBuf;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use airtcp_capture::read::Input;
use airtcp_capture::{Asked, CaptureError, CaptureReport, Following};
use pyo3::prelude::*;

use crate::capture::{CaptureResult, Options};
use crate::error;

/// Interval between two checks of the signals.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// How the reading ended.
#[derive(Default)]
struct Ended {
    how: Mutex<Option<Result<(), CaptureError>>>,
    told: Condvar,
}

impl Ended {
    fn lock(&self) -> MutexGuard<'_, Option<Result<(), CaptureError>>> {
        self.how.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for the end of the reading, at most this long. True if it has ended.
    fn wait(&self, most: Duration) -> bool {
        let guard = self.lock();
        let waited = self.told.wait_timeout_while(guard, most, |how| how.is_none());
        waited.unwrap_or_else(PoisonError::into_inner).0.is_some()
    }
}

/// A capture that is analysed while it is written.
#[pyclass(frozen, module = "airtcp._core")]
pub struct LiveCapture {
    following: Arc<Following>,
    ended: Arc<Ended>,
    options: Options,
}

#[pymethods]
impl LiveCapture {
    /// Begins to read the stream at `path`, which messages call `name`.
    #[new]
    fn new(path: PathBuf, name: &str, options: &str) -> PyResult<Self> {
        let options: Options = error::options(options)?;
        let asked = Asked { limits: options.limits(), interface: options.interface() };
        let following = Arc::new(Following::new(name, asked));
        let ended = Arc::new(Ended::default());
        let (reader, end) = (following.clone(), ended.clone());
        std::thread::spawn(move || {
            let how = Input::open(&path).and_then(|input| reader.read(input));
            *end.lock() = Some(how);
            end.told.notify_all();
        });
        Ok(Self { following, ended, options })
    }

    /// Waits for the end of the stream, at most these seconds. True if it has ended.
    fn wait(&self, py: Python<'_>, seconds: f64) -> PyResult<bool> {
        let mut left = Duration::try_from_secs_f64(seconds).unwrap_or_default();
        loop {
            let step = left.min(POLL_INTERVAL);
            let is_over = py.detach(|| self.ended.wait(step));
            py.check_signals()?;
            left -= step;
            if is_over || left.is_zero() {
                return Ok(is_over);
            }
        }
    }

    /// The result so far, as if all connections ended here; they go on.
    fn so_far(&self, py: Python<'_>) -> PyResult<Py<CaptureResult>> {
        let report = py.detach(|| self.following.so_far());
        self.result(py, report)
    }

    /// The result at the end of the stream.
    fn finish(&self, py: Python<'_>) -> PyResult<Py<CaptureResult>> {
        if let Some(Err(refused)) = self.ended.lock().take() {
            return Err(error::trace(refused));
        }
        let report = py.detach(|| self.following.finish());
        self.result(py, report)
    }
}

impl LiveCapture {
    fn result(&self, py: Python<'_>, report: CaptureReport) -> PyResult<Py<CaptureResult>> {
        CaptureResult::of(py, report, &self.options, None)
    }
}
