//! What is outstanding, and what is known about it: the scoreboard of RFC 6675.
//!
//! Segments are kept as they were sent, in order. `IsLost` and `pipe` are maintained
//! incrementally: if a sequence number is lost, so is every unSACKed one below it, so a single
//! edge divides the lost from the rest; and what is judged lost stays so, though runs of small
//! segments that merge may be fewer than DupThresh again. A SACK
//! block counts for the segments it covers whole; RFC 6675 counts octets, which is the same
//! for a receiver that SACKs what was sent. Offsets and sizes in bytes of sequence space.

mod rack;

pub(crate) use rack::Detected;
use rack::RackBoard;

use std::collections::VecDeque;

use airtcp_units::{Nanos, Span};

use super::rate::{RateSampler, Snapshot};
use crate::congestion::Lost;

/// A segment that was sent and is not cumulatively acknowledged.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SentSegment {
    /// Offset of its first byte.
    pub(crate) start: u64,
    /// When it was last sent.
    pub(crate) sent_at: Nanos,
    /// Delivery state of the connection then.
    pub(crate) rate: Snapshot,
    /// Sequence space it takes: payload, and one for FIN.
    pub(crate) len: u32,
    /// It carries the FIN.
    pub(crate) fin: bool,
    /// The receiver has reported it.
    pub(crate) sacked: bool,
    /// The receiver once reported it, even if that was forgotten: it counts as delivered.
    pub(crate) delivered: bool,
    /// `IsLost` is true, or a timeout made it so.
    pub(crate) lost: bool,
    /// Retransmitted in the present recovery (at or below `HighRxt`).
    pub(crate) repaired: bool,
    /// Ever retransmitted (Karn's algorithm).
    pub(crate) retransmitted: bool,
    /// Corrupted by a link that said so, and sent again for it: missing, but not lost.
    pub(crate) forgiven: bool,
    /// Retransmitted by an expiry of the timer (RFC 5681 section 3.1 holds the threshold then).
    pub(crate) by_timer: bool,
}

impl SentSegment {
    pub(crate) const fn new(start: u64, len: u32, fin: bool, at: Nanos, rate: Snapshot) -> Self {
        Self {
            start,
            sent_at: at,
            rate,
            len,
            fin,
            sacked: false,
            delivered: false,
            lost: false,
            repaired: false,
            retransmitted: false,
            forgiven: false,
            by_timer: false,
        }
    }

    pub(crate) const fn end(&self) -> u64 {
        self.start + self.len as u64
    }

    /// Payload bytes.
    pub(crate) const fn payload(&self) -> u32 {
        self.len - self.fin as u32
    }

    /// What the law is told when it is judged lost as the latest of `total` bytes.
    const fn as_lost(&self, total: u64) -> Lost {
        self.rate.lost(self.start, self.len as u64, total)
    }

    /// It is missing for a reason that is known and seen to.
    pub(crate) const fn is_forgiven(&self) -> bool {
        self.forgiven && !self.lost
    }

    /// What it adds to `pipe` (RFC 6675 SetPipe): once if not lost, once if retransmitted.
    const fn in_pipe(&self) -> u64 {
        if self.sacked {
            return 0;
        }
        (!self.lost as u64 + self.repaired as u64) * self.len as u64
    }
}

/// What a cumulative acknowledgement covered.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Acked {
    /// A segment that had been retransmitted was among them: no round-trip sample.
    pub(crate) retransmitted: bool,
    /// When the first of those neither retransmitted nor SACKed before was sent.
    pub(crate) oldest: Option<Nanos>,
    /// When the last of them was sent.
    pub(crate) newest: Option<Nanos>,
    /// When the last segment covered, whatever its history, was last sent.
    pub(crate) last: Option<Nanos>,
}

/// The scoreboard.
#[derive(Debug, Clone)]
pub(crate) struct Scoreboard {
    segments: VecDeque<SentSegment>,
    /// Number of the first segment in the queue; numbers count all segments ever sent.
    first: u64,
    pipe: u64,
    /// SACKed runs `start..end`, in order, neither overlapping nor touching.
    runs: VecDeque<(u64, u64)>,
    /// Bytes in the runs, and those of them below the edge.
    sacked: u64,
    sacked_below: u64,
    /// Number of the first segment not judged: neither lost nor SACKed in passing.
    edge: u64,
    /// Everything unSACKed below this offset was retransmitted in this recovery.
    high_rxt: u64,
    /// Bytes ever judged lost.
    lost_total: u64,
    /// Segments judged lost of which the law has not been told.
    losses: Vec<Lost>,
    dup_thresh: u32,
    mss: u32,
    /// See [`watch`](Self::watch).
    watch_end: u64,
    watched: bool,
    /// RACK's part, if it detects the losses.
    rack: Option<Box<RackBoard>>,
}

