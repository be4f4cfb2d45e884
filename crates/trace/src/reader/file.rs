//! Reads all links of one file or stream.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use super::link_trace::LinkTrace;
use super::options::ReadOptions;
use super::{limits, open, waiting};
use crate::error::TraceError;

/// Reads every link of the file at `path`.
pub fn read_links(path: &Path, options: &ReadOptions) -> Result<Vec<LinkTrace>, TraceError> {
    let io = |source| TraceError::Io { path: path.display().to_string(), source };
    if std::fs::metadata(path).map_err(io)?.is_dir() {
        let found = "this is a folder".to_owned();
        return Err(TraceError::NoFiles { pattern: path.to_owned(), found });
    }
    // Waits for the writer of a pipe, if the wait can be interrupted.
    match waiting::InterruptiblePipe::of(path).map_err(io)? {
        Some(pipe) => read_links_from(path, pipe, options),
        None => read_links_from(path, File::open(path).map_err(io)?, options),
    }
}

/// Reads every link of `data`; messages and link names use `name`.
pub fn read_links_from(
    name: &Path,
    data: impl Read,
    options: &ReadOptions,
) -> Result<Vec<LinkTrace>, TraceError> {
    limits::input_limit()?;
    options.check()?;
    let mut links = open::read(name, Box::new(data), options)?;
    for link in &mut links {
        if options.interval.is_some() {
            link.interval = options.interval;
        }
    }
    Ok(links)
}
