//! Packets by their times, for tables without numbers whose rows are not in order.
//!
//! A spreadsheet that sorts a sender's log by receive time puts the blanks, the lost packets, last,
//! so that the losses form one run. Distinct send times show the true order. Times that rise, fall
//! back and rise again over the same span are several runs, or several links.

use airtcp_units::Outcomes;

use super::super::super::clock::Clock;

/// Packets of the reader's limit for each kept time, which takes 16 bytes.
pub(super) const PACKETS_PER_TIME: u64 = 64;

/// Fewest received rows in a stretch of rising times that may be a run.
const RUN: u64 = 5;
/// In a table of several runs, at most one in this many rows falls. Unsorted rows fall more often.
const FALLS: u64 = 10;
/// At most one in this many rows may share its time with a row of another outcome.
const TIES: u64 = 100;

/// Why rows cannot be sorted.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Unordered {
    /// This many rows have no time.
    Blank(u64),
    /// There are more rows than can be kept.
    Many,
    /// The times restart.
    Runs,
    /// This many rows share their time with a row of another outcome.
    Ties(u64),
}

/// The rows of one link by their times.
#[derive(Debug, Clone, Default)]
pub(super) struct RowsByTime {
    /// Twice the time, in billionths, and 1 more if the packet was received.
    keys: Vec<i128>,
    /// True once there were more rows than can be kept.
    many: bool,
    missing: u64,
    last: Option<i128>,
    /// True once a time was below the one before.
    falls: bool,
    /// Evidence of several runs in the received rows.
    runs: Runs,
    /// Whether the arrivals fall somewhere, and whether they rise somewhere.
    unsorted: (bool, bool),
    arrival: Option<i128>,
}

/// Stretches of rising times.
#[derive(Debug, Clone, Default)]
struct Runs {
    rows: u64,
    falls: u64,
    last: Option<i128>,
    /// Rows of the present stretch, its first and its highest time.
    stretch: (u64, i128, i128),
    /// The least time of all rows, and the range of the stretches before.
    lowest: Option<i128>,
    before: Option<i128>,
    /// True if a stretch overlaps one before.
    overlap: bool,
}

impl Runs {
    fn add(&mut self, time: i128) {
        self.rows += 1;
        self.falls += u64::from(self.last.replace(time).is_some_and(|last| time < last));
        let (rows, first, highest) = self.stretch;
        // Times of late packets fall a little; those of a new run fall to the start of the one
        // before.
        if rows >= RUN && 2 * time < first + highest {
            self.before = self.lowest;
            self.stretch = (1, time, time);
        } else {
            let first = if rows == 0 { time } else { first };
            self.stretch = (rows + 1, first, if rows == 0 { time } else { highest.max(time) });
        }
        self.overlap |= self.before.is_some_and(|before| time > before);
        self.lowest = Some(self.lowest.map_or(time, |lowest| lowest.min(time)));
    }

    const fn several(&self) -> bool {
        self.overlap && FALLS * self.falls <= self.rows
    }
}

impl RowsByTime {
    /// Takes the time of a row, whether its packet was received, and the value of its arrival.
    /// `room` is the number of rows that may still be kept.
    pub(super) fn add(
        &mut self,
        time: Option<i128>,
        received: bool,
        arrival: Option<i128>,
        room: &mut u64,
    ) {
        let Some(time) = time else {
            self.missing += 1;
            return;
        };
        self.falls |= self.last.replace(time).is_some_and(|last| time < last);
        if received {
            self.runs.add(time);
            let before = self.arrival;
            if let (Some(value), before) = (arrival, before) {
                self.arrival = Some(value);
                self.unsorted.0 |= before.is_some_and(|before| value < before);
                self.unsorted.1 |= before.is_some_and(|before| value > before);
            }
        }
        if *room == 0 {
            *room += self.keys.len() as u64;
            self.keys = Vec::new();
            self.many = true;
        } else if !self.many {
            *room -= 1;
            self.keys.push(2 * time + i128::from(received));
        }
    }

    /// True if the rows are not in the order of their times.
    pub(super) const fn disorder(&self) -> bool {
        self.falls
    }

    /// The outcomes and the clock in the order of the times, and the number of rows whose place is
    /// ambiguous.
    pub(super) fn sorted(&mut self) -> Result<(Outcomes, Clock, u64), Unordered> {
        let is_sorted = self.arrival.is_some() && !(self.unsorted.0 && self.unsorted.1);
        if self.runs.several() && !is_sorted {
            return Err(Unordered::Runs);
        }
        if self.missing > 0 {
            return Err(Unordered::Blank(self.missing));
        }
        if self.many {
            return Err(Unordered::Many);
        }
        self.keys.sort_unstable();
        let mut open = 0;
        for same in self.keys.chunk_by(|a, b| a >> 1 == b >> 1) {
            // The keys also sort by outcome.
            let mixed = same.first() != same.last();
            open += if mixed { same.len() as u64 } else { 0 };
        }
        if TIES * open > self.keys.len() as u64 {
            return Err(Unordered::Ties(open));
        }
        let mut clock = Clock::default();
        let mut outcomes = Outcomes::with_capacity(self.keys.len());
        for key in std::mem::take(&mut self.keys) {
            clock.stamp(Some(key >> 1), 1);
            outcomes.push(key & 1 == 1);
        }
        Ok((outcomes, clock, open))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(times: impl IntoIterator<Item = i128>) -> RowsByTime {
        let (mut all, mut room) = (RowsByTime::default(), 1000);
        times.into_iter().for_each(|time| all.add(Some(time), true, None, &mut room));
        all
    }

    #[test]
    fn runs_are_told_from_other_orders() {
        assert_eq!(of((0..50).chain(0..50)).sorted().err(), Some(Unordered::Runs));
        // The second part before the first.
        assert!(of((100..150).chain(0..50)).sorted().is_ok());
        // Packets that overtook each other.
        assert!(of((0..500).map(|n| 20 * n + if n % 40 == 0 { 90 } else { 0 })).sorted().is_ok());
        assert!(of((0..500).rev()).sorted().is_ok());
    }

    #[test]
    fn times_below_zero_keep_their_outcomes() {
        let (mut all, mut room) = (RowsByTime::default(), 9);
        for (time, received) in [(3, true), (-7, false), (-8, true), (0, false)] {
            all.add(Some(time), received, None, &mut room);
        }
        let (outcomes, _, open) = all.sorted().unwrap();
        assert_eq!(
            (outcomes.iter().collect::<Vec<_>>(), open),
            (vec![true, false, false, true], 0)
        );
    }
}
