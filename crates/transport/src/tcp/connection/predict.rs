//! Prediction of the next segment, after V. Jacobson, "Fast retransmit and header prediction", 1990.
//!
//! Most segments at a receiver are the next data, with the same acknowledgement as before, and nothing of its own is
//! outstanding. Such a segment passes all checks of `arrive.rs`: it begins at the next expected byte in an open window
//! (RFC 9293 section 3.10.7.4, first check), has no flag but ACK and PSH (the checks of RST, SYN and FIN), and it
//! acknowledges exactly what the peer had acknowledged (fifth check). With timestamps, the checks of RFC 7323 section 5
//! are asked. So only the window, the data and the closing of the connection are left. If no gap is open, the data only
//! moves the window (`Receiver::take_next`), and nothing closes. With accurate ECN feedback (`accecn.rs`) the flags AE,
//! CWR and ECE are a count of marks, which says nothing on a segment that acknowledges nothing for the first time.
//!
//! Most segments at a sender are bare ACKs of new data. Such a segment is at the next expected byte, which is in any
//! window, has no flag but ACK, and acknowledges data in flight: it passes the same checks, and those of timestamps are
//! asked. It has no data, so only the sender and the closing of the connection are left. If the sender is *plain*, it
//! takes the ACK, and chooses the next segment, by shorter paths (`sender/plain.rs`). With accurate ECN feedback no sender
//! is plain, since the count of an ACK may be the flags of a bare one.
//!
//! No connection reads the class of service of a segment, which only real packets have. `tests/predict.rs` compares the
//! paths.

use airtcp_packet::{Flags, Segment, Seq};
use airtcp_probe::{Cx, Event, Probe};
use airtcp_units::{Nanos, Span};

