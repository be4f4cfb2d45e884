//! What the sender waits for: see [`Wait`] and TCP's `sender/waits.rs`, whose rules these are.
//!
//! Repairs need no state of their own: they leave in the window as new blocks do.

use airtcp_congestion::CongestionControl;
use airtcp_units::{Nanos, Spent, Wait};

use super::LtSender;

impl LtSender {
    /// Nothing leaves, for this reason.
    #[inline]
    pub(super) fn wait<T>(&mut self, now: Nanos, why: Wait) -> Option<T> {
        if self.is_done() {
            self.waits.close(now);
        } else {
            self.waits.set(now, if self.retries > 0 { Wait::Timeout } else { why });
        }
        None
    }

    /// The window has no room.
    #[inline]
    pub(super) fn wait_for_window<T>(&mut self, now: Nanos) -> Option<T> {
        self.wait(now, self.window_wait.state(self.law.cwnd()))
    }

    /// No block can begin although data waits: the send buffer or the peer's memory is full.
    pub(super) fn wait_for_room<T>(&mut self, now: Nanos) -> Option<T> {
        let buffer = self.tcp.send_buffer.map_or(u64::MAX, |b| b.0);
        let in_blocks = self.assigned - self.una;
        let fills_buffer = in_blocks >= buffer && buffer < self.peer_window;
        self.wait(now, if fills_buffer { Wait::SendBuffer } else { Wait::ReceiveWindow })
    }

    /// The retransmission timer has expired.
    pub(super) fn note_timeout(&mut self, now: Nanos) {
        // A probe during the wait does not begin it anew.
        let left = self.last_sent.unwrap_or_default();
        let left = if self.probes > 0 { self.unanswered_from } else { left };
        let last = self.heard_at.max(left);
        let expected = last + self.rtt.srtt().unwrap_or_default();
        self.waits.set(expected.min(now), Wait::Timeout);
    }

    /// The connection has ended.
    pub(crate) const fn wait_for_nothing<T>(&mut self, now: Nanos) -> Option<T> {
        self.waits.close(now);
        None
    }

    pub(crate) const fn settle_waits(&mut self, now: Nanos) {
        self.waits.settle(now);
    }

    /// Time in each state until `now`.
    pub(crate) const fn waited(&self, now: Nanos) -> Spent {
        self.waits.until(now)
    }
}
