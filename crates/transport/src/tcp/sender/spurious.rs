//! Spurious recoveries: passes a view to the detector in `recovery/spurious/`, and applies its
//! results.

use airtcp_probe::{Cx, Event, Probe};
use airtcp_units::Nanos;

use super::{Env, Sender};
use crate::tcp::recovery::{Evidence, LossRecovery, SenderView, Spurious, StateBefore, Undo};
use airtcp_congestion::CongestionControl;

/// The view for the detector. A macro, so that the detector can be borrowed mutably meanwhile.
macro_rules! sender_view {
    ($sender:ident, $config:expr, $new_data:expr) => {
        SenderView {
            config: $config,
            board: &$sender.board,
            una: $sender.una,
            nxt: $sender.nxt,
            recover: $sender.recovery.recover(),
            mss: u64::from($sender.mss),
            sack: $sender.discipline.trusts_pipe(),
            new_data: $new_data,
        }
    };
}

impl Sender {
    /// A recovery begins, before the report to the law; `reduced` if there will be a report.
    pub(super) fn begin_episode(&mut self, timeout: bool, reduced: bool, env: &Env<'_>) {
        self.spurious.forget();
        if Spurious::is_wanted(env.config) && self.recovery.is_open() {
            self.spurious.begin(StateBefore {
                timeout,
                reduced,
                from: self.una,
                to: self.nxt,
                ssthresh: self.law.ssthresh(),
                smoothed: self.rtt.smoothed(),
                ecn: (env.ecn.cwr, env.ecn.reacted_up_to),
            });
        }
    }

    /// The timer has expired and everything outstanding is marked lost: F-RTO may begin. See
    /// [`Spurious::on_timeout`].
    pub(super) fn begin_frto(&mut self, timeout: (bool, bool, bool), env: &Env<'_>) {
        let view = sender_view!(self, env.config, false);
        if let Some(end) = self.spurious.on_timeout(timeout, &view) {
            self.board.watch(end);
        }
    }

    /// Processes an acknowledgement before recovery does.
    pub(super) fn detect_spurious<P: Probe>(
        &mut self,
        now: Nanos,
        evidence: &Evidence,
        env: &mut Env<'_>,
        cx: &mut Cx<'_, P>,
    ) {
        let new_data = self.has_new_data(now, env.config);
        let view = sender_view!(self, env.config, new_data);
        let verdict = self.spurious.on_ack(evidence, &view);
        if verdict.recover_here {
            self.recovery.set_recover(self.nxt);
        }
        if let Some(limit) = verdict.limit_cwnd {
            self.law.limit_cwnd(limit);
        }
        if let Some(undo) = verdict.undo {
            undo.count(env.stats);
            cx.record(now, || Event::Spurious);
            self.undo(now, &undo, env);
        }
    }

    fn undo(&mut self, now: Nanos, undo: &Undo, env: &mut Env<'_>) {
        if undo.ends_repair && !self.recovery.is_open() {
            // The segments marked lost are outstanding again.
            self.recovery.leave(self.una);
            self.board.undo_losses();
        }
        let Some(restore) = undo.restore else { return };
        self.law.on_spurious(now);
        (env.ecn.cwr, env.ecn.reacted_up_to) = restore.ecn;
        if let Some((pipe_prev, acked)) = restore.eifel {
            self.law.raise_ssthresh(pipe_prev);
            self.law.limit_cwnd(self.flight_size() + acked);
        }
    }
}
