//! Lost packets: three packets with higher numbers have arrived (RFC 5348 section 5.1).
//!
//! Missing numbers are kept as ranges, so that a gap of a million numbers costs as much as a gap of
//! one. A packet that arrives before its range is judged was only late.

use airtcp_units::Nanos;
use arrayvec::ArrayVec;

/// `NDUPACK`: packets with higher numbers that make a missing one lost.
const NDUPACK: u8 = 3;
/// Maximum number of open ranges. Each has at most two packets above it, and a late packet can
/// split one in two. Ranges beyond this are judged at once.
const ROOM: usize = 8;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Arrival {
    pub(crate) number: u64,
    pub(crate) at: Nanos,
    /// Relative one-way trip time in microseconds.
    pub(crate) trip_us: u32,
}

/// Numbers `start..end` missing between two arrivals.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Gap {
    /// First missing number.
    pub(crate) start: u64,
    /// One past the last.
    pub(crate) end: u64,
    /// The last packet before it.
    pub(crate) before: Arrival,
    /// The first packet beyond it.
    pub(crate) after: Arrival,
    later: u8,
}

impl Gap {
    /// Arrival time that `number` would have had: interpolated between the neighbours (section
    /// 5.2).
    pub(crate) fn time_of(&self, number: u64) -> Nanos {
        let span = u128::from(self.after.at.since(self.before.at).0);
        let whole = u128::from((self.after.number - self.before.number).max(1));
        let part = u128::from(number.saturating_sub(self.before.number));
        Nanos(self.before.at.0 + u64::try_from(span * part / whole).unwrap_or(u64::MAX))
    }

    /// The first number of the gap whose interpolated arrival is at `at` or later.
    pub(crate) fn first_at(&self, at: Nanos) -> Option<u64> {
        let span = u128::from(self.after.at.since(self.before.at).0);
        let wanted = u128::from(at.since(self.before.at).0);
        let whole = u128::from(self.after.number - self.before.number);
        let number = if wanted == 0 {
            self.start
        } else if span == 0 {
            return None;
        } else {
            let part = (wanted * whole).div_ceil(span);
            self.before.number.saturating_add(u64::try_from(part).unwrap_or(u64::MAX))
        };
        let number = number.max(self.start);
        (number < self.end).then_some(number)
    }
}

/// The open gaps below the highest number that has arrived.
#[derive(Debug, Clone, Default)]
pub(crate) struct Gaps {
    highest: Option<Arrival>,
    open: ArrayVec<Gap, ROOM>,
}

impl Gaps {
    /// One past the highest number that arrived.
    pub(crate) fn next(&self) -> u64 {
        self.highest.map_or(0, |a| a.number + 1)
    }

    /// A packet arrived; `lost` receives every gap that now counts as lost, in order.
    pub(crate) fn on_arrival(&mut self, arrival: Arrival, mut lost: impl FnMut(Gap)) {
        let n = arrival.number;
        let Some(highest) = self.highest else {
            if n > 0 {
                // Losses before the first arrival have no earlier arrival time.
                let before = Arrival { number: 0, ..arrival };
                self.open.push(Gap { start: 0, end: n, before, after: arrival, later: 1 });
            }
            self.highest = Some(arrival);
            return;
        };
        if n <= highest.number {
            self.fill(n);
            self.judge(lost);
            return;
        }
        for gap in &mut self.open {
            gap.later += 1;
        }
        self.highest = Some(arrival);
        if n > highest.number + 1 {
            if self.open.is_full() {
                lost(self.open.remove(0));
            }
            let start = highest.number + 1;
            self.open.push(Gap { start, end: n, before: highest, after: arrival, later: 1 });
        }
        self.judge(lost);
    }

    /// Removes the gaps with enough packets above them; the lowest gaps have the most.
    fn judge(&mut self, mut lost: impl FnMut(Gap)) {
        while self.open.first().is_some_and(|gap| gap.later >= NDUPACK) {
            lost(self.open.remove(0));
        }
    }

