//! One direction of a connection: the data that one end sent. `acks` has what the other end's ACKs say
//! of them, `record` the series.

mod acks;
mod asking;
mod behind;
mod record;

use super::cause::{Cause, CauseTracker, Moment, State};
use super::counters::{Counters, Retransmission};
use super::limits::{Limits, Situation};
use super::log::{Budget, Recorder};
use super::order::{Clues, IdCounter, Suspect};
use super::probes::Closed;
use super::rtt::Timeout;
use super::sent::{Missing, Range, Recent, Sent, end_of};
use super::sequence::unwrap;
use super::series::{SegmentKind, Series};
use super::spurious::{Evidence, Judge, Waiting};
use super::timeouts::Expired;
use super::vantage::Place;
use crate::dissect::{Flags, Segment};
use crate::times::Times;

/// Shortest silence before a keep-alive, if the byte that it repeats was a segment of its own.
const KEEP_ALIVE_NS: u64 = 5_000_000_000;

/// What both directions of a connection know together.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Path {
    /// Least time from the capture to the sender of this direction and back, in ns.
    pub(super) to_sender_ns: Option<u64>,
    /// Least time from the capture to the receiver and back, in ns.
    pub(super) to_receiver_ns: Option<u64>,
    /// Where the capture was taken, if the user told it.
    pub(super) told: Option<Place>,
    /// True if the capture holds this packet before its cause: its time is that of the cause, and tells no
    /// round-trip time.
    pub(super) is_early: bool,
}

impl Path {
    /// True if the capture was taken at the sender, as far as is known; also true if nothing is.
    fn at_sender(self) -> bool {
        if let Some(place) = self.told {
            return place == Place::Sender;
        }
        match (self.to_sender_ns, self.to_receiver_ns) {
            (Some(sender), Some(receiver)) => sender.saturating_mul(4) < receiver,
            (None, Some(receiver)) => receiver > 500_000,
            _ => true,
        }
    }

    /// True if the capture was taken nearer to the receiver.
    fn at_receiver(self) -> bool {
        if let Some(place) = self.told {
            return place == Place::Receiver;
        }
        match (self.to_sender_ns, self.to_receiver_ns) {
            (Some(sender), Some(receiver)) => receiver.saturating_mul(4) < sender,
            (None, Some(receiver)) => receiver <= 500_000,
            _ => false,
        }
    }

    /// Least round-trip time of the whole path.
    fn rtt_ns(self) -> Option<u64> {
        Some(self.to_sender_ns?.saturating_add(self.to_receiver_ns?))
    }
}

/// Data of one direction.
#[derive(Debug, Clone, Default)]
pub(super) struct Direction {
    started: bool,
    /// The byte after the last one sent, and the first byte in flight, without wrap.
    next: u64,
    una: u64,
    sent: Sent,
    recent: Recent,
    ids: IdCounter,
    cause: CauseTracker,
    judge: Judge,
    pub(super) counters: Counters,
    pub(super) rtt: Times,
    /// The timeout of a sender that takes samples from SACK blocks, as Linux does, and of one that does not.
    timeout: Timeout,
    plain: Timeout,
    pub(super) limits: Limits,
    /// Times of the last change of the first byte in flight, of the last ACK, and of the last data.
    advanced_ns: u64,
    acked_ns: u64,
    data_ns: u64,
    duplicate_acks: u32,
    /// When the latest data were sent of those that ACKs cover, and the first ACK that covered data sent after
    /// the last copy of the first segment in flight: the time of that copy, and of the ACK.
    delivered_ns: u64,
    overtaken: Option<(u64, u64)>,
    /// The receiver's window: as sent last, its shift, and in bytes.
    raw_window: u16,
    pub(super) shift: u8,
    /// True if the handshake shows that SACK is not used.
    pub(super) no_sack: bool,
    window: u64,
    pub(super) largest: u32,
    /// Whether the receiver's window is closed.
    closed: Closed,
    /// The first byte, and whether SYNs were sent without and with an ACK.
    origin: u64,
    opened: [bool; 2],
    /// The byte after the last one that the sender's packets had.
    seen: u64,
    /// Bytes that were acknowledged and not seen, and when.
    missing: Vec<Missing>,
    fin: Option<u64>,
    /// First byte of the last tail-loss probe.
    probe: Option<u64>,
    /// What is recorded over time, if anything is.
    pub(super) series: Option<Box<Series>>,
    /// Every segment, if they are kept.
    pub(super) recorder: Option<Box<Recorder>>,
}

