//! Durations in a histogram with logarithmic bins: means exact, quantiles within a bin.
//!
//! ```text
//! bins     2^F to a power of two; below 2^F ns one for each nanosecond
//! error    of a quantile at most 2^-F of its value (F = 7: 0.8 %)
//! memory   at most (65 - F) 2^F counters of 4 bytes (F = 7: 30 kB), however many durations there are
//! ```
//! Durations in nanoseconds. Leaves out the order of the durations. Within a bin they are taken to be spread
//! evenly.

use airtcp_units::{Delays, Narrow, Saturate, Span};

/// A histogram of durations with `2^FINE` bins to a power of two.
#[derive(Debug, Clone, Default)]
pub struct Durations<const FINE: u32> {
    count: u64,
    sum: u128,
    /// Up to the longest that was added.
    bins: Vec<u32>,
}

impl<const FINE: u32> Durations<FINE> {
    /// Adds a duration.
    pub fn add(&mut self, duration: Span) {
        self.count += 1;
        self.sum += u128::from(duration.0);
        let bin = Self::bin(duration.0);
        if bin >= self.bins.len() {
            self.bins.resize(bin + 1, 0);
        }
        self.bins[bin] = self.bins[bin].saturating_add(1);
    }

    /// How many there are.
    pub const fn count(&self) -> u64 {
        self.count
    }

    /// Their mean; `None` without any.
    pub fn mean_s(&self) -> Option<f64> {
        (self.count > 0).then(|| self.sum as f64 / self.count as f64 / 1e9)
    }

    /// The duration that a share `q` of them do not exceed; `None` without any.
    pub fn quantile_s(&self, q: f64) -> Option<f64> {
        let rank = u64::saturate((q * self.count as f64).ceil().max(1.0));
        let mut below = 0;
        for (i, n) in self.bins.iter().enumerate() {
            let n = u64::from(*n);
            if below + n >= rank {
                let part = (rank - below) as f64 / n as f64;
                return Some((Self::start(i) as f64 + part * Self::width(i) as f64) / 1e9);
            }
            below += n;
        }
        None
    }

    /// The same durations in the wider bins of [`Delays`], into which these bins fit.
    pub fn delays(&self) -> Delays {
        let mut all = Delays::default();
        for (i, n) in self.bins.iter().enumerate() {
            all.add_many(Span(Self::start(i)), u64::from(*n));
        }
        all
    }

    /// Number of the bin of a duration.
    fn bin(ns: u64) -> usize {
        let shift = (ns | 1).ilog2().saturating_sub(FINE);
        ((shift as usize) << FINE) + usize::narrow(ns >> shift)
    }

    /// The shortest duration of a bin.
    fn start(bin: usize) -> u64 {
        let one = 1 << FINE;
        if bin < 2 * one {
            return bin as u64;
        }
        let shift = bin / one - 1;
        ((bin - shift * one) as u64) << shift
    }

    /// How many nanoseconds a bin holds.
    fn width(bin: usize) -> u64 {
        1 << (bin >> FINE).saturating_sub(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bins_hold<const FINE: u32>() {
        let mut last = 0;
        let most = (65 - FINE as usize) << FINE;
        for ns in (0..200_000).chain([1 << 30, (1 << 40) + 12345, u64::MAX]) {
            let b = Durations::<FINE>::bin(ns);
            let (start, width) = (Durations::<FINE>::start(b), Durations::<FINE>::width(b));
            assert!(b < most && b >= last, "{ns}");
            assert!(start <= ns && ns - start < width, "{ns} is in {start}");
            assert!(width == 1 || width << FINE <= ns, "{ns}: {width}");
            last = b;
        }
    }

    #[test]
    fn bins_hold_their_durations() {
        bins_hold::<6>();
        bins_hold::<7>();
    }

    #[test]
    fn quantiles_are_within_a_hundredth() {
        let mut times = Durations::<7>::default();
        assert_eq!((times.mean_s(), times.quantile_s(0.95)), (None, None));
        for ms in 1..=1000 {
            times.add(Span::from_millis(ms));
        }
        assert!((times.mean_s().unwrap() - 0.5005).abs() < 1e-12);
        for q in [0.01, 0.5, 0.95, 0.99, 1.0] {
            let found = times.quantile_s(q).unwrap();
            assert!((found / q - 1.0).abs() < 0.01, "{q}: {found}");
        }
    }

    /// Against the sorted durations themselves, over nine orders of magnitude.
    #[test]
    fn quantiles_follow_the_sorted_durations() {
        let (mut times, mut all, mut state) = (Durations::<7>::default(), Vec::new(), 1_u64);
        for _ in 0..5000 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let ns = (state >> 33) >> (state % 31);
            all.push(ns);
            times.add(Span(ns));
        }
        all.sort_unstable();
        for rank in (50..=all.len()).step_by(50) {
            let exact = all[rank - 1];
            // Between two ranks, where rounding changes nothing.
            let q = (rank as f64 - 0.5) / all.len() as f64;
            let found = times.quantile_s(q).unwrap() * 1e9;
            // One nanosecond is the width of the finest bins.
            let most = (exact as f64 / 100.0).max(1.0);
            assert!((found - exact as f64).abs() <= most, "rank {rank}: {found}, not {exact}");
        }
    }

    /// Each bin lies within one of `Delays`, so that counting again loses nothing.
    #[test]
    fn delays_are_those_of_the_durations() {
        let (mut times, mut wanted) = (Durations::<7>::default(), Delays::default());
        for i in 0..4000_u64 {
            let span = Span(i * i * i * i);
            times.add(span);
            wanted.add(span);
        }
        assert_eq!(times.delays(), wanted);
    }

    #[test]
    fn the_longest_duration_takes_bounded_memory() {
        let mut times = Durations::<7>::default();
        times.add(Span(u64::MAX));
        assert!(times.bins.len() <= 58 << 7);
        assert_eq!(times.count(), 1);
        assert!((times.quantile_s(0.5).unwrap() / (u64::MAX as f64 / 1e9) - 1.0).abs() < 0.01);
    }
}
