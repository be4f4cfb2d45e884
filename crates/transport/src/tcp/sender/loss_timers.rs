//! RACK's and TLP's part of the sender: their timers, and the effects of a detection or a probe.
//! The rules are in `recovery/rack.rs` and `recovery/tlp.rs`.

use airtcp_probe::{Cx, Probe};
use airtcp_units::{Nanos, Span};

use super::{Env, Outgoing, Sender, view};
use crate::tcp::config::{LossResponse, TcpConfig};
use crate::tcp::recovery::{LossRecovery, ProbeAck, PrrAck, Tlp};
use crate::tcp::scoreboard::Detected;
use crate::tcp::timers::{Timer, Timers};
use airtcp_congestion::CongestionControl;

impl Sender {
    /// Whether RACK detects the losses of this connection.
    #[inline]
    pub(super) const fn is_rack(&self) -> bool {
        self.board.has_rack()
    }

    /// Starts RACK with the connection, if it is in force.
    pub(super) fn rack_start(&mut self, config: &TcpConfig) {
        if let Some(rack) = self.discipline.rack() {
            self.board.enable_rack(config.timestamp_tick);
            if self.rtt.srtt().is_some() {
                // The handshake gave a round-trip sample.
                rack.tlp.on_sample();
            }
        }
    }

    /// RACK.reo_wnd; zero without RACK.
    pub(super) fn reo_wnd(&mut self, config: &TcpConfig) -> Span {
        let view = view!(self, config);
        let Some(rack) = self.discipline.rack() else { return Span::ZERO };
        rack.reo_wnd(&view, self.rtt.min_rtt(), self.rtt.srtt())
    }

    /// Called after recovery has processed an acknowledgement, with `una` and the DSACK count
    /// before it, and whether the ACK is a duplicate that reports nothing.
    pub(super) fn loss_detection<P: Probe>(
        &mut self,
        now: Nanos,
        (una, dsacks, bare_duplicate): (u64, u64, bool),
        env: &mut Env<'_>,
        cx: &mut Cx<'_, P>,
    ) {
        let dsack = env.stats.dsacks > dsacks;
        let dsack_end = self.last_report.filter(|_| dsack);
        let ack = ProbeAck { flight: self.nxt - una, dsack_end, bare_duplicate };
        self.tlp_on_ack(now, ack, env, cx);
        let view = view!(self, env.config);
        if let Some(rack) = self.discipline.rack() {
            rack.on_reports(&view, dsack);
        }
        if self.board.take_rack_advanced() {
            self.rack_detect_loss(now, env, cx);
        } else if self.in_flight() == 0 {
            self.stop_loss_timers(now, env.timers);
        }
        if self.una > una || self.board.segments_sacked() > 0 {
            self.schedule_probe(now, env);
        }
    }

    /// RACK_detect_loss_and_arm_timer, and the reaction to losses.
    fn rack_detect_loss<P: Probe>(&mut self, now: Nanos, env: &mut Env<'_>, cx: &mut Cx<'_, P>) {
        let window = self.reo_wnd(env.config);
        let found = self.board.rack_detect(now, window);
        if found.any {
            self.report_losses(now, env, cx);
            self.rack_on_lost_again(now, &found, env);
        }
        if let Some(deadline) = found.deadline {
            // Section 8: one timer at a time. The remaining segments are younger than the timeout.
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

    /// No segment is waited for: the retransmission timer runs.
    fn stop_loss_timers(&self, now: Nanos, timers: &mut Timers) {
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
        let reported = self.reports_latest(env.config);
        let new = self.discipline.rack().is_some_and(|rack| rack.is_in_unreported_window(sent_at));
        if !(in_recovery && reported && new) || self.recovery.has_prr() {
            return;
        }
        // FlightSize includes SACKed data: half of it could exceed the window.
        self.react(now, self.flight_size().min(self.law.cwnd()), env);
        self.discipline.on_loss_reported(now);
    }

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
        if open && self.recovery.is_fast() && self.recovery.has_prr() {
            let (delivered, lost) = (self.rate.delivered(), self.board.lost_total());
            self.prr_on_ack(PrrAck { delivered, lost, acked: 0, duplicate: false });
        }
        // Section 8: the retransmission timer runs unless more segments are waited for.
        if !env.timers.is_running(Timer::Reordering) {
            self.arm(now, env.timers);
        }
    }

    /// A recovery begins: it sends no probe.
    pub(super) fn on_episode(&mut self, now: Nanos, timers: &mut Timers) {
        self.discipline.on_episode(now);
        if timers.is_running(Timer::LossProbe) {
            self.stop_loss_timers(now, timers);
        }
    }

    /// New data was sent or acknowledged: restarts the probe timer if it may run
    /// (RFC 8985 section 7.2).
    #[inline]
    pub(super) fn schedule_probe(&self, now: Nanos, env: &mut Env<'_>) {
        if !(env.config.tlp && self.is_rack()) {
            return;
        }
        let wanted = self.recovery.is_open() && self.board.segments_sacked() == 0;
        if self.in_flight() == 0 || !wanted {
            if env.timers.is_running(Timer::LossProbe) {
                self.stop_loss_timers(now, env.timers);
            }
            return;
        }
        if env.timers.is_running(Timer::Reordering) {
            return;
        }
        let timeout = Tlp::timeout(self.rtt.srtt(), self.board.len() == 1, env.config);
        let at = (now + timeout).min(env.timers.get(Timer::Retransmit));
        env.timers.set(Timer::LossProbe, at);
    }

    /// The probe timer expired (section 7.3).
    pub(crate) fn on_probe_timer(&mut self, now: Nanos, timers: &mut Timers) {
        self.is_plain = false;
        if self.in_flight() > 0 {
            if let Some(rack) = self.discipline.rack() {
                rack.tlp.on_timer();
            }
            // In any case the retransmission timer runs from now on.
            self.arm(now, timers);
        }
    }

    /// TLP_send_probe.
    pub(super) fn send_loss_probe(
        &mut self,
        now: Nanos,
        options: u32,
        env: &mut Env<'_>,
    ) -> Option<Outgoing> {
        self.discipline.rack()?.tlp.cancel();
        let last = self.board.len().checked_sub(1)?;
        let start = self.board.get(last).map_or(0, |s| s.start);
        let new = self.send_unsent(now, options, env);
        let is_retrans = new.is_none();
        let out = if is_retrans { self.send_again(now, last, true, env) } else { new };
        env.stats.loss_probes += 1;
        self.discipline.rack()?.tlp.on_sent(self.nxt, start, is_retrans);
        // Sending new data has started the probe timer, which must not run for a probe.
        env.timers.stop(Timer::LossProbe);
        self.arm(now, env.timers);
        out
    }

    /// TLP_process_ack, with SND.UNA already moved. If the probe filled a hole, the loss is
    /// reported to the law, once per window as for any other loss.
    pub(super) fn tlp_on_ack<P: Probe>(
        &mut self,
        now: Nanos,
        ack: ProbeAck,
        env: &mut Env<'_>,
        cx: &mut Cx<'_, P>,
    ) {
        let una = self.una;
        let Some(lost) = self.discipline.rack().and_then(|rack| rack.tlp.on_ack(una, ack)) else {
            return;
        };
        env.stats.loss_probe_repairs += 1;
        let reported = match env.config.loss_response {
            LossResponse::Always => true,
            LossResponse::EcnOnly => false,
            LossResponse::TpLda => self.judge_tail(now, lost, env, cx),
        };
        if reported && !self.answered_mark(env) {
            self.react(now, ack.flight, env);
        }
    }
}
