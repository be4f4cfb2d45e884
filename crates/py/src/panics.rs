//! Faults of our own: what panicked and where, kept for one line in place of a backtrace.

use std::sync::{Mutex, PoisonError};

use pyo3::prelude::*;

static LAST: Mutex<Option<String>> = Mutex::new(None);

/// Lets panics print nothing; the last one can be asked for by `last_panic`.
#[pyfunction]
pub(crate) fn quiet_panics() {
    std::panic::set_hook(Box::new(|panic| {
        let message = panic.payload_as_str().unwrap_or("a panic without words");
        let place = panic.location().map_or_else(String::new, |place| format!(" ({place})"));
        let mut last = LAST.lock().unwrap_or_else(PoisonError::into_inner);
        // The first is the cause; that a thread panicked is what others then complain of.
        last.get_or_insert_with(|| format!("{message}{place}"));
    }));
}

/// The first panic since `quiet_panics`: what it says, and where it happened.
#[pyfunction]
pub(crate) fn last_panic() -> Option<String> {
    LAST.lock().unwrap_or_else(PoisonError::into_inner).clone()
}
