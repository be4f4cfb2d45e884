//! One end of a TCP connection: the application's side, and the [`Machine`] the driver sees.
//!
//! RFC 9293. `connection/arrive.rs` takes segments in the synchronised states,
//! `connection/handshake.rs` opens and closes, `connection/emit.rs` writes headers,
//! `connection/predict.rs` has shorter paths for bulk data, `connection/run.rs` makes several polls at once,
//! `connection/expiry.rs` is the table of timers, `connection/between.rs` serves machines that join two
//! connections. Leaves out:
//! urgent data, IP options and fragmentation, path MTU discovery, keep-alive, fast open,
//! checksums (a corrupt packet does not arrive).

mod arrive;
mod between;
mod emit;
mod expiry;
mod handshake;
mod predict;
mod run;

use airtcp_packet::{Kind, Segment, Seq};
use airtcp_probe::{Cx, Event, Machine, Probe};
use airtcp_units::{BitRate, Nanos, Span, Spent, Waits};

pub use run::Run;

use super::ack_policy::Owed;
use super::config::TcpConfig;
use super::ecn::EcnState;
use super::receiver::Receiver;
use super::recovery::Corrupted;
use super::sender::Sender;
use super::state::{Handshake, Role, State};
use super::stats::TcpStats;
use super::template::Template;
use super::timers::Timers;
use super::timestamps::Timestamps;
use crate::lda::TpLda;
use airtcp_congestion::{CongestionControl, Law, LawState};

