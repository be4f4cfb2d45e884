//! How the program ends: with a status, or with one line on standard error.

use std::fmt::Display;
use std::io::{self, Write as _};
use std::process::ExitCode;

use airtcp_probe::unnumbered;

/// Exit status for wrong input, and for a system that refuses.
pub(crate) const REFUSED: u8 = 2;

/// The exit status of a command; an error is said in one line.
pub(crate) fn ended(done: Result<ExitCode, impl Display>) -> ExitCode {
    done.unwrap_or_else(|error| {
        let _ = writeln!(io::stderr(), "error: {}", unnumbered(&error.to_string()));
        ExitCode::from(REFUSED)
    })
}
