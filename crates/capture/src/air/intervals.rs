//! Counts in intervals of the same length, which all series of a capture share.

/// Most intervals of a series; a longer one has intervals twice as long.
const MAX_INTERVALS: u64 = 128;
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
        let sum = |a: (u64, f64), b: (u64, f64)| (a.0 + b.0, a.1 + b.1);
        Self {
            attempts: self.attempts + other.attempts,
            acked: self.acked + other.acked,
            rated: sum(self.rated, other.rated),
            heard: sum(self.heard, other.heard),
        }
    }
}

/// Counts over time. Intervals begin at multiples of their length, so that two series of the same
/// length have the same intervals.
#[derive(Debug, Clone)]
pub(super) struct Intervals<T> {
    width_ns: u64,
    /// Number of the first interval since 1970-01-01.
    first: u64,
    counts: Vec<T>,
}

impl<T> Default for Intervals<T> {
    fn default() -> Self {
        Self { width_ns: SHORTEST_NS, first: 0, counts: Vec::new() }
    }
}

impl<T: Count> Intervals<T> {
    /// Adds to the interval of a time. A time before the first interval counts there.
    pub(super) fn add(&mut self, time_ns: u64, count: T) {
        if self.counts.is_empty() {
            self.first = time_ns / self.width_ns;
        }
        while (time_ns / self.width_ns).saturating_sub(self.first) >= MAX_INTERVALS {
            self.double();
        }
        let number = (time_ns / self.width_ns).saturating_sub(self.first);
        let place = usize::try_from(number).unwrap_or(0);
        if place >= self.counts.len() {
            self.counts.resize(place + 1, T::default());
        }
        self.counts[place] = self.counts[place].and(count);
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

    /// Start of each interval in ns, with its counts.
    pub(super) fn iter(&self) -> impl Iterator<Item = (u64, T)> + '_ {
        let start = |number: u64| (self.first + number).saturating_mul(self.width_ns);
        (0u64..).zip(&self.counts).map(move |(number, count)| (start(number), *count))
    }

    fn double(&mut self) {
        let first = self.first / 2;
        let mut counts: Vec<T> = Vec::new();
        for (number, count) in (self.first..).zip(&self.counts) {
            match counts.last_mut() {
                Some(last) if number % 2 == 1 => *last = last.and(*count),
                _ => counts.push(*count),
            }
        }
        (self.first, self.counts) = (first, counts);
        self.width_ns = self.width_ns.saturating_mul(2);
    }
}

#[cfg(test)]
mod tests {
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
}
