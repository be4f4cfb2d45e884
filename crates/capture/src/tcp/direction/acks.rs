//! What ACKs say of the data of a direction: progress, round-trip times, duplicates, SACK blocks.

use crate::dissect::{Flags, Segment};
use crate::tcp::sent::{MAX_MISSING, Missing, Range};
use crate::tcp::sequence::unwrap;
use crate::tcp::spurious::{AckSeen, Waiting};

use super::{Direction, Path};

/// What an ACK tells beside its number.
#[derive(Default)]
struct AckEffect {
    /// When the oldest and the newest segment were sent that it covers for the first time, of those sent once.
    oldest_ns: Option<u64>,
    newest_ns: Option<u64>,
    retransmitted: bool,
    covers_original: bool,
    /// True if it covers data.
    covers_data: bool,
}

impl AckEffect {
    /// The round-trip time as Linux takes it: of the oldest segment that the ACK covers for the first
    /// time, if none of those that it covers was sent again (RFC 6298 section 3).
    fn sample(&self, now: u64) -> Option<u64> {
        if self.retransmitted {
            return None;
        }
        self.oldest_ns.map(|sent| now.saturating_sub(sent))
    }
}

impl Direction {
    /// A segment of the other direction, whose ACK concerns this one. Returns a sample of the time to
    /// the receiver and back.
    pub(in crate::tcp) fn on_ack(&mut self, segment: &Segment, path: Path) -> Option<u64> {
        if !segment.flags.has(Flags::ACK) || !self.started {
            return None;
        }
        let now = segment.time_ns;
        self.limits.advance(now);
        if let Some(srtt) = self.timeout.srtt_ns().filter(|_| !segment.flags.has(Flags::SYN)) {
            self.counters.on_srtt(srtt);
        }
        let ack = unwrap(self.una, segment.acknowledgement);
        self.accept_probe(ack);
        if segment.flags.has(Flags::SYN) {
            self.refuse_early_data(ack);
        }
        let advanced = ack > self.una;
        let sacked = self.take_sack(segment, ack, path);
        // Without SACK, duplicate ACKs show data that wait for a lost segment; an ACK for them tells nothing.
        let is_clear = !self.no_sack || self.duplicate_acks == 0;
        self.count_duplicate(segment, ack, sacked.1);
        let before = self.una;
        let effect = advanced.then(|| self.advance(now, ack, path.to_receiver_ns.unwrap_or(0)));
        let acked = effect.as_ref().and_then(|effect| effect.sample(now));
        let is_timed = !path.is_early;
        let (acked, selectively) = (acked.filter(|_| is_timed), sacked.0.filter(|_| is_timed));
        if let Some(ns) = acked {
            self.plain.add(ns);
        }
        if let Some(ns) = acked.or(selectively) {
            self.rtt.add(ns);
            self.timeout.add(ns);
            self.record_rtt(now, ns);
        }
        let seen = AckSeen {
            time_ns: now,
            before,
            una: self.una,
            echo: segment.options.timestamps.map(|(_, echo)| echo),
            least_rtt_ns: path.to_receiver_ns.filter(|_| is_timed),
            covers_original: is_clear
                && effect.as_ref().is_some_and(|effect| effect.covers_original),
        };
        let counters = &mut self.counters;
        if advanced && self.judge.on_ack(&seen, |w| counters.on_evidence(w.number, w.evidence)) {
            self.cause.undo();
        }
        self.cause.on_ack(self.una, advanced);
        self.note_overtaken(now);
        self.acked_ns = now;
        self.limits.on_ack(now);
        // A reset advertises nothing (RFC 9293 section 3.10.7): its window means nothing.
        if !segment.flags.has(Flags::RST) {
            self.set_window(segment);
        }
        self.record_ack(segment, ack);
        self.situate(now, path);
        let newest = effect?.newest_ns.filter(|_| is_timed)?;
        Some(now.saturating_sub(newest))
    }

