//! Losses that are no sign of congestion.
//!
//! [`LossResponse`] decides whether the sender reports a loss found by duplicate or selective
//! acknowledgements to the congestion law. With `ecn-only` it only repairs the loss; ECN marks show
//! congestion, as in LT-TCP and in TCP Jersey (Xu, Tian, Ansari 2004). It reports a timeout in any
//! case: without ACKs there is no ACK clock, and no echo could have arrived. With `tp-lda` the
//! report depends on the loss: see `tp_lda.rs`.
//!
//! A law may also ignore a loss, as Jersey does without a mark, or find that its window is not too
//! large (Westwood). A loss that left the window unchanged is no response to marks.
//!
//! [`LossNotification`] is explicit transport error notification with an oracle (Krishnan,
//! Sterbenz, Eddy, Partridge, Allman: Computer Networks 46, 2004). The link reports every packet
//! that it corrupted to the sender, which retransmits it at once without a reduction. The
//! retransmission takes the place of the corrupted packet in the network, so it does not need room
//! in the window.
//!
//! A mark on an ACK has the same effect, whatever [`LossNotification`] is: see `sender/loss_marks.rs`.
//!
//! [choice] A reported segment counts as in flight again. IsLost, duplicates for it as the first
//! outstanding segment, NextSeg and partial ACKs ignore it. Without SACK, such a duplicate lets one
//! segment leave, since one has arrived. After a timeout, slow start repairs everything. If a queue
//! drops the retransmission, the timer (or RACK) detects it. A report for a segment that has been
//! retransmitted meanwhile has no effect.

use std::collections::VecDeque;

use airtcp_packet::{Flags, Segment};
use airtcp_units::Nanos;

/// A corrupted packet, the argument of
/// [`Connection::on_corrupted`](crate::tcp::Connection::on_corrupted).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Corrupted {
    /// Content of the packet.
    pub segment: Segment,
    /// When the link began to send it. A copy sent later is another packet.
    pub started: Nanos,
}

impl Corrupted {
    /// Whether the sender must react: the packet carried data or FIN.
    pub fn matters(segment: &Segment) -> bool {
        (segment.len > 0 || segment.flags.has(Flags::FIN)) && !segment.flags.has(Flags::SYN)
    }
}

/// Reported segments that were not yet retransmitted: offset, and start of the transmission on the
/// link.
#[derive(Debug, Clone, Default)]
pub(crate) struct Notices(VecDeque<(u64, Nanos)>);

impl Notices {
    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// The link corrupted the segment at `start`, whose transmission it began at `started`.
    pub(crate) fn push(&mut self, start: u64, started: Nanos) {
        self.0.push_back((start, started));
    }

    pub(crate) fn pop(&mut self) -> Option<(u64, Nanos)> {
        self.0.pop_front()
    }

    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }
}
