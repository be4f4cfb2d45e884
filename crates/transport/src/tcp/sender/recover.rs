//! Applies the discipline's answers to the sender: episodes begin, continue and end here.

use airtcp_probe::{Cx, Event, Probe};
use airtcp_units::{Nanos, Narrow};

use super::{Env, Sender, view};
use crate::tcp::config::{CarefulHeuristic, TcpConfig};
use crate::tcp::recovery::{
    Duplicate, LossRecovery, Phase, Prr, PrrAck, PrrSender, Signs, View, is_early_loss,
};
use airtcp_congestion::{Congestion, CongestionControl, CongestionKind};

impl Sender {
    /// An ACK covered `acked` new bytes.
    #[inline]
    pub(super) fn recover_on_new<P: Probe>(
        &mut self,
        now: Nanos,
        acked: u64,
        env: &mut Env<'_>,
        cx: &mut Cx<'_, P>,
    ) {
        self.recovery.on_new();
        if self.recovery.is_open() && !self.discipline.follows_open_acks() {
            return;
        }
        let view = view!(self, env.config);
        let (phase, full) = (view.phase, view.is_covered());
        let verdict = self.discipline.on_new(&view, acked);
        if verdict.reset_backoff {
            self.rtt.reset_backoff();
        }
        if verdict.forget_sacks {
            self.board.forget_sacks();
        }
        match phase {
            Phase::Timeout if full => self.end_recovery(now, env, cx),
            Phase::Open | Phase::Timeout => {}
            Phase::Fast if full || verdict.leaves => {
                // A window without a reduction has no threshold to return to.
                if let Some(limit) = verdict.exit_window
                    && self.is_reported(env.config)
                {
                    self.law.limit_cwnd(limit.min(self.law.ssthresh()));
                }
                self.end_recovery(now, env, cx);
            }
            Phase::Fast => {
                self.recovery.inflate(verdict.inflate);
                if verdict.repair_head {
                    self.send_head();
                }
            }
        }
    }

    pub(super) fn recover_on_duplicate<P: Probe>(
        &mut self,
        now: Nanos,
        env: &mut Env<'_>,
        cx: &mut Cx<'_, P>,
    ) {
        if self.recovery.is_open() && self.is_head_corrupted() {
            self.count_corrupted_duplicate(env.config);
            return;
        }
        let mut view = view!(self, env.config);
        view.dup_acks += 1;
        let signs = self.signs(now, &view);
        let timeout = view.phase == Phase::Timeout;
        let duplicate = self.discipline.on_duplicate(&view, signs);
        match duplicate {
            Duplicate::Ignored => return,
            Duplicate::Inflates(bytes) => {
                self.recovery.inflate(i64::narrow(bytes));
                return;
            }
            Duplicate::Counted | Duplicate::Loss => self.recovery.count_duplicate(),
        }
        if timeout {
            self.spurious.on_duplicate(u64::from(self.mss));
        }
        if duplicate == Duplicate::Loss {
            self.enter_fast(now, env, cx);
        }
    }

    fn signs(&self, now: Nanos, view: &View<'_>) -> Signs {
        if view.phase == Phase::Fast {
            return Signs::default();
        }
        let sack = self.discipline.trusts_pipe();
        let early = view.phase == Phase::Open
            && is_early_loss(view, sack, || self.may_send_new(now, view.config));
        let credible = view.config.careful_heuristic != CarefulHeuristic::None
            && self.last_advance.is_credible(self.law.cwnd(), view.mss, view.config);
        Signs { early, credible }
    }

    /// A loss was detected without a timeout.
    pub(super) fn enter_fast<P: Probe>(
        &mut self,
        now: Nanos,
        env: &mut Env<'_>,
        cx: &mut Cx<'_, P>,
    ) {
        self.is_plain = false;
        let before = self.law.cwnd();
        let flight = self.recovery.without_limited(self.flight_size());
        let start = self.discipline.begin(&view!(self, env.config), before);
        // A loss in a window that already answered a mark belongs to the same episode (RFC 3168
        // section 6.1.2).
        let answered = self.answered_mark(env);
        let reported = self.report_episode(now, env, cx);
        let reduced = reported && !answered;
        self.begin_episode(false, reduced, env);
        if reduced {
            let (kind, restart) = (CongestionKind::FastRetransmit, start.lose_all);
            self.law.on_congestion(now, &Congestion { kind, flight, restart });
        }
        let kept = reduced && !self.note_reduction(before, env);
        if reduced && !kept {
            self.window_wait.on_loss(before, false, &self.law);
        }
        env.stats.fast_retransmits += 1;
        cx.record(now, || Event::FastRetransmit);
        let spreads = reported && !self.law.governs_recovery() && self.discipline.allows_prr();
        let prr = if spreads { Prr::begin(env.config, u64::from(self.mss)) } else { None };
        // Without another reduction, the reduction for a mark continues.
        self.recovery.spread_loss(prr, spreads && !reduced);
        self.recovery.begin(&start, self.nxt, kept);
        if let Some(limit) = start.limit_cwnd {
            self.law.limit_cwnd(limit);
        }
        if start.lose_all {
            self.board.lose_all(false);
        }
        if start.restart_repairs {
            self.board.restart_repairs();
        }
        if start.phase == Phase::Fast {
            self.send_head();
        }
        if start.restart_timer {
            self.arm(now, env.timers);
        }
        self.on_episode(now, env.timers);
        // Tahoe marks everything outstanding lost.
        self.hand_over_losses(now, reported);
    }

