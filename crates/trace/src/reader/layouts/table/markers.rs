//! Arrivals that are none: a 0 or another number that stands for a lost packet.
//!
//! A delay of 0, or one that is the same in many rows and far from all others, is asked about.

use std::collections::BTreeMap;

/// Different values kept.
const VALUES: usize = 4096;
/// Different values of a column that holds measurements.
const CONTINUOUS: usize = 10;

/// How often each value of a column of arrivals came, in billionths.
#[derive(Debug, Default)]
pub(super) struct Markers {
    counts: BTreeMap<i128, u64>,
}

impl Markers {
    pub(super) fn add(&mut self, value: i128) {
        // Extremes are kept whatever else is there.
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
            let middle = self.counts.keys().nth(VALUES).copied();
            middle.map(|value| self.counts.remove(&value));
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
        let zero = low.0 == 0 && 20 * next.0 > mean;
        if zero || far || (low.0 <= 0 && often(low.1, rest)) {
            return Some(low);
        }
        let rest = &values[..values.len() - 1];
        let far = high.1 >= 2 && high.0 - before.0 > before.0 - low.0;
        (far || often(high.1, rest)).then_some(high)
    }
}
