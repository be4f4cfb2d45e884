//! Segments in the synchronised states, in the order of RFC 9293 section 3.10.7.4: sequence number,
//! reset, SYN, acknowledgement, data, FIN. The checks of RFC 7323 section 5 come first; those of
//! RFC 5961 are in between.

use airtcp_packet::{Flags, Segment};
use airtcp_probe::{Cx, Event, Probe};
use airtcp_units::Nanos;

use super::{Connection, env};
use crate::tcp::ack_policy::Owed;
use crate::tcp::sender::AckInfo;
use crate::tcp::state::{Role, State};
use crate::tcp::timers::Timer;

impl Connection {
    /// A segment arrived in SYN-RECEIVED or later.
    pub(super) fn arrive<P: Probe>(&mut self, now: Nanos, s: &Segment, cx: &mut Cx<'_, P>) {
        let reset = s.flags.has(Flags::RST);
        if self.timestamps.enabled && !reset {
            // RFC 7323 section 3.2: once negotiated, every segment carries the option.
            if !s.has_timestamps() {
                self.stats.segments_refused += 1;
                return;
            }
            if self.timestamps.is_old(now, s) {
                self.stats.segments_refused += 1;
                self.challenge(now, s.len == 0);
                return;
            }
        }
        let Some(seq) = s.seq.unwrap_near(self.receiver.irs, self.receiver.next) else {
            self.stats.segments_refused += 1;
            return;
        };
        if self.state == State::SynReceived && seq == 0 && s.flags.has(Flags::SYN) && !reset {
            self.arrive_syn_again(now, s, cx);
            return;
        }
        if !self.is_acceptable(seq, s) {
            self.arrive_outside(now, seq, s, cx);
            return;
        }
        if self.timestamps.enabled {
            self.timestamps.on_segment(now, seq, s);
        }
        if reset {
            self.arrive_reset(now, seq);
            return;
        }
        if s.flags.has(Flags::SYN) {
            // RFC 5961 section 4.2.
            self.stats.segments_refused += 1;
            self.challenge(now, true);
            return;
        }
        if !s.flags.has(Flags::ACK) || !self.take_ack(now, seq, s, cx) {
            return;
        }
        if s.len > 0 || s.flags.has(Flags::FIN) {
            self.take_data(now, seq, s, cx);
        }
        self.advance_close(now);
    }

    /// Section 3.10.7.4, the four cases of the first check. A bare segment may lie exactly on the
    /// right edge: the sender has filled the window, and its ACK must be processed.
    fn is_acceptable(&self, seq: u64, s: &Segment) -> bool {
        let (next, edge) = (self.receiver.next, self.receiver.edge());
        let len = u64::from(s.sequence_len());
        if len == 0 {
            return (next..=edge).contains(&seq);
        }
        self.receiver.window_is_open() && seq < edge && seq + len > next
    }

    /// Acknowledges a segment that is not acceptable. Its sender learns from the ACK that its
    /// retransmission was unnecessary or that its probe found the window closed.
    fn arrive_outside<P: Probe>(&mut self, now: Nanos, seq: u64, s: &Segment, cx: &mut Cx<'_, P>) {
        if s.flags.has(Flags::RST) {
            return;
        }
        self.stats.segments_refused += 1;
        let len = u64::from(s.len);
        if len > 0 && seq + len <= self.receiver.next {
            self.stats.data_segments_received += 1;
            self.receiver.note_duplicate(seq, seq + len, &self.config, &mut self.stats);
            if !self.ecn.is_accurate() {
                self.note_marks(s);
            }
        }
        if s.flags.has(Flags::SYN) && s.flags.has(Flags::ACK) {
            self.ecn.on_syn_ack_again(s);
        }
        // With the window closed, acknowledgements are still processed.
        let probe = seq == self.receiver.next && !self.receiver.window_is_open();
        if probe && s.flags.has(Flags::ACK) && !s.flags.has(Flags::SYN) {
            self.take_ack(now, seq, s, cx);
            self.advance_close(now);
        }
        if self.state == State::TimeWait && s.flags.has(Flags::FIN) {
            self.timers.set(Timer::TimeWait, now + self.config.time_wait);
        }
        self.challenge(now, s.sequence_len() == 0);
    }

