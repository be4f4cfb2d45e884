//! Reading delivery traces of many layouts.
//!
//! A file is opened by its first bytes (gzip, xz, zstd, tar, one inside the other), never by its
//! name alone; its layout is told from the first 64 KiB of text. Files are streamed: what is kept
//! is one bit a packet. A file may hold many links. Nothing in a file can make the reader panic
//! or take more memory than [`ReadOptions`] allows.
//!
//! [`layouts`] lists what is understood; `docs/reference/trace-formats.md` describes each.
//! To add a layout: a file under `reader/layouts/` and a line in its registry.

mod clock;
mod gzip;
mod head;
mod kinds;
mod layouts;
pub mod limits;
mod lines;
mod many;
mod notes;
mod open;
mod order;
mod ratios;
mod sequence;
mod strays;
pub mod waiting;
mod zstd;

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use airtcp_units::{Capacity, Outcomes, Span};
use serde::{Deserialize, Serialize};

pub use kinds::binary_kind;
pub use layouts::{LayoutInfo, layouts, text_kind};
pub use many::{Collector, Expanded, Skipped, expand, read_many};

use crate::error::TraceError;

/// One link's trace and where it comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkTrace {
    /// Name, unique within its file: the file's, and the link's if there are several.
    pub name: String,
    /// One outcome a packet, in the order sent; none where the file holds a capacity.
    pub outcomes: Outcomes,
    /// What the link can carry over time, where the file says that and nothing about losses.
    pub capacity: Option<Arc<Capacity>>,
    /// Time from packet to packet, where the file tells (or the caller).
    pub interval: Option<Span>,
    /// Where it was read.
    pub source: Source,
    /// False if the file holds counts only and the order was drawn at random: every metric of
    /// bursts shorter than such a group is then an artefact (see `notes`).
    pub order_known: bool,
    /// What a reader of the results should know: duplicates, corrupt records, readings that are
    /// a choice of ours.
    pub notes: Vec<String>,
    /// What the file says about the link, such as `noise_dbm`, `tx`, `rx`, `channel`.
    pub labels: BTreeMap<String, String>,
}

/// File and layout of a trace.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Source {
    /// The file (with the member's name for an archive).
    pub path: PathBuf,
    /// Tag of the layout, as in [`layouts`].
    pub layout: String,
}

/// What a chosen column holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ColumnKind {
    /// 1 or true means received.
    Received,
    /// 1 or true means lost.
    Lost,
    /// Sequence numbers of received packets; gaps are losses.
    Sequence,
    /// A receive time, round-trip time or delay of each packet sent; blank (or NaN, or -1) where
    /// the packet was lost.
    Arrival,
}

/// How to read. The defaults guess everything from the file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ReadOptions {
    /// Layout tag; the file's own looks decide if `None`.
    pub layout: Option<String>,
    /// Column of a table: its name, or its number from 1.
    pub column: Option<String>,
    /// What that column holds.
    pub kind: Option<ColumnKind>,
    /// Column of time stamps: its name, or its number from 1.
    pub time_column: Option<String>,
    /// What one unit of the time stamps is, if their name does not say.
    pub time_unit: Option<Span>,
    /// What a rate of 1 is in a table of rates whose header does not say: "Mb/s", "B/s", ...
    pub rate_unit: Option<String>,
    /// Inter-packet interval, in place of what the file says.
    pub interval: Option<Span>,
    /// Most packets to take from a file, over all its links.
    pub max_packets: u64,
    /// Most links to take from a file.
    pub max_links: u64,
    /// Most bytes to read from a file, decompressed; of names of links an eighth of that.
    pub max_bytes: u64,
    /// Largest gap in sequence numbers that is believed to be losses.
    pub max_gap: u64,
    /// Seed of the order given to packets that the file only counts.
    pub order_seed: u64,
}

impl Default for ReadOptions {
    /// Everything guessed; sizes as [`limits`] has them.
    fn default() -> Self {
        let limit = limits::input_limit().unwrap_or(limits::DEFAULT);
        Self {
            layout: None,
            column: None,
            kind: None,
            time_column: None,
            time_unit: None,
            rate_unit: None,
            interval: None,
            max_packets: limit,
            max_links: limits::links(limit),
            max_bytes: limit,
            max_gap: limits::gap(limit),
            order_seed: 0,
        }
    }
}

/// Longest interval and unit of time that are believed.
const LONGEST: Span = Span::from_secs(3_600_000);

impl ReadOptions {
    /// Refuses spans of time that no packets can be apart.
    pub fn check(&self) -> Result<(), TraceError> {
        for (option, span) in [("interval", self.interval), ("time_unit", self.time_unit)] {
            if let Some(span) = span.filter(|span| !(Span(1)..=LONGEST).contains(span)) {
                let expected = "a time from 1 ns to 1000 h".to_owned();
                return Err(TraceError::Option { option, found: span.to_string(), expected });
            }
        }
        Ok(())
    }
}

/// Reads every link of the file at `path`.
pub fn read_links(path: &Path, options: &ReadOptions) -> Result<Vec<LinkTrace>, TraceError> {
    let io = |source| TraceError::Io { path: path.display().to_string(), source };
    if std::fs::metadata(path).map_err(io)?.is_dir() {
        let found = "this is a folder".to_owned();
        return Err(TraceError::NoFiles { pattern: path.to_owned(), found });
    }
    // A pipe without a writer is waited for where the wait can be ended.
    match waiting::Patient::of(path).map_err(io)? {
        Some(pipe) => read_links_from(path, pipe, options),
        None => read_links_from(path, File::open(path).map_err(io)?, options),
    }
}

/// Reads every link of `data`; `name` stands for it in messages and link names.
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

#[cfg(test)]
mod tests;
