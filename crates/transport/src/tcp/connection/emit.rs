//! Building segments: the next segment, and its header.

use airtcp_packet::{Ecn, Flags, Segment, Seq};
use airtcp_probe::{Cx, Event, Probe};
use airtcp_units::{Nanos, Narrow};

use super::{Connection, env};
use crate::tcp::ack_policy::Owed;
use crate::tcp::ecn::EcnState;
use crate::tcp::receiver::Receiver;
use crate::tcp::sender::Outgoing;
use crate::tcp::state::State;

/// Room for TCP options, RFC 9293 section 3.1.
const OPTIONS: u32 = 40;

/// The timestamps option with padding.
const TIMESTAMPS: u32 = 12;

impl Connection {
    /// True if neither data nor an ACK, reset or SYN waits to be sent, as at a receiver between two ACKs.
    #[inline]
    pub(super) fn is_silent(&self) -> bool {
        self.owes_nothing() && !self.sender.has_work()
    }

    /// True if neither an ACK, a reset nor a SYN waits to be sent.
    #[inline]
    pub(super) fn owes_nothing(&self) -> bool {
        self.receiver.acks.owed() == Owed::Nothing
            && self.reset.is_none()
            && !self.handshake.syn_due
    }

    /// Nothing can leave in the present state.
    pub(super) fn wait(&mut self, now: Nanos) -> Option<Segment> {
        self.sender.wait_in(now, self.state);
        None
    }

    /// The next segment to send at `now`.
    pub(super) fn emit<P: Probe>(&mut self, now: Nanos, cx: &mut Cx<'_, P>) -> Option<Segment> {
        if self.reset.is_some() {
            let reset = self.reset.take()?;
            return Some(self.sent(now, reset, false, cx));
        }
        match self.state {
            State::SynSent | State::SynReceived if self.handshake.syn_due => {
                Some(self.emit_syn(now, cx))
            }
            State::Closed | State::Listen | State::SynSent => self.wait(now),
            state => {
                if self.receiver.acks.owed() == Owed::PureAck {
                    return Some(self.emit_ack(now, cx));
                }
                if self.sender.has_work() && state.sends() {
                    let options = self.receiver.sack_option_len(self.timestamps.enabled);
                    let next = self.sender.next_data(now, options, &mut env!(self));
                    if let Some(out) = next {
                        let segment = self.emit_data(now, out, cx);
                        self.record_window(now, cx);
                        return Some(segment);
                    }
                } else if !state.sends() {
                    self.sender.wait_in(now, state);
                }
                (self.receiver.acks.owed() == Owed::Now).then(|| self.emit_ack(now, cx))
            }
        }
    }

    /// The SYN, or the SYN-ACK after the peer's SYN.
    fn emit_syn<P: Probe>(&mut self, now: Nanos, cx: &mut Cx<'_, P>) -> Segment {
        let answer = self.state == State::SynReceived;
        let h = &mut self.handshake;
        h.syn_due = false;
        let again = h.sent_at.replace(now).is_some();
        h.repeated |= again;
        let config = &self.config;
        let scale = if answer {
            h.scales.map(|s| s.1)
        } else {
            config.window_scaling.then(|| Receiver::scale_for(config.receive_buffer.0))
        };
        let (sack, timestamps, ecn) = if answer {
            (h.sack, self.timestamps.enabled, self.ecn.syn_ack_flags())
        } else {
            (config.sack, config.timestamps, EcnState::syn_flags(config))
        };
        let mut s = Segment::tcp(Flags::SYN, self.iss);
        s.set_ace(ecn);
        s.mss = config.mss;
        s.window = self.receiver.advertise(true);
        if let Some(scale) = scale {
            s.window_scale = scale;
        }
        if sack {
            s.set_sack_permitted();
        }
        if timestamps {
            let echo = if answer { self.timestamps.recent() } else { 0 };
            s.set_timestamps(self.timestamps.clock(now), echo);
        }
        if answer {
            s.flags |= Flags::ACK;
            s.ack = Seq::wrap(self.receiver.irs, self.receiver.next);
            self.timestamps.on_ack_sent(self.receiver.next);
            self.receiver.acks.on_ack_sent(&mut self.timers);
        }
        self.sender.on_syn_sent(now, &mut self.timers);
        self.stats.handshake_retransmissions += u64::from(again);
        self.sent(now, s, again, cx)
    }

    #[inline]
    pub(super) fn emit_data<P: Probe>(
        &mut self,
        now: Nanos,
        out: Outgoing,
        cx: &mut Cx<'_, P>,
    ) -> Segment {
        let mut flags = Flags::ACK;
        for (on, flag) in [(out.fin, Flags::FIN), (out.push, Flags::PSH), (out.cwr, Flags::CWR)] {
            if on {
                flags |= flag;
            }
        }
        let mut s = Segment::tcp(flags, Seq::wrap(self.iss, out.start));
        s.len = u16::narrow(out.len);
        s.ecn = if out.ect { self.ecn.field(&self.config) } else { Ecn::NotEct };
        // Payload and options together must not exceed the segment size.
        let room = self.sender.mss().saturating_sub(out.len);
        self.fill_header(now, &mut s, room, false);
        self.stats.data_segments_sent += u64::from(out.len > 0);
        self.stats.bytes_sent += u64::from(out.len);
        self.sent(now, s, out.retransmission, cx)
    }

    #[inline]
    fn emit_ack<P: Probe>(&mut self, now: Nanos, cx: &mut Cx<'_, P>) -> Segment {
        let mut s = Segment::tcp(Flags::ACK, Seq::wrap(self.iss, self.sender.nxt()));
        self.fill_header(now, &mut s, OPTIONS, true);
        self.stats.acks_sent += 1;
        self.sent(now, s, false, cx)
    }

    /// Fills the header fields of every segment with an ACK.
    #[inline]
    fn fill_header(&mut self, now: Nanos, s: &mut Segment, room: u32, pure: bool) {
        s.ack = Seq::wrap(self.receiver.irs, self.receiver.acknowledged(pure));
        s.window = self.receiver.advertise(false);
        let mut most = OPTIONS;
        if self.timestamps.enabled {
            s.set_timestamps(self.timestamps.clock(now), self.timestamps.recent());
            most -= TIMESTAMPS;
        }
        self.receiver.add_sacks(s, room.min(most));
        self.ecn.write(s, pure);
        self.timestamps.on_ack_sent(self.receiver.next);
        self.receiver.acks.on_ack_sent(&mut self.timers);
    }

    #[inline]
    pub(super) fn sent<P: Probe>(
        &mut self,
        now: Nanos,
        segment: Segment,
        retransmission: bool,
        cx: &mut Cx<'_, P>,
    ) -> Segment {
        self.stats.segments_sent += 1;
        cx.record(now, || Event::SegmentSent { segment, retransmission });
        segment
    }
}
