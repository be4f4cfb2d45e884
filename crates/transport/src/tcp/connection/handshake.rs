//! Opening and closing: RFC 9293 sections 3.5, 3.6, 3.10.1, 3.10.4, 3.10.7.1 to 3.10.7.3.
//!
//! SYN and SYN-ACK use the retransmission timer and estimator of data.

use airtcp_packet::{Flags, NO_WINDOW_SCALE, Segment, Seq};
use airtcp_probe::{Cx, Probe};
use airtcp_units::{Nanos, Span};

use super::{Connection, env};
use crate::tcp::ack_policy::Owed;
use crate::tcp::receiver::Receiver;
use crate::tcp::state::{Handshake, Role, State};
use crate::tcp::timers::Timer;

/// Segment size of a peer that announces none: RFC 9293 section 3.7.1.
const DEFAULT_MSS: u16 = 536;

/// Largest window scale, RFC 7323 section 2.3.
const MAX_SCALE: u8 = 14;

/// Minimum time between answers to bare segments outside the window (RFC 5961 section 7).
const CHALLENGE_INTERVAL: Span = Span::from_millis(500);

impl Connection {
    /// Opens the connection actively: the SYN leaves with the next poll.
    pub fn open(&mut self, now: Nanos) {
        self.now = self.now.max(now);
        if self.role == Role::Active && self.state == State::Closed && !self.handshake.begun {
            self.handshake.begun = true;
            self.handshake.syn_due = true;
            self.set_state(State::SynSent);
        }
    }

    /// Closes our direction: a FIN follows the written data, and the peer's data is still received.
    /// A connection that was never opened, or that wrote nothing and got no answer, is CLOSED at
    /// once.
    pub fn close(&mut self, now: Nanos) {
        self.now = self.now.max(now);
        match self.state {
            State::Closed if !self.handshake.begun => self.sender.close(),
            State::Listen => self.finish(),
            State::SynSent if self.sender.written() == 0 => self.finish(),
            // The close waits for the end of the handshake.
            State::SynSent | State::SynReceived => self.sender.close(),
            State::Established => {
                self.sender.close();
                self.set_state(State::FinWait1);
            }
            State::CloseWait => {
                self.sender.close();
                self.set_state(State::LastAck);
            }
            _ => {}
        }
    }

    /// Aborts: sends a reset if the peer knows of the connection, and enters CLOSED.
    pub fn abort(&mut self, now: Nanos) {
        self.now = self.now.max(now);
        let known = self.state.is_synchronised() || self.state == State::SynReceived;
        // RFC 9293 section 3.10.5: the last states need no reset.
        let done = matches!(self.state, State::Closing | State::LastAck | State::TimeWait);
        if known && !done {
            let seq = Seq::wrap(self.iss, self.sender.nxt());
            self.reset = Some(Segment::tcp(Flags::RST, seq));
        }
        self.finish();
    }

    /// Enters CLOSED without pending work.
    pub(super) fn finish(&mut self) {
        self.template.forget();
        self.handshake.begun = true;
        self.handshake.syn_due = false;
        self.sender.stop(&mut self.timers);
        self.set_state(State::Closed);
    }

    /// Returns from SYN-RECEIVED to LISTEN after the peer has reset. Data that the application
    /// wrote waits for the next connection.
    pub(super) fn listen_again(&mut self) {
        self.timers.stop_all();
        self.handshake = Handshake::default();
        self.receiver.acks.on_ack_sent(&mut self.timers);
        self.sender.on_listen_again();
        self.timestamps.enabled = false;
        self.set_state(State::Listen);
    }

    /// Answers a segment that belongs to no connection: section 3.10.7.1.
    pub(super) fn refuse(&mut self, segment: &Segment) {
        if segment.flags.has(Flags::RST) {
            return;
        }
        let (seq, ack, flags) = if segment.flags.has(Flags::ACK) {
            (segment.ack, Seq(0), Flags::RST)
        } else {
            (Seq(0), segment.seq.plus(segment.sequence_len()), Flags::RST | Flags::ACK)
        };
        self.stats.segments_refused += 1;
        let mut reset = Segment::tcp(flags, seq);
        reset.ack = ack;
        self.reset = Some(reset);
    }

    pub(super) fn arrive_closed(&mut self, segment: &Segment) {
        self.refuse(segment);
    }

