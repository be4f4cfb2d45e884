//! Losses that are no sign of congestion.
//!
//! [`LossResponse`] decides whether a loss that duplicate or selective acknowledgements show is
//! told to the congestion law at all. With `ecn-only` it is repaired and nothing else: congestion
//! is what ECN marks say, as in LT-TCP and in TCP Jersey (Xu, Tian, Ansari 2004). A timeout is
//! told all the same: without acknowledgements there is nothing to clock data out by, and no echo
//! could have come back either. With `tp-lda` it depends on the loss: see `tp_lda.rs`.
//!
//! A law may also take a loss for none of congestion's, as Jersey does without a mark, or find that
//! its window is not too large (Westwood). What left the window alone is no answer to marks.
//!
//! [`LossNotification`] is explicit transport error notification with an oracle (Krishnan,
//! Sterbenz, Eddy, Partridge, Allman: Computer Networks 46, 2004): the link names every packet that
//! it corrupted to its sender, which sends it again at once and reduces nothing. The corrupted
//! packet has left the network and its repair takes its place, so that no window is asked for it.
//!
//! [choice] A segment named counts as in flight again: IsLost, duplicates for it as the first
//! outstanding one, NextSeg and partial ACKs leave it alone; without SACK such a duplicate lets
//! one segment leave, since one has arrived. What the timer gives up is repaired by its slow start.
//! A queue that drops the repair is found by the timer (or by RACK). A notice for a segment that
//! has been sent again meanwhile says nothing.

use std::collections::VecDeque;

use airtcp_packet::{Flags, Segment};
use airtcp_units::Nanos;

/// A packet that a link corrupted, as [`Connection::on_corrupted`](crate::tcp::Connection::on_corrupted)
/// takes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Corrupted {
    /// What the packet carried.
    pub segment: Segment,
    /// When the link began to send it: a copy sent later is another packet.
    pub started: Nanos,
}

impl Corrupted {
    /// Whether a sender could do anything about it: it carried data or FIN.
    pub fn matters(segment: &Segment) -> bool {
        (segment.len > 0 || segment.flags.has(Flags::FIN)) && !segment.flags.has(Flags::SYN)
    }
}

/// What was named and not yet sent again: offset, and when the link began.
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

    /// The link corrupted the segment at `start`, which it began to send at `started`.
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
