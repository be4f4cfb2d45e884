//! One direction of a connection: the data that one end sent, and what the other end's ACKs say of
//! them.

use super::cause::{CauseTracker, Moment, State};
use super::counters::{Counters, Retransmission};
use super::limits::{Limits, Situation};
use super::order::{Clues, IdCounter, Suspect};
use super::rtt::{Timeout, Times};
use super::sent::{Range, Recent, Sent};
use super::sequence::unwrap;
use super::spurious::{AckSeen, Evidence, Judge, Waiting};
use crate::dissect::{Flags, Segment};

/// Shortest silence before a keep-alive, if the byte that it repeats was a segment of its own.
const KEEP_ALIVE_NS: u64 = 5_000_000_000;

/// What both directions of a connection know together.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Path {
    /// Least time from the capture to the sender of this direction and back, in ns.
    pub(super) to_sender_ns: Option<u64>,
    /// Least time from the capture to the receiver and back, in ns.
    pub(super) to_receiver_ns: Option<u64>,
}

impl Path {
    /// True if the capture was taken at the sender, as far as is known; also true if nothing is.
    fn at_sender(self) -> bool {
        match (self.to_sender_ns, self.to_receiver_ns) {
            (Some(sender), Some(receiver)) => sender.saturating_mul(4) < receiver,
            (None, Some(receiver)) => receiver > 500_000,
            _ => true,
        }
    }

    /// True if the capture was taken nearer to the receiver.
    fn at_receiver(self) -> bool {
        match (self.to_sender_ns, self.to_receiver_ns) {
            (Some(sender), Some(receiver)) => receiver.saturating_mul(4) < sender,
            (None, Some(receiver)) => receiver <= 500_000,
            _ => false,
        }
    }

    /// Least round-trip time of the whole path.
    fn rtt_ns(self) -> Option<u64> {
        Some(self.to_sender_ns? + self.to_receiver_ns?)
    }
}

/// Data of one direction.
#[derive(Debug, Default)]
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
    timeout: Timeout,
    pub(super) limits: Limits,
    /// Times of the last change of the first byte in flight, of the last ACK, and of the last data.
    advanced_ns: u64,
    acked_ns: u64,
    data_ns: u64,
    duplicate_acks: u32,
    /// The receiver's window: as sent last, its shift, and in bytes.
    raw_window: u16,
    pub(super) shift: u8,
    /// True if the handshake shows that SACK is not used.
    pub(super) no_sack: bool,
    window: u64,
    pub(super) largest: u32,
    fin: Option<u64>,
}

/// What an ACK tells beside its number.
struct AckEffect {
    oldest: Option<Range>,
    newest: Option<Range>,
    retransmitted: bool,
    covers_original: bool,
}

impl Direction {
    /// A segment of this direction.
    pub(super) fn on_segment(&mut self, segment: &Segment, path: Path) {
        let syn = segment.flags.has(Flags::SYN);
        let sequence = segment.sequence.wrapping_add(u32::from(syn));
        if !self.started {
            self.started = true;
            self.next = (1 << 32) | u64::from(sequence);
            self.una = self.next;
            self.advanced_ns = segment.time_ns;
        } else if syn && self.next & 0xffff_ffff == u64::from(sequence) && segment.payload == 0 {
            self.counters.syn_retransmissions += 1;
        }
        self.counters.packets += 1;
        let start = unwrap(self.next, sequence);
        if segment.payload > 0 {
            self.on_data(segment, start, path);
        }
        if segment.flags.has(Flags::FIN) {
            let fin = start + u64::from(segment.payload) + 1;
            if self.fin.is_some_and(|known| known >= fin) {
                self.counters.fin_retransmissions += 1;
            }
            self.fin = Some(fin);
            self.next = self.next.max(fin);
        }
    }

    fn on_data(&mut self, segment: &Segment, start: u64, path: Path) {
        let now = segment.time_ns;
        let length = u64::from(segment.payload);
        let end = start + length;
        // A keep-alive repeats the last acknowledged byte (RFC 9293 section 3.8.4).
        if self.is_keep_alive(segment, start) {
            self.counters.keep_alives += 1;
            return;
        }
        self.counters.data_segments += 1;
        self.counters.payload_bytes += length;
        self.largest = self.largest.max(segment.payload);
        if self.counters.first_data_ns.is_none() {
            self.counters.first_data_ns = Some(now);
        }
        self.counters.last_data_ns = Some(now);
        self.account(now);
        if start >= self.next {
            self.on_original(segment, start, end);
        } else {
            self.on_repeated(segment, start, end, path);
        }
        self.data_ns = now;
        let since_ack = now.saturating_sub(self.acked_ns);
        let reaction = path.to_sender_ns.unwrap_or(0);
        self.limits.on_data(now, segment, self.largest, since_ack.saturating_sub(reaction));
        self.situate();
    }

