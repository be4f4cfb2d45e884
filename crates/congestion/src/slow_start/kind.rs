//! The slow start of a connection.

use airtcp_probe::Entry;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The slow start of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub enum SlowStartKind {
    /// Doubling each round trip until the threshold or a loss.
    #[default]
    #[serde(rename = "standard")]
    Standard,
    /// Standard slow start that ends early when the round-trip time rises.
    #[serde(rename = "hystart++")]
    HyStartPlusPlus,
}

impl SlowStartKind {
    /// The slow starts for `airtcp list`.
    pub const ENTRIES: &'static [Entry] = &[
        Entry {
            family: "slow-start",
            name: "standard",
            description: "Doubling each round trip until the threshold or a loss",
            source: "RFC 5681 section 3.1; RFC 3465",
        },
        Entry {
            family: "slow-start",
            name: "hystart++",
            description: "Ends early, in two steps, when the round-trip time rises",
            source: "RFC 9406",
        },
    ];
}
