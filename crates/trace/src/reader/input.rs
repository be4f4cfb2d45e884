//! A stream of text with its remaining budget: packets, links, names.

use std::cell::Cell;
use std::io::Read;
use std::path::Path;

use super::options::ReadOptions;
use crate::error::TraceError;

/// A stream of decompressed bytes, with the options and the budget of its file.
pub(super) struct Input<'a> {
    /// The file, for messages.
    pub(super) path: &'a Path,
    pub(super) reader: Box<dyn Read + 'a>,
    pub(super) options: &'a ReadOptions,
    /// Shared by all members of an archive.
    pub(super) budget: &'a Budget,
}

/// The remaining budget of a file.
pub(super) struct Budget {
    packets: Cell<u64>,
    links: Cell<u64>,
    names: Cell<u64>,
    max_packets: u64,
    max_links: u64,
    max_names: u64,
}

impl Budget {
    pub(super) fn new(options: &ReadOptions) -> Self {
        Self {
            packets: Cell::new(options.max_packets),
            links: Cell::new(options.max_links),
            names: Cell::new(options.max_bytes / 8),
            max_packets: options.max_packets,
            max_links: options.max_links,
            max_names: options.max_bytes / 8,
        }
    }

    /// Takes `n` packets.
    pub(super) fn packets(&self, path: &Path, n: u64) -> Result<(), TraceError> {
        take(&self.packets, n, path, self.max_packets, "packets")
    }

    /// Takes the names of a link, of `bytes` in all, which are kept several times.
    pub(super) fn names(&self, path: &Path, bytes: usize) -> Result<(), TraceError> {
        take(&self.names, bytes as u64, path, self.max_names, "bytes of names")
    }

    /// Takes one link.
    pub(super) fn link(&self, path: &Path) -> Result<(), TraceError> {
        take(&self.links, 1, path, self.max_links, "links")
    }
}

fn take(
    left: &Cell<u64>,
    n: u64,
    path: &Path,
    limit: u64,
    what: &'static str,
) -> Result<(), TraceError> {
    match left.get().checked_sub(n) {
        Some(rest) => {
            left.set(rest);
            Ok(())
        }
        None => Err(TraceError::TooLarge { path: path.display().to_string(), limit, what }),
    }
}
