//! Packets by their numbers, for tables whose rows are not in order.
//!
//! Two bits per number are kept, so that a table sorted by arrival, or unsorted, is read in the
//! order of the packets. If many numbers repeat, the file holds several runs.

use std::collections::BTreeMap;

use super::super::super::clock::Clock;
use crate::reader::ColumnKind;

/// Time stamps kept to find the interval.
const STAMPS: usize = 1 << 16;
/// Consecutive repeated numbers that show another run, not duplicate packets.
const REPEATED: u64 = 5;

/// The rows of one link by their numbers.
#[derive(Debug, Clone, Default)]
pub(super) struct RowsByNumber {
    /// For 64 numbers each: the present ones, and the received ones.
    words: BTreeMap<u64, (u64, u64)>,
    rows: u64,
    pub(super) duplicates: u64,
    highest: Option<u64>,
    lowest: u64,
    /// Rows since the last new highest number, and the repeated numbers among them.
    behind: (u64, u64),
    /// True once many consecutive numbers were repeated.
    restarted: bool,
    stamps: Vec<(u64, i128)>,
}

impl RowsByNumber {
    pub(super) fn add(&mut self, number: u64, received: bool) {
        self.rows += 1;
        let bit = 1 << (number % 64);
        let (there, came) = self.words.entry(number / 64).or_default();
        let repeated = *there & bit != 0;
        *there |= bit;
        *came |= if received { bit } else { 0 };
        self.duplicates += u64::from(repeated);
        match self.highest {
            Some(highest) if number <= highest => {
                self.behind.0 += 1;
                self.behind.1 += u64::from(repeated);
                let (rows, repeats) = self.behind;
                self.restarted |= repeats >= REPEATED && 2 * repeats >= rows;
                self.lowest = self.lowest.min(number);
            }
            Some(_) => {
                self.highest = Some(number);
                self.behind = (0, 0);
            }
            None => (self.highest, self.lowest) = (Some(number), number),
        }
    }

    pub(super) fn stamp(&mut self, number: u64, time: i128) {
        if self.stamps.len() < STAMPS {
            self.stamps.push((number, time));
        }
    }

    /// True if the rows are several runs: one after the other, or with a tenth of the numbers
    /// repeated.
    pub(super) const fn several_runs(&self) -> bool {
        self.restarted || (self.duplicates >= REPEATED && 10 * self.duplicates > self.rows)
    }

    /// True if few numbers from the lowest to the highest lack a row: nearly none with outcomes, at
    /// most half if lost packets have no rows, three quarters if a `name` shows whose numbers they
    /// are.
    pub(super) fn is_dense(&self, kind: ColumnKind, name: bool) -> bool {
        let apart = self.highest.map_or(0, |highest| highest - self.lowest);
        let known = u128::from(self.rows - self.duplicates);
        let outcomes = matches!(kind, ColumnKind::Received | ColumnKind::Lost);
        let percent = match (name, outcomes) {
            (true, _) => 25,
            (false, true) => 90,
            (false, false) => 50,
        };
        known * 100 >= u128::from(apart) * percent
    }

    /// True if each number from the lowest to the highest has one row.
    pub(super) fn complete(&self) -> bool {
        let apart = self.highest.map(|highest| highest - self.lowest);
        self.duplicates == 0 && apart.is_some() && apart == self.rows.checked_sub(1)
    }

    /// Numbers without a row from the lowest to the highest.
    pub(super) fn gaps(&self) -> u64 {
        let apart = self.highest.map_or(0, |highest| (highest - self.lowest).saturating_add(1));
        apart.saturating_sub(self.rows - self.duplicates)
    }

    /// Adds the numbers of another link.
    pub(super) fn join(&mut self, other: &Self) {
        other.iter().for_each(|(number, received)| self.add(number, received));
    }

    /// Numbers in their order, and whether each was received.
    pub(super) fn iter(&self) -> impl Iterator<Item = (u64, bool)> {
        self.words.iter().flat_map(|(word, (there, came))| {
            let bits = (0..64).filter(move |bit| there >> bit & 1 == 1);
            bits.map(move |bit| (64 * word + bit, came >> bit & 1 == 1))
        })
    }

    /// The clock of the packets in their order.
    pub(super) fn clock(&mut self) -> Clock {
        self.stamps.sort_unstable();
        self.stamps.dedup_by_key(|(number, _)| *number);
        let mut clock = Clock::default();
        let mut last = None;
        for (number, time) in &self.stamps {
            let steps = last.replace(*number).map_or(1, |last| number - last);
            clock.stamp(Some(*time), steps);
        }
        clock
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_numbers_are_no_overflow() {
        let mut places = RowsByNumber::default();
        assert!(!places.complete());
        for number in [u64::MAX, 0, u64::MAX - 1] {
            places.add(number, true);
        }
        assert!(!places.complete());
        let numbers: Vec<u64> = places.iter().map(|(number, _)| number).collect();
        assert_eq!(numbers, [0, u64::MAX - 1, u64::MAX]);
    }
}