    /// Notes the first ACK for data that were sent after the last copy of the first segment in flight.
    fn note_overtaken(&mut self, now: u64) {
        let Some(copy) = self.sent.front().map(|range| range.last_ns) else { return };
        let known = self.overtaken.is_some_and(|(known, _)| known == copy);
        if self.delivered_ns > copy && !known {
            self.overtaken = Some((copy, now));
        }
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
            self.record_sack(now, first, true);
            let counters = &mut self.counters;
            let latest = now.saturating_sub(path.to_receiver_ns.unwrap_or(0) / 2);
            let changed = |w: &Waiting| counters.on_evidence(w.number, w.evidence);
            if self.judge.on_dsack(first.0, first.1, latest, changed) {
                self.cause.undo();
            }
        }
        let (mut bytes, mut oldest) = (0, None);
        let mut delivered = self.delivered_ns;
        let least = path.to_receiver_ns.unwrap_or(0);
        for (start, end) in blocks {
            if start < end && end <= self.next && start >= self.una {
                self.record_sack(now, (start, end), false);
                bytes += self.sent.sack(start, end, |range| {
                    delivered = delivered.max(sent_before(range, now, least));
                    if range.copies == 0 && !range.late {
                        oldest = Some(oldest.unwrap_or(range.first_ns).min(range.first_ns));
                    }
                });
            }
        }
        self.delivered_ns = delivered;
        (oldest.map(|sent| now.saturating_sub(sent)), bytes)
    }

    /// Counts duplicate ACKs by the definitions of RFC 5681 section 2 and of RFC 6675 section 2.
    fn count_duplicate(&mut self, segment: &Segment, ack: u64, newly_sacked: u64) {
        let quiet = segment.payload == 0
            && !segment.flags.has_any(Flags::SYN | Flags::FIN | Flags::RST)
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
    fn advance(&mut self, now: u64, ack: u64, least_ns: u64) -> AckEffect {
        let mut effect = AckEffect::default();
        let head = self.una;
        let mut missing = 0;
        while let Some(range) = self.sent.take_acknowledged(ack) {
            missing += self.miss(range.start, now);
            self.una = range.end;
            self.recent.push(range);
            let once = range.copies == 0 && !range.late;
            effect.retransmitted |= !once;
            effect.covers_data = true;
            if !range.sacked {
                self.delivered_ns = self.delivered_ns.max(sent_before(&range, now, least_ns));
            }
            if once && !range.sacked {
                effect.oldest_ns.get_or_insert(range.first_ns);
                effect.newest_ns = Some(range.first_ns);
                effect.covers_original |= range.start > head;
            }
        }
        let fin = u64::from(self.fin.is_some_and(|fin| fin == ack));
        missing += self.miss(ack - fin, now);
        // A SYN or FIN that the capture lacks takes one number.
        let missed = missing > 1 && self.counters.data_segments > 0;
        if missed {
            self.counters.capture_losses += self.segments(missing);
            self.counters.capture_lost_bytes += missing;
        }
        self.una = ack;
        self.next = self.next.max(ack);
        self.advanced_ns = now;
        if effect.covers_data || missed {
            self.counters.last_ack_ns = Some(now);
            self.counters.covering_acks += 1;
        }
        self.judge.forget_before(now.saturating_sub(60_000_000_000));
        effect
    }

    /// Bytes before `start` that were not seen when they were acknowledged.
    fn miss(&mut self, start: u64, acked_ns: u64) -> u64 {
        if start <= self.una {
            return 0;
        }
        if self.missing.len() == MAX_MISSING {
            self.missing.remove(0);
        }
        self.missing.push(Missing { start: self.una, end: start, acked_ns });
        start - self.una
    }

    /// The round-trip time of the handshake, which a sender's timer begins with.
    pub(in crate::tcp) fn on_handshake(&mut self, ns: u64) {
        self.timeout.add(ns);
        self.plain.add(ns);
    }

    fn set_window(&mut self, segment: &Segment) {
        let shift = if segment.flags.has(Flags::SYN) { 0 } else { self.shift };
        let window = u64::from(segment.window) << shift;
        if window == 0 && (self.window > 0 || self.counters.windows.is_empty()) {
            self.counters.zero_windows += 1;
        }
        self.counters.zero_window_acks += u64::from(window == 0);
        self.closed.advertised(segment.time_ns, window);
        self.window = window;
        self.raw_window = segment.window;
        self.counters.windows.advertised(window);
    }
}

/// When the copy of a range that an ACK at `now` covers was sent: the last one, unless that is less than
/// the least round trip ago (RFC 8985 section 6.2, step 2).
const fn sent_before(range: &Range, now: u64, least_ns: u64) -> u64 {
    if now.saturating_sub(range.last_ns) < least_ns { range.first_ns } else { range.last_ns }
}
