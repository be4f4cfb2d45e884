//! Errors that end the program, and what it says on standard error.

use std::io::{self, Write as _};
use std::path::Path;

/// Exit code for wrong input, and for a system that refuses.
pub(super) const REFUSED: u8 = 2;

/// An error that ends the program before or during a run, said in one line.
pub(super) type Failure = String;

/// An error as one line.
pub(super) fn said(error: impl std::fmt::Display) -> Failure {
    error.to_string()
}

/// Writes a whole file.
pub(super) fn write(path: &Path, text: &str) -> Result<(), Failure> {
    std::fs::write(path, text).map_err(|e| format!("{}: {e}", path.display()))
}

/// Standard output belongs to COMMAND. Where standard error is closed, nobody listens.
pub(super) fn say(text: &str) {
    let _ = writeln!(io::stderr(), "{text}");
}
