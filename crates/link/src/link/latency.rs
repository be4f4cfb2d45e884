//! A histogram of times. Percentiles are at most 1.6 % too high and never too low.
//!
//! Each doubling from 1 ns on has 64 buckets. Counts only grow, so the difference of two copies is
//! the histogram of the interval between them.

use airtcp_units::{Narrow, Saturate, Span};

const STEPS: u32 = 6;

/// A histogram of times.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Latency {
    counts: Vec<u64>,
    sum: u128,
    count: u64,
}

impl Latency {
    pub(super) fn add(&mut self, time: Span) {
        let place = place(time.0);
        if place >= self.counts.len() {
            self.counts.resize(place + 1, 0);
        }
        if let Some(count) = self.counts.get_mut(place) {
            *count += 1;
        }
        self.sum += u128::from(time.0);
        self.count += 1;
    }

    /// Times added since an earlier copy.
    #[must_use]
    pub fn since(&self, earlier: &Self) -> Self {
        let before = earlier.counts.iter().copied().chain(std::iter::repeat(0));
        Self {
            counts: self.counts.iter().zip(before).map(|(now, then)| now - then).collect(),
            sum: self.sum - earlier.sum,
            count: self.count - earlier.count,
        }
    }

    /// Number of times added.
    pub const fn count(&self) -> u64 {
        self.count
    }

    /// Exact mean, in seconds.
    pub fn mean(&self) -> Option<f64> {
        (self.count > 0).then(|| self.sum as f64 / self.count as f64 / 1e9)
    }

    /// Quantile in seconds: the time that the share `share` (0 to 1) does not exceed.
    pub fn quantile(&self, share: f64) -> Option<f64> {
        let wanted = u64::saturate((share * self.count as f64).ceil().max(1.0));
        let mut seen = 0;
        for (place, count) in self.counts.iter().enumerate() {
            seen += count;
            if *count > 0 && seen >= wanted {
                return Some(longest(place) / 1e9);
            }
        }
        None
    }
}

/// The bucket of a time: exact below 64 ns, then by its leading seven bits.
fn place(ns: u64) -> usize {
    let top = (ns | 1).ilog2();
    if top < STEPS {
        return usize::narrow(ns);
    }
    let shift = top - STEPS;
    ((shift as usize) << STEPS) + usize::narrow(ns >> shift)
}

/// The longest time in a bucket, in nanoseconds.
fn longest(place: usize) -> f64 {
    let steps = 1 << STEPS;
    if place < 2 * steps {
        return place as f64;
    }
    let shift = (place >> STEPS) - 1;
    let low = (place - (shift << STEPS)) as f64;
    // Below 2^63, for a place that a time has.
    (low + 1.0) * (1u64 << shift.min(63)) as f64 - 1.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_bucket_is_near_its_values(ns in 0u64..10_000_000_000_000) {
            let found = longest(place(ns));
            prop_assert!(found >= ns as f64 && found <= 1.016 * ns as f64, "{}: {}", ns, found);
            prop_assert!(place(ns + 1) >= place(ns) && place(ns + 1) <= place(ns) + 1);
        }

        #[test]
        fn quantiles(mut times in proptest::collection::vec(0u64..1_000_000_000, 1..300), q in 0.01f64..1.0) {
            let mut all = Latency::default();
            for t in &times {
                all.add(Span(*t));
            }
            let mean = times.iter().sum::<u64>() as f64 / times.len() as f64 / 1e9;
            prop_assert!((all.mean().unwrap() - mean).abs() < 1e-12);
            times.sort_unstable();
            let exact = times[usize::saturate((q * times.len() as f64).ceil()).max(1) - 1] as f64 / 1e9;
            let found = all.quantile(q).unwrap();
            prop_assert!(found >= exact - 1e-12 && found <= 1.016 * exact + 1e-12);
            let half = all.clone();
            all.add(Span(77));
            prop_assert_eq!(all.since(&half).count(), 1);
            let one = all.since(&half).quantile(0.5).unwrap();
            prop_assert!((77e-9..78.1e-9).contains(&one), "{one}");
        }
    }

    #[test]
    fn an_empty_histogram_has_no_mean() {
        let none = Latency::default();
        assert_eq!((none.mean(), none.quantile(0.5), none.count()), (None, None, 0));
    }
}