    /// A repeated SYN in SYN-RECEIVED: our SYN-ACK was lost, or both ends opened at once.
    fn arrive_syn_again<P: Probe>(&mut self, now: Nanos, s: &Segment, cx: &mut Cx<'_, P>) {
        if s.flags.has(Flags::ACK) && s.ack == self.iss.plus(1) && self.sender.nxt() == 1 {
            self.receiver.acks.at_once(Owed::Now);
            self.establish(now, s, cx);
        } else {
            self.handshake.syn_due = true;
        }
    }

    /// RFC 5961 section 3.2: only a reset with the exact sequence number resets.
    fn arrive_reset(&mut self, now: Nanos, seq: u64) {
        if seq != self.receiver.next {
            self.stats.segments_refused += 1;
            self.challenge(now, true);
        } else if self.state == State::SynReceived && self.role == Role::Passive {
            // Back to LISTEN: the peer that opened is gone.
            self.listen_again();
        } else {
            self.finish();
        }
    }

    /// Processes the acknowledgement. Returns whether to process the rest of the segment.
    #[inline]
    fn take_ack<P: Probe>(
        &mut self,
        now: Nanos,
        seq: u64,
        s: &Segment,
        cx: &mut Cx<'_, P>,
    ) -> bool {
        let Some(ack) = s.ack.unwrap_near(self.iss, self.sender.una()) else {
            self.stats.segments_refused += 1;
            return false;
        };
        if self.state == State::SynReceived {
            if ack != 1 || self.sender.nxt() != 1 {
                self.refuse(s);
                return false;
            }
            self.ecn.on_handshake_ack(s);
            self.establish(now, s, cx);
            let window = self.sender.scaled(s.window);
            self.sender.init_window((seq, ack), window, false);
        }
        if ack > self.sender.sent_up_to() {
            // An ACK of data never sent: RFC 9293 section 3.10.7.4, fifth check.
            self.stats.segments_refused += 1;
            self.challenge(now, s.sequence_len() == 0);
            return false;
        }
        let echo = if self.timestamps.enabled { self.timestamps.round_trip(now, s) } else { None };
        let echoed = (echo.is_some()).then_some(s.timestamps.1);
        let info = AckInfo { iss: self.iss, ack, seq, echo, echoed };
        self.sender.on_ack(now, info, s, &mut env!(self), cx);
        true
    }

    #[inline]
    pub(super) fn take_data<P: Probe>(
        &mut self,
        now: Nanos,
        seq: u64,
        s: &Segment,
        cx: &mut Cx<'_, P>,
    ) {
        if !self.state.receives() {
            // Nothing is accepted after the peer's FIN.
            self.challenge(now, s.len == 0);
            return;
        }
        self.note_marks(s);
        self.stats.data_segments_received += u64::from(s.len > 0);
        if s.len > 0 && self.receiver.grows() {
            let echo =
                if self.timestamps.enabled { self.timestamps.round_trip(now, s) } else { None };
            let echo = echo.map(|rtt| (s.timestamps.1, rtt));
            self.receiver.measure(now, echo, u64::from(s.len));
        }
        let fin = s.flags.has(Flags::FIN);
        let piece = (seq, u64::from(s.len), fin);
        let bytes =
            self.receiver.on_data(now, piece, &self.config, &mut self.timers, &mut self.stats);
        if self.ecn.wants_ack() {
            self.receiver.acks.at_once(Owed::Now);
        }
        self.stats.bytes_delivered += bytes;
        if bytes > 0 {
            cx.record(now, || Event::Delivered { bytes });
        }
    }

    #[inline]
    pub(super) fn note_marks(&mut self, s: &Segment) {
        if self.ecn.on_data(s) {
            self.stats.ecn_marks += 1;
        }
    }

    /// Moves through the closing states as far as FINs and their acknowledgements allow.
    pub(super) fn advance_close(&mut self, now: Nanos) {
        if self.sender.fin_acked() {
            match self.state {
                State::FinWait1 => self.set_state(State::FinWait2),
                State::Closing => self.enter_time_wait(now),
                State::LastAck => self.finish(),
                _ => {}
            }
        }
        if self.receiver.peer_closed() {
            match self.state {
                State::Established => self.set_state(State::CloseWait),
                State::FinWait1 => self.set_state(State::Closing),
                State::FinWait2 => self.enter_time_wait(now),
                _ => {}
            }
        }
    }

    fn enter_time_wait(&mut self, now: Nanos) {
        self.timers.stop_all();
        self.timers.set(Timer::TimeWait, now + self.config.time_wait);
        self.set_state(State::TimeWait);
    }
}
