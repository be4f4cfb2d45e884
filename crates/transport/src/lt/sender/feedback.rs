//! Processing of feedback: arrivals, losses, and reports to the congestion law.
//!
//! Feedback is accepted as far as it can be true: packets that were sent, blocks that were begun,
//! counts that do not fall. If a peer acknowledges symbols of a block but never delivers it, the
//! acknowledgements hold until the timer expires.

use airtcp_packet::Seq;
use airtcp_probe::{Cx, Event, Probe};
use airtcp_units::{Nanos, Narrow, Span};

use super::super::block::DATA_HEADER;
use super::super::ecn::{reports_excess, reports_loss};
use super::super::ledger::Sent as Packet;
use super::super::outage::Run;
use super::super::stats::LtStats;
use super::super::wire::Feedback;
use super::outgoing::Loss;
use super::{LtSender, Unreported};
use airtcp_congestion::{AckSample, Congestion, CongestionControl, CongestionKind, Lost};

/// Results of one piece of feedback.
#[derive(Debug, Clone, Copy, Default)]
struct Delta {
    /// Bytes that arrived.
    delivered: u64,
    /// Departure of the newest packet among them.
    newest: Option<Nanos>,
    /// Bytes judged lost, and the last of the lost packets.
    lost: u64,
    last_lost: Option<u64>,
    marked: bool,
}

impl LtSender {
    /// Processes feedback; `shift` is the scale of the peer's windows.
    pub(crate) fn on_feedback<P: Probe>(
        &mut self,
        now: Nanos,
        feedback: &Feedback,
        shift: u8,
        stats: &mut LtStats,
        cx: &mut Cx<'_, P>,
    ) {
        let near = self.first_block;
        let block = Seq(feedback.next_block).unwrap_near(Seq(0), near);
        let next = self.ledger.next();
        let greatest = Seq(feedback.greatest).unwrap_near(Seq(0), next);
        let (Some(block), Some(greatest)) = (block, greatest) else {
            stats.feedback_refused += 1;
            return;
        };
        if greatest >= next || block > self.first_block + self.blocks.len() as u64 {
            stats.feedback_refused += 1;
            return;
        }
        self.heard_at = now;
        let prior = (self.ledger.pipe(), self.heard);
        let mut delta = Delta::default();
        let acked = self.ledger.update(greatest, feedback.arrived);
        stats.feedback_taken_back += u64::from(acked.regressed);
        for number in acked {
            self.on_arrived(now, number, &mut delta, stats);
        }
        self.losses.clear();
        self.take_losses(&mut delta, stats);
        delta.marked = self.ecn.on_counts(now, feedback.capable, feedback.marked);
        let progress = self.on_delivered(block, stats);
        self.peer_window = u64::from(feedback.window) << shift;
        let rtt = delta.newest.map(|at| now.since(at));
        if let Some(sample) = rtt {
            self.take_rtt(now, sample, stats, cx);
            self.restore(now, stats);
        }
        self.react(now, &delta, prior.0, stats, cx);
        self.report_to_law(now, &delta, rtt, prior);
        if std::mem::take(&mut self.unsettled) {
            if self.sweep(now) && reports_excess(&self.ecn, &self.config) {
                self.report_overflow(now, prior.0, stats, cx);
            }
            self.repair(stats);
        }
        if delta.delivered > 0 || progress {
            self.retries = 0;
            self.burst = 0;
            let idle = self.ledger.is_quiet() && self.una == self.assigned;
            self.rto_at = if idle { Nanos::NEVER } else { now + self.rtt.rto() };
            self.probes = 0;
            self.probe_at = Nanos::NEVER;
            if !self.ledger.is_quiet() {
                self.arm_probe(now);
            }
        }
        self.record_window(now, cx);
    }

