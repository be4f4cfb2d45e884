//! Estimators of both BBR versions: a windowed maximum, round trips counted by packets,
//! self-limited samples, and reproducible pseudo-random numbers.

use std::collections::VecDeque;

use crate::RateSample;

/// The maximum over a sliding window of some virtual time that never runs backwards
/// (`UpdateWindowedMaxFilter`). Values up to `window` old count. A value expires only at an update.
/// The result is exact; the drafts' reference (K. Nichols' filter in Linux) keeps three values.
#[derive(Debug, Clone, Default)]
pub(super) struct WindowedMax {
    /// Times ascend, values descend: the first value is the maximum.
    samples: VecDeque<(u64, u64)>,
}

impl WindowedMax {
    /// Allocates for a window of this length at once.
    pub(super) fn new(window: u64) -> Self {
        Self { samples: VecDeque::with_capacity(window.min(1024) as usize + 2) }
    }

    pub(super) fn reset(&mut self) {
        self.samples.clear();
    }

    #[inline]
    pub(super) fn update(&mut self, value: u64, time: u64, window: u64) {
        while self.samples.back().is_some_and(|s| s.1 <= value) {
            self.samples.pop_back();
        }
        // A greater value at the same time replaces this one.
        if self.samples.back().is_none_or(|s| s.0 < time) {
            self.samples.push_back((time, value));
        }
        while self.samples.front().is_some_and(|s| time - s.0 > window) {
            self.samples.pop_front();
        }
    }

    /// The maximum, 0 before the first value.
    pub(super) fn get(&self) -> u64 {
        self.samples.front().map_or(0, |s| s.1)
    }
}

/// Counts round trips by packets: a round ends when a segment sent after its beginning is
/// acknowledged.
#[derive(Debug, Clone, Default)]
pub(super) struct Rounds {
    /// `BBR.next_round_delivered`.
    next_delivered: u64,
    /// `BBR.round_count`.
    pub(super) count: u64,
    /// `BBR.round_start`: the present ACK ended a round.
    pub(super) start: bool,
}

impl Rounds {
    /// `UpdateRound`: the acknowledged segment left when `prior` bytes had been delivered;
    /// `delivered` is the present count.
    #[inline]
    pub(super) const fn update(&mut self, prior: u64, delivered: u64) {
        self.start = prior >= self.next_delivered;
        if self.start {
            self.begin(delivered);
            self.count += 1;
        }
    }

    /// `StartRound`: a round begins now.
    pub(super) const fn begin(&mut self, delivered: u64) {
        self.next_delivered = delivered;
    }
}

/// Marks the delivery-rate samples of ProbeRTT. BBR limits the flight there, so these samples count
/// as application-limited (`MarkConnectionAppLimited`).
#[derive(Debug, Clone, Default)]
pub(super) struct SelfLimited {
    from: u64,
    until: u64,
}

impl SelfLimited {
    /// BBR limits the flight now, with `delivered` bytes delivered and `pipe` in flight.
    pub(super) fn mark(&mut self, delivered: u64, pipe: u64) {
        if delivered > self.until {
            self.from = delivered;
        }
        self.until = (delivered + pipe).max(1);
    }

    /// True if BBR or the application limited the flight when the sample's segment left.
    pub(super) const fn limits(&self, sample: &RateSample) -> bool {
        let in_range = self.from <= sample.prior_delivered && sample.prior_delivered <= self.until;
        sample.app_limited || (in_range && self.until > 0)
    }
}

/// Reproducible pseudo-random numbers: SplitMix64 of a counter.
#[derive(Debug, Clone, Default)]
pub(super) struct Draws {
    seed: u64,
    count: u64,
}

impl Draws {
    pub(super) const fn new(seed: u64) -> Self {
        Self { seed, count: 0 }
    }

