//! Counts in intervals of the same length. Every series over time of the air is one of these.
//!
//! A series holds the intervals in which something was counted, and at most a fixed number of them. If there are
//! more, intervals twice as long replace them, as often as needed. The time between two intervals costs nothing: two
//! frames a year apart are two intervals, and a visit of a minute in a capture of a day keeps short intervals if
//! nothing else was counted in that series.

/// Most intervals of a series.
const MAX_INTERVALS: usize = 128;
/// Shortest interval, in ns.
const SHORTEST_NS: u64 = 10_000_000;

/// What is counted in an interval.
pub(super) trait Count: Copy + Default {
    /// Both intervals together.
    fn and(self, other: Self) -> Self;
}

impl Count for u64 {
    fn and(self, other: Self) -> Self {
        self.saturating_add(other)
    }
}

/// A number of values, and their sum.
impl Count for (u64, f64) {
    fn and(self, other: Self) -> Self {
        (self.0 + other.0, self.1 + other.1)
    }
}

/// Attempts of a link in an interval.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct LinkCount {
    pub(super) attempts: u64,
    pub(super) acked: u64,
    /// Attempts of which the rate is known, and the sum of their rates in bit/s.
    pub(super) rated: (u64, f64),
    /// Attempts with a signal level, and the sum of the levels in dBm.
    pub(super) heard: (u64, f64),
}

impl Count for LinkCount {
    fn and(self, other: Self) -> Self {
        Self {
            attempts: self.attempts + other.attempts,
            acked: self.acked + other.acked,
            rated: self.rated.and(other.rated),
            heard: self.heard.and(other.heard),
        }
    }
}

/// Counts over time. Intervals begin at multiples of their length, so that two series of the same
/// length have the same intervals.
#[derive(Debug, Clone)]
pub(super) struct Intervals<T> {
    width_ns: u64,
    most: usize,
    /// The number of each interval with a count, in their order, and the count.
    counts: Vec<(u64, T)>,
}

impl<T> Default for Intervals<T> {
    fn default() -> Self {
        Self::new(SHORTEST_NS, MAX_INTERVALS)
    }
}

impl<T> Intervals<T> {
    /// At most `most` intervals of at least `shortest_ns`.
    pub(super) const fn new(shortest_ns: u64, most: usize) -> Self {
        Self { width_ns: shortest_ns, most, counts: Vec::new() }
    }
}

impl<T: Count> Intervals<T> {
    /// Adds to the interval of a time.
    pub(super) fn add(&mut self, time_ns: u64, count: T) {
        let number = time_ns / self.width_ns;
        match self.counts.last_mut() {
            Some((last, known)) if *last == number => *known = known.and(count),
            Some((last, _)) if *last > number => self.add_earlier(number, count),
            _ => self.counts.push((number, count)),
        }
        while self.counts.len() > self.most {
            self.double();
        }
    }

    fn add_earlier(&mut self, number: u64, count: T) {
        match self.counts.binary_search_by_key(&number, |(known, _)| *known) {
            Ok(place) => self.counts[place].1 = self.counts[place].1.and(count),
            Err(place) => self.counts.insert(place, (number, count)),
        }
    }

    /// Length of an interval, in ns.
    pub(super) const fn width_ns(&self) -> u64 {
        self.width_ns
    }

    /// Makes intervals as long as those of another series, if they are shorter.
    pub(super) fn widen(&mut self, width_ns: u64) {
        while self.width_ns < width_ns {
            self.double();
        }
    }

    /// Start of each interval with a count in ns, and the count.
    pub(super) fn iter(&self) -> impl Iterator<Item = (u64, T)> + '_ {
        self.counts.iter().map(|(number, count)| (number.saturating_mul(self.width_ns), *count))
    }

    fn double(&mut self) {
        self.width_ns = self.width_ns.saturating_mul(2);
        for (number, _) in &mut self.counts {
            *number /= 2;
        }
        self.counts.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            if same {
                kept.1 = kept.1.and(next.1);
            }
            same
        });
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn series_of_different_length_share_their_intervals() {
        let (mut long, mut short) = (Intervals::<u64>::default(), Intervals::<u64>::default());
        for ms in 0..10_000u64 {
            long.add((77_777 + ms) * 1_000_000, 1);
        }
        for ms in 0..100u64 {
            short.add((80_003 + ms) * 1_000_000, 1);
        }
        // 10 s in at most 128 intervals.
        assert_eq!((long.width_ns(), short.width_ns()), (80_000_000, 10_000_000));
        short.widen(long.width_ns());
        assert_eq!(long.iter().map(|(_, n)| n).sum::<u64>(), 10_000);
        assert_eq!(short.iter().map(|(_, n)| n).sum::<u64>(), 100);
        for (start, count) in short.iter() {
            assert_eq!(start % 80_000_000, 0);
            let same = long.iter().find(|(other, _)| *other == start).unwrap();
            assert!(count <= same.1, "{start}");
        }
        assert!(long.iter().all(|(_, n)| n <= 80));
        // A time before the first, and the end of time.
        long.add(0, 1);
        long.add(u64::MAX, 1);
        assert_eq!(long.iter().map(|(_, n)| n).sum::<u64>(), 10_002);
        assert!(long.iter().count() <= 128);
    }

    /// Two visits of a second, twelve hours apart, stay visible.
    #[test]
    fn time_without_counts_does_not_lengthen_the_intervals() {
        let mut found = Intervals::<u64>::default();
        let visits = [7_000_000_000u64, 7_000_000_000 + 12 * 3_600_000_000_000];
        for begin in visits {
            for ms in 0..1000 {
                found.add(begin + ms * 1_000_000, 1);
            }
        }
        assert_eq!(found.width_ns(), 20_000_000);
        assert_eq!(found.iter().count(), 100);
    }

    proptest! {
        /// However long a series is, it has a bounded number of intervals in order, counts everything once, and
        /// each time is in its interval.
        #[test]
        fn a_series_is_bounded_and_complete(
            times in prop::collection::vec(0..=u64::MAX, 1..400),
            ends in 0..40u32,
        ) {
            // Spans from a moment to centuries, with a time at each end.
            let times: Vec<u64> = times.iter().map(|t| t >> ends).chain([0, u64::MAX >> ends]).collect();
            let mut found = Intervals::<u64>::default();
            for time in &times {
                found.add(*time, 1);
            }
            let all: Vec<(u64, u64)> = found.iter().collect();
            prop_assert!(all.len() <= MAX_INTERVALS);
            prop_assert!(all.windows(2).all(|pair| pair[0].0 + found.width_ns() <= pair[1].0));
            for (start, count) in &all {
                let within = times.iter().filter(|t| **t / found.width_ns() == start / found.width_ns());
                prop_assert_eq!(within.count() as u64, *count);
            }
            prop_assert_eq!(all.iter().map(|(_, n)| n).sum::<u64>(), times.len() as u64);
        }
    }
}