use super::{Connection, env};
use crate::tcp::ack_policy::Owed;
use crate::tcp::sender::{AckInfo, Outgoing};
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
        if self.predicts() && self.is_next_ack(now, s) {
            self.arrive_next_ack(now, s, cx);
            return;
        }
        self.template.forget();
        if self.predicts() && self.is_next_data(now, s) {
            self.arrive_next_data(now, s, cx);
        } else {
            self.arrive(now, s, cx);
        }
    }

    /// Always, except in tests that compare the paths.
    #[cfg(not(test))]
    #[allow(clippy::unused_self, reason = "tests have a field for it")]
    pub(super) const fn predicts(&self) -> bool {
        true
    }

    #[cfg(test)]
    pub(super) const fn predicts(&self) -> bool {
        !self.takes_general_paths
    }

    /// From now on only the general paths are taken.
    #[cfg(test)]
    pub(crate) const fn take_general_paths(&mut self) {
        self.takes_general_paths = true;
    }

    /// The sender takes its short paths.
    #[cfg(test)]
    pub(crate) const fn is_plain(&self) -> bool {
        self.sender.is_plain()
    }

    /// True for the segment that a receiver of bulk data expects.
    #[inline]
    pub(crate) fn is_next_data(&self, now: Nanos, s: &Segment) -> bool {
        s.seq == Seq::wrap(self.receiver.irs, self.receiver.next)
            && s.len > 0
            && s.flags.without(Flags::PSH) == Flags::ACK
            && self.state == State::Established
            && self.sender.in_flight() == 0
            && s.ack == Seq::wrap(self.iss, self.sender.una())
            && self.receiver.window_is_open()
            && self.is_fresh(now, s)
    }

    /// This segment arrived.
    #[inline]
    fn arrive_next_data<P: Probe>(&mut self, now: Nanos, s: &Segment, cx: &mut Cx<'_, P>) {
        let (seq, ack) = (self.receiver.next, self.sender.una());
        let (echo, echoed) = self.take_timestamps(now, seq, s);
        if !self.sender.takes_idle_ack_again(seq, s, &self.timers) {
            let info = AckInfo { iss: self.iss, ack, seq, echo, echoed };
            self.sender.on_idle_ack(now, &info, s, &mut env!(self), cx);
        }
        let bytes = u64::from(s.len);
        if !self.receiver.only_moves(bytes) {
            self.take_data(now, seq, s, cx);
            self.advance_close(now);
            return;
        }
        // As `take_data`. In ESTABLISHED, a peer that goes on sending closes nothing.
        self.note_marks(s);
        self.stats.data_segments_received += 1;
        if self.receiver.grows() {
            self.receiver.measure(now, echoed.zip(echo), bytes);
        }
        self.receiver.take_next(now, bytes, &self.config, &mut self.timers);
        if self.ecn.wants_ack() {
            self.receiver.acks.at_once(Owed::Now);
        }
        self.stats.bytes_delivered += bytes;
        cx.record(now, || Event::Delivered { bytes });
    }

    /// Timestamps of an expected segment, if they are in use: the round-trip time of its echo, and the echo.
    #[inline]
    fn take_timestamps(
        &mut self,
        now: Nanos,
        seq: u64,
        s: &Segment,
    ) -> (Option<Span>, Option<u32>) {
        if !self.timestamps.enabled {
            return (None, None);
        }
        self.timestamps.on_segment(now, seq, s);
        let echo = self.timestamps.round_trip(now, s);
        (echo, echo.map(|_| s.timestamps.1))
    }

    /// True without timestamps, and if those of a segment pass the checks of RFC 7323 section 5.
    #[inline]
    fn is_fresh(&self, now: Nanos, s: &Segment) -> bool {
        !self.timestamps.enabled || s.has_timestamps() && !self.timestamps.is_old(now, s)
    }

    /// Bytes of new data that a segment acknowledges beyond those acknowledged before, modulo 2^32.
    #[inline]
    fn acked_by(&self, s: &Segment) -> u64 {
        u64::from(s.ack.0.wrapping_sub(Seq::wrap(self.iss, self.sender.una()).0))
    }

    /// True for the ACK that a sender of bulk data expects.
    #[inline]
    pub(crate) fn is_next_ack(&self, now: Nanos, s: &Segment) -> bool {
        self.sender.is_plain()
            && s.len == 0
            && s.flags == Flags::ACK
            && self.state.sends()
            && s.seq == Seq::wrap(self.receiver.irs, self.receiver.next)
            && (1..=self.sender.in_flight()).contains(&self.acked_by(s))
            && s.sacks().is_empty()
            && !s.has_loss_mark()
            && self.is_fresh(now, s)
    }

    /// This segment arrived.
    #[inline]
    fn arrive_next_ack<P: Probe>(&mut self, now: Nanos, s: &Segment, cx: &mut Cx<'_, P>) {
        let (seq, ack) = (self.receiver.next, self.sender.una() + self.acked_by(s));
        let (echo, echoed) = self.take_timestamps(now, seq, s);
        let info = AckInfo { iss: self.iss, ack, seq, echo, echoed };
        self.sender.on_plain_ack(now, &info, s.window, &mut env!(self), cx);
        self.advance_close(now);
    }

    /// The sender is plain, and nothing but data waits to be sent.
    #[inline]
    pub(super) fn sends_plainly(&self) -> bool {
        // While the last header holds, the rest is as it was then (`template.rs`).
        self.sender.is_plain()
            && (self.template.holds()
                || self.state.sends() && self.owes_nothing() && !self.receiver.has_sacks())
    }

    /// Full new data of a sender that sends plainly, if possible with the header of the last one (`template.rs`).
    #[inline]
    pub(super) fn emit_plain<P: Probe>(
        &mut self,
        now: Nanos,
        out: Outgoing,
        cx: &mut Cx<'_, P>,
    ) -> Segment {
        let kept = if out.cwr { None } else { self.template.of(out.len) };
        let Some(mut segment) = kept else {
            let segment = self.emit_data(now, out, cx);
            if !out.cwr && self.receiver.is_honest() {
                self.template.keep(segment);
            }
            return segment;
        };
        segment.seq = Seq::wrap(self.iss, out.start);
        if self.timestamps.enabled {
            segment.set_timestamps(self.timestamps.clock(now), self.timestamps.recent());
        }
        self.stats.data_segments_sent += 1;
        self.stats.bytes_sent += u64::from(out.len);
        self.sent(now, segment, false, cx)
    }
}
