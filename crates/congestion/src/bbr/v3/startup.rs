//! Startup and Drain, sections 5.3.1 and 5.3.2: the rate doubles until the pipe is full.

use airtcp_units::Nanos;

use super::{Bbr, RecoveryKind, State};

/// A round trip in which the rate grew by less than this factor counts towards a full pipe.
const FULL_BW_GROWTH: f64 = 1.25;
/// Round trips with less growth than [`FULL_BW_GROWTH`] after which the pipe is full.
const FULL_BW_COUNT: u32 = 3;
/// Round trips after which Drain ends even if the queue is not empty.
const DRAIN_ROUNDS: u64 = 3;

impl Bbr {
    /// `EnterStartup`
    pub(super) const fn enter_startup(&mut self) {
        self.state = State::Startup;
    }

    /// `ResetFullBW`
    pub(super) const fn reset_full_bw(&mut self) {
        self.full_bw = 0;
        self.full_bw_count = 0;
        self.full_bw_now = false;
    }

    /// `CheckFullBWReached`, for Startup and ProbeBW UP.
    pub(super) fn check_full_bw_reached(&mut self) {
        if self.full_bw_now || !self.rounds.start || self.rs.app_limited {
            return;
        }
        if self.rs.delivery_rate as f64 >= self.full_bw as f64 * FULL_BW_GROWTH {
            self.reset_full_bw();
            self.full_bw = self.rs.delivery_rate;
            return;
        }
        self.full_bw_count += 1;
        self.full_bw_now = self.full_bw_count >= FULL_BW_COUNT;
        if self.full_bw_now {
            self.full_bw_reached = true;
        }
    }

    /// `CheckStartupDone`
    pub(super) fn check_startup_done(&mut self, fast: bool) {
        if self.state == State::Startup && !self.full_bw_reached && self.has_high_loss(fast) {
            self.leave_startup_full();
        }
        if self.loss_round_start {
            self.lost_ranges = 0;
        }
        if self.state == State::Startup && self.full_bw_reached {
            self.state = State::Drain; // `EnterDrain`
            self.drain_start_round = self.rounds.count;
        }
    }

    /// The conditions of `CheckStartupHighLoss`.
    fn has_high_loss(&self, fast: bool) -> bool {
        let RecoveryKind::Fast(begun) = self.recovery else { return false };
        if !self.params.selective_acks {
            return fast;
        }
        // A full round of fast recovery has ended, with too high a loss rate and enough lost ranges.
        self.loss_round_start
            && self.rs.prior_delivered >= begun
            && self.is_inflight_too_high(self.rs.lost, self.rs.tx_in_flight)
            && self.lost_ranges >= self.config.startup_full_loss_cnt
    }

    /// The steps of `CheckStartupHighLoss`: the pipe is full, and `inflight_longterm` is at least what the
    /// last round delivered.
    pub(super) fn leave_startup_full(&mut self) {
        self.undo.state = Some(State::Startup);
        self.full_bw_reached = true;
        self.inflight_longterm = self.bdp().max(self.inflight_latest);
    }

    /// `CheckDrainDone`
    pub(super) fn check_drain_done(&mut self, now: Nanos) {
        if self.state == State::Drain
            && (self.rs.inflight <= self.inflight(self.bw, 1.0)
                || self.rounds.count > self.drain_start_round + DRAIN_ROUNDS)
        {
            // `EnterProbeBW`
            self.start_probe_bw_down(now, self.rs.total_delivered);
        }
    }
}
