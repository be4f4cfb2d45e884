//! Errors that end the program, and what it says on standard error.

use std::io::{self, Write as _};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

/// An error that ends the program before or during a run, said in one line.
pub(super) type Failure = String;

/// An error as one line.
pub(super) fn said(error: impl std::fmt::Display) -> Failure {
    error.to_string()
}

/// An error of a file, with its name.
pub(super) fn at(path: &Path, error: &impl std::fmt::Display) -> Failure {
    format!("{}: {error}", path.display())
}

/// Whether a line stands on the terminal that what is said takes the place of.
pub(super) static LINE: AtomicBool = AtomicBool::new(false);

/// Standard output belongs to COMMAND. Where standard error is closed, nobody listens.
pub(super) fn say(text: &str) {
    let place = if LINE.swap(false, Ordering::Relaxed) { "\r\x1b[K" } else { "" };
    let _ = writeln!(io::stderr(), "{place}{text}");
}
