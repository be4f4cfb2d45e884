//! One end of an LT-TCP flow: the handshake, the choice between coding and plain TCP, and closing.
//!
//! The handshake is TCP's with one more option on SYN and SYN-ACK (an experimental one, RFC 6994),
//! and with ECN. If both ends send the option, the stream travels in blocks. The inner TCP then
//! carries no data: it opens, and closes with FINs once the stream is delivered. Otherwise the
//! connection is plain TCP with the `tcp` parameters.
//!
//! Leaves out: a receive window that closes when the application does not read (data is read at
//! once), simultaneous opening with coding, undo of spurious timeouts.

use airtcp_packet::{Ecn, Flags, Kind, Segment, Seq};
use airtcp_probe::{Cx, Event, Machine, Probe};
use airtcp_units::{LowBits, Nanos, Span, Spent};

use super::config::LtConfig;
use super::receiver::LtReceiver;
use super::sender::{LtSender, Settled};
use super::stats::LtStats;
use super::wire::{Data, Feedback};
use crate::tcp::{Connection, Corrupted, Role, State, TcpConfig, TcpStats};
use airtcp_congestion::LawState;

/// Protocol of the connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// The handshake is not complete.
    Opening,
    /// Blocks and parity.
    Coded,
    /// Plain TCP: one of the ends does not code.
    Plain,
}

/// One end of an LT-TCP connection. Used like [`Connection`].
#[derive(Debug)]
pub struct LtConnection {
    config: LtConfig,
    tcp_config: TcpConfig,
    tcp: Connection,
    /// The inner TCP had nothing to send and was not called since. Between opening and closing it
    /// need not be polled for each packet.
    tcp_rests: bool,
    /// Timer of the inner TCP while it rests.
    tcp_due: Nanos,
    mode: Mode,
    /// The peer's SYN carried the option.
    peer_codes: bool,
    sender: Option<Box<LtSender>>,
    receiver: LtReceiver,
    /// Data written, and whether the application closed, before the protocol was known.
    early: u64,
    closing: bool,
    stats: LtStats,
    now: Nanos,
}

impl LtConnection {
    /// A connection with these parameters, which should have passed their validation, and this
    /// initial sequence number. A passive one waits in LISTEN.
    pub fn new(config: &LtConfig, tcp: &TcpConfig, role: Role, iss: Seq) -> Self {
        let tcp_config = TcpConfig { ecn: tcp.ecn || config.ecn, ..tcp.clone() };
        Self {
            config: *config,
            tcp: Connection::new(&tcp_config, role, iss),
            tcp_rests: false,
            tcp_due: Nanos::NEVER,
            mode: Mode::Opening,
            peer_codes: false,
            sender: None,
            receiver: LtReceiver::new(config.delivery, &tcp_config),
            early: 0,
            closing: false,
            stats: LtStats::default(),
            now: Nanos::ZERO,
            tcp_config,
        }
    }

    /// Opens the connection actively.
    pub fn open(&mut self, now: Nanos) {
        self.now = self.now.max(now);
        self.inner().open(now);
    }

    /// Writes `bytes` of data; 2^60 makes an endless source.
    pub fn write(&mut self, now: Nanos, bytes: u64) {
        self.now = self.now.max(now);
        match (&mut self.sender, self.mode) {
            (Some(sender), _) => sender.write(bytes),
            (None, Mode::Plain) => _ = self.inner().write(now, bytes),
            (None, _) => self.early = self.early.saturating_add(bytes),
        }
    }

    /// Ends the stream after the written data; the connection closes once it is delivered.
    pub fn close(&mut self, now: Nanos) {
        self.now = self.now.max(now);
        self.closing = true;
        match (&mut self.sender, self.mode) {
            (Some(sender), _) => {
                sender.close();
                self.close_if_done();
            }
            (None, Mode::Plain) => self.inner().close(now),
            (None, _) => {}
        }
    }

    fn close_if_done(&mut self) {
        if self.sender.as_ref().is_some_and(|s| s.is_done()) {
            let now = self.now;
            self.inner().close(now);
        }
    }

    /// The inner TCP for a call, after which it is polled again.
    const fn inner(&mut self) -> &mut Connection {
        self.tcp_rests = false;
        &mut self.tcp
    }

    /// Polls the inner TCP. If it has nothing to send and the stream travels in blocks, it rests.
    fn poll_inner<P: Probe>(&mut self, now: Nanos, cx: &mut Cx<'_, P>) -> Option<Segment> {
        let Some(mut segment) = self.tcp.poll(now, cx) else {
            self.tcp_rests = self.mode == Mode::Coded;
            self.tcp_due = self.tcp.next_timer();
            return None;
        };
        let answer = segment.flags.has(Flags::ACK);
        if segment.flags.has(Flags::SYN) && self.config.offer && (!answer || self.peer_codes) {
            segment.set_coding_permitted();
        }
        Some(segment)
    }

    /// Next timer of the inner TCP.
    #[inline]
    fn tcp_timer(&self) -> Nanos {
        if self.tcp_rests { self.tcp_due } else { self.tcp.next_timer() }
    }

