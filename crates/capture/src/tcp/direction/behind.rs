//! Data that the capture holds behind their ACK, or lacks.

use super::Direction;
use crate::dissect::{Flags, Segment};
use crate::tcp::causality::Proof;
use crate::tcp::order::{Clues, Suspect};
use crate::tcp::rtt::Timeout;
use crate::tcp::sent::{Missing, end_of};
use crate::tcp::sequence::unwrap;
use crate::times::Times;

impl Direction {
    /// True if the capture holds data behind their ACK that were sent once. They are not missing any more.
    pub(super) fn is_late_record(
        &mut self,
        suspect: Suspect,
        (start, end): (u64, u64),
        clues: &Clues,
    ) -> bool {
        let holds = |m: &Missing| m.start <= start && end <= m.end;
        let Some(place) = self.missing.iter().position(holds) else { return false };
        let Missing { start: from, end: to, acked_ns } = self.missing[place];
        let lag_ns = suspect.time_ns.saturating_sub(acked_ns);
        let next = self.recent.holding(end).or_else(|| self.sent.holding(end));
        // A capture that lacks others as well probably lacks the first copy.
        let known = self.counters.late_records.as_ref().map_or(0, |lags| lags.count());
        let is_whole = self.counters.capture_losses <= self.segments(to - from) + known;
        if !clues.was_acknowledged_early(suspect, next, is_whole.then_some(lag_ns)) {
            return false;
        }
        self.missing.remove(place);
        let rest = [(from, start), (end, to)].map(|(start, end)| Missing { start, end, acked_ns });
        let rest = rest.into_iter().filter(|m| m.start < m.end);
        let left: u64 = rest.clone().map(|m| self.segments(m.end - m.start)).sum();
        self.missing.extend(rest);
        let counted = self.segments(to - from);
        let counters = &mut self.counters;
        counters.capture_losses = (counters.capture_losses + left).saturating_sub(counted);
        counters.capture_lost_bytes = counters.capture_lost_bytes.saturating_sub(end - start);
        counters.late_records.get_or_insert_default().add(lag_ns);
        true
    }

    /// Segments of so many bytes.
    pub(super) fn segments(&self, bytes: u64) -> u64 {
        bytes.div_ceil(u64::from(self.largest.max(1)))
    }

    pub(in crate::tcp) const fn is_started(&self) -> bool {
        self.started
    }

    /// True if the sender's packets so far have all that an ACK acknowledges.
    pub(in crate::tcp) fn has_seen(&self, ack: &Segment) -> bool {
        self.acknowledged(ack) <= self.seen
    }

    /// The byte after the last one that an ACK acknowledges, selectively or not.
    pub(in crate::tcp) fn acknowledged(&self, ack: &Segment) -> u64 {
        let number = unwrap(self.una, ack.acknowledgement);
        let blocks = ack.options.sack.iter().map(|(_, right)| unwrap(self.una, *right));
        blocks.fold(number, u64::max)
    }

    /// The capture lacks what an ACK acknowledges.
    pub(in crate::tcp) fn give_up(&mut self, ack: &Segment) {
        if ack.flags.has(Flags::ACK) && self.started {
            self.seen = self.seen.max(self.acknowledged(ack));
        }
    }

    /// First and last number of a segment, the latter not included, and the number after those before it.
    pub(in crate::tcp) fn span(&self, segment: &Segment) -> (u64, u64, u64) {
        let syn = u32::from(segment.flags.has(Flags::SYN));
        let start = unwrap(self.next, segment.sequence.wrapping_add(syn));
        (start, end_of(segment, start), self.seen)
    }

    /// Leaves out all times between the two ends.
    pub(in crate::tcp) fn forget_times(&mut self) {
        self.rtt = Times::default();
        self.timeout = Timeout::default();
        self.counters.forget_srtt();
    }

    /// What its identification says of data that came behind their ACK.
    pub(in crate::tcp) fn proof(&self, segment: &Segment) -> Proof {
        self.ids.proof(segment.ip_id)
    }
}
