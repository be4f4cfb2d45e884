//! Loss markers among arrivals: a 0 or another number that means a lost packet.
//!
//! A table with a delay of 0, or with one value in many rows and far from all others, is refused as
//! ambiguous.

use std::collections::BTreeMap;

/// Number of distinct values from which on only new extremes are added.
const VALUES: usize = 4096;
/// A column with fewer distinct values holds no measurements, so no marker is looked for.
const MIN_DISTINCT: usize = 10;

/// A delay of 0 is suspect if the next larger delay exceeds the mean divided by this.
const NEAR_DIVISOR: i128 = 20;

/// Counts of each value of a column of arrivals, in billionths.
#[derive(Debug, Default)]
pub(super) struct Markers {
    counts: BTreeMap<i128, u64>,
    /// The median, set when there are too many distinct values: those next to it are removed first.
    median: Option<i128>,
    /// The last value.
    last: Option<i128>,
    /// True if any value was below the one before it. Delays can fall, receive times only rise.
    has_fallen: bool,
}

impl Markers {
    pub(super) fn add(&mut self, value: i128) {
        self.has_fallen |= self.last.replace(value).is_some_and(|last| value < last);
        // Extreme values are always kept.
        let full = self.counts.len() >= VALUES;
        let extremes =
            || self.counts.keys().next().copied().zip(self.counts.keys().next_back().copied());
        if full && !self.counts.contains_key(&value) {
            match extremes() {
                Some((low, high)) if value < low || value > high => {}
                _ => return,
            }
        }
        *self.counts.entry(value).or_default() += 1;
        if self.counts.len() > 2 * VALUES {
            let median = self.median.or_else(|| self.counts.keys().nth(VALUES).copied());
            self.median = median;
            // Removes the value next to the median, on the side of the new value.
            let removed = median.and_then(|median| {
                if value < median {
                    self.counts.range(..median).next_back()
                } else {
                    self.counts.range(median..).next()
                }
            });
            if let Some(removed) = removed.map(|(value, _)| *value) {
                self.counts.remove(&removed);
            }
        }
    }

    /// The value that may mean "lost", and its number of rows.
    pub(super) fn suspect(&self) -> Option<(i128, u64)> {
        if self.counts.len() < MIN_DISTINCT {
            return None;
        }
        let values: Vec<(i128, u64)> = self.counts.iter().map(|(v, n)| (*v, *n)).collect();
        let (&[low, next, ..], &[.., before, high]) = (values.as_slice(), values.as_slice()) else {
            return None;
        };
        let is_frequent = |count: u64, others: &[(i128, u64)]| {
            let most = others.iter().map(|(_, n)| *n).max().unwrap_or(0);
            count >= 3 && count >= 5 * most
        };
        let rest = &values[1..];
        let sum: i128 = rest.iter().map(|(v, _)| *v).sum();
        let mean = sum / rest.len() as i128;
        let is_far = low.1 >= 2 && next.0 - low.0 > high.0 - next.0;
        // A column of rising times may begin at 0. With coarse times, every value repeats.
        let most = rest.iter().map(|(_, n)| *n).max().unwrap_or(0);
        let is_zero =
            low.0 == 0 && NEAR_DIVISOR * next.0 > mean && (self.has_fallen || low.1 > most);
        if is_zero || is_far || (low.0 <= 0 && is_frequent(low.1, rest)) {
            return Some(low);
        }
        let rest = &values[..values.len() - 1];
        let is_far = high.1 >= 2 && high.0 - before.0 > before.0 - low.0;
        (is_far || is_frequent(high.1, rest)).then_some(high)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(values: impl IntoIterator<Item = i128>) -> Markers {
        let mut all = Markers::default();
        values.into_iter().for_each(|value| all.add(value));
        all
    }

    #[test]
    fn extreme_values_are_kept_in_any_order() {
        const MANY: i128 = 40_000;
        for values in [(1..MANY).collect::<Vec<_>>(), (1..MANY).rev().collect()] {
            let found = of(values);
            assert!(found.counts.len() <= 2 * VALUES);
            let extremes: Vec<_> =
                [0, 1].iter().filter_map(|i| found.counts.keys().nth(*i)).collect();
            assert_eq!(extremes, [&1, &2]);
            let extremes: Vec<_> = found.counts.keys().rev().take(2).collect();
            assert_eq!(extremes, [&(MANY - 1), &(MANY - 2)]);
            assert_eq!(found.suspect(), None);
        }
    }

    #[test]
    fn a_zero_among_delays_is_suspect_but_not_as_the_first_of_rising_times() {
        assert_eq!(of((0..20).map(|n| 10 * n)).suspect(), None);
        assert_eq!(of((10..30).chain([0])).suspect(), Some((0, 1)));
    }
}
