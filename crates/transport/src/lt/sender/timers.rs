//! The retransmission timer, and probes of a silent path.

use airtcp_probe::{Cx, Event, Probe};
use airtcp_units::{Nanos, Span};

use super::super::outage::{PROBE, Run, probe_after};
use super::super::stats::LtStats;
use super::LtSender;
use super::outgoing::{Loss, Outgoing};
use airtcp_congestion::{Congestion, CongestionControl, CongestionKind};

impl LtSender {
    pub(crate) fn next_timer(&self) -> Nanos {
        self.rto_at.min(self.send_at).min(self.probe_at)
    }

    pub(crate) fn on_timer<P: Probe>(
        &mut self,
        now: Nanos,
        stats: &mut LtStats,
        cx: &mut Cx<'_, P>,
    ) {
        if self.send_at <= now {
            self.send_at = Nanos::NEVER;
        }
        if self.probe_at <= now {
            self.probe(now, stats);
        }
        if self.rto_at > now {
            return;
        }
        self.rto_at = Nanos::NEVER;
        if self.blocks.iter().all(Outgoing::is_delivered) {
            // Nothing is missing: these packets, most likely parity, were unnecessary.
            self.give_up(Loss::Seen, stats);
            self.sweep(now);
            return;
        }
        if self.tcp.max_retries.is_some_and(|most| self.retries >= most) {
            self.gave_up = true;
            return;
        }
        stats.timeouts += 1;
        self.note_timeout(now);
        let (before, again) = (self.law.cwnd(), self.retries > 0);
        let kind = if self.retries == 0 { CongestionKind::Rto } else { CongestionKind::Persistent };
        self.retries = self.retries.saturating_add(1);
        let backoff = self.retries;
        cx.record(now, || Event::Timeout { backoff });
        let flight = self.ledger.pipe();
        self.on_reaction();
        let run = self.give_up(Loss::Timeout, stats);
        if self.config.bridges() && run.is_outage(self.config.outage_run) {
            self.outage = self.outage.or(Some(self.mss));
        }
        self.ecn.on_timeout();
        self.law.on_congestion(now, &Congestion { kind, flight, restart: false });
        self.window_wait.on_loss(before, again, &self.law);
        self.losses.clear();
        self.react_from = self.sent;
        self.limited_to = self.sent;
        self.rtt.back_off();
        self.rto_at = now + self.rtt.rto();
        self.burst = self.config.timeout_segments;
        self.sweep(now);
        self.repair(stats);
        self.record_window(now, cx);
    }

    /// Marks everything in the network lost.
    fn give_up(&mut self, how: Loss, stats: &mut LtStats) -> Run {
        let (mut run, srtt) = (Run::default(), self.rtt.srtt().unwrap_or_default());
        while let Some(packet) = self.ledger.give_up() {
            stats.symbols_lost += 1;
            self.lost += u64::from(packet.len);
            run.take(packet.at, srtt);
            if let Some(block) = self.block(packet.block) {
                block.on_lost(packet.index, how);
            }
        }
        for block in &mut self.blocks {
            block.on_timeout();
        }
        self.unsettled = true;
        run
    }

    /// Schedules a probe if packets are in flight and no feedback arrives for a while.
    pub(super) fn arm_probe(&mut self, now: Nanos) {
        if !self.config.bridges() {
            return;
        }
        let Some((srtt, deviation)) = self.rtt.smoothed() else { return };
        let alone = self.ledger.flying() == 1;
        let ack_delay = if alone { self.tcp.ack_delay } else { Span::ZERO };
        self.probe_at = now + probe_after(srtt, deviation, ack_delay, self.probes);
    }

    /// No feedback for a while: sends a few symbols at any window, to learn soon when the path is
    /// back.
    fn probe(&mut self, now: Nanos, stats: &mut LtStats) {
        self.probe_at = Nanos::NEVER;
        if self.pending == 0 {
            let block = self.blocks.iter_mut().find(|b| !b.is_delivered());
            let Some(block) = block else { return };
            if block.probe(PROBE) {
                self.pending += 1;
            }
        }
        self.burst = self.burst.max(PROBE);
        if self.probes == 0 {
            self.unanswered_from = self.last_sent.unwrap_or_default();
        }
        stats.probes += 1;
        self.probes = self.probes.saturating_add(1);
        self.arm_probe(now);
    }
}
