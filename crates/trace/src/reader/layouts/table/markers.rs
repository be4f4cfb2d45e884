//! Loss markers among arrivals: a 0 or another number that means a lost packet.
//!
//! A table with a delay of 0, or with one value in many rows and far from all others, is refused as
//! ambiguous.

use std::collections::BTreeMap;

/// Different values kept.
const VALUES: usize = 4096;
/// Fewest different values of a column of measurements.
const CONTINUOUS: usize = 10;

/// A delay of 0 is suspect if the next larger delay exceeds the mean divided by this.
const NEAR: i128 = 20;

/// Counts of each value of a column of arrivals, in billionths.
#[derive(Debug, Default)]
pub(super) struct Markers {
    counts: BTreeMap<i128, u64>,
    /// The median, once there are too many values; values next to it are removed first.
    middle: Option<i128>,
    /// The last value, and whether any value was below the one before: delays fall, receive times
    /// rise.
    last: Option<i128>,
    falls: bool,
}

impl Markers {
    pub(super) fn add(&mut self, value: i128) {
        self.falls |= self.last.replace(value).is_some_and(|last| value < last);
        // Extreme values are always kept.
        let full = self.counts.len() >= VALUES;
        let ends =
            || self.counts.keys().next().copied().zip(self.counts.keys().next_back().copied());
        if full && !self.counts.contains_key(&value) {
            match ends() {
                Some((low, high)) if value < low || value > high => {}
                _ => return,
            }
        }
        *self.counts.entry(value).or_default() += 1;
        if self.counts.len() > 2 * VALUES {
            let middle = self.middle.or_else(|| self.counts.keys().nth(VALUES).copied());
            self.middle = middle;
            // Removes a value on the side of the median with the new value.
            let forgotten = middle.and_then(|middle| {
                if value < middle {
                    self.counts.range(..middle).next_back()
                } else {
                    self.counts.range(middle..).next()
                }
            });
            if let Some(forgotten) = forgotten.map(|(value, _)| *value) {
                self.counts.remove(&forgotten);
            }
        }
    }

    /// The value that may mean "lost", and its number of rows.
    pub(super) fn suspect(&self) -> Option<(i128, u64)> {
        if self.counts.len() < CONTINUOUS {
            return None;
        }
        let values: Vec<(i128, u64)> = self.counts.iter().map(|(v, n)| (*v, *n)).collect();
        let (&[low, next, ..], &[.., before, high]) = (values.as_slice(), values.as_slice()) else {
            return None;
        };
        let often = |count: u64, others: &[(i128, u64)]| {
            let most = others.iter().map(|(_, n)| *n).max().unwrap_or(0);
            count >= 3 && count >= 5 * most
        };
        let rest = &values[1..];
        let sum: i128 = rest.iter().map(|(v, _)| *v).sum();
        let mean = sum / rest.len() as i128;
        let far = low.1 >= 2 && next.0 - low.0 > high.0 - next.0;
        // Rising times may begin at 0, and coarse times repeat.
        let most = rest.iter().map(|(_, n)| *n).max().unwrap_or(0);
        let zero = low.0 == 0 && NEAR * next.0 > mean && (self.falls || low.1 > most);
        if zero || far || (low.0 <= 0 && often(low.1, rest)) {
            return Some(low);
        }
        let rest = &values[..values.len() - 1];
        let far = high.1 >= 2 && high.0 - before.0 > before.0 - low.0;
        (far || often(high.1, rest)).then_some(high)
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
    fn ends_are_kept_whatever_the_order() {
        const MANY: i128 = 40_000;
        for values in [(1..MANY).collect::<Vec<_>>(), (1..MANY).rev().collect()] {
            let found = of(values);
            assert!(found.counts.len() <= 2 * VALUES);
            let ends: Vec<_> = [0, 1].iter().filter_map(|i| found.counts.keys().nth(*i)).collect();
            assert_eq!(ends, [&1, &2]);
            let ends: Vec<_> = found.counts.keys().rev().take(2).collect();
            assert_eq!(ends, [&(MANY - 1), &(MANY - 2)]);
            assert_eq!(found.suspect(), None);
        }
    }

    #[test]
    fn a_zero_among_delays_is_suspect_and_a_time_that_rises_from_zero_is_none() {
        assert_eq!(of((0..20).map(|n| 10 * n)).suspect(), None);
        assert_eq!(of((10..30).chain([0])).suspect(), Some((0, 1)));
    }
}