    /// Section 3.10.7.2.
    pub(super) fn arrive_listen(&mut self, now: Nanos, segment: &Segment) {
        if segment.flags.has(Flags::RST) {
            return;
        }
        if segment.flags.has(Flags::ACK) {
            self.refuse(segment);
        } else if segment.flags.has(Flags::SYN) {
            self.handshake.begun = true;
            self.ecn.on_syn(segment, &self.config);
            self.take_syn(now, segment);
            self.set_state(State::SynReceived);
            self.handshake.syn_due = true;
        }
    }

    /// Section 3.10.7.3.
    pub(super) fn arrive_syn_sent<P: Probe>(
        &mut self,
        now: Nanos,
        segment: &Segment,
        cx: &mut Cx<'_, P>,
    ) {
        let acks = segment.flags.has(Flags::ACK);
        if acks && segment.ack != self.iss.plus(1) {
            self.refuse(segment);
            return;
        }
        if segment.flags.has(Flags::RST) {
            if acks {
                self.finish();
            }
            return;
        }
        // An ACK before the SYN has left is not acceptable.
        if !segment.flags.has(Flags::SYN) || (acks && self.sender.nxt() == 0) {
            return;
        }
        if acks {
            self.ecn.on_syn_ack(segment, &self.config);
        } else {
            self.ecn.on_syn(segment, &self.config);
        }
        self.take_syn(now, segment);
        if acks {
            // Accurate feedback tells the ECN field of the SYN-ACK, on a pure ACK.
            let owed = if self.ecn.is_accurate() { Owed::PureAck } else { Owed::Now };
            self.receiver.acks.at_once(owed);
            self.establish(now, segment, cx);
        } else {
            // Simultaneous open, section 3.5 figure 8.
            self.handshake.ambiguous = self.handshake.sent_at.take().is_some();
            self.set_state(State::SynReceived);
            self.handshake.syn_due = true;
        }
    }

    /// Takes the sequence number and options of the peer's SYN.
    fn take_syn(&mut self, now: Nanos, segment: &Segment) {
        self.receiver.on_syn(segment.seq);
        let h = &mut self.handshake;
        h.peer_mss = if segment.mss == 0 { DEFAULT_MSS } else { segment.mss };
        let offered = segment.window_scale;
        h.scales = (self.config.window_scaling && offered != NO_WINDOW_SCALE)
            .then(|| (offered.min(MAX_SCALE), Receiver::scale_for(self.config.receive_buffer.0)));
        h.sack = self.config.sack && segment.sack_permitted();
        self.timestamps.enabled = self.config.timestamps && segment.has_timestamps();
        if self.timestamps.enabled {
            self.timestamps.begin(now, segment.timestamps.0);
        }
        // The window of a SYN is never scaled.
        self.sender.init_window((0, 1), u64::from(segment.window), true);
    }

    /// Our SYN is acknowledged: ESTABLISHED, or a later state if the application has already
    /// closed.
    pub(super) fn establish<P: Probe>(
        &mut self,
        now: Nanos,
        segment: &Segment,
        cx: &mut Cx<'_, P>,
    ) {
        self.timers.stop(Timer::Retransmit);
        self.handshake.syn_due = false;
        self.sender.on_syn_acked();
        let timestamps = self.timestamps.enabled;
        // A repeated SYN gives no sample, but its timestamp does (RFC 6298 section 3).
        let sample = match self.handshake.sent_at {
            Some(at) if !(self.handshake.repeated || self.handshake.ambiguous) => {
                Some(now.since(at))
            }
            _ if timestamps => self.timestamps.round_trip(now, segment),
            _ => None,
        };
        let mut env = env!(self);
        if let Some(sample) = sample {
            self.sender.take_rtt(now, (sample, 0), &mut env, cx);
        }
        let h = &self.handshake;
        // The timestamps option takes 12 bytes of every segment (RFC 7323 appendix A).
        let mss = self.config.mss.min(h.peer_mss).max(1 + 40) - if timestamps { 12 } else { 0 };
        self.sender.start(now, (u32::from(mss), h.sack, h.repeated), &mut env);
        self.receiver.sack = h.sack;
        if let Some((peer, own)) = h.scales {
            self.sender.set_peer_shift(peer);
            self.receiver.set_shift(own);
        }
        let next = if self.sender.is_closed() { State::FinWait1 } else { State::Established };
        self.set_state(next);
    }

    /// Sends an ACK for a segment outside the window. Bare segments get few answers, so that two
    /// confused ends cannot cause an ACK loop.
    pub(super) fn challenge(&mut self, now: Nanos, bare: bool) {
        if bare {
            if now < self.next_challenge_at {
                return;
            }
            self.next_challenge_at = now + CHALLENGE_INTERVAL;
        }
        self.receiver.acks.at_once(Owed::PureAck);
    }
}