    #[inline]
    fn on_arrived(&mut self, now: Nanos, number: u64, delta: &mut Delta, stats: &mut LtStats) {
        let Some((packet, was_lost)) = self.ledger.arrived(number) else { return };
        let bytes = u64::from(packet.len);
        stats.misjudged += u64::from(was_lost);
        delta.delivered += bytes;
        delta.newest = delta.newest.max(Some(packet.at));
        self.heard = self.heard.max(packet.end);
        self.rate.on_delivered(now, bytes, packet.at, packet.rate);
        if packet.capable {
            self.ecn.on_arrived();
        }
        let at = packet.block.checked_sub(self.first_block);
        if let Some(block) = at.and_then(|at| self.blocks.get_mut(usize::narrow(at))) {
            block.on_arrived(packet.index, was_lost);
            if block.is_settled() {
                self.unsettled = true;
            }
        }
    }

    /// Marks packets lost that later arrivals show to be lost. Successive lost packets may be those
    /// of an outage. Packets below the reach of this feedback also count as those of an outage,
    /// since all feedback that could report them was lost.
    fn take_losses(&mut self, delta: &mut Delta, stats: &mut LtStats) {
        let edge = self.ledger.edge();
        if !self.config.bridges() {
            while let Some(packet) = self.ledger.next_lost(edge) {
                self.on_lost(&packet, Loss::Seen, delta, stats);
            }
            return;
        }
        let (srtt, reach) = (self.rtt.srtt().unwrap_or_default(), self.ledger.reach());
        let mut row = std::mem::take(&mut self.row);
        let (mut run, mut end) = (Run::default(), 0);
        loop {
            let packet = self.ledger.next_lost(edge);
            // One past the packet's number.
            let judged = self.ledger.judged();
            if !row.is_empty() && (packet.is_none() || judged != end + 1) {
                let outage = run.is_outage(self.config.outage_run);
                let first = end - row.len() as u64;
                for (packet, number) in row.drain(..).zip(first..) {
                    let how = if outage || number < reach { Loss::Outage } else { Loss::Seen };
                    self.on_lost(&packet, how, delta, stats);
                }
                run = Run::default();
            }
            let Some(packet) = packet else { break };
            run.take(packet.at, srtt);
            row.push(packet);
            end = judged;
        }
        self.row = row;
    }

    /// After a timeout that an outage explains: if no queue stands now, restores the window, paced
    /// evenly.
    fn restore(&mut self, now: Nanos, stats: &mut LtStats) {
        let Some(segment) = self.outage.take() else { return };
        if self.rtt.min_rtt().is_none_or(|least| self.gate.stands(least, &self.config)) {
            return;
        }
        stats.restored += 1;
        self.law.on_spurious(now);
        self.mss = self.mss.max(segment.min(self.target_segment()));
        self.refill_to = self.sent + 1;
    }

    fn on_lost(&mut self, packet: &Packet, how: Loss, delta: &mut Delta, stats: &mut LtStats) {
        let bytes = u64::from(packet.len);
        stats.symbols_lost += 1;
        self.lost += bytes;
        delta.lost += bytes;
        if how == Loss::Seen {
            delta.last_lost = Some(packet.end);
        }
        if let Some(block) = self.block(packet.block) {
            block.on_lost(packet.index, how);
            if block.is_settled() {
                self.unsettled = true;
            }
        }
        if how == Loss::Outage {
            // After an outage the window fills evenly.
            self.refill_to = self.sent + 1;
            return;
        }
        let lost = packet.rate.lost(packet.end - bytes, bytes, self.lost);
        self.losses.push(Lost { total_delivered: self.rate.delivered(), ..lost });
    }

    /// The peer has delivered all blocks before `next`. Returns whether that is new.
    #[inline]
    fn on_delivered(&mut self, next: u64, stats: &mut LtStats) -> bool {
        if next <= self.first_block {
            return false;
        }
        let count = usize::narrow(next.saturating_sub(self.first_block));
        let mut progress = false;
        for block in self.blocks.iter_mut().take(count).filter(|b| !b.is_delivered()) {
            self.pending -= usize::from(block.has_next());
            block.on_delivered();
            self.unsettled = true;
            stats.blocks_acked += 1;
            stats.bytes_acked += block.end - self.una;
            self.una = block.end;
            progress = true;
        }
        progress
    }