    /// The protocol of the connection.
    pub const fn mode(&self) -> Mode {
        self.mode
    }

    /// The inner TCP.
    pub const fn tcp(&self) -> &Connection {
        &self.tcp
    }

    /// A link corrupted a packet of this end; only plain TCP uses the report.
    pub fn on_corrupted(&mut self, now: Nanos, lost: &Corrupted) {
        if self.mode == Mode::Plain {
            self.inner().on_corrupted(now, lost);
        }
    }

    /// In-order bytes delivered to the application.
    pub const fn delivered(&self) -> u64 {
        self.receiver.delivered() + self.tcp.delivered()
    }

    /// True if the peer's stream has ended and was delivered.
    pub fn peer_closed(&self) -> bool {
        self.receiver.is_closed() || self.tcp.peer_closed()
    }

    /// True once everything is delivered and acknowledged both ways.
    pub fn is_finished(&self) -> bool {
        self.tcp.is_finished()
    }

    /// Bytes written that the peer has not acknowledged.
    pub fn unacked(&self) -> u64 {
        match &self.sender {
            Some(sender) => sender.unacked(),
            None => self.early + self.tcp.unacked(),
        }
    }

    /// Congestion window in bytes.
    pub fn cwnd(&self) -> u64 {
        self.sender.as_ref().map_or_else(|| self.tcp.cwnd(), |s| s.cwnd())
    }

    /// State of the congestion law.
    pub fn law_state(&self) -> LawState {
        self.sender.as_ref().map_or_else(|| self.tcp.law_state(), |s| s.law_state())
    }

    /// The loss estimate E; 0 without coding.
    pub fn loss_estimate(&self) -> f64 {
        self.sender.as_ref().map_or(0.0, |s| s.estimate())
    }

    /// Segment size in bytes.
    pub fn segment_size(&self) -> u32 {
        self.sender.as_ref().map_or_else(|| self.tcp.segment_size(), |s| u32::from(s.segment()))
    }

    /// True if ECN validation found that ECN works on the path from this end.
    pub fn ecn_works(&self) -> bool {
        self.sender.as_ref().is_some_and(|s| s.ecn_works())
    }

    /// Counters of the coding; [`tcp`](Self::tcp) has those of plain TCP.
    pub const fn stats(&self) -> &LtStats {
        &self.stats
    }

    /// The counters of coding and plain TCP together, in TCP's terms: a symbol is a segment, and a
    /// repair of a block is a recovery.
    pub fn counters(&self) -> TcpStats {
        let (tcp, lt) = (self.tcp.stats(), &self.stats);
        let mut all = TcpStats {
            bytes_sent: tcp.bytes_sent + lt.bytes_sent(),
            data_segments_sent: tcp.data_segments_sent + lt.symbols_sent(),
            segments_retransmitted: tcp.segments_retransmitted + lt.resent.symbols,
            timeouts: tcp.timeouts + lt.timeouts,
            fast_retransmits: tcp.fast_retransmits + lt.reactive_rounds,
            ecn_reactions: tcp.ecn_reactions + lt.ecn_reactions,
            ..*tcp
        };
        if lt.rtt.samples > 0 {
            all.rtt = lt.rtt;
        }
        all
    }

    /// Smoothed round-trip time; `None` before the first sample.
    pub fn srtt(&self) -> Option<Span> {
        if self.stats.rtt.samples > 0 { Some(self.stats.rtt.smoothed) } else { self.tcp.srtt() }
    }

    /// Counts the open wait until `now`: a measurement begins.
    pub fn settle_waits(&mut self, now: Nanos) {
        self.tcp.settle_waits(now);
        if let Some(sender) = &mut self.sender {
            sender.settle_waits(now);
        }
    }

    /// Time that the sender has waited in each state until `now`, at least the time of the last call.
    pub fn waited(&self, now: Nanos) -> Spent {
        self.sender.as_ref().map_or_else(|| self.tcp.waited(now), |s| s.waited(now))
    }

    /// Both SYNs are exchanged: chooses the protocol.
    fn decide(&mut self) {
        if self.mode != Mode::Opening || !self.tcp.state().is_synchronised() {
            return;
        }
        if !(self.config.offer && self.peer_codes) {
            self.mode = Mode::Plain;
            let (now, early) = (self.now, std::mem::take(&mut self.early));
            self.inner().write(now, early);
            if self.closing {
                self.inner().close(now);
            }
            return;
        }
        self.mode = Mode::Coded;
        let settled = Settled {
            mss: self.tcp.segment_size().try_into().unwrap_or(u16::MAX),
            ecn: self.config.ecn && self.tcp.agreed_on_ecn(),
            window: self.tcp.peer_window(),
            rtt: self.tcp.srtt(),
            seed: u64::from(self.tcp.initial_sequence().0),
            at: self.now,
            waits: *self.tcp.waits(),
        };
        let law = self.tcp_config.congestion.build();
        let mut sender = LtSender::new(&self.config, &self.tcp_config, law, settled);
        sender.write(self.early);
        self.early = 0;
        if self.closing {
            sender.close();
        }
        self.sender = Some(Box::new(sender));
        self.close_if_done();
    }

