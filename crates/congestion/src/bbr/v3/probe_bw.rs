//! ProbeBW, section 5.3.3: DOWN, CRUISE, REFILL, UP.

use airtcp_units::{Nanos, Saturate, Span};

use super::{AckPhase, Bbr, INFINITY, State};

/// `T_bbr`: the minimum wait between probes and the width of its random part.
const WAIT: Span = Span::from_secs(2);
const WAIT_SPREAD: u64 = 1_000_000_000;
/// `T_reno_bound`: maximum number of round trips between probes.
const RENO_ROUNDS: u64 = 63;

impl Bbr {
    /// `UpdateProbeBWCyclePhase`
    pub(super) fn update_probe_bw_cycle_phase(&mut self, now: Nanos) {
        if !self.full_bw_reached || self.adapt_long_term_model() || !self.is_in_probe_bw() {
            return;
        }
        let state = self.state;
        match state {
            State::Down | State::Cruise => {
                let probe = self.check_time_to_probe_bw(now);
                if !probe && state == State::Down && self.is_time_to_cruise() {
                    self.state = State::Cruise; // `StartProbeBW_CRUISE`
                }
            }
            State::Refill if self.rounds.start => {
                // After one round of REFILL, the data sent may be too much.
                self.is_bw_probe_sample = true;
                self.start_probe_bw_up();
            }
            State::Up if self.is_time_to_go_down() => {
                self.prev_probe_too_high = false;
                self.start_probe_bw_down(now, self.rs.total_delivered);
            }
            _ => {}
        }
    }

    /// `StartProbeBW_DOWN`
    pub(super) fn start_probe_bw_down(&mut self, now: Nanos, delivered: u64) {
        self.reset_congestion_signals();
        self.probe_up_acked_per_inc = INFINITY;
        self.pick_probe_wait();
        self.cycle_stamp = now;
        self.ack_phase = AckPhase::ProbeStopping;
        self.rounds.begin(delivered);
        self.state = State::Down;
    }

    /// `StartProbeBW_REFILL`
    pub(super) fn start_probe_bw_refill(&mut self, delivered: u64) {
        self.reset_short_term_model();
        self.bw_probe_up_rounds = 0;
        self.bw_probe_up_acked = 0;
        self.prev_probe_precautionary = false;
        self.ack_phase = AckPhase::Refilling;
        self.rounds.begin(delivered);
        self.state = State::Refill;
    }

    /// `StartProbeBW_UP`
    fn start_probe_bw_up(&mut self) {
        self.ack_phase = AckPhase::ProbeStarting;
        self.rounds.begin(self.rs.total_delivered);
        self.reset_full_bw();
        self.full_bw = self.rs.delivery_rate;
        self.state = State::Up;
        self.raise_inflight_longterm_slope();
    }

    /// `PickProbeWait`: a random wait separates the probes of flows that share a bottleneck.
    fn pick_probe_wait(&mut self) {
        self.rounds_since_probe_up = self.draws.below(2);
        self.bw_probe_wait = WAIT + Span(self.draws.below(WAIT_SPREAD));
    }

    /// `IsTimeToProbeBW`
    fn check_time_to_probe_bw(&mut self, now: Nanos) -> bool {
        // `HasElapsedInPhase`, `IsRenoCoexistenceProbeTime`
        let reno_rounds = (self.target_inflight() / self.mss()).min(RENO_ROUNDS);
        if now > self.cycle_stamp + self.bw_probe_wait || self.rounds_since_probe_up >= reno_rounds
        {
            self.start_probe_bw_refill(self.rs.total_delivered);
            return true;
        }
        false
    }

    /// `IsTimeToCruise`
    fn is_time_to_cruise(&self) -> bool {
        self.rs.inflight <= self.inflight_with_headroom()
            && self.rs.inflight <= self.inflight(self.max_bw(), 1.0)
    }

    /// `IsTimeToGoDown`
    fn is_time_to_go_down(&mut self) -> bool {
        if self.prev_probe_too_high && self.rs.inflight >= self.inflight_longterm {
            // The last probe in this cycle met losses: first check whether it is safe now.
            self.prev_probe_precautionary = true;
            return true;
        }
        if self.rs.cwnd_limited && self.cwnd >= self.inflight_longterm {
            // The bound keeps the rate from growing, so a plateau does not show a full pipe.
            self.reset_full_bw();
            self.full_bw = self.rs.delivery_rate;
            return false;
        }
        self.full_bw_now
    }

    /// `InflightWithHeadroom`
    pub(super) fn inflight_with_headroom(&self) -> u64 {
        if self.inflight_longterm == INFINITY {
            return INFINITY;
        }
        let headroom = u64::saturate(self.config.headroom * self.inflight_longterm as f64);
        let bound = self.inflight_longterm.saturating_sub(headroom.max(self.mss()));
        bound.max(self.min_pipe_cwnd())
    }

    /// `RaiseInflightLongtermSlope`: by 1, 2, 4, ... segments in each round.
    fn raise_inflight_longterm_slope(&mut self) {
        let growth_this_round = 1u64 << self.bw_probe_up_rounds;
        self.bw_probe_up_rounds = (self.bw_probe_up_rounds + 1).min(30);
        self.probe_up_acked_per_inc = (self.cwnd / growth_this_round).max(self.mss());
    }

    /// `ProbeInflightLongtermUpward`
    fn probe_inflight_longterm_upward(&mut self) {
        if !self.rs.cwnd_limited || self.cwnd < self.inflight_longterm {
            return;
        }
        self.bw_probe_up_acked = self.bw_probe_up_acked.saturating_add(self.rs.newly_acked);
        let increments = self.bw_probe_up_acked / self.probe_up_acked_per_inc;
        self.bw_probe_up_acked -= increments * self.probe_up_acked_per_inc;
        let grown = increments.saturating_mul(self.mss());
        self.inflight_longterm = self.inflight_longterm.saturating_add(grown);
        if self.rounds.start {
            self.raise_inflight_longterm_slope();
        }
    }

    /// `AdaptLongTermModel`: true if it changed the state.
    fn adapt_long_term_model(&mut self) -> bool {
        if self.ack_phase == AckPhase::ProbeStarting && self.rounds.start {
            self.ack_phase = AckPhase::ProbeFeedback;
        }
        if self.ack_phase == AckPhase::ProbeStopping && self.rounds.start {
            self.is_bw_probe_sample = false;
            self.ack_phase = AckPhase::Init;
            if self.is_in_probe_bw() && !self.rs.app_limited {
                self.advance_max_bw_filter();
            }
            if self.is_in_probe_bw() && self.prev_probe_precautionary && !self.prev_probe_too_high {
                self.start_probe_bw_refill(self.rs.total_delivered);
                return true;
            }
        }
        let too_high = self.is_inflight_too_high(self.rs.lost, self.rs.tx_in_flight);
        if !too_high && self.inflight_longterm != INFINITY {
            self.inflight_longterm = self.inflight_longterm.max(self.rs.tx_in_flight);
            if self.state == State::Up {
                self.probe_inflight_longterm_upward();
            }
        }
        false
    }
}
