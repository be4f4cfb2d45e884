//! How losses change the model, sections 5.5.10 and 5.5.11.

use airtcp_units::{Nanos, Saturate};

use super::{Bbr, INFINITY, RecoveryKind, State, Undo};
use crate::{Congestion, Lost};

impl Bbr {
    /// `UpdateLatestDeliverySignals`
    pub(super) fn update_latest_delivery_signals(&mut self) {
        self.loss_round_start = false;
        if !self.rs.valid {
            return;
        }
        self.bw_latest = self.bw_latest.max(self.rs.delivery_rate);
        self.inflight_latest = self.inflight_latest.max(self.rs.delivered);
        if self.rs.prior_delivered >= self.loss_round_delivered {
            self.loss_round_delivered = self.rs.total_delivered;
            self.loss_round_start = true;
        }
    }

    /// `AdvanceLatestDeliverySignals`
    pub(super) const fn advance_latest_delivery_signals(&mut self) {
        if self.loss_round_start {
            self.bw_latest = self.rs.delivery_rate;
            self.inflight_latest = self.rs.delivered;
        }
    }

    /// `ResetCongestionSignals`
    pub(super) const fn reset_congestion_signals(&mut self) {
        self.is_loss_in_round = false;
        self.bw_latest = 0;
        self.inflight_latest = 0;
    }

    /// `ResetShortTermModel`
    pub(super) const fn reset_short_term_model(&mut self) {
        self.bw_shortterm = INFINITY;
        self.inflight_shortterm = INFINITY;
    }

    /// `UpdateCongestionSignals`
    pub(super) fn update_congestion_signals(&mut self) {
        if !self.rs.valid {
            self.rounds.start = false;
            return;
        }
        self.update_max_bw();
        if self.loss_round_start {
            self.adapt_lower_bounds();
            self.is_loss_in_round = false;
        }
    }

    /// `AdaptLowerBoundsFromCongestion`, `InitLowerBounds`, `LossLowerBounds`
    fn adapt_lower_bounds(&mut self) {
        if self.is_probing_bw() || !self.is_loss_in_round {
            return;
        }
        if self.bw_shortterm == INFINITY {
            self.bw_shortterm = self.max_bw();
        }
        if self.inflight_shortterm == INFINITY {
            self.inflight_shortterm = self.cwnd;
        }
        let cut = |bound: u64| u64::saturate(self.config.beta * bound as f64);
        self.bw_shortterm = self.bw_latest.max(cut(self.bw_shortterm)).max(1);
        self.inflight_shortterm = self.inflight_latest.max(cut(self.inflight_shortterm));
    }

    /// `IsInflightTooHigh`
    pub(super) fn is_inflight_too_high(&self, lost: u64, tx_in_flight: u64) -> bool {
        lost as f64 > tx_in_flight as f64 * self.config.loss_thresh
            || (lost > 0 && !self.params.selective_acks)
    }

    /// `NoteLoss` without `SaveStateUponLoss`: the reaction to a mark is never undone.
    fn note_loss(&mut self, delivered: u64) {
        if !self.is_loss_in_round {
            self.loss_round_delivered = delivered;
            self.lost_ranges = 0;
        }
        self.is_loss_in_round = true;
    }

    /// `HandleLostPacket`
    pub(super) fn handle_lost_packet(&mut self, now: Nanos, lost: &Lost) {
        if !self.is_loss_in_round {
            self.save_state_upon_loss();
        }
        self.note_loss(lost.total_delivered);
        if self.lost_ranges == 0 || lost.start != self.lost_end {
            self.lost_ranges += 1;
        }
        self.lost_end = lost.start + lost.bytes;
        if self.is_bw_probe_sample && self.is_inflight_too_high(lost.lost, lost.tx_in_flight) {
            let safe = self.inflight_at_loss(lost);
            self.handle_inflight_too_high(now, safe, lost.app_limited, lost.total_delivered);
        }
    }

