//! The values of an unused column: whether they number rows or are times, and whether the rows are
//! in their order.

use super::decimal::BILLION;
use super::times::{Stamp, since_1970};

/// Most values kept to test even spacing.
const KEPT: usize = 1 << 16;
/// Fewest rows for which an order is evidence.
const ROWS: u64 = 8;
/// Reordered packets fall back by at most the range divided by this.
const LATE: i128 = 10;
/// Times have no gap above this many times the median gap; measurements have, at their ends.
const EVEN: i128 = 20;

/// The kind of a column's values, if the rows are not in their order.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Order {
    /// Each whole number between these two, once.
    Numbers(i128, i128),
    /// Dates, times of day, or numbers of the size of times since 1970.
    Times,
    /// Different and evenly spaced numbers, as times are.
    Even,
}

impl Order {
    /// The content of the column, and what to do if it gives the order sent.
    pub(super) fn said(&self) -> (String, &'static str) {
        match self {
            Self::Numbers(low, high) => {
                (format!("each number from {low} to {high} once"), "name it seq")
            }
            Self::Times => ("times".to_owned(), "give --time-column COLUMN"),
            Self::Even => (
                "different numbers, evenly spread as times are".to_owned(),
                "give --time-column COLUMN and --time-unit",
            ),
        }
    }
}

/// Values of a column, in billionths.
#[derive(Debug, Default)]
pub(super) struct Spread {
    rows: u64,
    first: i128,
    low: i128,
    /// The highest value so far, and the deepest fall below it.
    high: i128,
    fall: i128,
    /// True once a value was no number, no whole number, or no time.
    no_number: bool,
    no_whole: bool,
    no_time: bool,
    /// Whole numbers minus the first: their sum and the sum of their squares.
    sum: i128,
    squares: i128,
    kept: Vec<i128>,
}

impl Spread {
    pub(super) fn add(&mut self, stamp: Stamp) {
        let value = stamp.value();
        if self.rows == 0 {
            (self.first, self.low, self.high) = (value, value, value);
        }
        self.rows += 1;
        self.low = self.low.min(value);
        self.high = self.high.max(value);
        self.fall = self.fall.max(self.high - value);
        let number = matches!(stamp, Stamp::Number(_));
        self.no_number |= !number;
        self.no_time |= number && since_1970(&[stamp]).is_none();
        let step = (value - self.first) / BILLION;
        self.no_whole |= !number || value % BILLION != 0 || step.abs() > 1 << 40;
        if !self.no_whole {
            self.sum += step;
            self.squares += step * step;
        }
        if self.kept.len() < KEPT {
            self.kept.push(value);
        }
    }

    /// The kind of the values, if all `rows` rows have one and the rows are not in their order.
    pub(super) fn order_of_others(&self, rows: u64) -> Option<Order> {
        let span = self.high - self.low;
        if rows < ROWS || self.rows != rows || LATE * self.fall <= span {
            return None;
        }
        if self.each_once() {
            return Some(Order::Numbers(self.low / BILLION, self.high / BILLION));
        }
        if !self.no_time {
            return Some(Order::Times);
        }
        (!self.no_number && self.is_even()).then_some(Order::Even)
    }

    /// True if the values are consecutive whole numbers, each once.
    fn each_once(&self) -> bool {
        let n = i128::from(self.rows);
        if self.no_whole || (self.high - self.low) / BILLION != n - 1 {
            return false;
        }
        // Tested by their sum and the sum of their squares, from the lowest number.
        let low = (self.low - self.first) / BILLION;
        let sum = self.sum - n * low;
        let squares = self.squares - 2 * low * self.sum + n * low * low;
        2 * sum == n * (n - 1) && 6 * squares == (n - 1) * n * (2 * n - 1)
    }

    fn is_even(&self) -> bool {
        let mut values = self.kept.clone();
        values.sort_unstable();
        let mut gaps: Vec<i128> = values.windows(2).map(|pair| pair[1] - pair[0]).collect();
        gaps.sort_unstable();
        let widest = gaps.last().copied().unwrap_or_default();
        gaps.first().is_some_and(|least| *least > 0) && widest <= EVEN * gaps[gaps.len() / 2]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(values: impl IntoIterator<Item = i128>) -> Option<Order> {
        let (mut spread, mut rows) = (Spread::default(), 0);
        for value in values {
            spread.add(Stamp::Number(value));
            rows += 1;
        }
        spread.order_of_others(rows)
    }

    #[test]
    fn numbers_of_rows_are_known_in_any_order() {
        let shuffled = |n: i128| (0..n).map(move |i| (i * 37 % n + 5) * BILLION);
        assert_eq!(of(shuffled(100)), Some(Order::Numbers(5, 104)));
        assert_eq!(of((0..100).map(|i| i * BILLION)), None);
        // One number twice, another never; and few different values.
        let twice = shuffled(100).map(|n| if n == 7 * BILLION { 8 * BILLION } else { n });
        assert_eq!(of(twice), None);
        assert_eq!(of((0..100).map(|i| i * 7 % 5 * BILLION)), None);
        // Reordered packets.
        assert_eq!(of((0..100).map(|i| (i ^ 1) * BILLION)), None);
    }

    #[test]
    fn measurements_are_no_times() {
        // A tail has wide gaps at one end.
        assert_eq!(of((0..500).map(|i| BILLION * BILLION / (i * 37 % 500 + 1))), None);
        assert_eq!(of((0..500).map(|i| i * 37 % 500 * 20_000_000 + 1)), Some(Order::Even));
    }
}
