//! The data of one direction that have been seen and not yet acknowledged: ranges in order, with holes
//! where nothing was seen.

use std::collections::VecDeque;

use crate::dissect::{Flags, Segment};

/// Most ranges of a direction; the oldest is forgotten when there are more.
const MAX_RANGES: usize = 1 << 16;

/// Most ranges of missing bytes that are kept.
pub(super) const MAX_MISSING: usize = 64;

/// Bytes that were acknowledged and not seen.
#[derive(Debug, Clone, Copy)]
pub(super) struct Missing {
    pub(super) start: u64,
    pub(super) end: u64,
    pub(super) acked_ns: u64,
}

/// The number after those of a segment whose payload begins at `start`.
pub(super) fn end_of(segment: &Segment, start: u64) -> u64 {
    start + u64::from(segment.payload) + u64::from(segment.flags.has(Flags::FIN))
}

/// A range of bytes that was seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Range {
    pub(super) start: u64,
    pub(super) end: u64,
    /// When its first copy was seen.
    pub(super) first_ns: u64,
    /// When its last copy was seen.
    pub(super) last_ns: u64,
    /// Timestamp, IP identification and time to live of the first copy.
    pub(super) stamp: Option<u32>,
    pub(super) ip_id: Option<u16>,
    pub(super) ttl: u8,
    /// IP identification of the last copy.
    pub(super) last_id: Option<u16>,
    /// True if the first copy seen is a retransmission.
    pub(super) late: bool,
    /// Copies after the first.
    pub(super) copies: u32,
    /// Selectively acknowledged.
    pub(super) sacked: bool,
}

/// Ranges in order of sequence numbers.
#[derive(Debug, Clone, Default)]
pub(super) struct Sent {
    ranges: VecDeque<Range>,
    sacked_bytes: u64,
    forgotten: u64,
}

impl Sent {
    pub(super) fn is_empty(&self) -> bool {
        self.ranges.is_empty()
    }

    pub(super) const fn sacked_bytes(&self) -> u64 {
        self.sacked_bytes
    }

    /// Ranges that were forgotten because there were too many.
    pub(super) const fn forgotten(&self) -> u64 {
        self.forgotten
    }

    pub(super) fn front(&self) -> Option<&Range> {
        self.ranges.front()
    }

    /// Adds a range after all others.
    pub(super) fn push(&mut self, range: Range) {
        debug_assert!(self.ranges.back().is_none_or(|last| last.end <= range.start));
        self.ranges.push_back(range);
        self.bound();
    }

    /// Takes the first range if it ends at or before `end`; a range across `end` is cut there.
    pub(super) fn take_acknowledged(&mut self, end: u64) -> Option<Range> {
        if self.ranges.front()?.start >= end {
            return None;
        }
        if self.ranges.front()?.end > end {
            self.split(end);
        }
        let range = self.ranges.pop_front()?;
        if range.sacked {
            self.sacked_bytes -= range.end - range.start;
        }
        Some(range)
    }

    /// Forgets everything from `at` on.
    pub(super) fn forget_from(&mut self, at: u64) {
        self.split(at);
        while self.ranges.back().is_some_and(|range| range.start >= at) {
            if let Some(range) = self.ranges.pop_back().filter(|range| range.sacked) {
                self.sacked_bytes -= range.end - range.start;
            }
        }
    }

    /// Bytes of `start..end` in these ranges.
    pub(super) fn seen(&self, start: u64, end: u64) -> u64 {
        let from = self.ranges.partition_point(|range| range.end <= start);
        let within = self.ranges.iter().skip(from).take_while(|range| range.start < end);
        within.map(|range| range.end.min(end) - range.start.max(start)).sum()
    }

    /// The range after `at`: the one that begins there or later, whose first copy was no retransmission.
    pub(super) fn original_after(&self, at: u64) -> Option<&Range> {
        let from = self.ranges.partition_point(|range| range.start < at);
        self.ranges.iter().skip(from).find(|range| !range.late)
    }

    /// The range that holds the byte `at`.
    pub(super) fn holding(&self, at: u64) -> Option<&Range> {
        let place = self.ranges.partition_point(|range| range.end <= at);
        self.ranges.get(place).filter(|range| range.start <= at)
    }

    /// Ranges that begin at `at` or later.
    pub(super) fn behind(&self, at: u64) -> usize {
        self.ranges.len() - self.ranges.partition_point(|range| range.start < at)
    }

