//! The steps of a clock, as its stamps show them: the greatest common divisor of their differences.

/// Longest step that orders a frame and its acknowledgement: SIFS of 802.11a, in ns.
pub(super) const FINE_NS: u64 = 16_000;
/// Stamps after which the divisor is believed.
const ENOUGH: u32 = 16;
/// Before, only a divisor that is a multiple of this is: two stamps of a fine clock have any difference.
const ROUND_NS: u64 = 100_000;

/// What the stamps of a clock show of its steps.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Resolution {
    first_ns: Option<u64>,
    /// 0 if all stamps are the same so far.
    divisor_ns: u64,
    stamps: u32,
}

impl Resolution {
    /// Takes a stamp.
    pub(super) fn add(&mut self, ns: u64) {
        let first = *self.first_ns.get_or_insert(ns);
        self.stamps = self.stamps.saturating_add(1);
        if self.divisor_ns != 1 {
            self.divisor_ns = divisor(self.divisor_ns, ns.abs_diff(first));
        }
    }

    /// True if there was a stamp.
    pub(super) const fn has_stamps(&self) -> bool {
        self.stamps > 0
    }

    /// The steps in ns if they are longer than SIFS, and 0 otherwise. `u64::MAX` stands for a clock that
    /// has not moved.
    pub(super) const fn coarse_ns(&self) -> u64 {
        let steps = if self.divisor_ns == 0 { u64::MAX } else { self.divisor_ns };
        let is_shown = if self.stamps >= ENOUGH {
            steps > FINE_NS
        } else {
            self.stamps > 1 && self.divisor_ns.is_multiple_of(ROUND_NS)
        };
        if is_shown { steps } else { 0 }
    }
}

/// The greatest common divisor (Euclid).
const fn divisor(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

#[cfg(test)]
mod tests {
    use super::*;

    fn coarse(stamps: impl IntoIterator<Item = u64>) -> u64 {
        let mut found = Resolution::default();
        stamps.into_iter().for_each(|ns| found.add(ns));
        found.coarse_ns()
    }

    #[test]
    fn steps_of_clocks() {
        let ms = 1_000_000;
        assert_eq!(coarse((0..40).map(|n| (7 + n * n) * ms)), ms);
        assert_eq!(coarse([5 * ms, 5 * ms]), u64::MAX);
        assert_eq!(coarse([5 * ms, 7 * ms]), 2 * ms);
        // Two stamps of a clock in µs.
        assert_eq!(coarse([5_000, 557_000]), 0);
        assert_eq!(coarse((0..40).map(|n| n * 557_000 + n * n * 1000)), 0);
        // Steps of 20 µs, and those of SIFS.
        assert_eq!(coarse((0..40).map(|n| n * n * 20_000)), 20_000);
        assert_eq!(coarse((0..40).map(|n| n * n * 16_000)), 0);
        assert_eq!(coarse([1]), 0);
    }
}
