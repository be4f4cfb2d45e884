//! Losses that are no sign of congestion.
//!
//! [`LossResponse`] decides whether a loss that duplicate or selective acknowledgements show is
//! told to the congestion law at all. With `ecn-only` it is repaired and nothing else: congestion
//! is what ECN marks say, as in LT-TCP and in TCP Jersey (Xu, Tian, Ansari 2004). A timeout is
//! told all the same: without acknowledgements there is nothing to clock data out by, and no echo
//! could have come back either. With `tp-lda` it depends on the loss: see [`tp_lda`](super::tp_lda).
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

use super::RecoveryState;
use crate::tcp::config::{LossNotification, Recovery, TcpConfig};
use crate::tcp::sender::{Env, Outgoing, Sender};
use airtcp_congestion::CongestionControl;

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
pub(crate) type Notices = VecDeque<(u64, Nanos)>;

impl RecoveryState {
    /// Whether marks are answered already: a fast recovery has reduced the window, if the law was
    /// told of it and did.
    pub(crate) fn answers_marks(&self, config: &TcpConfig) -> bool {
        self.is_fast() && self.is_told(config) && !self.kept
    }
}

impl Sender {
    /// The law was told of a loss with the window `before`. If it reduced the window the peer is to
    /// hear of it, and marks of this window are answered (RFC 3168 section 6.1.2); a law that took
    /// the loss for none (an explicit retransmit, an estimate above the window) has answered
    /// nothing. Laws that govern recovery reduce later, and below two segments none can.
    pub(super) fn note_reduction(&self, before: u64, env: &mut Env<'_>) -> bool {
        let reduced = self.law.cwnd() < before
            || self.law.governs_recovery()
            || before <= 2 * u64::from(self.mss);
        if reduced {
            env.ecn.on_reduction(self.nxt);
        }
        reduced
    }

    /// The link corrupted the segment that begins at `start`.
    pub(crate) fn on_corrupted(&mut self, start: u64, started: Nanos, env: &mut Env<'_>) {
        // One for each outstanding segment is all there can be.
        let room = self.recovery.notices.len() < self.board.len();
        if env.config.loss_notification == LossNotification::Oracle
            && room
            && self.board.in_flight_since(start, started).is_some()
        {
            env.stats.corruption_notices += 1;
            self.recovery.notices.push_back((start, started));
        }
    }

    /// The next segment that was named, if it is still to be sent again.
    #[inline]
    pub(crate) fn next_notified(&mut self, now: Nanos, env: &mut Env<'_>) -> Option<Outgoing> {
        while let Some((start, started)) = self.recovery.notices.pop_front() {
            if let Some(at) = self.board.in_flight_since(start, started) {
                self.board.forgive(at);
                return self.send_again(now, at, false, env);
            }
        }
        None
    }

    /// The first outstanding segment is missing because it was corrupted.
    pub(super) fn is_head_forgiven(&self) -> bool {
        self.board.front().is_some_and(|s| !s.sacked && s.is_forgiven())
    }

    /// A duplicate for such a segment: one has left the network, and the window makes room for
    /// another where `pipe` does not know of it.
    pub(super) fn excuse_duplicate(&mut self, config: &TcpConfig) {
        if self.recovery.discipline != Recovery::Sack || !config.limited_transmit {
            self.recovery.excused += u64::from(self.mss);
        }
    }
}