impl Direction {
    /// A direction, with series if `series`, and with a log if there is a budget for it.
    pub(super) fn new(series: bool, log: Option<&Budget>) -> Self {
        let recorder = log.map(|budget| Box::new(Recorder::new(budget.clone())));
        Self { series: series.then(Box::default), recorder, ..Self::default() }
    }

    /// A segment of this direction.
    pub(super) fn on_segment(&mut self, segment: &Segment, path: Path) {
        let syn = segment.flags.has(Flags::SYN);
        let sequence = segment.sequence.wrapping_add(u32::from(syn));
        if !self.started {
            self.started = true;
            self.ids.on_first(segment.ip_id);
            self.next = (1 << 32) | u64::from(sequence);
            self.una = self.next;
            self.origin = self.next;
            self.seen = self.next;
            self.advanced_ns = segment.time_ns;
            if let Some(series) = &mut self.series {
                series.origin = self.next;
            }
        }
        self.counters.packets += 1;
        let start = unwrap(self.next, sequence);
        self.ids.on_packet(segment.ip_id);
        self.seen = self.seen.max(end_of(segment, start));
        if syn && start == self.origin {
            // Ends that open at the same time send a SYN, and a SYN with an ACK (RFC 9293 section 3.5).
            let sent = &mut self.opened[usize::from(segment.flags.has(Flags::ACK))];
            if std::mem::replace(sent, true) {
                self.counters.syn_retransmissions += 1;
                return;
            }
        }
        if self.take_probe(segment, start) {
            return;
        }
        let mut is_copy = false;
        if segment.payload > 0 {
            is_copy = self.on_data(segment, start, path);
        }
        if segment.flags.has(Flags::FIN) {
            let fin = start + u64::from(segment.payload) + 1;
            if self.fin.is_some_and(|known| known >= fin) && !is_copy {
                self.counters.fin_retransmissions += 1;
            }
            self.fin = Some(fin);
            self.next = self.next.max(fin);
        }
    }

    /// Data. True if the capture or the network made a copy.
    fn on_data(&mut self, segment: &Segment, start: u64, path: Path) -> bool {
        let now = segment.time_ns;
        let length = u64::from(segment.payload);
        let end = start + length;
        self.accept_probe(start);
        self.closed.on_data();
        self.counters.data_segments += 1;
        self.counters.payload_bytes += length;
        self.largest = self.largest.max(segment.payload);
        if self.counters.first_data_ns.is_none() {
            self.counters.first_data_ns = Some(now);
        }
        self.counters.last_data_ns = Some(now);
        self.limits.advance(now);
        let copies = self.counters.network_duplicates;
        if start >= self.next {
            self.on_original(segment, start, end);
        } else {
            self.on_repeated(segment, start, end, path);
        }
        self.data_ns = now;
        let since_ack = now.saturating_sub(self.acked_ns);
        let reaction = path.to_sender_ns.unwrap_or(0);
        self.limits.on_data(now, segment, self.largest, since_ack.saturating_sub(reaction));
        self.situate(now, path);
        self.counters.network_duplicates > copies
    }

    fn on_original(&mut self, segment: &Segment, start: u64, end: u64) {
        let now = segment.time_ns;
        self.ids.on_original(segment.ip_id);
        self.counters.unique_bytes += end - start;
        if self.sent.is_empty() {
            self.advanced_ns = now;
            self.duplicate_acks = 0;
        }
        self.sent.push(range_of(segment, start, end, false));
        self.next = end;
        self.record_segment(segment, start, SegmentKind::First);
        self.counters.largest_flight = self.counters.largest_flight.max(self.next - self.una);
        self.counters.largest_outstanding = self.counters.largest_outstanding.max(self.flight());
    }

