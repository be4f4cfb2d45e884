//! Tahoe (Jacobson 1988): fast retransmit without fast recovery.
//!
//! The third duplicate ACK is treated like a timeout, except that the timer is not backed off:
//! the window restarts at one segment and slow start sends everything outstanding again, minus
//! what cumulative ACKs skip.

use super::Phase;
use crate::tcp::sender::Sender;

impl Sender {
    /// Goes back to the first outstanding segment.
    pub(super) fn tahoe_restart(&mut self) {
        self.board.lose_all(false);
        self.recovery.phase = Phase::Timeout;
        self.recovery.recover = self.nxt;
        self.recovery.prr = None;
    }
}
