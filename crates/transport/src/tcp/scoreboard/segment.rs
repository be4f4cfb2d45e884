//! A segment of the scoreboard.

use airtcp_units::Nanos;

use crate::tcp::rate::Snapshot;
use airtcp_congestion::Lost;

/// A segment that was sent and is not cumulatively acknowledged.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SentSegment {
    /// Offset of its first byte.
    pub(crate) start: u64,
    /// When it was last sent.
    pub(crate) sent_at: Nanos,
    /// Delivery state of the connection then.
    pub(crate) rate: Snapshot,
    /// Sequence space it takes: payload, and one for FIN.
    pub(crate) len: u32,
    /// It carries the FIN.
    pub(crate) fin: bool,
    /// The receiver has reported it.
    pub(crate) sacked: bool,
    /// The receiver once reported it, even if that was forgotten: it counts as delivered.
    pub(crate) delivered: bool,
    /// `IsLost` is true, or a timeout made it so.
    pub(crate) lost: bool,
    /// Retransmitted in the present recovery (at or below `HighRxt`).
    pub(crate) repaired: bool,
    /// Ever retransmitted (Karn's algorithm).
    pub(crate) retransmitted: bool,
    /// Corrupted by a link that said so, and sent again for it: missing, but not lost.
    pub(crate) forgiven: bool,
    /// Retransmitted by an expiry of the timer (RFC 5681 section 3.1 holds the threshold then).
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
            forgiven: false,
            by_timer: false,
        }
    }

    #[inline]
    pub(crate) const fn end(&self) -> u64 {
        self.start + self.len as u64
    }

    /// Payload bytes.
    #[inline]
    pub(crate) const fn payload(&self) -> u32 {
        self.len - self.fin as u32
    }

    /// What the law is told when it is judged lost as the latest of `total` bytes.
    pub(super) fn as_lost(&self, total: u64) -> Lost {
        self.rate.lost(self.start, u64::from(self.len), total)
    }

    /// It is missing for a reason that is known and seen to.
    #[inline]
    pub(crate) const fn is_forgiven(&self) -> bool {
        self.forgiven && !self.lost
    }

    /// What it adds to `pipe` (RFC 6675 SetPipe): once if not lost, once if retransmitted.
    #[inline]
    pub(super) const fn in_pipe(&self) -> u64 {
        if self.sacked {
            return 0;
        }
        (!self.lost as u64 + self.repaired as u64) * self.len as u64
    }

    /// Lost, and neither reported nor sent again since.
    #[inline]
    pub(super) const fn is_due(&self) -> bool {
        self.lost && !self.repaired && !self.sacked
    }
}
