//! One end of a TCP connection: the application's side, and the [`Machine`] the driver sees.
//!
//! RFC 9293. `connection/arrive.rs` takes segments in the synchronised states,
//! `connection/handshake.rs` opens and closes, `connection/emit.rs` writes headers,
//! `connection/expiry.rs` is the table of timers, `connection/between.rs` serves machines that join two
//! connections. Leaves out:
//! urgent data, IP options and fragmentation, path MTU discovery, keep-alive, fast open,
//! checksums (a corrupt packet does not arrive).

mod arrive;
mod between;
mod emit;
mod expiry;
mod handshake;

use airtcp_packet::{Kind, Segment, Seq};
use airtcp_probe::{Cx, Event, Machine, Probe};
use airtcp_units::{BitRate, Nanos, Span};

use super::ack_policy::Owed;
use super::config::TcpConfig;
use super::ecn::EcnState;
use super::receiver::Receiver;
use super::recovery::Corrupted;
use super::sender::Sender;
use super::state::{Handshake, Role, State};
use super::stats::TcpStats;
use super::timers::Timers;
use super::timestamps::Timestamps;
use crate::lda::TpLda;
use airtcp_congestion::{CongestionControl, Law, LawState, LinkHint};

/// One end of a TCP connection.
///
/// After every call that takes `now` the driver drains [`poll`](Machine::poll) and reads
/// [`next_timer`](Machine::next_timer). A connection is used once: after CLOSED it stays there.
#[derive(Debug)]
pub struct Connection {
    config: TcpConfig,
    role: Role,
    iss: Seq,
    state: State,
    sender: Sender,
    receiver: Receiver,
    timers: Timers,
    stats: TcpStats,
    timestamps: Timestamps,
    ecn: EcnState,
    /// The latest time seen.
    now: Nanos,
    handshake: Handshake,
    /// A reset to be sent next.
    reset: Option<Segment>,
    /// Until when bare segments outside the window are not answered.
    quiet_until: Nanos,
    /// What the last [`Event::Window`] said.
    told: (u64, u64, u64),
    /// What the last [`Event::Bandwidth`] said.
    told_bandwidth: Option<BitRate>,
}

/// The parts of a connection that its sender works with.
macro_rules! env {
    ($self:ident) => {
        crate::tcp::sender::Env {
            config: &$self.config,
            stats: &mut $self.stats,
            timers: &mut $self.timers,
            ecn: &mut $self.ecn,
        }
    };
}
use env;

impl Connection {
    /// A connection with these parameters, which should have passed
    /// [`TcpConfig::validate`], and this initial sequence number. Passive ones wait in LISTEN.
    pub fn new(config: &TcpConfig, role: Role, iss: Seq) -> Self {
        Self::build(config, role, iss, config.congestion.build())
    }

    /// The same with a congestion law from outside this crate.
    pub fn with_law(
        config: &TcpConfig,
        role: Role,
        iss: Seq,
        law: Box<dyn CongestionControl>,
    ) -> Self {
        Self::build(config, role, iss, Law::Dyn(law))
    }

    fn build(config: &TcpConfig, role: Role, iss: Seq, law: Law) -> Self {
        let state = if role == Role::Passive { State::Listen } else { State::Closed };
        Self {
            config: config.clone(),
            role,
            iss,
            state,
            sender: Sender::new(config, law, u64::from(iss.0)),
            receiver: Receiver::new(config),
            timers: Timers::new(),
            stats: TcpStats { state, ..TcpStats::default() },
            timestamps: Timestamps::new(config.timestamp_tick),
            ecn: EcnState::default(),
            now: Nanos::ZERO,
            handshake: Handshake::default(),
            reset: None,
            quiet_until: Nanos::ZERO,
            told: (0, 0, 0),
            told_bandwidth: None,
        }
    }

