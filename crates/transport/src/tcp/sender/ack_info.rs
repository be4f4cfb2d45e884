//! An acknowledgement as the connection hands it to the sender.

use airtcp_packet::Seq;
use airtcp_units::Span;

/// What the connection knows about an acknowledgement beside the segment itself.
#[derive(Debug, Clone, Copy)]
pub(crate) struct AckInfo {
    /// Our ISN.
    pub(crate) iss: Seq,
    /// Offset acknowledged, not beyond what was sent.
    pub(crate) ack: u64,
    /// The peer's sequence offset.
    pub(crate) seq: u64,
    /// Round-trip time by timestamps, if they are in use.
    pub(crate) echo: Option<Span>,
    /// The timestamp echoed, likewise.
    pub(crate) echoed: Option<u32>,
}
