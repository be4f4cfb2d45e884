//! The states of BBR version 1, section 4.3 of the draft: Drain after Startup, the cycle of ProbeBW, and
//! ProbeRTT.

use airtcp_units::{Nanos, Narrow};

use super::{Bbr1, State};
use crate::AckSample;

/// `pacing_gain_cycle` of ProbeBW.
const GAIN_CYCLE: [f64; 8] = [1.25, 0.75, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0];
impl Bbr1 {
    fn enter_startup(&mut self) {
        self.state = State::Startup;
        (self.pacing_gain, self.cwnd_gain) = (self.config.high_gain, self.config.high_gain);
    }

    pub(super) fn enter_probe_bw(&mut self, now: Nanos) {
        self.state = State::ProbeBw;
        (self.pacing_gain, self.cwnd_gain) = (1.0, self.config.cwnd_gain);
        // A random phase other than that of 3/4 comes first.
        self.cycle_index = GAIN_CYCLE.len() - 1 - usize::narrow(self.draws.below(7));
        self.advance_cycle_phase(now);
    }

    fn advance_cycle_phase(&mut self, now: Nanos) {
        self.cycle_stamp = now;
        self.cycle_index = (self.cycle_index + 1) % GAIN_CYCLE.len();
        let policed = self.policer.rate().is_some();
        self.pacing_gain = if policed { 1.0 } else { GAIN_CYCLE[self.cycle_index] };
    }

    /// `BBRCheckCyclePhase`.
    pub(super) fn check_cycle_phase(&mut self, now: Nanos, ack: &AckSample) {
        if self.state != State::ProbeBw {
            return;
        }
        let full_length = self.rtprop.is_some_and(|r| now.since(self.cycle_stamp) > r);
        let next = if self.pacing_gain > 1.0 {
            full_length && (ack.lost > 0 || ack.prior_pipe >= self.inflight(self.pacing_gain))
        } else if self.pacing_gain < 1.0 {
            full_length || ack.prior_pipe <= self.inflight(1.0)
        } else {
            full_length
        };
        if next {
            self.advance_cycle_phase(now);
        }
    }

    /// `BBRCheckDrain`.
    pub(super) fn check_drain(&mut self, now: Nanos, pipe: u64) {
        if self.state == State::Startup && self.filled_pipe {
            self.state = State::Drain;
            (self.pacing_gain, self.cwnd_gain) =
                (1.0 / self.config.high_gain, self.config.high_gain);
        }
        if self.state == State::Drain && pipe <= self.inflight(1.0) {
            self.enter_probe_bw(now);
        }
    }

    /// `BBRCheckProbeRTT`.
    pub(super) fn check_probe_rtt(&mut self, now: Nanos, ack: &AckSample) {
        if self.state != State::ProbeRtt && self.rtprop_expired && !self.idle_restart {
            self.save_cwnd();
            self.state = State::ProbeRtt;
            (self.pacing_gain, self.cwnd_gain) = (1.0, 1.0);
            self.probe_rtt_done_stamp = None;
        }
        if self.state == State::ProbeRtt {
            self.handle_probe_rtt(now, ack);
        }
        self.idle_restart = false;
    }

    /// `BBRHandleProbeRTT`.
    fn handle_probe_rtt(&mut self, now: Nanos, ack: &AckSample) {
        self.self_limited.mark(ack.total_delivered, ack.pipe);
        let Some(done) = self.probe_rtt_done_stamp else {
            if ack.pipe <= self.min_pipe_cwnd() {
                self.probe_rtt_done_stamp = Some(now + self.config.probe_rtt_duration);
                self.probe_rtt_round_done = false;
                self.rounds.begin(ack.total_delivered);
            }
            return;
        };
        if self.rounds.start {
            self.probe_rtt_round_done = true;
        }
        if self.probe_rtt_round_done && now > done {
            self.rtprop_stamp = now;
            // `BBRExitProbeRTT`
            if self.filled_pipe {
                self.enter_probe_bw(now);
            } else {
                self.enter_startup();
            }
            self.restore_cwnd();
        }
    }
}
