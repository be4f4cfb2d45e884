//! The program `ip`, in the namespace of the calling thread.

use crate::error::{Error, Result};
use std::io::{self, Write as _};
use std::process::{Command, Stdio};

/// Lets `ip` execute lines, which it reads from its standard input.
pub(crate) fn ip(lines: &str) -> Result<()> {
    let mut child = Command::new("ip")
        .args(["-batch", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|e| match e.kind() {
            io::ErrorKind::NotFound => Error::Input(
                "the program 'ip' was not found; install the package iproute2".to_owned(),
            ),
            _ => Error::system("starting 'ip'", e),
        })?;
    if let Some(mut input) = child.stdin.take() {
        // If it ended early, its standard error says why.
        let _ = input.write_all(lines.as_bytes());
    }
    let output = child.wait_with_output().map_err(|e| Error::system("waiting for 'ip'", e))?;
    if output.status.success() {
        return Ok(());
    }
    let text = String::from_utf8_lossy(&output.stderr);
    let answer = text.lines().next().unwrap_or("no answer").to_owned();
    Err(Error::Program { program: "ip", answer })
}
