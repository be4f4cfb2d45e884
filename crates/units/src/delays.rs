//! A histogram of delays with logarithmic bins: percentiles within 0.8 %, in bounded memory.
//!
//! ```text
//! bins     64 to a power of two; below 64 ns one for each nanosecond; zeros apart
//! value    the middle of a bin: off by at most 2^-7 of the true delay, which is 0.8 %
//! memory   256 bytes for each power of two between the shortest and the longest delay,
//!          at most 59 of them (15 kB)
//! rank     of a share s of n delays: ceil(s n), at least 1, in integers
//! ```
//! Delays in nanoseconds. Counts only grow, so the difference of two copies is the histogram of the interval
//! between them. The sum of two histograms does not depend on their order. Leaves out the order of the
//! delays. A bin holds at most 2^32 - 1 delays.

use serde::{Deserialize, Serialize};

use crate::{Narrow, Span};

/// Bins to a power of two, as a power of two.
const FINE: u32 = 6;
const BINS: usize = 1 << FINE;
/// The whole, in the unit of [`Delays::quantile`].
const WHOLE: u32 = 10_000;

/// A histogram of delays.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Delays {
    zeros: u64,
    /// Number of the first bin held.
    first: usize,
    bins: Vec<u32>,
}

impl Delays {
    /// Adds a delay.
    #[inline]
    pub fn add(&mut self, delay: Span) {
        if delay.0 == 0 {
            self.zeros += 1;
            return;
        }
        let bin = bin(delay.0);
        match self.bins.get_mut(bin.wrapping_sub(self.first)) {
            Some(count) => *count = count.saturating_add(1),
            None => self.add_beyond(bin, 1),
        }
    }

    /// Adds `count` equal delays.
    pub fn add_many(&mut self, delay: Span, count: u64) {
        if delay.0 == 0 {
            self.zeros += count;
        } else if count > 0 {
            self.add_to(bin(delay.0), u32::try_from(count).unwrap_or(u32::MAX));
        }
    }

    fn add_to(&mut self, bin: usize, more: u32) {
        match self.bins.get_mut(bin.wrapping_sub(self.first)) {
            Some(count) => *count = count.saturating_add(more),
            None => self.add_beyond(bin, more),
        }
    }

    /// Extends the bins to the power of two of `bin`, and adds to it.
    #[cold]
    #[inline(never)]
    fn add_beyond(&mut self, bin: usize, more: u32) {
        let (low, high) = (bin / BINS * BINS, bin / BINS * BINS + BINS);
        if self.bins.is_empty() {
            self.first = low;
        }
        let end = high.max(self.first + self.bins.len());
        if low < self.first {
            let missing = self.first - low;
            self.bins.splice(0..0, std::iter::repeat_n(0, missing));
            self.first = low;
        }
        self.bins.resize(end - self.first, 0);
        self.bins[bin - self.first] = more;
    }

    /// Delays added since an earlier copy.
    #[must_use]
    pub fn since(&self, earlier: &Self) -> Self {
        let mut found = self.clone();
        found.zeros -= earlier.zeros;
        for (place, count) in earlier.bins.iter().enumerate() {
            let at = (earlier.first + place).wrapping_sub(found.first);
            if let Some(all) = found.bins.get_mut(at) {
                *all -= count;
            }
        }
        found
    }

    /// Adds all delays of another histogram.
    pub fn merge(&mut self, other: &Self) {
        self.zeros += other.zeros;
        for (place, count) in other.bins.iter().enumerate().filter(|(_, count)| **count > 0) {
            self.add_to(other.first + place, *count);
        }
    }

    /// Number of delays.
    pub fn count(&self) -> u64 {
        self.zeros + self.bins.iter().copied().map(u64::from).sum::<u64>()
    }

    /// The delay that `share` ten-thousandths of the delays do not exceed: 5000 is the median, 0 the shortest
    /// and 10 000 the longest delay. `None` without delays.
    pub fn quantile(&self, share: u32) -> Option<Span> {
        self.quantiles(&[share]).first().copied()
    }

    /// As [`quantile`](Self::quantile) for several shares in ascending order; empty without delays.
    pub fn quantiles(&self, shares: &[u32]) -> Vec<Span> {
        let all = self.count();
        let mut found = Vec::new();
        if all == 0 {
            return found;
        }
        let rank = |share: u32| {
            let part = u128::from(all) * u128::from(share.min(WHOLE));
            u64::narrow(part.div_ceil(u128::from(WHOLE))).max(1)
        };
        let held = self
            .bins
            .iter()
            .enumerate()
            .map(|(place, count)| (Span(middle(self.first + place)), u64::from(*count)));
        let mut bins = std::iter::once((Span::ZERO, self.zeros)).chain(held);
        let (mut value, mut seen) = (Span::ZERO, 0);
        for share in shares {
            while seen < rank(*share) {
                let Some((delay, count)) = bins.next() else { break };
                if count > 0 {
                    (value, seen) = (delay, seen + count);
                }
            }
            found.push(value);
        }
        found
    }
}

