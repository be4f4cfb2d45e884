//! What is on the air: frames, and how long their headers are.
//!
//! Source: IEEE 802.11-2012 clause 8. Frames are lengths, not bytes.

pub use airtcp_probe::FrameClass as Class;
use airtcp_units::Span;

use super::NodeId;
use crate::phy::Mode;

/// Kind of a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// Carries a packet.
    Data,
    /// Acknowledges a frame.
    Ack,
    /// Request to send.
    Rts,
    /// Clear to send.
    Cts,
    /// Announces the cell.
    Beacon,
    /// Authentication and association.
    Management,
}

/// A frame on the air.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Frame {
    /// Its kind.
    pub kind: Kind,
    /// What it is for the statistics.
    pub class: Class,
    /// Who sends it.
    pub from: NodeId,
    /// Whom it is for.
    pub to: NodeId,
    /// Rate of its body.
    pub mode: Mode,
    /// Length with MAC header and FCS.
    pub bytes: u32,
    /// Its Duration field: how long the medium is taken after its end (clause 8.2.5).
    pub duration: Span,
    /// Access category (0 under DCF).
    pub category: u8,
    /// Sequence number, modulo 4096.
    pub sequence: u16,
    /// Number of the fragment that it carries, from 0.
    pub fragment: u8,
    /// Whether another fragment of the packet follows.
    pub more_fragments: bool,
    /// The Retry bit: a data or management frame that has been sent before (clause 8.2.4.1.6).
    pub retry: bool,
    /// Where the receiver chooses the rate: in an RTS what is to be sent, in a CTS how.
    pub grant: Option<Grant>,
}

/// The data frame that an RTS and a CTS are about (RBAR).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Grant {
    /// Its rate.
    pub mode: Mode,
    /// Its length.
    pub bytes: u32,
}

/// Bytes of a data frame that carries an IP packet of `packet` bytes: MAC header 24, QoS control
/// 2, LLC and SNAP 8, FCS 4.
pub(crate) const fn data_bytes(packet: u32, qos: bool) -> u32 {
    packet + 24 + 8 + 4 + if qos { 2 } else { 0 }
}
