//! SACK blocks: they mark segments as arrived, and by `IsLost` (RFC 6675 section 4) others as lost.

use airtcp_units::{Nanos, Narrow};

use super::Scoreboard;
use crate::tcp::rate::RateSampler;

/// The interval that covers two.
pub(crate) fn joined(
    one: Option<(Nanos, Nanos)>,
    other: Option<(Nanos, Nanos)>,
) -> Option<(Nanos, Nanos)> {
    match (one, other) {
        (Some(a), Some(b)) => Some((a.0.min(b.0), a.1.max(b.1))),
        (a, b) => a.or(b),
    }
}

impl Scoreboard {
    /// Takes a SACK block. Returns whether it SACKed anything new, and the first and last departure of the newly SACKed
    /// segments that had not been retransmitted.
    pub(crate) fn sack(
        &mut self,
        start: u64,
        end: u64,
        now: Nanos,
        rate: &mut RateSampler,
    ) -> (bool, Option<(Nanos, Nanos)>) {
        let known = self.runs.partition_point(|r| r.1 < end);
        if self.runs.get(known).is_some_and(|r| r.0 <= start) {
            return (false, None);
        }
        let (from, to) = (self.position(start), self.segments.partition_point(|s| s.end() <= end));
        if from >= to {
            return (false, None);
        }
        let (mut new_sack, mut sent) = (false, None);
        let mut at = from;
        while at < to {
            let segment = &mut self.segments[at];
            if segment.sacked {
                at = self.after_run(at);
                continue;
            }
            new_sack = true;
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
                    sent = joined(sent, Some((segment.sent_at, segment.sent_at)));
                }
            }
            at += 1;
        }
        if new_sack {
            self.note_history();
            let run = (self.segments[from].start, self.segments[to - 1].end());
            self.insert_run(run);
            self.judge();
        }
        (new_sack, sent)
    }

    /// Position after the SACKed run that contains the segment at `at`.
    pub(super) fn after_run(&self, at: usize) -> usize {
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

    /// Moves the edge over everything that `IsLost` (RFC 6675 section 4) now marks lost.
    pub(super) fn judge(&mut self) {
        let limit = u64::from(self.dup_thresh - 1) * u64::from(self.mss);
        let mut run = None;
        while let Some(segment) = self.segments.get_mut(usize::narrow(self.edge - self.first)) {
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
                if !segment.lost && !segment.corrupted {
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
}