    /// A segment that begins below the highest sequence number.
    fn on_repeated(&mut self, segment: &Segment, start: u64, end: u64, path: Path) {
        let now = segment.time_ns;
        let old_end = end.min(self.next);
        // What was sent before the capture began has not been seen, though it is acknowledged.
        let first = start.max(self.origin).min(self.una);
        let below = old_end.min(self.una).saturating_sub(first);
        let seen = below + self.sent.seen(start.max(self.una), old_end.max(self.una));
        let clues = Clues { ids: self.ids, at_sender: path.at_sender(), rtt_ns: path.rtt_ns() };
        let suspect = Suspect {
            time_ns: now,
            stamp: segment.options.timestamps.map(|(value, _)| value),
            ip_id: segment.ip_id,
            ttl: segment.ttl,
        };
        if end <= self.una && self.is_late_record(suspect, (start, end), &clues) {
            self.counters.unique_bytes += end - start;
            self.record_segment(segment, start, SegmentKind::First);
            return;
        }
        if seen == 0 {
            let next = self.sent.original_after(start);
            if next.is_some_and(|next| clues.is_late_original(suspect, next)) {
                self.counters.out_of_order += 1;
                self.counters.unique_bytes += end - start;
                self.fill(segment, start, end, false);
                self.record_segment(segment, start, SegmentKind::OutOfOrder);
                return;
            }
        } else if seen == old_end - start {
            let before = self.sent.holding(start).or_else(|| self.recent.holding(start));
            if let Some(before) = before.filter(|before| clues.is_duplicate(suspect, before)) {
                self.counters.network_duplicates += 1;
                self.counters.duplicate_gap_ns += segment.time_ns.saturating_sub(before.last_ns);
                self.counters.copies_elsewhere += u64::from(before.ttl != segment.ttl);
                self.record_segment(segment, start, SegmentKind::Duplicate);
                return;
            }
        }
        self.retransmitted(segment, (start, end), old_end - start, seen, path);
    }

    fn retransmitted(
        &mut self,
        segment: &Segment,
        (start, end): (u64, u64),
        repeated: u64,
        seen: u64,
        path: Path,
    ) {
        let now = segment.time_ns;
        let begins = self.cause.state() == State::Open;
        let cause = self.cause.on_retransmission(&self.moment(now, start, end, path));
        if cause == Cause::Timeout {
            let expected = self.acked_ns.max(self.data_ns) + self.timeout.srtt_ns().unwrap_or(0);
            self.limits.on_timeout(now.saturating_sub(expected));
        }
        let timeout = (cause == Cause::Timeout).then(|| self.expired(start, end).cause());
        if cause == Cause::TailLossProbe {
            self.probe = Some(start);
        }
        self.record_segment(segment, start, SegmentKind::Retransmission(cause));
        let mut evidence = Evidence::default();
        let whole = seen == repeated && repeated > 0 && end <= self.next;
        evidence.seen_twice = whole && (path.at_receiver() || end <= self.una);
        self.counters.unique_bytes += end - start - seen;
        let original = self.sent.holding(start).or_else(|| self.recent.holding(start));
        let original = original.filter(|range| !range.late).map(|range| range.first_ns);
        let retransmission = Retransmission {
            time_ns: now,
            sequence: segment.sequence,
            length: segment.payload,
            cause,
            evidence,
            segment: self.counters.data_segments - 1,
            timeout,
            since_original_ns: original.map(|sent| now.saturating_sub(sent)),
            srtt_ns: self.timeout.srtt_ns(),
        };
        let number = self.counters.on_retransmission(retransmission, repeated);
        let waiting = Waiting {
            number,
            start,
            end,
            next: self.next,
            time_ns: now,
            stamp: segment.options.timestamps.map(|(value, _)| value),
            cause,
            evidence,
            acknowledged: end <= self.una,
        };
        self.judge.push(waiting, begins);
        if seen > 0 {
            self.sent.copied(start, end, now, segment.ip_id);
        }
        if start < self.una {
            self.recent.copied(start, now, segment.ip_id);
        }
        self.fill(segment, start, end, true);
    }

