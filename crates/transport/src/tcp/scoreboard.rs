//! The scoreboard of RFC 6675: the outstanding segments and what is known about them.
//!
//! Segments are kept as they were sent, in order. `IsLost` and `pipe` are maintained incrementally.
//! If a sequence number is lost, every unSACKed number below it is lost too, so a single edge
//! separates the lost from the rest. A segment judged lost stays lost, even if merging runs of
//! small segments reduce their number below DupThresh. A SACK block counts for the segments that it
//! covers completely. RFC 6675 counts octets, which is the same for a receiver that SACKs whole
//! segments. Offsets and sizes in bytes of sequence space.

mod episode;
mod fresh;
mod gaps;
mod rack;
mod sacks;
mod segment;
mod send_order;

pub(crate) use rack::Detected;
pub(crate) use sacks::joined;
pub(crate) use segment::SentSegment;
use send_order::RackBoard;

use std::collections::VecDeque;

use airtcp_units::{Nanos, Narrow};

use super::rate::{RateSampler, Snapshot};
use airtcp_congestion::Lost;

/// Segments covered by a cumulative acknowledgement.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Acked {
    /// True if one of them had been retransmitted: no round-trip sample.
    pub(crate) retransmitted: bool,
    /// Departure of the first segment that was neither retransmitted nor SACKed before.
    pub(crate) oldest: Option<Nanos>,
    /// Departure of the last such segment.
    pub(crate) newest: Option<Nanos>,
    /// Last departure of the last segment covered, with any history.
    pub(crate) last: Option<Nanos>,
}

#[derive(Debug, Clone)]
pub(crate) struct Scoreboard {
    segments: VecDeque<SentSegment>,
    /// Number of the first segment in the queue; numbers count all segments ever sent.
    first: u64,
    pipe: u64,
    /// SACKed runs `start..end`, in order, neither overlapping nor touching.
    runs: VecDeque<(u64, u64)>,
    /// Bytes in the runs, and the part of them below the edge.
    sacked: u64,
    sacked_below: u64,
    /// Number of the first segment above the edge.
    edge: u64,
    /// Everything unSACKed below this offset was retransmitted in this recovery.
    high_rxt: u64,
    /// Bytes judged lost in total.
    lost_total: u64,
    losses: Vec<Lost>,
    dup_thresh: u32,
    mss: u32,
    /// See [`watch`](Self::watch).
    watch_end: u64,
    watched: bool,
    /// No segment that begins here or later was retransmitted, SACKed, judged lost or reported corrupted.
    fresh_from: u64,
    /// RACK's part; `None` unless RACK detects the losses.
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
            fresh_from: 0,
            rack: None,
        }
    }

    /// RFC 6675 `pipe`.
    pub(crate) const fn pipe(&self) -> u64 {
        self.pipe
    }

    /// Bytes judged lost in total.
    pub(crate) const fn lost_total(&self) -> u64 {
        self.lost_total
    }

    /// Whether there are losses not yet reported to the law.
    #[inline]
    pub(crate) const fn has_losses(&self) -> bool {
        !self.losses.is_empty()
    }

    /// Returns and removes these losses, in the order of detection.
    pub(crate) fn drain_losses(&mut self) -> std::vec::Drain<'_, Lost> {
        self.losses.drain(..)
    }

    /// Returns and removes these losses, each with its last departure.
    pub(crate) fn take_losses(&mut self) -> Vec<(Lost, Option<Nanos>)> {
        let losses = std::mem::take(&mut self.losses);
        losses.into_iter().map(|lost| (lost, self.sent_at(lost.start))).collect()
    }

    /// Last departure of the segment that starts at `offset`.
    fn sent_at(&self, offset: u64) -> Option<Nanos> {
        let segment = self.segments.get(self.position(offset))?;
        (segment.start == offset).then_some(segment.sent_at)
    }

    pub(crate) const fn sacked(&self) -> u64 {
        self.sacked
    }

    /// Number of outstanding segments.
    pub(crate) fn len(&self) -> usize {
        self.segments.len()
    }

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

    /// Adds a segment sent for the first time, after the last one.
    #[inline]
    pub(crate) fn push(&mut self, segment: SentSegment) {
        self.pipe += segment.in_pipe();
        if segment.retransmitted {
            self.fresh_from = segment.end();
        }
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
            let covered = if whole { front.len } else { u32::narrow(ack - front.start) };
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

    /// Position and start of the next segment when all segments are retransmitted in order, SACKed
    /// or not.
    pub(crate) fn next_in_order(&self) -> Option<(usize, u64)> {
        let at = self.position(self.high_rxt);
        self.segments.get(at).filter(|s| s.lost).map(|s| (at, s.start))
    }

    /// Position of the first lost segment not yet retransmitted in this recovery:
    /// RFC 6675 NextSeg rule 1.
    pub(crate) fn next_lost(&self) -> Option<usize> {
        self.next_hole().filter(|&at| self.segments[at].lost)
    }

    /// Position of the first unSACKed segment above `HighRxt` and below the highest SACKed octet:
    /// rule 3. It may be lost or not, and lost segments may lie above it.
    pub(crate) fn next_hole(&self) -> Option<usize> {
        let mut at = self.position(self.high_rxt);
        while let Some(segment) = self.segments.get(at) {
            if !segment.sacked {
                if segment.is_corrupted() {
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
        self.segments.iter().rposition(|s| !s.sacked && !s.is_corrupted())
    }

    pub(crate) fn get(&self, at: usize) -> Option<&SentSegment> {
        self.segments.get(at)
    }

    /// Position of the segment that holds `offset`, if its latest copy counts as in the network and
    /// left by `started`.
    pub(crate) fn in_flight_since(&self, offset: u64, started: Nanos) -> Option<usize> {
        let at = self.segments.partition_point(|s| s.end() <= offset);
        let segment = self.segments.get(at)?;
        let holds = segment.start <= offset && segment.sent_at <= started;
        (holds && segment.in_pipe() > 0).then_some(at)
    }

    /// The segment at `at` was corrupted: its absence is not a loss.
    pub(crate) fn mark_corrupted(&mut self, at: usize) {
        if let Some(segment) = self.segments.get_mut(at) {
            segment.corrupted = true;
        }
        self.note_history();
    }

    /// The segment at `at` is retransmitted. With `repair` it counts in `pipe` and moves `HighRxt`
    /// past itself.
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
        self.note_history();
    }
}

#[cfg(test)]
mod tests;