    /// True if a segment repeats the last acknowledged byte after a long silence. After a short one, it
    /// is a segment of one byte that was sent again.
    fn is_keep_alive(&self, segment: &Segment, start: u64) -> bool {
        let repeats = segment.payload == 1 && start + 1 == self.una && self.sent.is_empty();
        let alone = || self.recent.holding(start).is_some_and(|range| range.start == start);
        repeats && (!alone() || segment.time_ns.saturating_sub(self.data_ns) >= KEEP_ALIVE_NS)
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
        self.counters.largest_flight = self.counters.largest_flight.max(self.next - self.una);
    }

    /// A segment that begins below the highest sequence number.
    fn on_repeated(&mut self, segment: &Segment, start: u64, end: u64, path: Path) {
        let now = segment.time_ns;
        let old_end = end.min(self.next);
        let below = old_end.min(self.una).saturating_sub(start.min(self.una));
        let seen = below + self.sent.seen(start.max(self.una), old_end.max(self.una));
        let clues = Clues { ids: self.ids, at_sender: path.at_sender(), rtt_ns: path.rtt_ns() };
        let suspect = Suspect {
            time_ns: now,
            stamp: segment.options.timestamps.map(|(value, _)| value),
            ip_id: segment.ip_id,
        };
        if seen == 0 {
            let next = self.sent.original_after(start);
            if next.is_some_and(|next| clues.is_late_original(suspect, next)) {
                self.counters.out_of_order += 1;
                self.counters.unique_bytes += end - start;
                self.fill(segment, start, end, false);
                return;
            }
        } else if seen == old_end - start {
            let before = self.sent.holding(start).or_else(|| self.recent.holding(start));
            if before.is_some_and(|before| clues.is_duplicate(suspect, before)) {
                self.counters.network_duplicates += 1;
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
        let mut evidence = Evidence::default();
        let whole = seen == repeated && end <= self.next;
        evidence.seen_twice = whole && (path.at_receiver() || end <= self.una);
        self.counters.unique_bytes += end - start - seen;
        let retransmission = Retransmission {
            time_ns: now,
            sequence: segment.sequence,
            length: segment.payload,
            cause,
            evidence,
        };
        let number = self.counters.on_retransmission(retransmission, repeated);
        let waiting = Waiting {
            number,
            start,
            end,
            time_ns: now,
            stamp: segment.options.timestamps.map(|(value, _)| value),
            cause,
            evidence,
            acknowledged: end <= self.una,
        };
        self.judge.push(waiting, begins);
        if seen > 0 {
            self.sent.copied(start, end, now);
        }
        self.fill(segment, start, end, true);
    }

    fn moment(&self, now: u64, start: u64, end: u64, path: Path) -> Moment {
        let head = self.sent.front().map_or(0, |range| range.last_ns);
        let since_ack = now.saturating_sub(self.acked_ns);
        Moment {
            start,
            end,
            una: self.una,
            next: self.next,
            silence_ns: now.saturating_sub(self.advanced_ns.max(head)),
            since_ack_ns: since_ack.saturating_sub(path.to_sender_ns.unwrap_or(0)),
            rto_ns: self.timeout.rto_ns(),
            srtt_ns: self.timeout.srtt_ns().unwrap_or(1_000_000_000),
            loss_hints: self.duplicate_acks > 0 || self.sent.sacked_bytes() > 0,
            sack: !self.no_sack,
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

    /// A segment of the other direction, whose ACK concerns this one. Returns a sample of the time to
    /// the receiver and back.
    pub(super) fn on_ack(&mut self, segment: &Segment, path: Path) -> Option<u64> {
        if !segment.flags.has(Flags::ACK) || !self.started {
            return None;
        }
        let now = segment.time_ns;
        self.account(now);
        let ack = unwrap(self.una, segment.acknowledgement);
        let advanced = ack > self.una;
        let sacked = self.take_sack(segment, ack, path);
        self.count_duplicate(segment, ack, sacked.1);
        let before = self.una;
        let effect = advanced.then(|| self.advance(now, ack));
        let sample = effect.as_ref().and_then(|effect| self.sample(now, effect)).or(sacked.0);
        if let Some(ns) = sample {
            self.rtt.add(ns);
            self.timeout.add(ns);
        }
        let seen = AckSeen {
            time_ns: now,
            before,
            una: self.una,
            echo: segment.options.timestamps.map(|(_, echo)| echo),
            least_rtt_ns: path.to_receiver_ns,
            covers_original: effect.as_ref().is_some_and(|effect| effect.covers_original),
        };
        let counters = &mut self.counters;
        if advanced && self.judge.on_ack(&seen, |w| counters.on_evidence(w.number, w.evidence)) {
            self.cause.undo_timeout();
        }
        self.cause.on_ack(self.una, advanced);
        self.acked_ns = now;
        self.set_window(segment);
        self.situate();
        let newest = effect?.newest.filter(|range| range.copies == 0 && !range.late)?;
        Some(now.saturating_sub(newest.first_ns))
    }

    /// Takes SACK blocks: a sample of the round-trip time, and the bytes newly acknowledged.
    fn take_sack(&mut self, segment: &Segment, ack: u64, path: Path) -> (Option<u64>, u64) {
        let blocks = &segment.options.sack;
        if blocks.is_empty() {
            return (None, 0);
        }
        let now = segment.time_ns;
        let range = |(left, right): (u32, u32)| (unwrap(self.una, left), unwrap(self.una, right));
        let first = range(blocks[0]);
        let within = |outer: (u64, u64)| outer.0 <= first.0 && first.1 <= outer.1;
        let duplicate = first.1 <= ack || blocks.get(1).is_some_and(|b| within(range(*b)));
        let blocks: arrayvec::ArrayVec<(u64, u64), 4> =
            blocks.iter().skip(usize::from(duplicate)).map(|block| range(*block)).collect();
        if duplicate {
            self.counters.dsacks += 1;
            let counters = &mut self.counters;
            let latest = now.saturating_sub(path.to_receiver_ns.unwrap_or(0) / 2);
            let changed = |w: &Waiting| counters.on_evidence(w.number, w.evidence);
            if self.judge.on_dsack(first.0, first.1, latest, changed) {
                self.cause.undo_timeout();
            }
        }
        let (mut bytes, mut oldest) = (0, None);
        for (start, end) in blocks {
            if start < end && end <= self.next && start >= self.una {
                bytes += self.sent.sack(start, end, |range| {
                    if range.copies == 0 && !range.late {
                        oldest = Some(oldest.unwrap_or(range.first_ns).min(range.first_ns));
                    }
                });
            }
        }
        (oldest.map(|sent| now.saturating_sub(sent)), bytes)
    }

    /// Counts duplicate ACKs by the definitions of RFC 5681 section 2 and of RFC 6675 section 2.
    fn count_duplicate(&mut self, segment: &Segment, ack: u64, newly_sacked: u64) {
        let quiet = segment.payload == 0
            && !segment.flags.has(Flags::SYN | Flags::FIN | Flags::RST)
            && self.next > self.una;
        if ack > self.una {
            self.duplicate_acks = 0;
        } else if quiet && ack == self.una {
            if segment.window == self.raw_window && self.counters.acks > 0 {
                self.counters.duplicate_acks += 1;
                self.duplicate_acks += 1;
            }
            if newly_sacked > 0 {
                self.counters.duplicate_acks_sack += 1;
            }
        }
        self.counters.acks += 1;
    }

    /// Moves the first byte in flight to `ack`.
    fn advance(&mut self, now: u64, ack: u64) -> AckEffect {
        let mut effect =
            AckEffect { oldest: None, newest: None, retransmitted: false, covers_original: false };
        let head = self.una;
        let mut missing = 0;
        while let Some(range) = self.sent.take_acknowledged(ack) {
            missing += range.start.saturating_sub(self.una);
            self.una = range.end;
            self.recent.push(range);
            let once = range.copies == 0 && !range.late;
            effect.retransmitted |= !once;
            if once && !range.sacked {
                effect.oldest.get_or_insert(range);
                effect.newest = Some(range);
                effect.covers_original |= range.start > head;
            }
        }
        let fin = u64::from(self.fin.is_some_and(|fin| fin == ack));
        missing += (ack - fin).saturating_sub(self.una);
        // A SYN or FIN that the capture lacks takes one number.
        if missing > 1 && self.counters.data_segments > 0 {
            let size = u64::from(self.largest.max(1));
            self.counters.capture_losses += missing.div_ceil(size);
            self.counters.capture_lost_bytes += missing;
        }
        self.una = ack;
        self.next = self.next.max(ack);
        self.advanced_ns = now;
        self.counters.last_ack_ns = Some(now);
        self.judge.forget_before(now.saturating_sub(60_000_000_000));
        effect
    }

    /// The round-trip time as Linux takes it: of the oldest segment that the ACK covers for the first
    /// time, if none of those that it covers was sent again (RFC 6298 section 3).
    fn sample(&self, now: u64, effect: &AckEffect) -> Option<u64> {
        let _ = self;
        if effect.retransmitted {
            return None;
        }
        effect.oldest.map(|range| now.saturating_sub(range.first_ns))
    }

    /// The round-trip time of the handshake, which a sender's timer begins with.
    pub(super) fn on_handshake(&mut self, ns: u64) {
        self.timeout.add(ns);
    }

    fn set_window(&mut self, segment: &Segment) {
        let shift = if segment.flags.has(Flags::SYN) { 0 } else { self.shift };
        let window = u64::from(segment.window) << shift;
        if window == 0 && self.window > 0 {
            self.counters.zero_windows += 1;
        }
        self.window = window;
        self.raw_window = segment.window;
    }

    fn account(&mut self, now: u64) {
        self.limits.advance(now);
    }

    /// Tells the shares of time what limits the sender from now on.
    fn situate(&mut self) {
        self.limits.situate(&Situation {
            flight: self.flight(),
            window: self.window,
            segment: u64::from(self.largest),
            recovering: self.cause.state() != State::Open,
            lost_before: self.counters.retransmitted_segments > 0,
            srtt_ns: self.timeout.srtt_ns(),
        });
    }

    /// Bytes in flight that were neither acknowledged nor reported as received.
    fn flight(&self) -> u64 {
        self.next.saturating_sub(self.una).saturating_sub(self.sent.sacked_bytes())
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
        late,
        copies: 0,
        sacked: false,
    }
}
