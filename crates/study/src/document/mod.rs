//! Options and results, as documents have them; parts common to several of them stand here.

pub(crate) mod capacity;
pub(crate) mod compare;
pub(crate) mod compare_options;
pub(crate) mod conclusion;
pub(crate) mod limits;
pub(crate) mod schemes;
pub(crate) mod schemes_options;
pub(crate) mod study;
pub(crate) mod study_options;

use airtcp_trace::LinkTrace;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A skipped file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Skipped {
    /// The file.
    pub path: String,
    /// Why it was skipped.
    pub reason: String,
}

impl From<&airtcp_trace::reader::Skipped> for Skipped {
    fn from(skipped: &airtcp_trace::reader::Skipped) -> Self {
        Self { path: skipped.path.display().to_string(), reason: skipped.reason.to_string() }
    }
}

/// Where a link's trace came from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TraceSource {
    /// The file.
    pub path: String,
    /// The layout it was read as.
    pub layout: String,
}

impl TraceSource {
    /// The source of `link`.
    pub(crate) fn of(link: &LinkTrace) -> Self {
        Self { path: link.source.path.display().to_string(), layout: link.source.layout.clone() }
    }
}

/// The congestion window over time, thinned for drawing.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Cwnd {
    /// Time since the start.
    pub t_s: Vec<f64>,
    /// Window in packets from that time on.
    pub cwnd_packets: Vec<f64>,
}
