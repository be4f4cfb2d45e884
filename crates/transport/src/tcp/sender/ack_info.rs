//! An acknowledgement as the connection passes it to the sender.

use airtcp_packet::Seq;
use airtcp_units::Span;

/// Data about an acknowledgement beside the segment itself.
#[derive(Debug, Clone, Copy)]
pub(crate) struct AckInfo {
    pub(crate) iss: Seq,
    /// Acknowledged offset, not beyond what was sent.
    pub(crate) ack: u64,
    /// The peer's sequence offset.
    pub(crate) seq: u64,
    /// Round-trip time by timestamps, if these are in use.
    pub(crate) echo: Option<Span>,
    /// The echoed timestamp, if timestamps are in use.
    pub(crate) echoed: Option<u32>,
}
