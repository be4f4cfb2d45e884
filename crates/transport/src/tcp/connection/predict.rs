//! The receiver of bulk data: prediction of the next segment, after V. Jacobson, "Fast retransmit and header
//! prediction", 1990.
//!
//! Most segments at a receiver are the next data, with the same acknowledgement as before, and nothing of its own is
//! outstanding. Such a segment passes all checks of `arrive.rs`: it begins at the next expected byte in an open window
//! (RFC 9293 section 3.10.7.4, first check), has no flag but ACK and PSH (the checks of RST, SYN and FIN), no timestamp
//! is in use (RFC 7323 section 5), and it acknowledges exactly what the peer had acknowledged (fifth check). So only
//! the window, the data and the closing of the connection are left. `tests/predict.rs` compares both paths.

use airtcp_packet::{Flags, Segment, Seq};
use airtcp_probe::{Cx, Probe};
use airtcp_units::Nanos;

use super::{Connection, env};
use crate::tcp::sender::AckInfo;
use crate::tcp::state::State;

impl Connection {
    /// A segment arrived in SYN-RECEIVED or later.
    #[inline]
    pub(super) fn arrive_predicted<P: Probe>(
        &mut self,
        now: Nanos,
        s: &Segment,
        cx: &mut Cx<'_, P>,
    ) {
        if self.is_next_data(s) {
            self.arrive_next_data(now, s, cx);
        } else {
            self.arrive(now, s, cx);
        }
    }

    /// [`handle`](airtcp_probe::Machine::handle) in these states, without prediction.
    #[cfg(test)]
    pub(crate) fn handle_unpredicted<P: Probe>(
        &mut self,
        now: Nanos,
        s: &Segment,
        cx: &mut Cx<'_, P>,
    ) {
        self.now = self.now.max(now);
        self.stats.segments_received += 1;
        self.arrive(now, s, cx);
    }

    /// True for the segment that a receiver of bulk data expects.
    #[inline]
    pub(crate) fn is_next_data(&self, s: &Segment) -> bool {
        s.seq == Seq::wrap(self.receiver.irs, self.receiver.next)
            && s.len > 0
            && s.flags.without(Flags::PSH) == Flags::ACK
            && self.state == State::Established
            && self.sender.in_flight() == 0
            && s.ack == Seq::wrap(self.iss, self.sender.una())
            && !self.timestamps.enabled
            && self.receiver.window_is_open()
    }

    /// This segment arrived.
    #[inline]
    fn arrive_next_data<P: Probe>(&mut self, now: Nanos, s: &Segment, cx: &mut Cx<'_, P>) {
        let (seq, ack) = (self.receiver.next, self.sender.una());
        let info = AckInfo { iss: self.iss, ack, seq, echo: None, echoed: None };
        self.sender.on_idle_ack(now, &info, s, &mut env!(self), cx);
        self.take_data(now, seq, s, cx);
        self.advance_close(now);
    }
}
