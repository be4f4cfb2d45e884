//! The model without losses: bandwidth, round-trip time and ProbeRTT, ACK aggregation
//! (sections 5.3.4, 5.4, 5.5.1 to 5.5.9).

use airtcp_units::{Nanos, Span};

use super::{AckPhase, Bbr, State, volume};

impl Bbr {
    /// `UpdateMaxBw`
    pub(super) fn update_max_bw(&mut self) {
        // `UpdateRound`
        self.rounds.update(self.rs.prior_delivered, self.rs.total_delivered);
        if self.rounds.start {
            self.rounds_since_probe_up += 1;
        }
        let rate = self.rs.delivery_rate;
        if rate > 0 && (rate >= self.max_bw() || !self.rs.app_limited) {
            self.max_bw[1] = self.max_bw[1].max(rate);
        }
    }

    /// `AdvanceMaxBwFilter`. A cycle without a sample does not count.
    pub(super) const fn advance_max_bw_filter(&mut self) {
        if self.max_bw[1] > 0 {
            self.max_bw = [self.max_bw[1], 0];
        }
    }

    /// `UpdateACKAggregation`
    pub(super) fn update_ack_aggregation(&mut self, now: Nanos) {
        if self.rs.newly_acked == 0 {
            return;
        }
        let interval = now.since(self.extra_acked_interval_start);
        let mut expected_delivered = volume(1.0, self.bw, interval);
        if self.extra_acked_delivered <= expected_delivered {
            self.extra_acked_delivered = 0;
            self.extra_acked_interval_start = now;
            expected_delivered = 0;
        }
        self.extra_acked_delivered = self.extra_acked_delivered.saturating_add(self.rs.newly_acked);
        let extra = (self.extra_acked_delivered - expected_delivered).min(self.cwnd);
        let window = u64::from(self.config.extra_acked_filter_len);
        let window = if self.full_bw_reached { window } else { 1 };
        self.extra_acked.update(extra, self.rounds.count, window);
    }

    /// `UpdateMinRTT`
    pub(super) fn update_min_rtt(&mut self, now: Nanos, rtt: Option<Span>) {
        self.probe_rtt_expired = now > self.probe_rtt_min_stamp + self.config.probe_rtt_interval;
        if let Some(rtt) = rtt
            && (self.probe_rtt_expired || self.probe_rtt_min_delay.is_none_or(|d| rtt < d))
        {
            self.probe_rtt_min_delay = Some(rtt);
            self.probe_rtt_min_stamp = now;
        }
        let min_rtt_expired = now > self.min_rtt_stamp + self.config.min_rtt_filter_len;
        if let Some(delay) = self.probe_rtt_min_delay
            && (min_rtt_expired || self.min_rtt.is_none_or(|m| delay < m))
        {
            self.min_rtt = Some(delay);
            self.min_rtt_stamp = self.probe_rtt_min_stamp;
        }
    }

    /// `CheckProbeRTT`
    pub(super) fn check_probe_rtt(&mut self, now: Nanos) {
        if self.state != State::ProbeRtt && self.probe_rtt_expired && !self.idle_restart {
            self.save_cwnd();
            self.state = State::ProbeRtt; // `EnterProbeRTT`
            self.probe_rtt_done_stamp = None;
            self.ack_phase = AckPhase::ProbeStopping;
            self.rounds.begin(self.rs.total_delivered);
        }
        if self.state == State::ProbeRtt {
            self.handle_probe_rtt(now);
        }
        if self.rs.newly_acked > 0 {
            self.idle_restart = false;
        }
    }

    /// `HandleProbeRTT`
    fn handle_probe_rtt(&mut self, now: Nanos) {
        self.self_limited.mark(self.rs.total_delivered, self.rs.inflight);
        if self.probe_rtt_done_stamp.is_some() {
            if self.rounds.start {
                self.probe_rtt_round_done = true;
            }
            if self.probe_rtt_round_done {
                self.check_probe_rtt_done(now);
            }
        } else if self.rs.inflight <= self.probe_rtt_cwnd() {
            self.probe_rtt_done_stamp = Some(now + self.config.probe_rtt_duration);
            self.probe_rtt_round_done = false;
            self.rounds.begin(self.rs.total_delivered);
        }
    }

    /// `CheckProbeRTTDone`
    fn check_probe_rtt_done(&mut self, now: Nanos) {
        if self.probe_rtt_done_stamp.is_none_or(|done| now <= done) {
            return;
        }
        self.probe_rtt_min_stamp = now;
        // `ExitProbeRTT`
        self.reset_short_term_model();
        if self.full_bw_reached {
            self.start_probe_bw_down(now, self.rs.total_delivered);
            self.state = State::Cruise; // `StartProbeBW_CRUISE`
        } else {
            self.enter_startup();
        }
        self.restore_cwnd();
    }

    /// `HandleRestartFromIdle`: nothing is in flight, and the application had nothing to send.
    pub(super) fn handle_restart_from_idle(&mut self, now: Nanos) {
        self.idle_restart = true;
        self.extra_acked_interval_start = now;
        if self.is_in_probe_bw() {
            self.set_pacing_rate(1.0);
        } else if self.state == State::ProbeRtt {
            self.check_probe_rtt_done(now);
        }
    }
}
