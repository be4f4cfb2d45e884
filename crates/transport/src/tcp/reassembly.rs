//! Data received out of order: disjoint ranges, and the SACK blocks that report them.
//!
//! RFC 2018 section 4: the first block holds the segment that triggered the ACK, the rest
//! repeat the most recently reported ones. Offsets in bytes from the peer's ISN.

use std::collections::VecDeque;

/// Maximum number of ranges. A segment that would begin another is dropped, which RFC 2018 allows
/// for unacknowledged data. This bounds the memory that a hostile peer can occupy.
const MAX_RANGES: usize = 1 << 14;

/// Number of recent ranges: more than fit into one ACK, since some merge.
const RECENT: usize = 8;

/// Data beyond the next expected byte.
#[derive(Debug, Clone, Default)]
pub(crate) struct Reassembly {
    /// `start..end`, in order, neither overlapping nor touching.
    ranges: VecDeque<(u64, u64)>,
    /// One offset in each recently touched range, newest first.
    recent: VecDeque<u64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Inserted {
    /// All or part of the range was new; the part that was already there, if any.
    New(Option<(u64, u64)>),
    /// The whole range was already there.
    Duplicate,
    /// There was no room for another range.
    Refused,
}

impl Reassembly {
    pub(crate) fn is_empty(&self) -> bool {
        self.ranges.is_empty()
    }

    /// Inserts `start..end`, which is not empty.
    pub(crate) fn insert(&mut self, start: u64, end: u64) -> Inserted {
        // Ranges that touch start..end are from..to.
        let from = self.ranges.partition_point(|r| r.1 < start);
        let to = self.ranges.partition_point(|r| r.0 <= end);
        let mut overlap = None;
        if from == to {
            if self.ranges.len() >= MAX_RANGES {
                return Inserted::Refused;
            }
            self.ranges.insert(from, (start, end));
        } else {
            for r in self.ranges.range(from..to) {
                let common = (r.0.max(start), r.1.min(end));
                if common.0 < common.1 {
                    overlap = overlap.or(Some(common));
                }
            }
            let merged = (start.min(self.ranges[from].0), end.max(self.ranges[to - 1].1));
            let duplicate = overlap == Some((start, end));
            self.ranges[from] = merged;
            self.ranges.drain(from + 1..to);
            if duplicate {
                self.touch(start);
                return Inserted::Duplicate;
            }
        }
        self.touch(start);
        Inserted::New(overlap)
    }

    fn touch(&mut self, offset: u64) {
        let range = self.containing(offset);
        self.recent.retain(|&o| range.is_none_or(|r| !(r.0..r.1).contains(&o)));
        self.recent.push_front(offset);
        self.recent.truncate(RECENT);
    }

    /// Offset after the last byte that waits.
    pub(crate) fn end(&self) -> Option<u64> {
        self.ranges.back().map(|range| range.1)
    }

    /// The range that holds `offset`.
    pub(crate) fn containing(&self, offset: u64) -> Option<(u64, u64)> {
        let at = self.ranges.partition_point(|r| r.1 <= offset);
        self.ranges.get(at).copied().filter(|r| r.0 <= offset)
    }

    /// Everything below `next` has arrived in order: takes the ranges that continue it and
    /// returns the new next expected offset.
    pub(crate) fn advance(&mut self, mut next: u64) -> u64 {
        while let Some(&(start, end)) = self.ranges.front() {
            if start > next {
                break;
            }
            next = next.max(end);
            self.ranges.pop_front();
        }
        if self.ranges.is_empty() {
            self.recent.clear();
        } else {
            self.recent.retain(|&o| o >= next);
        }
        next
    }

    /// The ranges to report, most recent first, at most `room` of them.
    pub(crate) fn blocks(&self, room: usize) -> impl Iterator<Item = (u64, u64)> + '_ {
        let recent = self.recent.iter().filter_map(|&o| self.containing(o));
        // After merges, fewer recent ranges may be left than fit. The lowest other ranges fill the
        // room, since the sender needs them first.
        let others = self
            .ranges
            .iter()
            .copied()
            .filter(|r| !self.recent.iter().any(|o| (r.0..r.1).contains(o)));
        recent.chain(others).take(room)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn blocks(r: &Reassembly) -> Vec<(u64, u64)> {
        r.blocks(4).collect()
    }

    #[test]
    fn most_recent_first() {
        let mut r = Reassembly::default();
        for start in [10, 20, 30, 40, 50] {
            assert_eq!(r.insert(start, start + 5), Inserted::New(None));
        }
        assert_eq!(blocks(&r), [(50, 55), (40, 45), (30, 35), (20, 25)]);
        // RFC 2018: the block with the newest segment is extended and comes first.
        r.insert(35, 40);
        assert_eq!(blocks(&r), [(30, 45), (50, 55), (20, 25), (10, 15)]);
        assert_eq!(r.insert(22, 24), Inserted::Duplicate);
        assert_eq!(r.insert(24, 27), Inserted::New(Some((24, 25))));
        assert_eq!(r.advance(10), 15);
        assert_eq!(blocks(&r), [(20, 27), (30, 45), (50, 55)]);
        assert_eq!(r.advance(60), 60);
        assert!(r.is_empty() && blocks(&r).is_empty());
    }

    #[test]
    fn crumbs_are_bounded() {
        let mut r = Reassembly::default();
        for i in 0..MAX_RANGES as u64 {
            assert_eq!(r.insert(2 * i + 1, 2 * i + 2), Inserted::New(None));
        }
        assert_eq!(r.insert(1_000_001, 1_000_002), Inserted::Refused);
        assert_eq!(r.insert(2, 3), Inserted::New(None), "a range that merges needs no room");
    }

    proptest! {
        /// Compares the ranges with one flag per byte.
        #[test]
        fn agrees_with_a_bitmap(steps in prop::collection::vec((0u64..120, 1u64..15, prop::bool::weighted(0.2)), 1..60)) {
            let (mut r, mut have, mut next) = (Reassembly::default(), vec![false; 2000], 0u64);
            for (start, len, advance) in steps {
                let start = start.max(next + 1);
                let end = start + len;
                let all = have[start as usize..end as usize].iter().all(|b| *b);
                prop_assert_eq!(r.insert(start, end) == Inserted::Duplicate, all);
                have[start as usize..end as usize].fill(true);
                // The first block holds the latest arrival.
                let first = r.blocks(1).next().unwrap();
                prop_assert!(first.0 <= start && end <= first.1);
                if advance {
                    // The next byte expected arrives.
                    have[next as usize] = true;
                    let arrived = next + 1;
                    while have[next as usize] {
                        next += 1;
                    }
                    prop_assert_eq!(r.advance(arrived), next);
                }
                let mut reported = vec![false; 2000];
                for (s, e) in r.blocks(usize::MAX) {
                    prop_assert!(!reported[s as usize..e as usize].iter().any(|b| *b));
                    reported[s as usize..e as usize].fill(true);
                }
                prop_assert_eq!(&reported[next as usize..], &have[next as usize..]);
            }
        }
    }
}
