//! The packet or management frame at the head of an access category, with its attempts so far.

use airtcp_packet::PacketId;
use airtcp_units::Nanos;

use super::{Class, Part};
use crate::node::NodeId;
use crate::phy::Mode;

/// The packet or management frame at the head of an access category.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Mpdu {
    /// The packet; `None` once the receiver has it, even if the ACK was lost.
    pub(crate) packet: Option<PacketId>,
    pub(crate) to: NodeId,
    pub(crate) class: Class,
    /// Length of the data frame, or of the current fragment.
    pub(crate) bytes: u32,
    pub(crate) part: Part,
    pub(crate) sequence: u16,
    /// Failed attempts without RTS, and RTS without CTS.
    pub(crate) short_failures: u32,
    /// Failed attempts after RTS and CTS.
    pub(crate) long_failures: u32,
    /// Transmissions of the data frame, or of the current fragment.
    pub(crate) transmissions: u32,
    /// Transmissions of all fragments together.
    pub(crate) all_transmissions: u32,
    /// Time at which it reached the head.
    pub(crate) head_since: Nanos,
    /// Start of its first attempt; never before that.
    pub(crate) first_attempt: Nanos,
    /// Last time at which an attempt may begin.
    pub(crate) expires: Nanos,
    /// Rate of the current or last attempt.
    pub(crate) mode: Mode,
    /// Number of further packets in it (A-MSDU).
    pub(crate) riders: u16,
    /// The flow of its packet.
    pub(crate) flow: u32,
    /// Number of MPDUs of the PPDU that it stands for; 0 for a single one.
    pub(crate) subframes: u16,
    /// Bytes of the BlockAck that answers it; 0 if another frame does.
    pub(crate) block_ack: u32,
}

impl Mpdu {
    /// Comes to the head at `now`, without a packet and without a lifetime.
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
            short_failures: 0,
            long_failures: 0,
            transmissions: 0,
            all_transmissions: 0,
            head_since: now,
            first_attempt: Nanos::NEVER,
            expires: Nanos::NEVER,
            mode,
            riders: 0,
            flow: u32::MAX,
            subframes: 0,
            block_ack: 0,
        }
    }
}