    /// Like an acknowledgement, a coded segment shows that the peer has our SYN-ACK.
    fn complete_handshake<P: Probe>(&mut self, now: Nanos, segment: &Segment, cx: &mut Cx<'_, P>) {
        if self.tcp.state() == State::SynReceived && self.config.offer && self.peer_codes {
            let mut ack = Segment::tcp(Flags::ACK, self.tcp.next_expected());
            ack.ack = self.tcp.initial_sequence().plus(1);
            ack.window = segment.window;
            self.inner().handle(now, ack, cx);
            self.decide();
        }
    }

    #[inline]
    fn handle_coded<P: Probe>(&mut self, now: Nanos, segment: &Segment, cx: &mut Cx<'_, P>) {
        cx.record(now, || Event::SegmentReceived { segment: *segment });
        // Feedback has no payload.
        if segment.len > 0 {
            let Some(data) = Data::of(segment) else {
                self.stats.refused += 1;
                return;
            };
            let bytes = self.receiver.on_data(now, &data, segment.ecn, &mut self.stats);
            if bytes > 0 {
                cx.record(now, || Event::Delivered { bytes });
            }
        } else if let (Some(feedback), Some(sender)) = (Feedback::of(segment), self.sender.as_mut())
        {
            let shift = self.tcp.scales().map_or(0, |s| s.0);
            sender.on_feedback(now, &feedback, shift, &mut self.stats, cx);
            self.close_if_done();
        } else {
            self.stats.refused += 1;
        }
    }

    /// Header fields of every coded segment: for capture tools, and the window for a peer without
    /// our ACK of its SYN.
    fn dress(&self, segment: &mut Segment, sent: u64) {
        segment.window = self.receiver.window(self.tcp.scales().map_or(0, |s| s.1));
        segment.seq = self.tcp.initial_sequence().plus(1).plus(u32::low_bits(sent));
        segment.ack = self.tcp.next_expected().plus(u32::low_bits(self.receiver.delivered()));
    }

    #[inline]
    fn next_coded<P: Probe>(&mut self, now: Nanos, cx: &mut Cx<'_, P>) -> Option<Segment> {
        if self.receiver.owes_feedback() {
            let feedback = self.receiver.feedback(self.tcp.scales().map_or(0, |s| s.1))?;
            let mut segment = feedback.segment();
            self.dress(&mut segment, 0);
            cx.record(now, || Event::SegmentSent { segment, retransmission: false });
            return Some(segment);
        }
        let symbol = self.sender.as_mut()?.next(now, &mut self.stats, cx)?;
        let mut segment = symbol.header.segment();
        self.dress(&mut segment, symbol.start);
        segment.ecn = if symbol.capable { Ecn::Ect0 } else { Ecn::NotEct };
        cx.record(now, || Event::SegmentSent { segment, retransmission: symbol.again });
        Some(segment)
    }
}

impl Machine for LtConnection {
    type In = Segment;
    type Out = Segment;

    #[inline]
    fn handle<P: Probe>(&mut self, now: Nanos, segment: Segment, cx: &mut Cx<'_, P>) {
        self.now = self.now.max(now);
        if segment.kind == Kind::Coded {
            self.complete_handshake(now, &segment, cx);
            if self.mode == Mode::Coded {
                self.handle_coded(now, &segment, cx);
            } else {
                self.stats.refused += 1;
            }
            return;
        }
        if segment.flags.has(Flags::SYN) && self.mode == Mode::Opening {
            self.peer_codes = segment.coding_permitted();
        }
        self.inner().handle(now, segment, cx);
        self.decide();
    }

    fn on_timer<P: Probe>(&mut self, now: Nanos, cx: &mut Cx<'_, P>) {
        self.now = self.now.max(now);
        if self.tcp_timer() <= now {
            self.inner().on_timer(now, cx);
        }
        self.receiver.on_timer(now);
        if let Some(sender) = self.sender.as_mut().filter(|_| !self.tcp.is_closed()) {
            sender.on_timer(now, &mut self.stats, cx);
            if sender.gave_up() {
                self.inner().abort(now);
            }
        }
    }

    #[inline]
    fn next_timer(&self) -> Nanos {
        let own = match &self.sender {
            Some(sender) if !self.tcp.is_closed() => {
                sender.next_timer().min(self.receiver.deadline())
            }
            _ => Nanos::NEVER,
        };
        self.tcp_timer().min(own.max(self.now))
    }

    #[inline]
    fn poll<P: Probe>(&mut self, now: Nanos, cx: &mut Cx<'_, P>) -> Option<Segment> {
        self.now = self.now.max(now);
        if !self.tcp_rests
            && let Some(segment) = self.poll_inner(now, cx)
        {
            return Some(segment);
        }
        if self.mode != Mode::Coded {
            return None;
        }
        if self.tcp.is_closed() {
            return self.sender.as_mut()?.wait_for_nothing(now);
        }
        self.next_coded(now, cx)
    }
}
