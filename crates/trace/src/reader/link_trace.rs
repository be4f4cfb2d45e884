//! A link's trace as read from a file, and its source.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use airtcp_units::{Capacity, Outcomes, Span};
use serde::{Deserialize, Serialize};

/// One link's trace and its source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkTrace {
    /// Name, unique within its file: the file's name, followed by the link's if there are several.
    pub name: String,
    /// One outcome per packet, in the order sent; none if the file holds a capacity.
    pub outcomes: Outcomes,
    /// Capacity of the link over time, if the file holds a capacity and no losses.
    pub capacity: Option<Arc<Capacity>>,
    /// Interval between packets, if the file or the caller gives it.
    pub interval: Option<Span>,
    /// The file and its layout.
    pub source: Source,
    /// False if the file only counts packets and the order was drawn at random. Statistics of
    /// bursts shorter than a counted group are then artefacts (see `notes`).
    pub order_known: bool,
    /// Notes for the reader of the results: duplicates, corrupt records, choices in reading.
    pub notes: Vec<String>,
    /// Labels of the link in the file, such as `noise_dbm`, `tx`, `rx`, `channel`.
    pub labels: BTreeMap<String, String>,
}

/// File and layout of a trace.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Source {
    /// The file (with the member's name for an archive).
    pub path: PathBuf,
    /// Tag of the layout, as in [`layouts`](super::layouts()).
    pub layout: String,
}