    const fn bits(&mut self) -> u64 {
        self.count += 1;
        // A separate mixing step of the seed: neighbouring seeds do not share a sequence.
        let key = Self::mix(self.seed.wrapping_add(0x9e37_79b9_7f4a_7c15));
        Self::mix(key.wrapping_add(self.count.wrapping_mul(0x9e37_79b9_7f4a_7c15)))
    }

    const fn mix(mut z: u64) -> u64 {
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number in `0..n`.
    pub(super) const fn below(&mut self, n: u64) -> u64 {
        ((self.bits() as u128 * n as u128) >> 64) as u64
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Compares the filter with the definition: the greatest value at most `window` old.
        #[test]
        fn the_maximum_is_that_of_the_window(
            window in 1u64..12,
            steps in prop::collection::vec((0u64..4, 0u64..50), 1..200),
        ) {
            let mut filter = WindowedMax::new(window);
            let (mut time, mut all) = (0, Vec::new());
            for (step, value) in steps {
                time += step;
                all.push((time, value));
                filter.update(value, time, window);
                let brute = all.iter().filter(|s| time - s.0 <= window).map(|s| s.1).max();
                prop_assert_eq!(Some(filter.get()), brute);
                prop_assert!(filter.samples.len() as u64 <= window + 1, "one value per time");
            }
        }
    }

    #[test]
    fn nothing_expires_without_an_update() {
        let mut filter = WindowedMax::new(2);
        assert_eq!(filter.get(), 0);
        filter.update(7, 0, 2);
        filter.update(5, 1, 2);
        assert_eq!(filter.get(), 7);
        filter.update(1, 3, 2);
        assert_eq!(filter.get(), 5);
        filter.reset();
        assert_eq!(filter.get(), 0);
    }

    /// With ten segments in flight and one acknowledged at a time, every tenth ACK ends a round.
    #[test]
    fn a_round_takes_a_flight() {
        let mut rounds = Rounds::default();
        let mut starts = Vec::new();
        for n in 0..40u64 {
            // Segment n left when about n - 9 segments had been delivered.
            rounds.update(n.saturating_sub(10), n + 1);
            if rounds.start {
                starts.push(n);
            }
        }
        assert_eq!(starts, [0, 11, 22, 33]);
        assert_eq!(rounds.count, 4);
    }

    #[test]
    fn samples_sent_while_self_limited_are_limited() {
        let sample = |prior_delivered| RateSample { prior_delivered, ..RateSample::default() };
        let mut marks = SelfLimited::default();
        assert!(!marks.limits(&sample(0)), "BBR has not limited the flight yet");
        marks.mark(1000, 400);
        marks.mark(1200, 300);
        let limited: Vec<bool> =
            [999, 1000, 1500, 1501].iter().map(|p| marks.limits(&sample(*p))).collect();
        assert_eq!(limited, [false, true, true, false]);
        marks.mark(9000, 100);
        assert!(!marks.limits(&sample(1200)) && marks.limits(&sample(9100)));
        assert!(marks.limits(&RateSample { app_limited: true, ..sample(1 << 40) }));
    }

    #[test]
    fn draws_cover_their_range_and_repeat() {
        let draw = |seed| {
            let mut d = Draws::new(seed);
            (0..7000).map(|_| d.below(7)).collect::<Vec<_>>()
        };
        assert_eq!(draw(3), draw(3));
        assert_ne!(draw(3), draw(4));
        for k in 0..7 {
            let n = draw(5).iter().filter(|d| **d == k).count();
            // Five standard deviations of a binomial distribution around 1000.
            assert!(n.abs_diff(1000) < 147, "{k}: {n}");
        }
        // Successive numbers differ, and the first numbers of neighbouring seeds differ.
        let pairs = draw(6).windows(2).filter(|w| w[0] == w[1]).count();
        assert!(pairs.abs_diff(1000) < 147, "{pairs}");
        let firsts: Vec<u64> = (0..7000).map(|s| Draws::new(s).below(7)).collect();
        let same = firsts.windows(2).filter(|w| w[0] == w[1]).count();
        assert!(same.abs_diff(1000) < 147, "{same}");
    }
}