/// One end of a TCP connection.
///
/// After every call that takes `now` the driver drains [`poll`](Machine::poll) and reads
/// [`next_timer`](Machine::next_timer). A connection is used once: it never leaves CLOSED again.
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
    /// The time of the latest call.
    now: Nanos,
    handshake: Handshake,
    template: Template,
    /// A reset to send next.
    reset: Option<Segment>,
    /// Earliest time of the next answer to a bare segment outside the window.
    next_challenge_at: Nanos,
    /// Values of the last [`Event::Window`].
    recorded_window: (u64, u64, u64),
    /// Value of the last [`Event::Bandwidth`].
    recorded_bandwidth: Option<BitRate>,
    /// Set by tests.
    #[cfg(test)]
    takes_general_paths: bool,
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
    /// [`TcpConfig::validate`], and this initial sequence number. A passive one waits in LISTEN.
    pub fn new(config: &TcpConfig, role: Role, iss: Seq) -> Self {
        Self::build(config, role, iss, config.congestion.build())
    }

    /// A connection with a congestion law from another crate.
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
            template: Template::default(),
            reset: None,
            next_challenge_at: Nanos::ZERO,
            recorded_window: (0, 0, 0),
            recorded_bandwidth: None,
            #[cfg(test)]
            takes_general_paths: false,
        }
    }

    /// Writes up to `bytes` of data and returns how much the connection accepted. Allowed before
    /// the connection is open. With an unbounded send buffer, `u64::MAX` makes an endless source.
    pub fn write(&mut self, now: Nanos, bytes: u64) -> u64 {
        self.now = self.now.max(now);
        if self.handshake.is_over(self.state) {
            return 0;
        }
        self.sender.write(bytes, &self.config)
    }

    /// How much [`write`](Self::write) would accept now.
    pub fn writable(&self) -> u64 {
        if self.handshake.is_over(self.state) { 0 } else { self.sender.writable(&self.config) }
    }

    /// In-order data that the application has not read; always 0 with automatic reading.
    pub const fn readable(&self) -> u64 {
        self.receiver.readable()
    }

    /// Reads up to `max` bytes and returns how many. If this opens the window, the connection sends
    /// a window update.
    pub fn read(&mut self, now: Nanos, max: u64) -> u64 {
        self.now = self.now.max(now);
        self.template.forget();
        let (n, update) = self.receiver.read(self.now, max);
        if update && self.state.receives() {
            self.receiver.acks.at_once(Owed::Now);
        }
        n
    }

    /// Sets whether the application reads everything at once (the default).
    pub const fn set_auto_read(&mut self, on: bool) {
        self.template.forget();
        self.receiver.set_auto_read(on);
    }

    /// A link corrupted a packet of this end. No effect unless
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

    /// The device of this host reports what it has completed with [`on_completed`](Self::on_completed). The pacing rate
    /// divided by 2 to the power of `shift` limits what waits in it, if [`TcpConfig::tsq`] asks for a limit and
    /// `pacing_shift` names no other power. Returns whether there is a limit; without one, the reports have no effect.
    pub fn on_device(&mut self, shift: u32) -> bool {
        self.sender.on_device(shift, &self.config)
    }

    /// The device of this host has transmitted, or dropped, a packet with this payload. True if a poll may find a
    /// segment that waited for it.
    pub fn on_completed(&mut self, bytes: u64) -> bool {
        self.sender.on_completed(bytes)
    }

    /// The loss classifier, which takes reports of beacons and frames (phase 2 of TP-LDA). `None`
    /// unless [`TcpConfig::loss_response`] asks for it, and before the connection is open.
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

    /// True in CLOSED: the connection is over (or, for an active end, has not begun).
    pub fn is_closed(&self) -> bool {
        self.state == State::Closed
    }

    /// True once all data and both FINs are acknowledged: TIME-WAIT or CLOSED.
    pub fn is_finished(&self) -> bool {
        matches!(self.state, State::Closed | State::TimeWait)
    }

    /// True once the peer's FIN has arrived in order.
    #[inline]
    pub fn peer_closed(&self) -> bool {
        self.receiver.peer_closed()
    }

    /// Bytes written but not acknowledged.
    pub fn unacked(&self) -> u64 {
        self.sender.unacked()
    }

    /// In-order bytes passed to the application: received with automatic reading, read without.
    pub const fn delivered(&self) -> u64 {
        self.receiver.delivered()
    }

    /// Counters.
    pub const fn stats(&self) -> &TcpStats {
        &self.stats
    }

    /// Congestion window of the law in bytes, without inflation by recovery.
    pub fn cwnd(&self) -> u64 {
        self.sender.law().cwnd()
    }

    /// The window that limits sending, in bytes: the law's with inflation by recovery, within the
    /// configured bound. The peer's window is a separate limit.
    pub fn send_window(&self) -> u64 {
        self.sender.send_window(&self.config)
    }

    /// Slow-start threshold in bytes; `u64::MAX` while nothing has set it.
    pub fn ssthresh(&self) -> u64 {
        self.sender.law().ssthresh()
    }

    /// Data in the network in bytes, as the sender estimates it (RFC 6675 `pipe`).
    pub const fn pipe(&self) -> u64 {
        self.sender.pipe()
    }

    /// The congestion law, for its other values.
    pub const fn law(&self) -> &Law {
        self.sender.law()
    }

    /// The pacing rate without headers; `None` without pacing.
    pub fn pacing_rate(&self) -> Option<BitRate> {
        self.sender.pacing_rate(&self.config)
    }

    /// State of the congestion law.
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

    /// Smoothed round-trip time; `None` before the first sample.
    pub const fn srtt(&self) -> Option<Span> {
        self.sender.srtt()
    }

    /// Retransmission timeout in force, with back-off.
    pub fn rto(&self) -> Span {
        self.sender.rto()
    }

    /// The clock of the sender's waits.
    pub(crate) const fn waits(&self) -> &Waits {
        self.sender.waits()
    }

    /// Counts the open wait until `now`: a measurement begins.
    pub const fn settle_waits(&mut self, now: Nanos) {
        self.sender.settle_waits(now);
    }

    /// Time that the sender has waited in each state until `now`, at least the time of the last call.
    pub const fn waited(&self, now: Nanos) -> Spent {
        self.sender.waits().until(now)
    }

    pub(crate) const fn initial_sequence(&self) -> Seq {
        self.iss
    }

    /// The next expected sequence number of the peer.
    pub(crate) fn next_expected(&self) -> Seq {
        Seq::wrap(self.receiver.irs, self.receiver.next)
    }

    /// Both ends offered ECN.
    pub(crate) const fn agreed_on_ecn(&self) -> bool {
        self.ecn.enabled
    }

    #[cfg(test)]
    pub(crate) fn marks_told(&self) -> Option<u64> {
        self.ecn.marks_told()
    }

    /// Window scales of the peer and of this end, if both offered them.
    pub(crate) const fn scales(&self) -> Option<(u8, u8)> {
        self.handshake.scales
    }

    /// A time before which no timer is due. It costs less than [`next_timer`](Machine::next_timer), which may be later: each
    /// ACK moves the retransmission timer later. A driver that uses it asks at that time for
    /// [`settle_timers`](Self::settle_timers).
    #[inline]
    pub fn timer_bound(&self) -> Nanos {
        self.timers.bound().max(self.now)
    }

    /// The time of the next timer, which [`timer_bound`](Self::timer_bound) returns from now on until a timer is set earlier.
    pub fn settle_timers(&mut self) -> Nanos {
        self.timers.settle();
        self.timer_bound()
    }

    fn set_state(&mut self, state: State) {
        self.state = state;
        self.stats.state = state;
        if !state.sends() {
            self.sender.wait_in(self.now, state);
        }
    }

    /// Records the window and the law's bandwidth estimate if they have changed since the last
    /// record.
    fn record_window<P: Probe>(&mut self, now: Nanos, cx: &mut Cx<'_, P>) {
        if !P::ON {
            return;
        }
        let state = (self.cwnd(), self.ssthresh(), self.sender.peer_window());
        if state != self.recorded_window {
            self.recorded_window = state;
            let (cwnd, ssthresh, peer_window) = state;
            let pipe = self.pipe();
            cx.record(now, || Event::Window { cwnd, ssthresh, pipe, peer_window });
        }
        let bandwidth = self.sender.law().bandwidth();
        if bandwidth != self.recorded_bandwidth {
            self.recorded_bandwidth = bandwidth;
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
            _ => self.arrive_predicted(now, &segment, cx),
        }
        self.record_window(now, cx);
    }

    fn on_timer<P: Probe>(&mut self, now: Nanos, cx: &mut Cx<'_, P>) {
        self.now = self.now.max(now);
        self.template.forget();
        self.expire(now, cx);
        self.timers.settle();
        self.record_window(now, cx);
    }

    fn next_timer(&self) -> Nanos {
        self.timers.next().max(self.now)
    }

    #[inline]
    fn poll<P: Probe>(&mut self, now: Nanos, cx: &mut Cx<'_, P>) -> Option<Segment> {
        self.poll_run(now, 1, cx).map(|run| run.first)
    }
}
