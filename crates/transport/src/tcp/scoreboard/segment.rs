//! A segment of the scoreboard.

use airtcp_units::Nanos;

use crate::tcp::rate::Snapshot;
use airtcp_congestion::Lost;

/// A segment that was sent and is not cumulatively acknowledged.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SentSegment {
    /// Offset of its first byte.
    pub(crate) start: u64,
    /// Last departure.
    pub(crate) sent_at: Nanos,
    /// Delivery state of the connection at that time.
    pub(crate) rate: Snapshot,
    /// Sequence space: payload, and one for FIN.
    pub(crate) len: u32,
    pub(crate) fin: bool,
    pub(crate) sacked: bool,
    /// The receiver once SACKed the segment, even if that was discarded: it counts as delivered.
    pub(crate) delivered: bool,
    /// `IsLost` is true, or a timeout made it so.
    pub(crate) lost: bool,
    /// Retransmitted in the present recovery (at or below `HighRxt`).
    pub(crate) repaired: bool,
    /// Ever retransmitted (Karn's algorithm).
    pub(crate) retransmitted: bool,
    /// A link reported the segment as corrupted, and it was retransmitted: missing, but not lost.
    pub(crate) corrupted: bool,
    /// The timer caused a retransmission (RFC 5681 section 3.1 then keeps the threshold).
    pub(crate) by_timer: bool,
}

impl SentSegment {
    #[inline]
    pub(crate) const fn new(start: u64, len: u32, fin: bool, at: Nanos, rate: Snapshot) -> Self {
        Self {
            start,
            sent_at: at,
            rate,
            len,
            fin,
            sacked: false,
            delivered: false,
            lost: false,
            repaired: false,
            retransmitted: false,
            corrupted: false,
            by_timer: false,
        }
    }

    #[inline]
    pub(crate) const fn end(&self) -> u64 {
        self.start + self.len as u64
    }

    #[inline]
    pub(crate) const fn payload(&self) -> u32 {
        self.len - self.fin as u32
    }

    /// The law's report when the segment is judged lost as the latest of `total` lost bytes.
    pub(super) fn as_lost(&self, total: u64) -> Lost {
        self.rate.lost(self.start, u64::from(self.len), total)
    }

    /// The segment is missing because of a reported corruption, and was retransmitted for it.
    #[inline]
    pub(crate) const fn is_corrupted(&self) -> bool {
        self.corrupted && !self.lost
    }

    /// Bytes in `pipe` (RFC 6675 SetPipe): once if not lost, once if retransmitted.
    #[inline]
    pub(super) const fn in_pipe(&self) -> u64 {
        if self.sacked {
            return 0;
        }
        (!self.lost as u64 + self.repaired as u64) * self.len as u64
    }

    /// Lost, and neither SACKed nor retransmitted since.
    #[inline]
    pub(super) const fn is_due(&self) -> bool {
        self.lost && !self.repaired && !self.sacked
    }
}