    /// A late packet: its number is not missing, and lower gaps have one more packet above them.
    fn fill(&mut self, n: u64) {
        let Some(i) = self.open.iter().position(|g| (g.start..g.end).contains(&n)) else { return };
        for gap in &mut self.open[..i] {
            gap.later += 1;
        }
        let gap = self.open[i];
        let low = Gap { end: n, later: gap.later + 1, ..gap };
        let high = Gap { start: n + 1, ..gap };
        match (low.start < low.end, high.start < high.end) {
            (false, false) => {
                self.open.remove(i);
            }
            (true, false) => self.open[i] = low,
            (false, true) => self.open[i] = high,
            (true, true) => {
                self.open[i] = low;
                if !self.open.is_full() {
                    self.open.insert(i + 1, high);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn at(number: u64, ns: u64) -> Arrival {
        Arrival { number, at: Nanos(ns), trip_us: 0 }
    }

    fn feed(gaps: &mut Gaps, number: u64, ns: u64) -> Vec<(u64, u64)> {
        let mut lost = Vec::new();
        gaps.on_arrival(at(number, ns), |g| lost.push((g.start, g.end)));
        lost
    }

    #[test]
    fn three_higher_numbers_make_a_loss() {
        let mut g = Gaps::default();
        for (n, expected) in [(0, vec![]), (2, vec![]), (3, vec![]), (4, vec![(1, 2)]), (5, vec![])]
        {
            assert_eq!(feed(&mut g, n, 100 * n), expected, "{n}");
        }
        // A late packet was not lost, and counts for the gaps below it.
        assert!(feed(&mut g, 8, 800).is_empty());
        assert!(feed(&mut g, 7, 810).is_empty());
        assert_eq!(feed(&mut g, 9, 900), [(6, 7)]);
    }

    #[test]
    fn times_are_interpolated() {
        let mut g = Gaps::default();
        let mut seen = None;
        for (n, t) in [(0, 0), (1, 100), (5, 500), (6, 600), (7, 700)] {
            g.on_arrival(at(n, t), |gap| seen = Some(gap));
        }
        let gap = seen.unwrap();
        assert_eq!((gap.start, gap.end), (2, 5));
        assert_eq!([2, 3, 4].map(|n| gap.time_of(n).0), [200, 300, 400]);
        assert_eq!(gap.first_at(Nanos(0)), Some(2));
        assert_eq!(gap.first_at(Nanos(201)), Some(3));
        assert_eq!(gap.first_at(Nanos(400)), Some(4));
        assert_eq!(gap.first_at(Nanos(401)), None);
    }

    #[test]
    fn a_huge_gap_costs_nothing() {
        let mut g = Gaps::default();
        feed(&mut g, 0, 0);
        feed(&mut g, 1 << 40, 10);
        feed(&mut g, (1 << 40) + 1, 11);
        assert_eq!(feed(&mut g, (1 << 40) + 2, 12), [(1, 1 << 40)]);
    }

    proptest! {
        /// Compares with a set: a packet is lost if it had not arrived when three higher ones had.
        #[test]
        fn as_a_set_says(steps in prop::collection::vec((0u64..4, 0u64..6), 1..300)) {
            let mut gaps = Gaps::default();
            let (mut seen, mut lost, mut high) = (BTreeSet::new(), BTreeSet::new(), 0);
            let mut oracle = BTreeSet::new();
            for (i, (ahead, back)) in steps.into_iter().enumerate() {
                let n = (high + ahead).saturating_sub(back);
                high = high.max(n);
                gaps.on_arrival(at(n, i as u64 * 10), |g| lost.extend(g.start..g.end));
                seen.insert(n);
                for m in 0..n {
                    if !seen.contains(&m) && seen.range(m + 1..).count() >= 3 {
                        oracle.insert(m);
                    }
                }
                prop_assert_eq!(&lost, &oracle);
            }
        }
    }
}