    #[inline]
    fn take_rtt<P: Probe>(
        &mut self,
        now: Nanos,
        sample: Span,
        stats: &mut LtStats,
        cx: &mut Cx<'_, P>,
    ) {
        self.rtt.sample(now, sample, (self.heard, self.sent));
        self.gate.sample(now, sample);
        let srtt = self.rtt.srtt().unwrap_or_default();
        let least = self.rtt.min_rtt().unwrap_or(sample);
        self.path.on_rtt(now, srtt, least, self.config.queue_floor);
        stats.rtt.record(sample, srtt);
        let rto = self.rtt.rto();
        cx.record(now, || Event::Rtt { sample, srtt, rto });
    }

    /// Reports marks to the law, and losses if these are reported: one episode per round trip.
    #[inline]
    fn react<P: Probe>(
        &mut self,
        now: Nanos,
        delta: &Delta,
        flight: u64,
        stats: &mut LtStats,
        cx: &mut Cx<'_, P>,
    ) {
        let reports = delta.last_lost.is_some()
            && reports_loss(&self.ecn, &self.gate, self.rtt.min_rtt(), &self.config);
        if reports {
            for lost in &self.losses {
                self.law.on_lost(now, lost);
            }
        }
        let restart = false;
        // New since the last reaction: packets that left after it.
        if delta.marked && self.heard > self.react_from {
            stats.ecn_reactions += 1;
            self.on_reaction();
            let before = self.law.cwnd();
            self.law
                .on_congestion(now, &Congestion { kind: CongestionKind::EcnCe, flight, restart });
            self.window_wait.on_mark(before, &self.law);
            self.mss = (self.mss / 2).max(self.config.mss_min);
            self.raised_at = self.sent + 1;
            self.react_from = self.sent;
        } else if reports && delta.last_lost.is_some_and(|end| end > self.react_from) {
            self.report_overflow(now, flight, stats, cx);
        }
    }

    /// Reports the overflow of a queue to the law.
    fn report_overflow<P: Probe>(
        &mut self,
        now: Nanos,
        flight: u64,
        stats: &mut LtStats,
        cx: &mut Cx<'_, P>,
    ) {
        stats.loss_reactions += 1;
        cx.record(now, || Event::FastRetransmit);
        self.on_reaction();
        let (kind, before) = (CongestionKind::FastRetransmit, self.law.cwnd());
        self.law.on_congestion(now, &Congestion { kind, flight, restart: false });
        if self.law.cwnd() < before {
            self.window_wait.on_loss(before, false, &self.law);
        }
        self.react_from = self.sent;
    }

    /// Reports arrivals to the law: once a whole segment of the law's size has arrived, so that a
    /// law that counts acknowledgements grows no faster with small segments, and at once with a
    /// mark.
    #[inline]
    fn report_to_law(&mut self, now: Nanos, delta: &Delta, rtt: Option<Span>, prior: (u64, u64)) {
        if !self.unreported.any {
            (self.unreported.pipe, self.unreported.heard, self.unreported.any) =
                (prior.0, prior.1, true);
        }
        self.unreported.delivered += delta.delivered;
        self.unreported.lost += delta.lost;
        self.unreported.rest += delta.delivered;
        let segment = u64::from(self.mss_most - DATA_HEADER);
        let acked = self.unreported.rest / segment * segment;
        if acked == 0 && !delta.marked && delta.lost == 0 {
            return;
        }
        let rest = self.unreported.rest - acked;
        let unreported =
            std::mem::replace(&mut self.unreported, Unreported { rest, ..Unreported::default() });
        let sample = AckSample {
            acked,
            delivered: unreported.delivered,
            lost: unreported.lost,
            pipe: self.ledger.pipe(),
            prior_pipe: unreported.pipe,
            total_delivered: self.rate.delivered(),
            total_lost: self.lost,
            acked_up_to: self.heard,
            sent_up_to: self.sent,
            rtt,
            srtt: self.rtt.srtt(),
            min_rtt: self.rtt.min_rtt(),
            rate: self.rate.take(self.rtt.min_rtt(), self.lost),
            cwnd_limited: unreported.heard < self.limited_to,
            in_fast_recovery: false,
            ends_recovery: false,
            in_recovery: false,
            ece: delta.marked,
            marked: 0,
        };
        self.law.on_ack(now, &sample);
    }
}
