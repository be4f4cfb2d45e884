//! Files that only their owner can read.

use std::fs::{File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::Path;

/// Writes a new file; `what` it has is in the error.
///
/// # Errors
/// If the file exists, or if it cannot be written.
pub(crate) fn write(path: &Path, bytes: &[u8], what: &str) -> Result<(), String> {
    let made = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path);
    let mut file = made.map_err(|e| match e.kind() {
        io::ErrorKind::AlreadyExists => format!(
            "{}: exists, and a {what} in use is not replaced; remove it first, or give another name",
            path.display()
        ),
        _ => at(path, &e),
    })?;
    file.write_all(bytes).map_err(|e| at(path, &e))
}

/// Reads at most `most` bytes of a file. `hint` says what to do if there is none.
///
/// # Errors
/// If there is none, or if others may read it.
pub(crate) fn read(path: &Path, most: u64, what: &str, hint: &str) -> Result<Vec<u8>, String> {
    let file = File::open(path).map_err(|e| match e.kind() {
        io::ErrorKind::NotFound => format!("{}: no such file; {hint}", path.display()),
        _ => at(path, &e),
    })?;
    let about = file.metadata().map_err(|e| at(path, &e))?;
    if about.mode() & 0o077 != 0 {
        let place = path.display();
        return Err(format!(
            "{place}: others may read or write this {what}; run chmod 600 {place}"
        ));
    }
    let mut bytes = Vec::new();
    file.take(most).read_to_end(&mut bytes).map_err(|e| at(path, &e))?;
    Ok(bytes)
}

fn at(path: &Path, error: &io::Error) -> String {
    format!("{}: {error}", path.display())
}
