//! A link's trace as it was read, and where it comes from.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use airtcp_units::{Capacity, Outcomes, Span};
use serde::{Deserialize, Serialize};

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
    /// Tag of the layout, as in [`layouts`](super::layouts()).
    pub layout: String,
}