    fn moment(&self, now: u64, start: u64, end: u64, path: Path) -> Moment {
        let head = self.sent.front().map_or(0, |range| range.last_ns);
        let reaction = path.to_sender_ns.unwrap_or(0);
        let since = |ns: u64| now.saturating_sub(ns).saturating_sub(reaction);
        let overtaken = self.overtaken.filter(|(copy, _)| *copy == head);
        let srtts = [self.timeout.srtt_ns(), self.plain.srtt_ns()];
        Moment {
            start,
            end,
            una: self.una,
            next: self.next,
            silence_ns: now.saturating_sub(self.advanced_ns.max(head)),
            since_advance_ns: now.saturating_sub(self.advanced_ns),
            since_ack_ns: since(self.acked_ns),
            overtaken_ns: overtaken.map(|(_, acked)| since(acked)),
            duplicates: self.duplicate_acks,
            sacked: self.sent.sacked_bytes().div_ceil(u64::from(self.largest.max(1))),
            rto_ns: self.timeout.rto_ns().min(self.plain.rto_ns()),
            // The sender waits for the whole round trip, of which the capture sees a part.
            srtt_ns: srtts.into_iter().flatten().min().unwrap_or(1_000_000_000) + reaction,
            loss_hints: self.duplicate_acks > 0 || self.sent.sacked_bytes() > 0,
            sack: !self.no_sack,
            again: self.sent_again(start),
        }
    }

    /// Adds what has not been seen of a segment to the ranges.
    fn fill(&mut self, segment: &Segment, start: u64, end: u64, late: bool) {
        let from = start.max(self.una);
        if from < end {
            self.sent.fill(range_of(segment, from, end, late));
        }
        if end > self.next {
            self.next = end;
        }
    }

    /// True if the byte at `start` was sent again before.
    fn sent_again(&self, start: u64) -> bool {
        self.sent.holding(start).is_some_and(|range| range.copies > 0 || range.late)
    }

    /// What is known of the first segment in flight when its timer expires.
    fn expired(&self, start: u64, end: u64) -> Expired {
        let sacked = self.sent.sacked_bytes().div_ceil(u64::from(self.largest.max(1)));
        let signs = usize::try_from(sacked.max(u64::from(self.duplicate_acks)));
        Expired {
            again: self.sent_again(start) && self.probe != Some(start),
            behind: self.sent.behind(end),
            signs: signs.unwrap_or(usize::MAX),
        }
    }

    /// Tells the shares of time what limits the sender from now on.
    fn situate(&mut self, now: u64, path: Path) {
        let round = self.limits.situate(&Situation {
            flight: self.flight(),
            window: if self.counters.windows.is_empty() { u64::MAX } else { self.window },
            segment: u64::from(self.largest),
            recovering: self.cause.state() != State::Open,
            lost_before: self.counters.retransmitted_segments > 0,
            srtt_ns: self.timeout.srtt_ns(),
        });
        if let Some(round) = round {
            let cwnd = (round.filled && path.at_sender()).then_some(round.flight);
            if let Some(bytes) = cwnd {
                self.counters.windows.filled(bytes);
            }
            self.record_round(now, round.flight, cwnd);
        }
    }

    /// Bytes in flight that were neither acknowledged nor reported as received.
    fn flight(&self) -> u64 {
        self.next.saturating_sub(self.una).saturating_sub(self.sent.sacked_bytes())
    }

    /// Bytes after the highest ACK.
    pub(super) const fn unacknowledged(&self) -> u64 {
        self.next.saturating_sub(self.una)
    }

    /// Since when the receiver's window is closed; `None` if it is open, or all data were acknowledged to the end.
    pub(super) fn closed_since_ns(&self) -> Option<u64> {
        let is_over = self.fin.is_some_and(|fin| self.una >= fin);
        self.closed.since_ns().filter(|_| !is_over)
    }

    pub(super) const fn timeouts(&self) -> u64 {
        self.cause.timeouts
    }

    pub(super) const fn recoveries(&self) -> u64 {
        self.cause.recoveries
    }

    pub(super) const fn srtt_ns(&self) -> Option<u64> {
        self.timeout.srtt_ns()
    }

    /// Ranges that were forgotten because too many were in flight.
    pub(super) const fn forgotten(&self) -> u64 {
        self.sent.forgotten()
    }
}

fn range_of(segment: &Segment, start: u64, end: u64, late: bool) -> Range {
    Range {
        start,
        end,
        first_ns: segment.time_ns,
        last_ns: segment.time_ns,
        stamp: segment.options.timestamps.map(|(value, _)| value),
        ip_id: segment.ip_id,
        ttl: segment.ttl,
        last_id: segment.ip_id,
        late,
        copies: 0,
        sacked: false,
    }
}
