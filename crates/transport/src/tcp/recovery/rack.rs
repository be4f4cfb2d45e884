//! RACK: losses found by time instead of by counting, RFC 8985 sections 6 and 8.
//!
//! A segment is lost if one sent later has been delivered and it should have been, too, by now:
//!
//! ```text
//! lost        sent before RACK.xmit_ts, and now >= xmit_ts + RACK.rtt + reo_wnd
//! reo_wnd     min(RACK.reo_wnd_mult * min_RTT / 4, SRTT); 0 while no reordering was ever seen and
//!             a recovery runs or DupThresh segments are reported
//! mult        +1 per round trip with a DSACK; 1 again after 16 recoveries without
//! ```
//!
//! What is not due yet is waited for by a timer. Retransmissions are treated as originals are, so
//! that a lost one is found without a timeout. A timeout gives up the first segment and what is
//! overdue, and leaves the rest in flight. `IsLost` and the rules 3 and 4 of RFC 6675's NextSeg
//! are out of force (section 9.2): lost segments go first, then new data.
//!
//! Losses of one window are one reaction. A lost retransmission is one more (section 9.3) unless
//! PRR runs, under which what is lost again lowers what may be sent by itself.
//!
//! The scoreboard's part is in `scoreboard/rack.rs`. Leaves out: a windowed minimum of the
//! round-trip time (that of the connection is taken), and RACK without SACK. Times in
//! nanoseconds, offsets in bytes.

use airtcp_probe::{Cx, Probe};
use airtcp_units::{Nanos, Span};

use super::prr::PrrAck;
use super::tlp::Tlp;
use crate::tcp::config::{Recovery, TcpConfig};
use crate::tcp::scoreboard::Detected;
use crate::tcp::sender::{Env, Sender};
use crate::tcp::timers::{Timer, Timers};
use airtcp_congestion::{Congestion, CongestionControl, CongestionKind};

/// RACK's state beside the scoreboard, and TLP's.
#[derive(Debug, Clone)]
pub(crate) struct Rack {
    /// RACK.reo_wnd_mult and RACK.reo_wnd_persist.
    mult: u32,
    persist: u32,
    /// RACK.dsack_round.
    dsack_round: Option<u64>,
    /// A recovery has ended since the last ACK was looked at.
    pub(super) exiting: bool,
    /// When the law was last told of a loss: a retransmission sent since is a new window's.
    pub(super) told_at: Nanos,
    pub(super) tlp: Tlp,
}

impl Rack {
    pub(super) const fn new() -> Self {
        Self {
            mult: 0,
            persist: 0,
            dsack_round: None,
            exiting: false,
            told_at: Nanos::ZERO,
            tlp: Tlp::new(),
        }
    }

    /// Section 6.2 step 4, first half: the window grows with each round trip that sees DSACKs.
    fn on_reports(&mut self, una: u64, nxt: u64, dsack: bool, config: &TcpConfig) {
        if self.dsack_round.is_some_and(|round| una >= round) {
            self.dsack_round = None;
        }
        let exiting = std::mem::take(&mut self.exiting);
        if self.dsack_round.is_none() && dsack {
            self.dsack_round = Some(nxt);
            self.mult = self.mult.saturating_add(1);
            self.persist = config.rack_reo_wnd_persist;
        } else if exiting {
            self.persist = self.persist.saturating_sub(1);
            if self.persist == 0 {
                self.mult = 0;
            }
        }
    }
}

impl Sender {
    /// Whether RACK detects the losses of this connection.
    #[inline]
    pub(crate) const fn is_rack(&self) -> bool {
        self.board.has_rack()
    }

    /// RACK begins with the connection, if it is wanted and the peer reports.
    pub(crate) fn rack_start(&mut self, config: &TcpConfig) {
        if config.rack && self.recovery.discipline == Recovery::Sack {
            self.board.enable_rack(config.timestamp_tick);
        }
        if self.rtt.srtt().is_some() {
            // The handshake was timed.
            self.tlp_on_sample();
        }
    }

    /// RACK.reo_wnd (section 6.2 step 4, second half).
    pub(super) fn reo_wnd(&self, config: &TcpConfig) -> Span {
        if !self.board.reordering_seen() {
            let enough = self.board.segments_sacked() >= config.dup_thresh as usize;
            if !self.recovery.is_open() || enough {
                return Span::ZERO;
            }
        }
        let Some(min_rtt) = self.rtt.min_rtt() else { return Span::ZERO };
        let mult = u64::from(config.rack_reo_wnd_mult) + u64::from(self.recovery.rack.mult);
        let window = Span(min_rtt.0.saturating_mul(mult) / 4);
        self.rtt.srtt().map_or(window, |srtt| window.min(srtt))
    }

