//! Control parameters, section 5.6: pacing rate, send quantum, window.

use airtcp_units::{Saturate, Span};

use super::super::rate_of;
use super::{Bbr, INFINITY, RecoveryKind, State};

impl Bbr {
    /// `InitPacingRate`
    pub(super) fn init_pacing_rate(&mut self, srtt: Option<Span>) {
        self.has_seen_rtt = srtt.is_some();
        let srtt = srtt.unwrap_or(Span::from_millis(1));
        let nominal_bandwidth = rate_of(self.params.initial_window, srtt);
        self.pacing_rate = self.config.startup_pacing_gain * nominal_bandwidth;
    }

    /// `SetPacingRateWithGain`
    pub(super) fn set_pacing_rate(&mut self, gain: f64) {
        let rate = gain * self.bw as f64 * (1.0 - self.config.pacing_margin);
        if rate > 0.0 && (self.full_bw_reached || rate > self.pacing_rate) {
            self.pacing_rate = rate;
        }
    }

    /// `SetSendQuantum`
    fn send_quantum(&self) -> u64 {
        u64::saturate(self.pacing_rate / 8e3).min(65_536).max(2 * self.mss())
    }

    pub(super) fn min_pipe_cwnd(&self) -> u64 {
        self.mss().saturating_mul(u64::from(self.config.min_pipe_cwnd))
    }

    /// `QuantizationBudget`
    fn quantization_budget(&self, inflight_cap: u64) -> u64 {
        let offload_budget = 3 * self.send_quantum();
        let cap = inflight_cap.max(offload_budget).max(self.min_pipe_cwnd());
        if self.state == State::Up { cap.saturating_add(2 * self.mss()) } else { cap }
    }

    /// `Inflight`
    pub(super) fn inflight(&self, bandwidth: u64, gain: f64) -> u64 {
        self.quantization_budget(self.bdp_multiple(bandwidth, gain))
    }

    /// `UpdateMaxInflight`
    pub(super) fn max_inflight(&self) -> u64 {
        let cap = self.bdp_multiple(self.bw, self.cwnd_gain());
        self.quantization_budget(cap.saturating_add(self.extra_acked.get()))
    }

    /// `ProbeRTTCwnd`
    pub(super) fn probe_rtt_cwnd(&self) -> u64 {
        self.bdp_multiple(self.bw, self.config.probe_rtt_cwnd_gain).max(self.min_pipe_cwnd())
    }

    /// `SaveCwnd`
    pub(super) fn save_cwnd(&mut self) {
        let good = self.recovery == RecoveryKind::None && self.state != State::ProbeRtt;
        self.prior_cwnd = if good { self.cwnd } else { self.prior_cwnd.max(self.cwnd) };
    }

    /// `RestoreCwnd`. The saved window is dropped once no recovery and no ProbeRTT limits the
    /// window.
    pub(super) fn restore_cwnd(&mut self) {
        self.cwnd = self.cwnd.max(self.prior_cwnd);
        if self.recovery == RecoveryKind::None && self.state != State::ProbeRtt {
            self.prior_cwnd = 0;
        }
    }

    /// `SetCwnd`
    pub(super) fn set_cwnd(&mut self) {
        let max_inflight = self.max_inflight();
        let grown = self.cwnd.saturating_add(self.rs.newly_acked);
        if self.full_bw_reached {
            self.cwnd = grown.min(max_inflight);
        } else if self.cwnd < max_inflight || self.rs.total_delivered < self.params.initial_window {
            self.cwnd = grown;
        }
        self.cwnd = self.cwnd.max(self.min_pipe_cwnd());
        // `BoundCwndForProbeRTT`
        if self.state == State::ProbeRtt {
            self.cwnd = self.cwnd.min(self.probe_rtt_cwnd());
        }
        // `BoundCwndForModel`
        let cap = match self.state {
            State::Down | State::Refill | State::Up => self.inflight_longterm,
            State::Cruise | State::ProbeRtt => self.inflight_with_headroom(),
            State::Startup | State::Drain => INFINITY,
        };
        let cap = cap.min(self.inflight_shortterm).max(self.min_pipe_cwnd());
        self.cwnd = self.cwnd.min(cap);
        self.bound_cwnd();
    }

    pub(super) fn bound_cwnd(&mut self) {
        self.cwnd = self.cwnd.min(self.params.max_cwnd).max(self.mss());
    }
}