    /// `InflightAtLoss`: solves `(lost_prev + x) / (inflight_prev + x) = LossThresh` for x, the
    /// part of the packet at which the loss rate passed the threshold.
    pub(super) fn inflight_at_loss(&self, lost: &Lost) -> u64 {
        let thresh = self.config.loss_thresh;
        let inflight_prev = lost.tx_in_flight.saturating_sub(lost.bytes) as f64;
        let lost_prev = lost.lost.saturating_sub(lost.bytes) as f64;
        let lost_prefix = (thresh * inflight_prev - lost_prev) / (1.0 - thresh);
        u64::saturate(inflight_prev + lost_prefix.max(0.0))
    }

    /// `HandleInflightTooHigh`: once per probe.
    fn handle_inflight_too_high(
        &mut self,
        now: Nanos,
        inflight: u64,
        limited: bool,
        delivered: u64,
    ) {
        self.prev_probe_too_high = true;
        self.is_bw_probe_sample = false;
        if !limited {
            let least = u64::saturate(self.config.beta * self.target_inflight() as f64);
            self.inflight_longterm = inflight.max(least);
        }
        if self.state == State::Up {
            self.undo.state = Some(State::Up);
            self.start_probe_bw_down(now, delivered);
        }
    }

    /// The first echo of a mark in this window. It counts as a loss of the round, and as too much
    /// in flight while probing.
    pub(super) fn handle_mark(&mut self, now: Nanos, flight: u64) {
        let delivered = self.rs.total_delivered;
        self.note_loss(delivered);
        if self.state == State::Startup {
            self.leave_startup_full();
        } else if self.is_bw_probe_sample {
            self.handle_inflight_too_high(now, flight, false, delivered);
        }
    }

    /// `OnEnterFastRecovery`
    pub(super) fn on_enter_fast_recovery(&mut self, now: Nanos, c: &Congestion) {
        let delivered = self.rs.total_delivered;
        // A further episode before the end of recovery does not enter recovery again.
        if self.recovery == RecoveryKind::None {
            self.save_state_upon_loss();
            self.recovery = RecoveryKind::Fast(delivered);
        }
        if !self.params.selective_acks {
            self.note_loss(delivered);
            if self.is_bw_probe_sample {
                self.handle_inflight_too_high(now, c.flight, false, delivered);
            }
        }
    }

    /// `OnEnterRTO`: one segment may leave, and everything in flight counts as lost.
    pub(super) fn on_enter_rto(&mut self, again: bool) {
        if again {
            self.save_cwnd();
        } else {
            self.save_state_upon_loss();
        }
        self.recovery = RecoveryKind::Timeout;
        self.cwnd = self.mss();
    }

    /// `SaveStateUponLoss`, once per ACK or timeout. The first loss saves the state. It may then
    /// end UP and lower the long-term bound, and a later loss of the same ACK must not save the
    /// changed state.
    fn save_state_upon_loss(&mut self) {
        self.save_cwnd();
        if self.saved {
            return;
        }
        self.saved = true;
        self.undo = Undo {
            state: None,
            bw_shortterm: self.bw_shortterm,
            inflight_shortterm: self.inflight_shortterm,
            inflight_longterm: self.inflight_longterm,
        };
    }

    /// `HandleSpuriousLossDetection`
    pub(super) fn handle_spurious_loss_detection(&mut self) {
        self.recovery = RecoveryKind::None;
        self.restore_cwnd();
        self.is_loss_in_round = false;
        self.reset_full_bw();
        let undo = std::mem::take(&mut self.undo);
        self.bw_shortterm = self.bw_shortterm.max(undo.bw_shortterm);
        self.inflight_shortterm = self.inflight_shortterm.max(undo.inflight_shortterm);
        self.inflight_longterm = self.inflight_longterm.max(undo.inflight_longterm);
        match undo.state {
            Some(State::Startup) if self.state != State::Startup => {
                self.full_bw_reached = false;
                if self.state != State::ProbeRtt {
                    self.enter_startup();
                }
            }
            Some(State::Up) if self.state != State::Up && self.state != State::ProbeRtt => {
                self.start_probe_bw_refill(self.rs.total_delivered);
            }
            _ => {}
        }
    }
}