    /// Counts a further copy of the seen parts of `start..end`.
    pub(super) fn copied(&mut self, start: u64, end: u64, now: u64, ip_id: Option<u16>) {
        self.split(start);
        self.split(end);
        let from = self.ranges.partition_point(|range| range.end <= start);
        for range in self.ranges.iter_mut().skip(from).take_while(|range| range.start < end) {
            range.copies += 1;
            range.last_ns = now;
            range.last_id = ip_id;
        }
    }

    /// Adds the unseen parts of a range among the others.
    pub(super) fn fill(&mut self, range: Range) {
        let mut at = range.start;
        while at < range.end {
            let place = self.ranges.partition_point(|known| known.end <= at);
            let next = self.ranges.get(place);
            if let Some(known) = next.filter(|known| known.start <= at) {
                at = known.end;
                continue;
            }
            let end = next.map_or(range.end, |known| known.start.min(range.end));
            self.ranges.insert(place, Range { start: at, end, ..range });
            at = end;
        }
        self.bound();
    }

    /// Marks `start..end` as selectively acknowledged, and passes each newly marked range to `each`.
    pub(super) fn sack(&mut self, start: u64, end: u64, mut each: impl FnMut(&Range)) -> u64 {
        let from = self.ranges.partition_point(|range| range.end <= start);
        let Some(first) = self.ranges.get(from) else { return 0 };
        if first.start >= end {
            return 0;
        }
        self.split(start);
        self.split(end);
        let mut bytes = 0;
        let from = self.ranges.partition_point(|range| range.end <= start);
        for range in self.ranges.iter_mut().skip(from).take_while(|range| range.start < end) {
            if !range.sacked {
                range.sacked = true;
                bytes += range.end - range.start;
                each(range);
            }
        }
        self.sacked_bytes += bytes;
        bytes
    }

    /// Cuts the range that holds `at` in its middle.
    fn split(&mut self, at: u64) {
        let place = self.ranges.partition_point(|range| range.end <= at);
        let Some(range) = self.ranges.get_mut(place) else { return };
        if range.start >= at {
            return;
        }
        let second = Range { start: at, ..*range };
        range.end = at;
        self.ranges.insert(place + 1, second);
    }

    fn bound(&mut self) {
        while self.ranges.len() > MAX_RANGES {
            if let Some(range) = self.ranges.pop_front()
                && range.sacked
            {
                self.sacked_bytes -= range.end - range.start;
            }
            self.forgotten += 1;
        }
    }
}

/// Acknowledged ranges that are kept to recognise copies of them.
const MAX_RECENT: usize = 128;

/// The ranges that were acknowledged last.
#[derive(Debug, Clone, Default)]
pub(super) struct Recent {
    ranges: VecDeque<Range>,
}

impl Recent {
    pub(super) fn push(&mut self, range: Range) {
        if self.ranges.len() == MAX_RECENT {
            self.ranges.pop_front();
        }
        self.ranges.push_back(range);
    }

    /// The range that holds the byte `at`.
    pub(super) fn holding(&self, at: u64) -> Option<&Range> {
        self.ranges.iter().rev().find(|range| range.start <= at && at < range.end)
    }

    /// Takes time and IP identification of a further copy of what begins at `start`.
    pub(super) fn copied(&mut self, start: u64, now: u64, ip_id: Option<u16>) {
        let mut ranges = self.ranges.iter_mut().rev();
        if let Some(range) = ranges.find(|range| range.start <= start && start < range.end) {
            range.last_ns = now;
            range.last_id = ip_id;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range(start: u64, end: u64) -> Range {
        Range {
            start,
            end,
            first_ns: start,
            last_ns: start,
            stamp: None,
            ip_id: None,
            ttl: 64,
            last_id: None,
            late: false,
            copies: 0,
            sacked: false,
        }
    }

    #[test]
    fn holes_fill_and_ranges_split() {
        let mut sent = Sent::default();
        sent.push(range(0, 10));
        sent.push(range(20, 30));
        assert_eq!(sent.seen(5, 25), 10);
        sent.fill(range(5, 25));
        assert_eq!(sent.seen(0, 30), 30);
        assert_eq!(sent.sack(12, 22, |_| ()), 10);
        assert_eq!(sent.sack(10, 24, |_| ()), 4);
        sent.copied(0, 4, 99, None);
        assert_eq!(sent.take_acknowledged(2).map(|r| (r.end, r.copies)), Some((2, 1)));
        assert_eq!(sent.take_acknowledged(2), None);
        let mut end = 2;
        while let Some(range) = sent.take_acknowledged(30) {
            assert_eq!(range.start, end);
            end = range.end;
        }
        assert_eq!((end, sent.sacked_bytes(), sent.is_empty()), (30, 0, true));
    }
}