impl Scoreboard {
    pub(crate) const fn new(dup_thresh: u32, mss: u32) -> Self {
        Self {
            segments: VecDeque::new(),
            first: 0,
            pipe: 0,
            runs: VecDeque::new(),
            sacked: 0,
            sacked_below: 0,
            edge: 0,
            high_rxt: 0,
            lost_total: 0,
            losses: Vec::new(),
            dup_thresh,
            mss,
            watch_end: 0,
            watched: false,
            rack: None,
        }
    }

    /// RFC 6675 `pipe`.
    pub(crate) const fn pipe(&self) -> u64 {
        self.pipe
    }

    /// Bytes ever judged lost.
    pub(crate) const fn lost_total(&self) -> u64 {
        self.lost_total
    }

    /// Whether there are losses of which the law has not been told.
    #[inline]
    pub(crate) const fn has_losses(&self) -> bool {
        !self.losses.is_empty()
    }

    /// Hands them over, in the order in which they were judged.
    pub(crate) fn drain_losses(&mut self) -> std::vec::Drain<'_, Lost> {
        self.losses.drain(..)
    }

    /// Bytes the receiver has reported.
    pub(crate) const fn sacked(&self) -> u64 {
        self.sacked
    }

    /// Segments outstanding.
    pub(crate) fn len(&self) -> usize {
        self.segments.len()
    }

    /// How many of them the receiver has reported.
    pub(crate) fn sacked_segments(&self) -> u64 {
        self.segments.iter().filter(|s| s.sacked).count() as u64
    }

    pub(crate) fn front(&self) -> Option<&SentSegment> {
        self.segments.front()
    }

    /// End of the highest SACKed run.
    pub(crate) fn highest_sacked(&self) -> Option<u64> {
        self.runs.back().map(|r| r.1)
    }

    /// Notes a segment sent for the first time; it follows the last one.
    pub(crate) fn push(&mut self, segment: SentSegment) {
        self.pipe += segment.in_pipe();
        self.segments.push_back(segment);
        if let Some(rack) = &mut self.rack {
            rack.on_push();
        }
    }

    /// True if the first outstanding segment is lost: RFC 6675 `IsLost(HighACK + 1)`.
    pub(crate) fn is_first_lost(&self) -> bool {
        self.front().is_some_and(|s| s.lost && !s.sacked)
    }

    /// Position of the first segment that starts at or after `offset`.
    fn position(&self, offset: u64) -> usize {
        self.segments.partition_point(|s| s.start < offset)
    }

    /// Takes the cumulative acknowledgement of everything below `ack`.
    #[inline]
    pub(crate) fn ack(&mut self, ack: u64, now: Nanos, rate: &mut RateSampler) -> Acked {
        let mut acked = Acked::default();
        while let Some(front) = self.segments.front_mut() {
            if front.start >= ack {
                break;
            }
            let whole = front.end() <= ack;
            let covered = if whole { front.len } else { (ack - front.start) as u32 };
            if front.sacked {
                self.sacked -= u64::from(covered);
                if self.first < self.edge {
                    self.sacked_below -= u64::from(covered);
                }
            } else {
                acked.retransmitted |= front.retransmitted;
                if !front.delivered {
                    rate.on_delivered(now, u64::from(covered), front.sent_at, front.rate);
                }
                if !front.retransmitted && !front.delivered {
                    if front.end() <= self.watch_end {
                        self.watched = true;
                    }
                    acked.oldest = acked.oldest.or(Some(front.sent_at));
                    acked.newest = Some(front.sent_at);
                }
            }
            acked.last = Some(front.sent_at);
            self.pipe -= front.in_pipe();
            if whole {
                if let Some(rack) = &mut self.rack {
                    rack.on_acked(now, front);
                }
                self.segments.pop_front();
                self.first += 1;
            } else {
                front.start = ack;
                front.len -= covered;
                self.pipe += front.in_pipe();
            }
        }
        while let Some(run) = self.runs.front_mut() {
            if run.1 > ack {
                run.0 = run.0.max(ack);
                break;
            }
            self.runs.pop_front();
        }
        self.high_rxt = self.high_rxt.max(ack);
        if self.edge < self.first {
            self.edge = self.first;
            if !self.runs.is_empty() {
                self.judge();
            }
        }
        acked
    }

    /// Takes a SACK block. Returns whether it brought news, and when the last segment of the
    /// news was sent if none of it had been retransmitted.
    pub(crate) fn sack(
        &mut self,
        start: u64,
        end: u64,
        now: Nanos,
        rate: &mut RateSampler,
    ) -> (bool, Option<Nanos>) {
        let known = self.runs.partition_point(|r| r.1 < end);
        if self.runs.get(known).is_some_and(|r| r.0 <= start) {
            return (false, None);
        }
        let (from, to) = (self.position(start), self.segments.partition_point(|s| s.end() <= end));
        if from >= to {
            return (false, None);
        }
        let (mut news, mut newest) = (false, None);
        let mut at = from;
        while at < to {
            let segment = &mut self.segments[at];
            if segment.sacked {
                at = self.after_run(at);
                continue;
            }
            news = true;
            if let Some(rack) = &mut self.rack {
                rack.on_sacked(now, self.first + at as u64, segment);
            }
            self.pipe -= segment.in_pipe();
            segment.sacked = true;
            self.sacked += u64::from(segment.len);
            if self.first + (at as u64) < self.edge {
                self.sacked_below += u64::from(segment.len);
            }
            if !segment.delivered {
                segment.delivered = true;
                rate.on_delivered(now, u64::from(segment.len), segment.sent_at, segment.rate);
                if !segment.retransmitted {
                    if segment.end() <= self.watch_end {
                        self.watched = true;
                    }
                    newest = newest.max(Some(segment.sent_at));
                }
            }
            at += 1;
        }
        if news {
            let run = (self.segments[from].start, self.segments[to - 1].end());
            self.insert_run(run);
            self.judge();
        }
        (news, newest)
    }

    /// Position behind the SACKed run to which the segment at `at` belongs.
    fn after_run(&self, at: usize) -> usize {
        let start = self.segments.get(at).map_or(0, |s| s.start);
        let run = self.runs.partition_point(|r| r.1 <= start);
        self.runs.get(run).map_or(at + 1, |r| self.position(r.1)).max(at + 1)
    }

    /// Merges a run into the list.
    fn insert_run(&mut self, (mut start, mut end): (u64, u64)) {
        let from = self.runs.partition_point(|r| r.1 < start);
        let to = self.runs.partition_point(|r| r.0 <= end);
        if from < to {
            start = start.min(self.runs[from].0);
            end = end.max(self.runs[to - 1].1);
            self.runs[from] = (start, end);
            self.runs.drain(from + 1..to);
        } else {
            self.runs.insert(from, (start, end));
        }
    }

    /// Moves the edge over everything that `IsLost` (RFC 6675 section 4) now says is lost.
    fn judge(&mut self) {
        let limit = u64::from(self.dup_thresh - 1) * u64::from(self.mss);
        let mut run = None;
        while let Some(segment) = self.segments.get_mut((self.edge - self.first) as usize) {
            let start = segment.start;
            let runs = &self.runs;
            let above = *run.get_or_insert_with(|| runs.partition_point(|r| r.1 <= start));
            if segment.sacked {
                self.sacked_below += u64::from(segment.len);
                if runs.get(above).is_some_and(|r| r.1 <= segment.end()) {
                    run = Some(above + 1);
                }
            } else {
                let discontiguous = runs.len() - above >= self.dup_thresh as usize;
                if !discontiguous && self.sacked - self.sacked_below <= limit {
                    return;
                }
                if !segment.lost && !segment.forgiven {
                    self.pipe -= segment.in_pipe();
                    segment.lost = true;
                    self.pipe += segment.in_pipe();
                    self.lost_total += u64::from(segment.len);
                    self.losses.push(segment.as_lost(self.lost_total));
                }
            }
            self.edge += 1;
        }
    }

    /// A recovery begins or ends: nothing counts as retransmitted in it.
    pub(crate) fn restart_repairs(&mut self) {
        if self.has_rack() {
            // Whether a segment was sent again since it was lost has nothing to do with episodes.
            return;
        }
        let to = self.position(self.high_rxt);
        for segment in self.segments.range_mut(..to) {
            self.pipe -= segment.in_pipe();
            segment.repaired = false;
            self.pipe += segment.in_pipe();
        }
        self.high_rxt = self.front().map_or(0, |s| s.start);
    }

    /// Forgets what the receiver has reported.
    pub(crate) fn forget_sacks(&mut self) {
        if self.runs.is_empty() {
            return;
        }
        self.runs.clear();
        (self.sacked, self.sacked_below) = (0, 0);
        for segment in &mut self.segments {
            if segment.sacked {
                segment.sacked = false;
                self.pipe += segment.in_pipe();
            }
        }
        self.edge = self.first;
    }

    /// Position of the segment to be sent again next when everything is sent again in order,
    /// reported or not, and the offset where it starts.
    pub(crate) fn next_in_order(&self) -> Option<(usize, u64)> {
        let at = self.position(self.high_rxt);
        self.segments.get(at).filter(|s| s.lost).map(|s| (at, s.start))
    }

    /// A timeout: everything the receiver has not reported is lost. SACK information goes too
    /// unless `keep`, or if the receiver has reneged (the first segment it lacks was SACKed,
    /// RFC 2018 section 8). RACK gives up the first segment, and what its reordering `window` does
    /// not cover. Returns whether SACK information was kept.
    pub(crate) fn time_out(&mut self, now: Nanos, keep: bool, window: Span) -> bool {
        let keep = keep && !self.front().is_some_and(|s| s.sacked);
        if keep && self.has_rack() {
            self.rack_lose_on_timeout(now, window);
            return true;
        }
        self.lose_all(keep);
        keep
    }

    /// All but what is reported, if that is kept, is lost.
    pub(crate) fn lose_all(&mut self, keep: bool) {
        if !keep {
            self.runs.clear();
            self.sacked = 0;
            for segment in &mut self.segments {
                segment.sacked = false;
            }
        }
        for segment in &mut self.segments {
            (segment.repaired, segment.forgiven) = (false, false);
            if !segment.lost && !segment.sacked {
                segment.lost = true;
                self.lost_total += u64::from(segment.len);
                self.losses.push(segment.as_lost(self.lost_total));
            }
        }
        self.pipe = 0;
        self.sacked_below = self.sacked;
        self.edge = self.first + self.segments.len() as u64;
        self.high_rxt = self.front().map_or(0, |s| s.start);
        self.rack_rebuild();
    }

    /// Nothing was lost after all: everything unSACKed is outstanding once, and `IsLost` is asked
    /// anew.
    pub(crate) fn revive(&mut self) {
        self.pipe = 0;
        for segment in &mut self.segments {
            (segment.lost, segment.repaired, segment.by_timer) = (false, false, false);
            self.pipe += segment.in_pipe();
        }
        self.edge = self.first;
        self.sacked_below = 0;
        self.high_rxt = self.front().map_or(0, |s| s.start);
        self.rack_rebuild();
        if !self.runs.is_empty() {
            self.judge();
        }
    }

    /// Looks out for the first news of segments below `end` that were never retransmitted; 0 for
    /// none.
    pub(crate) const fn watch(&mut self, end: u64) {
        (self.watch_end, self.watched) = (end, false);
    }

    /// Whether it came.
    pub(crate) const fn watched(&self) -> bool {
        self.watched
    }

    /// Position of the first lost segment not yet retransmitted in this recovery:
    /// RFC 6675 NextSeg rule 1.
    pub(crate) fn next_lost(&self) -> Option<usize> {
        self.next_hole().filter(|&at| self.segments[at].lost)
    }

    /// Position of the first unSACKed segment above `HighRxt` and below the highest SACKed
    /// octet, lost or not: rule 3. Lost ones may lie above it.
    pub(crate) fn next_hole(&self) -> Option<usize> {
        let mut at = self.position(self.high_rxt);
        while let Some(segment) = self.segments.get(at) {
            if !segment.sacked {
                if segment.is_forgiven() {
                    at += 1;
                    continue;
                }
                return Some(at);
            }
            at = self.after_run(at);
        }
        None
    }

    /// Position of the last unSACKed segment: rule 4.
    pub(crate) fn last_hole(&self) -> Option<usize> {
        self.segments.iter().rposition(|s| !s.sacked && !s.is_forgiven())
    }

    pub(crate) fn get(&self, at: usize) -> Option<&SentSegment> {
        self.segments.get(at)
    }

    /// Position of the segment that holds `offset`, if its latest copy counts as in the network
    /// and was sent by `started`.
    pub(crate) fn in_flight_since(&self, offset: u64, started: Nanos) -> Option<usize> {
        let at = self.segments.partition_point(|s| s.end() <= offset);
        let segment = self.segments.get(at)?;
        let holds = segment.start <= offset && segment.sent_at <= started;
        (holds && segment.in_pipe() > 0).then_some(at)
    }

    /// The segment at `at` was corrupted: what follows from its absence is no loss.
    pub(crate) fn forgive(&mut self, at: usize) {
        if let Some(segment) = self.segments.get_mut(at) {
            segment.forgiven = true;
        }
    }

    /// Notes that the segment at `at` is sent again. `repair` counts it in `pipe` and moves
    /// `HighRxt` behind it.
    pub(crate) fn retransmit(
        &mut self,
        at: usize,
        now: Nanos,
        rate: Snapshot,
        repair: bool,
        by_timer: bool,
    ) {
        let Some(segment) = self.segments.get_mut(at) else { return };
        let was_due = segment.is_due();
        self.pipe -= segment.in_pipe();
        segment.sent_at = now;
        segment.rate = rate;
        segment.retransmitted = true;
        segment.by_timer |= by_timer;
        segment.repaired |= repair;
        self.pipe += segment.in_pipe();
        if repair {
            self.high_rxt = self.high_rxt.max(segment.end());
        }
        self.rack_on_retransmit(at, was_due);
    }
}

#[cfg(test)]
mod tests;
