//! Processing of feedback: fates of packets, and their effect on the mirror, the estimate, the
//! window and the list of lost symbols.

use airtcp_fec::coefficients;
use airtcp_packet::Segment;
use airtcp_units::{Nanos, Narrow};

use super::Sender;
use crate::content::Content;
use crate::ledger::Changes;
use crate::marks::Impossible;
use crate::receiver::DENSITY;
use crate::wire::{Feedback, Payload};

impl<S: Content> Sender<S> {
    pub(crate) fn take(&mut self, now: Nanos, segment: &Segment) {
        self.now = self.now.max(now);
        let feedback = Feedback::of(segment, self.una, self.ledger.greatest());
        let Some(feedback) = feedback.filter(|f| f.next <= self.next) else {
            self.stats.feedback_refused += 1;
            return;
        };
        let mut changes = std::mem::take(&mut self.changes);
        if self.ledger.take(now, &feedback, self.control.loss_delay(), &mut changes) {
            self.apply(now, &feedback, &changes);
        } else {
            self.stats.feedback_refused += 1;
        }
        self.changes = changes;
    }

    /// Applies the changes made by feedback.
    fn apply(&mut self, now: Nanos, feedback: &Feedback, changes: &Changes) {
        if let Some(rtt) = changes.rtt {
            let (greatest, next) = (self.ledger.greatest(), self.ledger.next());
            self.control.on_rtt(now, rtt, greatest, next);
            self.stats.rtt.record(rtt, self.control.srtt());
        }
        if let Some(rate) = changes.passed {
            self.control.on_passed(rate);
        }
        self.heard = now;
        if !changes.arrived.is_empty() {
            self.silent = 0;
            self.marks.on_arrival();
        }
        self.acknowledge(feedback.next);
        self.learn(changes);
        match self.marks.take(feedback.marked, self.stats.packets_sent()) {
            Ok(true) => self.control.on_marked(now, feedback.greatest, self.ledger.next()),
            Ok(false) => {}
            Err(Impossible) => self.stats.feedback_refused += 1,
        }
        if self.round_end == 0 {
            // The first answer begins the first round.
            self.round_end = self.ledger.next();
        } else if self.ledger.greatest() >= self.round_end {
            self.round_end = self.ledger.next();
            let dispersion = self.losses.dispersion();
            self.control.on_round(now, self.ledger.next(), !self.idle, dispersion);
            self.idle = false;
        }
        let counts = self.control.counts();
        (self.stats.shared, self.stats.reductions, self.stats.ecn_reactions) = counts;
    }

    fn acknowledge(&mut self, next: u64) {
        if next <= self.una {
            return;
        }
        let from = usize::narrow(self.una - self.kept);
        let new = usize::narrow(next - self.una);
        let bytes: u64 =
            self.symbols.iter().skip(from).take(new).map(|s| u64::from(s.head().len())).sum();
        self.stats.bytes_acked += bytes;
        self.outstanding -= bytes;
        self.una = next;
        if !self.lost.is_empty() {
            self.lost = self.lost.split_off(&next);
        }
        if !self.times.is_empty() {
            self.times = self.times.split_off(&next);
        }
    }

    /// Updates the mirror, the estimate, the window and the lost symbols by the fates of packets.
    pub(super) fn learn(&mut self, changes: &Changes) {
        for payload in &changes.arrived {
            match *payload {
                Payload::Symbol(symbol) => {
                    self.mirror.source(symbol, ());
                    self.lost.remove(&symbol);
                }
                Payload::Combination { first, count, key } => {
                    let list: Vec<u8> =
                        coefficients(key, DENSITY).take(usize::from(count)).collect();
                    self.mirror.repair(first, &list, ());
                }
            }
        }
        while let Some(symbol) = self.mirror.next_decoded() {
            self.lost.remove(&symbol);
        }
        for (_, payload) in &changes.lost {
            if let Payload::Symbol(symbol) = *payload
                && symbol >= self.una
                && !self.mirror.knows(symbol)
            {
                let times = self.times.entry(symbol).or_default();
                *times = times.saturating_add(1);
                // The other of two copies may still arrive.
                if *times <= 2 || !self.ledger.carries(symbol) {
                    self.lost.insert(symbol);
                }
            }
        }
        let kept = self.oldest();
        self.mirror.forget(kept);
        let gone = usize::narrow(kept - self.kept);
        self.symbols.drain(..gone);
        self.kept = kept;
        changes.fates.iter().for_each(|lost| self.losses.record(*lost));
        let lost = changes.lost.len() as u64;
        let arrived = changes.arrived.len() as u64;
        self.stats.lost += lost;
        self.stats.misjudged += changes.misjudged;
        let resolved = lost + arrived - changes.misjudged;
        let counted: Vec<u64> =
            changes.lost.iter().map(|l| l.0).filter(|n| self.control.counts_loss(*n)).collect();
        let uncounted = (lost - counted.len() as u64).min(resolved);
        self.control.on_pairs(changes.pairs);
        self.control.on_resolved(resolved, arrived, uncounted, !self.idle);
        for number in counted {
            self.control.on_lost(number, self.ledger.next());
        }
    }
}