    /// Hands up to `bytes` of data to the connection; returns how much it took. Allowed before
    /// the connection is open. With an unbounded send buffer, `u64::MAX` makes an endless
    /// source.
    pub fn write(&mut self, now: Nanos, bytes: u64) -> u64 {
        self.now = self.now.max(now);
        if self.handshake.is_over(self.state) {
            return 0;
        }
        self.sender.write(bytes, &self.config)
    }

    /// How much [`write`](Self::write) would take now.
    pub fn writable(&self) -> u64 {
        if self.handshake.is_over(self.state) { 0 } else { self.sender.writable(&self.config) }
    }

    /// Data in order that waits to be read; always 0 with automatic reading.
    pub const fn readable(&self) -> u64 {
        self.receiver.readable()
    }

    /// Reads up to `max` bytes; returns how many. May open the window, which the peer is then
    /// told of.
    pub fn read(&mut self, now: Nanos, max: u64) -> u64 {
        self.now = self.now.max(now);
        let (n, update) = self.receiver.read(max);
        if update && self.state.receives() {
            self.receiver.acks.at_once(Owed::Now);
        }
        n
    }

    /// Whether the application reads everything as it comes (the default).
    pub const fn set_auto_read(&mut self, on: bool) {
        self.receiver.set_auto_read(on);
    }

    /// The layer below knows something about the link; the congestion law is told.
    pub fn on_link_hint(&mut self, now: Nanos, hint: &LinkHint) {
        self.now = self.now.max(now);
        self.sender.on_link_hint(now, hint);
    }

    /// A link corrupted a packet that this end had sent. Without effect unless
    /// [`TcpConfig::loss_notification`] asks for it.
    pub fn on_corrupted(&mut self, now: Nanos, lost: &Corrupted) {
        self.now = self.now.max(now);
        if !self.state.sends() || !Corrupted::matters(&lost.segment) {
            return;
        }
        if let Some(start) = lost.segment.seq.unwrap_near(self.iss, self.sender.una()) {
            self.sender.on_corrupted(start, lost.started, &mut env!(self));
        }
    }

    /// What tells losses apart, to be told of beacons and frames (phase 2 of TP-LDA); `None`
    /// unless [`TcpConfig::loss_response`] asks for it, and until the connection is open.
    pub fn differentiation(&mut self) -> Option<&mut TpLda> {
        self.sender.classifier()
    }

    /// State of the connection.
    pub const fn state(&self) -> State {
        self.state
    }

    /// True in ESTABLISHED.
    pub fn is_established(&self) -> bool {
        self.state == State::Established
    }

    /// True in CLOSED: nothing will happen any more (or, for an active end, nothing has yet).
    pub fn is_closed(&self) -> bool {
        self.state == State::Closed
    }

    /// True once everything was exchanged and acknowledged both ways: TIME-WAIT or CLOSED.
    pub fn is_finished(&self) -> bool {
        matches!(self.state, State::Closed | State::TimeWait)
    }

    /// True once the peer's FIN has arrived in order.
    pub fn peer_closed(&self) -> bool {
        self.receiver.peer_closed()
    }

    /// Bytes written but not acknowledged.
    pub fn unacked(&self) -> u64 {
        self.sender.unacked()
    }

    /// In-order bytes handed to the application: received with automatic reading, read without.
    pub const fn delivered(&self) -> u64 {
        self.receiver.delivered()
    }

    /// Counters.
    pub const fn stats(&self) -> &TcpStats {
        &self.stats
    }

    /// Congestion window of the law in bytes, without what recovery adds.
    pub fn cwnd(&self) -> u64 {
        self.sender.law().cwnd()
    }

    /// The window that sending goes by, in bytes: the law's, with what recovery adds, within
    /// the configured bound. The peer's window limits apart from it.
    pub fn send_window(&self) -> u64 {
        self.sender.send_window(&self.config)
    }

    /// Slow-start threshold in bytes; `u64::MAX` while none is set.
    pub fn ssthresh(&self) -> u64 {
        self.sender.law().ssthresh()
    }

    /// Data in the network in bytes, as the sender estimates it (RFC 6675 `pipe`).
    pub const fn pipe(&self) -> u64 {
        self.sender.pipe()
    }

