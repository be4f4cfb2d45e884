//! The unit of growth in congestion avoidance: ACKs or bytes.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How the window grows in congestion avoidance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Growth {
    /// `MSS*MSS/cwnd` for every ACK (RFC 5681 equation 3): with delayed ACKs about half a
    /// segment per round trip.
    #[default]
    PerAck,
    /// One segment for every window of acknowledged bytes (RFC 3465, appropriate byte
    /// counting): one segment per round trip, independent of delayed ACKs.
    Bytes,
}
