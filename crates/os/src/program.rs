//! Programs of the system, run without a shell.

use crate::error::{Error, Result};
use std::io::{self, ErrorKind, Write as _};
use std::process::{Command, Output, Stdio};

/// Where administrators' programs are, if the search path of a user leaves them out.
const FOLDERS: [&str; 3] = ["/usr/sbin", "/sbin", "/usr/local/sbin"];

/// Runs a program with text on its standard input, in the namespaces of the calling thread; `None` if it is not
/// installed. What it writes is in English.
///
/// # Errors
/// If it cannot be run.
pub fn run(program: &str, arguments: &[&str], input: &str) -> io::Result<Option<Output>> {
    let places = FOLDERS.map(|folder| format!("{folder}/{program}"));
    for place in std::iter::once(program).chain(places.iter().map(String::as_str)) {
        let spawned = Command::new(place)
            .args(arguments)
            .env("LC_ALL", "C")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn();
        let mut child = match spawned {
            Ok(child) => child,
            Err(error) if error.kind() == ErrorKind::NotFound => continue,
            Err(error) => return Err(error),
        };
        if let Some(mut stdin) = child.stdin.take() {
            // A program that ends without reading says why by its status.
            let _ = stdin.write_all(input.as_bytes());
        }
        return child.wait_with_output().map(Some);
    }
    Ok(None)
}

/// Lets `ip` execute lines, which it reads from its standard input.
pub(crate) fn ip(lines: &str) -> Result<()> {
    ip_with("ip", &["-batch", "-"], lines)
}

/// Adds or deletes a named network namespace: `ip netns`.
pub(crate) fn ip_netns(what: &str, name: &str) -> Result<()> {
    ip_with("ip netns", &["netns", what, name], "")
}

/// Runs `ip`, which errors call `program`.
fn ip_with(program: &'static str, arguments: &[&str], lines: &str) -> Result<()> {
    let done = run("ip", arguments, lines).map_err(|e| Error::system("running 'ip'", e))?;
    let output = done.ok_or_else(|| {
        Error::Input("the program 'ip' was not found; install the package iproute2".to_owned())
    })?;
    if output.status.success() {
        return Ok(());
    }
    let text = String::from_utf8_lossy(&output.stderr);
    let answer = text.lines().next().unwrap_or("no answer").to_owned();
    Err(Error::Program { program, answer })
}
