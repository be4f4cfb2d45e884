//! Ranges of a stream's offsets, `start..end`: disjoint, in order, of bounded number.

use std::collections::BTreeMap;

/// Most ranges of a set. Beyond it, a new range is left out.
const MOST: usize = 4096;

/// A set of offsets, as ranges that neither overlap nor touch.
#[derive(Debug, Default)]
pub(super) struct Ranges(BTreeMap<u64, u64>);

impl Ranges {
    /// Adds `start..end`, and merges it with what it touches.
    pub(super) fn insert(&mut self, mut start: u64, mut end: u64) {
        if start >= end {
            return;
        }
        while let Some((&from, &to)) = self.0.range(..=end).next_back()
            && to >= start
        {
            (start, end) = (start.min(from), end.max(to));
            self.0.remove(&from);
        }
        if self.0.len() < MOST {
            self.0.insert(start, end);
        }
    }

    /// Removes `start..end`, and returns whether any of it was there.
    pub(super) fn remove(&mut self, start: u64, end: u64) -> bool {
        // An empty range would cut one in two that touch, which are one again, for ever.
        if start >= end {
            return false;
        }
        let mut any = false;
        while let Some((&from, &to)) = self.0.range(..end).next_back()
            && to > start
        {
            any = true;
            self.0.remove(&from);
            self.insert(end, to);
            self.insert(from, start.min(to));
        }
        any
    }

    /// Removes everything below `edge`.
    pub(super) fn drop_below(&mut self, edge: u64) {
        while let Some(first) = self.0.first_entry()
            && *first.key() < edge
        {
            let end = first.remove();
            self.insert(edge, end);
        }
    }

    /// One past the last of the offsets from `at` that are all there; `at` if the first is not.
    pub(super) fn reach(&self, at: u64) -> u64 {
        self.0.range(..=at).next_back().map_or(at, |(_, &end)| end.max(at))
    }

    /// The first offset of the set at or beyond `at`.
    pub(super) fn next_from(&self, at: u64) -> Option<u64> {
        if self.reach(at) > at {
            Some(at)
        } else {
            self.0.range(at..).next().map(|(&start, _)| start)
        }
    }

    /// True if all of `start..end` is there.
    pub(super) fn covers(&self, start: u64, end: u64) -> bool {
        self.reach(start) >= end
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Removes and returns all ranges.
    pub(super) fn take(&mut self) -> impl Iterator<Item = (u64, u64)> + use<> {
        std::mem::take(&mut self.0).into_iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        /// Against a set of single offsets.
        #[test]
        fn ranges_are_a_set(steps in prop::collection::vec((0u8..3, 0u64..60, 0u64..20), 0..60)) {
            let (mut ranges, mut set) = (Ranges::default(), BTreeSet::new());
            for (kind, start, len) in steps {
                let end = start + len;
                match kind {
                    0 => {
                        ranges.insert(start, end);
                        set.extend(start..end);
                    }
                    1 => {
                        let any = (start..end).any(|at| set.contains(&at));
                        prop_assert_eq!(ranges.remove(start, end), any);
                        set.retain(|at| !(start..end).contains(at));
                    }
                    _ => {
                        ranges.drop_below(start);
                        set.retain(|at| *at >= start);
                    }
                }
                for at in 0..90 {
                    let reach = (at..=at + 90).find(|at| !set.contains(at)).unwrap_or(at);
                    prop_assert_eq!(ranges.reach(at), reach);
                    prop_assert_eq!(ranges.next_from(at), set.range(at..).next().copied());
                }
                let held: Vec<_> = ranges.0.iter().collect();
                prop_assert!(held.windows(2).all(|w| w[0].1 < w[1].0), "{:?}", held);
            }
        }
    }

    #[test]
    fn nothing_removed_is_nothing_changed() {
        let mut ranges = Ranges::default();
        ranges.insert(10, 20);
        assert!(!ranges.remove(15, 15));
        assert!(ranges.covers(10, 20));
    }

    #[test]
    fn the_number_is_bounded() {
        let mut ranges = Ranges::default();
        for i in 0..100_000 {
            ranges.insert(2 * i, 2 * i + 1);
        }
        assert_eq!(ranges.0.len(), MOST);
    }
}
