//! What a reader of records or blocks finds at a place, and what is wrong with it.

use super::buffer::Buffer;
use super::drops::Dropped;
use super::packet::Packet;

/// Longest packet.
pub(super) const MAX_PACKET: u32 = 1 << 20;

/// What is at the current place.
pub(super) enum Step<'a> {
    /// A packet, and the bytes of its record or block.
    Packet(Packet<'a>, usize),
    /// A whole block without a packet, and its bytes.
    Other(usize),
    /// A count of packets that were dropped, and the bytes of its block.
    Dropped(Dropped, usize),
    /// A whole block that is malformed, and its bytes.
    Malformed(usize),
    Damaged(Damage),
    /// The end of the file.
    End,
}

impl Step<'_> {
    /// Too few bytes are left for a header.
    pub(super) fn at_end(buffer: &Buffer) -> Self {
        let whole = buffer.data().is_empty() && !buffer.failed();
        if whole { Self::End } else { Self::Damaged(Damage::Ends) }
    }
}

/// Why a place cannot be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Damage {
    /// The file ends before the packet does.
    Ends,
    TooLong,
    NoPacket,
}

impl Damage {
    pub(super) const fn name(self, failed: bool) -> &'static str {
        match self {
            Self::Ends if failed => "the file could not be read further",
            Self::Ends => "the file ends within a packet",
            Self::TooLong => "a packet is longer than 1 MiB",
            Self::NoPacket => "the bytes are no packet",
        }
    }
}
