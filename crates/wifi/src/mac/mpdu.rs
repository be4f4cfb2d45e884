//! The packet at the head of an access category, with what became of it so far.

use airtcp_packet::PacketId;
use airtcp_units::Nanos;

use super::{Class, NodeId, Part};
use crate::phy::Mode;

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
