//! What a machine that joins two connections at a node reads and asks for, beside the application's
//! side: see [`crate::middle`].

use airtcp_units::Nanos;

use super::Connection;
use crate::tcp::ack_policy::Owed;

impl Connection {
    /// Offset that the peer has acknowledged, SND.UNA: 0 before the SYN is, then 1 and the payload.
    pub(crate) const fn acked_offset(&self) -> u64 {
        self.sender.una()
    }

    /// Offset that is expected next, RCV.NXT.
    pub(crate) const fn next_offset(&self) -> u64 {
        self.receiver.next
    }

    /// True if data wait behind a gap.
    pub(crate) fn has_gap(&self) -> bool {
        self.receiver.has_gap()
    }

    /// Sends an ACK with the next poll.
    pub(crate) fn acknowledge_at_once(&mut self, now: Nanos) {
        self.now = self.now.max(now);
        self.template.forget();
        if self.state.is_synchronised() {
            self.receiver.acks.at_once(Owed::Now);
        }
    }
}
