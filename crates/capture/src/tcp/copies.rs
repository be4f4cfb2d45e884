//! ACKs that a capture holds twice: on a mirror port that copies both directions, on several interfaces,
//! or at several points of the path.
//!
//! A copy has the identification of the IP header, and all that the checksum of TCP covers. An ACK that
//! was sent twice has another identification. Copies of data are recognised by their sequence numbers
//! (`order`).

use crate::dissect::{Flags, Segment};

/// ACKs that are kept at first, and of a connection with more.
const FEW: usize = 16;
const MANY: usize = 256;

/// Share of the packets, as one in so many, above which copies are not those of the network.
pub(crate) const MANY_COPIES: u64 = 10;

/// What an ACK is recognised by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Ack {
    id: u16,
    acknowledgement: u32,
    window: u16,
    checksum: u16,
    ttl: u8,
}

/// Packets that a capture holds twice.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CopyCounts {
    /// Copies that are the same in all: of a mirror port, of several interfaces, or of the network.
    pub same: u64,
    /// Copies with another time to live: of another point of the path.
    pub elsewhere: u64,
}

impl CopyCounts {
    /// These and those of another connection.
    pub(crate) const fn and(self, more: Self) -> Self {
        Self { same: self.same + more.same, elsewhere: self.elsewhere + more.elsewhere }
    }

    /// Those that came after an earlier count.
    pub(crate) const fn since(self, earlier: Self) -> Self {
        Self { same: self.same - earlier.same, elsewhere: self.elsewhere - earlier.elsewhere }
    }
}

/// A copy of an ACK.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AckCopy {
    /// It is the same in all.
    Same,
    /// It has another time to live: routers lie between the two.
    Elsewhere,
}

/// The last ACKs of an end, by their identifications.
#[derive(Debug, Default)]
pub(super) struct Acks {
    kept: Vec<Ack>,
    seen: u32,
}

impl Acks {
    /// Takes a segment; tells if it is a copy of an ACK before.
    pub(super) fn take(&mut self, segment: &Segment) -> Option<AckCopy> {
        let id = segment.ip_id.filter(|id| *id != 0)?;
        if segment.payload > 0 || segment.flags.0 != Flags::ACK {
            return None;
        }
        let ack = Ack {
            id,
            acknowledgement: segment.acknowledgement,
            window: segment.window,
            checksum: segment.checksum,
            ttl: segment.ttl,
        };
        if self.kept.is_empty() {
            self.kept.resize(FEW, Ack::default());
        } else if self.seen == 64 {
            self.kept.resize(MANY, Ack::default());
        }
        self.seen = self.seen.saturating_add(1);
        let place = usize::from(id) % self.kept.len();
        let before = std::mem::replace(&mut self.kept[place], ack);
        if before == ack {
            Some(AckCopy::Same)
        } else if before == (Ack { ttl: before.ttl, ..ack }) {
            Some(AckCopy::Elsewhere)
        } else {
            None
        }
    }
}