    /// An acknowledgement was taken, and recovery has had its say; `dsack` says that it reported a
    /// duplicate.
    pub(crate) fn rack_on_ack<P: Probe>(
        &mut self,
        now: Nanos,
        dsack: bool,
        env: &mut Env<'_>,
        cx: &mut Cx<'_, P>,
    ) {
        self.recovery.rack.on_reports(self.una, self.nxt, dsack, env.config);
        if self.board.take_rack_advanced() {
            self.rack_detect_loss(now, env, cx);
        } else if self.in_flight() == 0 {
            self.stop_loss_timers(now, env.timers);
        }
    }

    /// RACK_detect_loss_and_arm_timer, and what follows.
    pub(super) fn rack_detect_loss<P: Probe>(
        &mut self,
        now: Nanos,
        env: &mut Env<'_>,
        cx: &mut Cx<'_, P>,
    ) {
        let window = self.reo_wnd(env.config);
        let found = self.board.rack_detect(now, window);
        if found.any {
            self.tell_losses(now, env, cx);
            self.rack_on_lost_again(now, &found, env);
        }
        if let Some(deadline) = found.deadline {
            // Section 8: one timer at a time. What is waited for is younger than the timeout.
            env.timers.set(Timer::Reordering, deadline);
            env.timers.stop(Timer::LossProbe);
            env.timers.stop(Timer::Retransmit);
        } else if env.timers.is_running(Timer::Reordering) || self.in_flight() == 0 {
            self.stop_loss_timers(now, env.timers);
        }
        if self.recovery.is_open() && self.board.segments_due() > 0 {
            self.enter_fast(now, env, cx);
        }
    }

    /// Nothing is waited for any more: the retransmission timer runs.
    pub(super) fn stop_loss_timers(&self, now: Nanos, timers: &mut Timers) {
        timers.stop(Timer::Reordering);
        timers.stop(Timer::LossProbe);
        if self.in_flight() > 0 && !timers.is_running(Timer::Retransmit) {
            self.arm(now, timers);
        }
    }

    /// Section 9.3: a retransmission sent since the last reaction is lost.
    fn rack_on_lost_again(&mut self, now: Nanos, found: &Detected, env: &mut Env<'_>) {
        let Some(sent_at) = found.again else { return };
        env.stats.lost_retransmissions += 1;
        let in_recovery = !self.recovery.is_open();
        let told = self.recovery.tells_latest(env.config);
        let new = sent_at >= self.recovery.rack.told_at;
        if !(in_recovery && told && new) || self.recovery.prr.is_some() {
            return;
        }
        // What is reported stands in FlightSize: half of it could lie above the window.
        self.react(now, self.flight_size().min(self.law.cwnd()), env);
        self.recovery.rack.told_at = now;
    }

    /// A loss outside the usual episodes: the law is told, and never answers with more. Returns
    /// whether it answered with less.
    pub(super) fn react(&mut self, now: Nanos, flight: u64, env: &mut Env<'_>) -> bool {
        let (kind, before) = (CongestionKind::FastRetransmit, self.law.cwnd());
        self.law.on_congestion(now, &Congestion { kind, flight, restart: false });
        self.law.limit_cwnd(before);
        let reduced = self.note_reduction(before, env);
        if reduced {
            self.recovery.kept = false;
        }
        reduced
    }

    /// The reordering timer expired.
    pub(crate) fn on_reordering_timer<P: Probe>(
        &mut self,
        now: Nanos,
        env: &mut Env<'_>,
        cx: &mut Cx<'_, P>,
    ) {
        if self.in_flight() == 0 {
            return;
        }
        let open = self.recovery.is_open();
        self.rack_detect_loss(now, env, cx);
        if open && self.recovery.is_fast() && self.recovery.prr.is_some() {
            let (delivered, lost) = (self.rate.delivered(), self.board.lost_total());
            self.prr_on_ack(PrrAck { delivered, lost, acked: 0, duplicate: false });
        }
        // Section 8: the retransmission timer runs unless there is more to wait for.
        if !env.timers.is_running(Timer::Reordering) {
            self.arm(now, env.timers);
        }
    }

    /// A recovery begins: nothing is probed for in it.
    pub(super) fn rack_on_episode(&mut self, now: Nanos, env: &mut Env<'_>) {
        self.recovery.rack.told_at = now;
        self.recovery.rack.tlp.reset();
        if env.timers.is_running(Timer::LossProbe) {
            self.stop_loss_timers(now, env.timers);
        }
    }
}
