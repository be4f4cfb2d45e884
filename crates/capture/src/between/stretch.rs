//! Stretches of a stream of bytes, `start..end`.

use std::collections::BTreeMap;

/// A stretch of bytes.
pub(super) type Stretch = (u64, u64);

/// A set of bytes, as stretches that neither overlap nor touch.
#[derive(Debug, Default)]
pub(super) struct Stretches(BTreeMap<u64, u64>);

impl Stretches {
    /// Adds a stretch.
    pub(super) fn add(&mut self, (mut start, mut end): Stretch) {
        if start >= end {
            return;
        }
        while let Some((&from, &to)) = self.0.range(..=end).next_back()
            && to >= start
        {
            (start, end) = (start.min(from), end.max(to));
            self.0.remove(&from);
        }
        self.0.insert(start, end);
    }

    /// True if all of a stretch is there.
    pub(super) fn holds(&self, (start, end): Stretch) -> bool {
        self.0.range(..=start).next_back().is_some_and(|(_, &to)| to >= end)
    }
}

/// Takes from both lists what they have in common, and returns it.
pub(super) fn take_common(a: &mut Vec<Stretch>, b: &mut Vec<Stretch>) -> Vec<Stretch> {
    let mut common = Vec::new();
    for (start, end) in &*a {
        for (from, to) in &*b {
            let both = (*start.max(from), *end.min(to));
            if both.0 < both.1 {
                common.push(both);
            }
        }
    }
    for cut in &common {
        for list in [&mut *a, &mut *b] {
            *list = list.iter().flat_map(|part| without(*part, *cut)).collect();
        }
    }
    common
}

/// What is left of a stretch without another.
fn without((start, end): Stretch, (from, to): Stretch) -> impl Iterator<Item = Stretch> {
    let parts = [(start, end.min(from)), (start.max(to), end)];
    parts.into_iter().filter(|(a, b)| a < b)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn bytes(list: &[Stretch]) -> BTreeSet<u64> {
        list.iter().flat_map(|(start, end)| *start..*end).collect()
    }

    proptest! {
        /// Against sets of single bytes.
        #[test]
        fn as_sets(parts in proptest::collection::vec((0u64..40, 0u64..12), 0..12), cut in 0u64..40) {
            let list: Vec<Stretch> = parts.iter().map(|(start, n)| (*start, start + n)).collect();
            let mut set = Stretches::default();
            for part in &list {
                set.add(*part);
            }
            for start in 0..50 {
                let expected = (start..start + 5).all(|byte| bytes(&list).contains(&byte));
                prop_assert_eq!(set.holds((start, start + 5)), expected);
            }
            let mut disjoint: Vec<Stretch> = set.0.into_iter().collect();
            let before = bytes(&disjoint);
            let mut other = vec![(cut, cut + 7)];
            let common = bytes(&take_common(&mut disjoint, &mut other));
            let expected: BTreeSet<u64> = before.iter().copied().filter(|b| (cut..cut + 7).contains(b)).collect();
            prop_assert_eq!(&common, &expected);
            prop_assert_eq!(bytes(&disjoint), before.difference(&expected).copied().collect());
            prop_assert_eq!(bytes(&other).len() + common.len(), 7);
        }
    }
}