    /// The retransmission timer expired with data outstanding (RFC 6298 5.4 to 5.6).
    pub(crate) fn on_timeout<P: Probe>(
        &mut self,
        now: Nanos,
        env: &mut Env<'_>,
        cx: &mut Cx<'_, P>,
    ) {
        self.is_plain = false;
        let again = self.board.front().is_some_and(|s| s.by_timer);
        let kind = if again { CongestionKind::Persistent } else { CongestionKind::Rto };
        let flight = self.recovery.without_limited(self.flight_size());
        // Fast recovery sends beyond a lost first segment, and FlightSize includes everything that
        // arrived: half of it could far exceed the window. RFC 5681 (4) says "no more than".
        let fast = self.recovery.is_fast();
        let flight = if fast { flight.min(self.law.cwnd()) } else { flight };
        let open = self.recovery.is_open();
        self.note_timeout(now);
        let before = self.law.cwnd();
        if !again {
            self.begin_episode(true, true, env);
        }
        self.law.on_congestion(now, &Congestion { kind, flight, restart: false });
        self.window_wait.on_loss(before, !open, &self.law);
        env.ecn.on_reduction(self.nxt);
        self.retries += 1;
        self.rtt.back_off();
        env.stats.timeouts += 1;
        cx.record(now, || Event::Timeout { backoff: self.retries });
        let window = self.reo_wnd(env.config);
        let keep = self.discipline.on_timeout() && env.config.keep_sack_after_rto;
        let kept = self.board.time_out(now, keep, window);
        self.on_episode(now, env.timers);
        self.hand_over_losses(now, true);
        if let Some(d) = &mut self.differentiation {
            d.settle();
        }
        self.begin_frto((open, again, kept), env);
        self.recovery.on_timeout(self.nxt, self.is_rack());
        self.notices.clear();
        self.arm(now, env.timers);
    }

    /// Everything of the episode is acknowledged.
    fn end_recovery<P: Probe>(&mut self, now: Nanos, env: &mut Env<'_>, cx: &mut Cx<'_, P>) {
        self.spurious.on_recovered();
        let end = self.discipline.end(self.recovery.phase());
        if end.any_duplicates {
            self.recovery.set_recover(0);
        }
        self.board.restart_repairs();
        // A fast recovery that began in the slow start after a timeout (less careful variant)
        // returns to it.
        self.recovery.end(end.repairs_rest && self.board.next_lost().is_some());
        env.stats.recoveries += 1;
        cx.record(now, || Event::Recovered);
    }

    /// Recovery retransmits the first outstanding segment next, if there is one.
    fn send_head(&mut self) {
        let due = self.board.front().is_some() && !self.is_head_corrupted();
        self.recovery.set_head_due(due);
    }

    /// An acknowledgement began or continued a reduction that PRR spreads.
    pub(super) fn prr_on_ack(&mut self, ack: PrrAck) {
        let sender = PrrSender {
            selective: self.discipline.trusts_pipe(),
            in_flight: self.in_flight(),
            pipe: self.board.pipe(),
            sacked: self.board.sacked(),
            delivered: self.rate.delivered(),
            lost: self.board.lost_total(),
            head: self.recovery.head_due_len(&self.board),
            dup_acks: u64::from(self.recovery.dup_acks()),
            // The law's window, since a reaction sets it at once. The threshold can differ: Jersey
            // keeps a window above it.
            target: self.law.cwnd().max(u64::from(self.mss)),
        };
        if let Some(prr) = self.recovery.prr() {
            prr.take(ack, &sender);
        }
    }

    /// The law has answered a mark: PRR spreads the reduction, if configured.
    pub(super) fn prr_begin_mark(&mut self, config: &TcpConfig) {
        let able = self.recovery.is_open() && self.discipline.trusts_pipe();
        if config.spread_marks && able && !self.law.governs_recovery() {
            let prr = Prr::begin(config, u64::from(self.mss));
            self.recovery.spread_mark(prr, self.nxt);
        }
    }
}
