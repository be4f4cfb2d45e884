//! What is on the air: frames, what they carry, and how long their headers are.
//!
//! Source: IEEE 802.11-2012 clause 8. Frames are lengths, not bytes.

use airtcp_packet::PacketId;
pub use airtcp_probe::FrameClass as Class;
use airtcp_units::{Nanos, Span};

use super::Part;
use crate::phy::Mode;

/// A station (an access point is one too) in its cell, by number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub u32);

impl NodeId {
    /// The address of frames for everybody.
    pub const BROADCAST: Self = Self(u32::MAX);

    /// Position in an array with a place for each station.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

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

/// A packet that waits at the head of its access category, with what became of it so far.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Mpdu {
    /// The packet; `None` once its receiver has it (the sender may not know yet).
    pub(crate) packet: Option<PacketId>,
    pub(crate) to: NodeId,
    pub(crate) class: Class,
    /// Length of the data frame, or of the fragment whose turn it is.
    pub(crate) bytes: u32,
    pub(crate) part: Part,
    pub(crate) sequence: u16,
    /// Failed attempts of the frame, or of its RTS (short), and after an RTS (long).
    pub(crate) short: u32,
    pub(crate) long: u32,
    /// Times the data frame itself, or this fragment of it, was sent,
    pub(crate) tries: u32,
    /// and all fragments together.
    pub(crate) sent: u32,
    /// When it reached the head.
    pub(crate) since: Nanos,
    /// When its first attempt began; never before that.
    pub(crate) begun: Nanos,
    /// No attempt begins after this.
    pub(crate) expires: Nanos,
    /// Rate of the attempt under way, or of the last one.
    pub(crate) mode: Mode,
}

impl Mpdu {
    /// One that comes to the head at `now`: without a packet, and for as long as it takes.
    pub(super) const fn new(
        now: Nanos,
        to: NodeId,
        class: Class,
        part: Part,
        sequence: u16,
        mode: Mode,
    ) -> Self {
        Self {
            packet: None,
            to,
            class,
            bytes: part.bytes(),
            part,
            sequence,
            short: 0,
            long: 0,
            tries: 0,
            sent: 0,
            since: now,
            begun: Nanos::NEVER,
            expires: Nanos::NEVER,
            mode,
        }
    }
}
