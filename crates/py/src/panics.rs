//! Panics of the program: the message and the place, kept for one line in place of a backtrace.

use std::sync::{Mutex, PoisonError};

use pyo3::prelude::*;

static FIRST: Mutex<Option<String>> = Mutex::new(None);

/// Stops panics from printing; `first_panic` returns the first one.
#[pyfunction]
pub(crate) fn quiet_panics() {
    std::panic::set_hook(Box::new(|panic| {
        let message = panic.payload_as_str().unwrap_or("a panic without a message");
        let place = panic.location().map_or_else(String::new, |place| format!(" ({place})"));
        let mut first = FIRST.lock().unwrap_or_else(PoisonError::into_inner);
        // The first panic is the cause; later ones report that a thread panicked.
        first.get_or_insert_with(|| format!("{message}{place}"));
    }));
}

/// The first panic since `quiet_panics`: its message and its place.
#[pyfunction]
pub(crate) fn first_panic() -> Option<String> {
    FIRST.lock().unwrap_or_else(PoisonError::into_inner).clone()
}