    /// The congestion law, for what it knows beside the window.
    pub const fn law(&self) -> &Law {
        self.sender.law()
    }

    /// The rate at which segments leave, headers not counted, if they are paced.
    pub fn pacing_rate(&self) -> Option<BitRate> {
        self.sender.pacing_rate(&self.config)
    }

    /// What the congestion law is doing.
    pub fn law_state(&self) -> LawState {
        self.sender.law().state()
    }

    /// True in loss recovery of either kind.
    pub const fn in_recovery(&self) -> bool {
        self.sender.in_recovery()
    }

    /// The peer's advertised window in bytes.
    pub const fn peer_window(&self) -> u64 {
        self.sender.peer_window()
    }

    /// Payload of a full segment in bytes, as negotiated.
    pub const fn segment_size(&self) -> u32 {
        self.sender.mss()
    }

    /// Smoothed round-trip time, once there is a sample.
    pub const fn srtt(&self) -> Option<Span> {
        self.sender.srtt()
    }

    /// Retransmission timeout in force, with back-off.
    pub fn rto(&self) -> Span {
        self.sender.rto()
    }

    /// Our initial sequence number.
    pub(crate) const fn initial_sequence(&self) -> Seq {
        self.iss
    }

    /// Sequence number of the peer's that is expected next.
    pub(crate) fn next_expected(&self) -> Seq {
        Seq::wrap(self.receiver.irs, self.receiver.next)
    }

    /// Both ends offered ECN.
    pub(crate) const fn agreed_on_ecn(&self) -> bool {
        self.ecn.enabled
    }

    /// Scales of the windows, the peer's and ours, if both offered them.
    pub(crate) const fn scales(&self) -> Option<(u8, u8)> {
        self.handshake.scales
    }

    fn set_state(&mut self, state: State) {
        self.state = state;
        self.stats.state = state;
    }

    /// Records the window and the law's estimate of the bandwidth if they changed since last told.
    fn tell_window<P: Probe>(&mut self, now: Nanos, cx: &mut Cx<'_, P>) {
        if !P::ON {
            return;
        }
        let state = (self.cwnd(), self.ssthresh(), self.sender.peer_window());
        if state != self.told {
            self.told = state;
            let (cwnd, ssthresh, peer_window) = state;
            let pipe = self.pipe();
            cx.record(now, || Event::Window { cwnd, ssthresh, pipe, peer_window });
        }
        let bandwidth = self.sender.law().bandwidth();
        if bandwidth != self.told_bandwidth {
            self.told_bandwidth = bandwidth;
            if let Some(estimate) = bandwidth {
                cx.record(now, || Event::Bandwidth { estimate });
            }
        }
    }
}

impl Machine for Connection {
    type In = Segment;
    type Out = Segment;

    fn handle<P: Probe>(&mut self, now: Nanos, segment: Segment, cx: &mut Cx<'_, P>) {
        if segment.kind != Kind::Tcp {
            return;
        }
        self.now = self.now.max(now);
        self.stats.segments_received += 1;
        cx.record(now, || Event::SegmentReceived { segment });
        match self.state {
            State::Closed => self.arrive_closed(&segment),
            State::Listen => self.arrive_listen(now, &segment),
            State::SynSent => self.arrive_syn_sent(now, &segment, cx),
            _ => self.arrive(now, &segment, cx),
        }
        self.tell_window(now, cx);
    }

    fn on_timer<P: Probe>(&mut self, now: Nanos, cx: &mut Cx<'_, P>) {
        self.now = self.now.max(now);
        self.expire(now, cx);
        self.tell_window(now, cx);
    }

    fn next_timer(&self) -> Nanos {
        self.timers.next().max(self.now)
    }

    fn poll<P: Probe>(&mut self, now: Nanos, cx: &mut Cx<'_, P>) -> Option<Segment> {
        self.now = self.now.max(now);
        self.emit(now, cx)
    }
}
