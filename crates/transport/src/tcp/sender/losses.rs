//! Losses and the congestion law: which losses are reported to the law, and the law's reaction.
//! Classification by trip times is in `recovery/tp_lda.rs`, corruption in `recovery/corruption.rs`.

use airtcp_packet::Segment;
use airtcp_probe::{Cx, Event, LossCause, Probe};
use airtcp_units::Nanos;

use super::{AckInfo, Env, Outgoing, Sender};
use crate::tcp::config::{LossNotification, LossResponse, TcpConfig};
use crate::tcp::recovery::LossRecovery;
use airtcp_congestion::{Congestion, CongestionControl, CongestionKind, Lost};

/// Data that an acknowledgement was the first to report.
#[derive(Debug, Clone, Copy)]
pub(super) struct Reported {
    /// Bytes acknowledged cumulatively, and the departure of the newest of them, if unambiguous.
    pub(super) acked: (u64, Option<Nanos>),
    /// Departure of the newest SACKed segment, if unambiguous.
    pub(super) sacked: Option<Nanos>,
}

impl Sender {
    /// Whether the present fast recovery was reported to the law.
    pub(super) fn is_reported(&self, config: &TcpConfig) -> bool {
        match config.loss_response {
            LossResponse::Always => true,
            LossResponse::EcnOnly => false,
            LossResponse::TpLda => self.differentiation.as_ref().is_none_or(|d| d.is_reported()),
        }
    }

    /// Whether the losses found last are reported to the law.
    pub(super) fn reports_latest(&self, config: &TcpConfig) -> bool {
        match config.loss_response {
            LossResponse::TpLda => {
                self.differentiation.as_ref().is_none_or(|d| d.is_latest_congestion())
            }
            _ => self.is_reported(config),
        }
    }

    /// Whether marks are answered already: a fast recovery that was reported to the law has reduced
    /// the window.
    pub(super) fn answers_marks(&self, config: &TcpConfig) -> bool {
        self.recovery.is_fast() && self.is_reported(config) && !self.recovery.is_kept()
    }

    /// Whether a mark has reduced the window in which the present loss was found.
    pub(super) const fn answered_mark(&self, env: &Env<'_>) -> bool {
        env.ecn.enabled && self.una < env.ecn.marked_up_to
    }

    /// The sender reported a loss to the law, which had the window `before`. If the law reduced the
    /// window, the sender sends CWR, and marks of this window are answered (RFC 3168 section
    /// 6.1.2). A law that ignored the loss (an explicit retransmit, an estimate above the window)
    /// has answered no mark. Laws that govern recovery reduce later, and below two segments no law
    /// can reduce.
    pub(super) fn note_reduction(&self, before: u64, env: &mut Env<'_>) -> bool {
        let reduced = self.law.cwnd() < before
            || self.law.governs_recovery()
            || before <= 2 * u64::from(self.mss);
        if reduced {
            env.ecn.on_reduction(self.nxt);
        }
        reduced
    }

    /// A loss outside the usual episodes: reports it to the law without letting the window grow.
    /// Returns whether the window fell.
    pub(super) fn react(&mut self, now: Nanos, flight: u64, env: &mut Env<'_>) -> bool {
        let (kind, before) = (CongestionKind::FastRetransmit, self.law.cwnd());
        self.law.on_congestion(now, &Congestion { kind, flight, restart: false });
        self.law.limit_cwnd(before);
        let reduced = self.note_reduction(before, env);
        if reduced {
            self.window_wait.on_loss(before, true, &self.law);
            self.recovery.set_kept(false);
        }
        reduced
    }

    /// Reports every segment judged lost since the last call to the law, as far as losses are
    /// reported.
    #[inline]
    pub(super) fn report_losses<P: Probe>(
        &mut self,
        now: Nanos,
        env: &mut Env<'_>,
        cx: &mut Cx<'_, P>,
    ) {
        if self.board.has_losses() {
            match env.config.loss_response {
                LossResponse::TpLda => self.judge_losses(now, env, cx),
                response => self.hand_over_losses(now, response == LossResponse::Always),
            }
        }
    }

    /// Discards the segments judged lost since the last call; reports them to the law if
    /// `reported`.
    pub(super) fn hand_over_losses(&mut self, now: Nanos, reported: bool) {
        let total_delivered = self.rate.delivered();
        for lost in self.board.drain_losses() {
            if reported {
                self.law.on_lost(now, &Lost { total_delivered, ..lost });
            }
        }
    }

    /// Takes the trip time of an acknowledgement, if it is unambiguous.
    #[inline]
    pub(super) fn take_trip(
        &mut self,
        now: Nanos,
        segment: &Segment,
        info: &AckInfo,
        reported: Reported,
    ) {
        let Some(d) = &mut self.differentiation else { return };
        let (bytes, newest) = reported.acked;
        if bytes > 0 && segment.sacks().is_empty() {
            let several = bytes > u64::from(self.mss);
            if d.may_be_delayed(several, self.una == self.nxt) {
                return;
            }
        }
        let left = if reported.sacked > newest {
            reported.sacked.zip(self.board.highest_sacked())
        } else {
            newest.map(|sent| (sent, info.ack))
        };
        if let Some(left) = left.filter(|_| segment.has_timestamps()) {
            d.on_trip(now, left, segment.timestamps.0, self.board.len());
        }
    }

