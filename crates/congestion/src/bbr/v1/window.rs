//! The window of BBR version 1, section 4.2.3 of the draft: it approaches its target, conserves
//! packets in recovery, and is four segments in ProbeRTT.

use super::{Bbr1, RecoveryKind, State};
use crate::AckSample;

impl Bbr1 {
    /// `BBRSaveCwnd`.
    pub(super) fn save_cwnd(&mut self) {
        let good = self.recovery == RecoveryKind::None && self.state != State::ProbeRtt;
        self.prior_cwnd = if good { self.cwnd } else { self.prior_cwnd.max(self.cwnd) };
    }

    /// `BBRRestoreCwnd`. The saved window is dropped once no recovery and no ProbeRTT limits the
    /// window.
    pub(super) fn restore_cwnd(&mut self) {
        self.cwnd = self.cwnd.max(self.prior_cwnd);
        if self.recovery == RecoveryKind::None && self.state != State::ProbeRtt {
            self.prior_cwnd = 0;
        }
    }

    /// `BBRModulateCwndForRecovery`, and the beginning and end of recovery.
    fn modulate_cwnd_for_recovery(&mut self, ack: &AckSample) {
        if self.recovery == RecoveryKind::Entering {
            self.recovery = RecoveryKind::Running;
            self.cwnd = ack.pipe.saturating_add(ack.delivered.max(self.mss()));
            self.packet_conservation = true;
            self.rounds.begin(ack.total_delivered);
        }
        if self.recovery == RecoveryKind::Running && !ack.in_recovery {
            self.recovery = RecoveryKind::None;
            self.packet_conservation = false;
            self.restore_cwnd();
        }
        if self.recovery == RecoveryKind::Running && ack.in_fast_recovery {
            self.cwnd = self.cwnd.saturating_sub(ack.lost).max(self.mss());
            if self.packet_conservation {
                self.cwnd = self.cwnd.max(ack.pipe.saturating_add(ack.delivered));
            }
        }
    }

    /// `BBRSetCwnd`.
    pub(super) fn set_cwnd(&mut self, ack: &AckSample) {
        let mut target_cwnd = self.inflight(self.cwnd_gain);
        if self.ack_aggregation && self.filled_pipe {
            target_cwnd = target_cwnd.saturating_add(self.aggregation.allowance(self.bw()));
        }
        self.modulate_cwnd_for_recovery(ack);
        if !self.packet_conservation {
            if self.filled_pipe {
                self.cwnd = self.cwnd.saturating_add(ack.delivered).min(target_cwnd);
            } else if self.cwnd < target_cwnd || ack.total_delivered < self.params.initial_window {
                self.cwnd = self.cwnd.saturating_add(ack.delivered);
            }
            self.cwnd = self.cwnd.max(self.min_pipe_cwnd());
        }
        // `BBRModulateCwndForProbeRTT`
        if self.state == State::ProbeRtt {
            self.cwnd = self.cwnd.min(self.min_pipe_cwnd());
        }
        self.bound_cwnd();
    }

    pub(super) fn bound_cwnd(&mut self) {
        self.cwnd = self.cwnd.min(self.params.max_cwnd).max(self.mss());
    }
}