/// Number of the bin of a delay.
#[inline]
fn bin(ns: u64) -> usize {
    let shift = (ns | 1).ilog2().saturating_sub(FINE);
    ((shift as usize) << FINE) + usize::narrow(ns >> shift)
}

/// The middle of a bin, in nanoseconds.
fn middle(bin: usize) -> u64 {
    let shift = (bin >> FINE).saturating_sub(1);
    let start = ((bin - (shift << FINE)) as u64) << shift;
    start + (1 << shift) / 2
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn of(delays: &[u64]) -> Delays {
        let mut all = Delays::default();
        for ns in delays {
            all.add(Span(*ns));
        }
        all
    }

    /// Ranks of 1 to 100 ms: 50, 95, 99 and 100 of 100.
    #[test]
    fn percentiles_of_a_known_sequence() {
        let all = of(&(1..=100).rev().map(|ms| ms * 1_000_000).collect::<Vec<_>>());
        for (share, ms) in [(0, 1.0), (5000, 50.0), (9500, 95.0), (9900, 99.0), (10_000, 100.0)] {
            let found = all.quantile(share).unwrap().as_secs_f64() * 1e3;
            assert!((found / ms - 1.0).abs() <= 1.0 / 128.0, "{share}: {found}");
        }
        assert_eq!(all.count(), 100);
    }

    /// Delays below 64 ns, and zeros, are exact.
    #[test]
    fn short_delays_are_exact() {
        let all = of(&[0, 0, 5, 63, 63]);
        let found = all.quantiles(&[0, 4000, 4001, 6000, 6001, 10_000]);
        assert_eq!(found, [0, 0, 5, 5, 63, 63].map(Span));
        assert_eq!(of(&[]).quantile(5000), None);
    }

    #[test]
    fn memory_is_bounded() {
        let all = of(&[u64::MAX, 1]);
        assert!(all.bins.len() <= 59 * BINS, "{}", all.bins.len());
        assert!(all.quantile(10_000).unwrap().0 > u64::MAX / 128 * 127);
        // A narrow range takes little memory wherever it is.
        assert_eq!(of(&[70_000_000, 140_000_000]).bins.len(), 2 * BINS);
    }

    #[test]
    fn a_full_bin_stays_full() {
        let mut all = Delays::default();
        all.add_many(Span(9), u64::MAX);
        all.add(Span(9));
        assert_eq!(all.count(), u64::from(u32::MAX));
    }

    proptest! {
        #[test]
        fn a_bin_is_near_its_values(ns in 1_u64..) {
            let (at, found) = (bin(ns), middle(bin(ns)));
            prop_assert!(found.abs_diff(ns) <= ns >> 7, "{ns}: {found}");
            prop_assert!(at < 59 * BINS && bin(ns.saturating_add(1)) - at <= 1);
        }

        /// Against the sorted delays themselves.
        #[test]
        fn quantiles_are_within_the_bound(
            mut delays in proptest::collection::vec((0_u64.., 0_u32..64), 1..300),
            share in 0_u32..=WHOLE,
        ) {
            let mut delays: Vec<u64> = delays.drain(..).map(|(ns, less)| ns >> less).collect();
            let all = of(&delays);
            delays.sort_unstable();
            let rank = (delays.len() * share as usize).div_ceil(WHOLE as usize).max(1);
            let (exact, found) = (delays[rank - 1], all.quantile(share).unwrap().0);
            prop_assert!(found.abs_diff(exact) <= exact >> 7, "{found}, not {exact}");
        }

        #[test]
        fn sums_and_differences(
            a in proptest::collection::vec(0_u64..1 << 40, 0..50),
            b in proptest::collection::vec(0_u64..1 << 40, 0..50),
        ) {
            let (first, second) = (of(&a), of(&b));
            let (mut forth, mut back) = (first.clone(), second.clone());
            forth.merge(&second);
            back.merge(&first);
            prop_assert_eq!(&forth, &back);
            prop_assert_eq!(&forth, &of(&[&a[..], &b[..]].concat()));
            let shares: Vec<u32> = (0..=100).map(|i| i * 100).collect();
            prop_assert_eq!(forth.since(&first).quantiles(&shares), second.quantiles(&shares));
            prop_assert_eq!(forth.since(&first).count(), b.len() as u64);
        }
    }
}