    /// Whether the loss of the segment that begins at `start` and left at `sent` is congestion.
    fn is_congestion<P: Probe>(
        &mut self,
        now: Nanos,
        (sent, start): (Nanos, u64),
        env: &mut Env<'_>,
        cx: &mut Cx<'_, P>,
    ) -> bool {
        let Some(d) = &mut self.differentiation else { return true };
        let cause = d.judge(now, (sent, start));
        let congestion = cause != LossCause::Corruption;
        env.stats.losses_judged += 1;
        env.stats.judged_corruption += u64::from(!congestion);
        // The SYN also takes an offset.
        let number = start.saturating_sub(1);
        cx.record(now, || Event::LossJudged { number, packets: 1, cause });
        if !self.recovery.is_fast() {
            d.note_judged(congestion);
        }
        congestion
    }

    /// Classifies the segments found lost since the last call. Reports congestion losses to the
    /// law: each segment, and the episode if the running recovery was not reported.
    fn judge_losses<P: Probe>(&mut self, now: Nanos, env: &mut Env<'_>, cx: &mut Cx<'_, P>) {
        if self.recovery.is_timeout() {
            self.hand_over_losses(now, true);
            return;
        }
        let (mut congestion, total_delivered) = (false, self.rate.delivered());
        for (lost, sent) in self.board.take_losses() {
            if self.is_congestion(now, (sent.unwrap_or(now), lost.start), env, cx) {
                self.law.on_lost(now, &Lost { total_delivered, ..lost });
                congestion = true;
            }
        }
        let (fast, answered) = (self.recovery.is_fast(), self.answered_mark(env));
        let Some(d) = &mut self.differentiation else { return };
        d.set_latest(congestion);
        if !(congestion && fast) || d.is_reported() || answered {
            return;
        }
        d.set_reported();
        // FlightSize includes SACKed data: half of it could exceed the window.
        let reduced = self.react(now, self.flight_size().min(self.law.cwnd()), env);
        self.recovery.set_kept(!reduced);
        self.discipline.on_loss_reported(now);
        self.spurious.note_reduction();
    }

    /// Whether the recovery that begins is reported to the law. Without losses in the scoreboard,
    /// the lost segment is the first one outstanding.
    pub(super) fn report_episode<P: Probe>(
        &mut self,
        now: Nanos,
        env: &mut Env<'_>,
        cx: &mut Cx<'_, P>,
    ) -> bool {
        let Some(d) = &self.differentiation else {
            return env.config.loss_response != LossResponse::EcnOnly;
        };
        let head = self.board.front().map(|s| (s.sent_at, s.start));
        if !d.has_judged()
            && let Some(head) = head
        {
            self.is_congestion(now, head, env, cx);
        }
        self.differentiation.as_mut().is_none_or(|d| d.begin())
    }

    /// Whether the loss of the tail that begins at `start`, repaired by its probe, was congestion:
    /// the segment that left last before it decides.
    pub(super) fn judge_tail<P: Probe>(
        &mut self,
        now: Nanos,
        start: u64,
        env: &mut Env<'_>,
        cx: &mut Cx<'_, P>,
    ) -> bool {
        let congestion = self.is_congestion(now, (now, start), env, cx);
        if let Some(d) = &mut self.differentiation {
            d.settle();
        }
        congestion
    }

    /// The link corrupted the segment that begins at `start`.
    pub(crate) fn on_corrupted(&mut self, start: u64, started: Nanos, env: &mut Env<'_>) {
        // There can be at most one report per outstanding segment.
        let room = self.notices.len() < self.board.len();
        if env.config.loss_notification == LossNotification::Oracle
            && room
            && self.board.in_flight_since(start, started).is_some()
        {
            self.is_plain = false;
            env.stats.corruption_notices += 1;
            self.notices.push(start, started);
        }
    }

    /// The next reported segment, if it is still to be retransmitted.
    #[inline]
    pub(super) fn next_notified(&mut self, now: Nanos, env: &mut Env<'_>) -> Option<Outgoing> {
        while let Some((start, started)) = self.notices.pop() {
            if let Some(at) = self.board.in_flight_since(start, started) {
                self.board.mark_corrupted(at);
                return self.send_again(now, at, false, env);
            }
        }
        None
    }

    /// The first outstanding segment is missing because it was corrupted.
    pub(super) fn is_head_corrupted(&self) -> bool {
        self.board.front().is_some_and(|s| !s.sacked && s.is_corrupted())
    }

    /// A duplicate for a corrupted segment: one segment has left the network. The window makes room
    /// for another where `pipe` does not count it.
    pub(super) fn count_corrupted_duplicate(&mut self, config: &TcpConfig) {
        if !self.discipline.trusts_pipe() || !config.limited_transmit {
            self.recovery.add_corrupted_arrival(u64::from(self.mss));
        }
    }
}
