//! The rates of a link over time, row by row.

use std::path::Path;

use airtcp_units::{Capacity, Narrow, Saturate, Span};

use super::super::stamps::{DAY, Stamp};
use crate::error::TraceError;

/// Largest rate, bits per second; the last instant.
const MAX_RATE: f64 = 1e15;
const LAST: Span = Span::from_secs(1_000_000_000);

/// Rates from the time of each row on.
pub(in crate::reader::layouts) struct Steps {
    /// Unit of times that are numbers.
    unit: Span,
    first: Option<Stamp>,
    list: Vec<(Span, u64)>,
}

impl Steps {
    pub(in crate::reader::layouts) const fn new(unit: Span) -> Self {
        Self { unit, first: None, list: Vec::new() }
    }

    /// The time of a row since the first one; or what is accepted.
    pub(in crate::reader::layouts) fn at(&mut self, time: Stamp) -> Result<Span, &'static str> {
        let second = i128::from(Span::from_secs(1).0);
        let since = match (time, *self.first.get_or_insert(time)) {
            (Stamp::Number(time), Stamp::Number(first)) => {
                (time - first).checked_mul(i128::from(self.unit.0))
            }
            (Stamp::Date(time), Stamp::Date(first)) => (time - first).checked_mul(second),
            (Stamp::TimeOfDay(time), Stamp::TimeOfDay(first)) => {
                // Midnight within a log of less than a day.
                Some((time - first).rem_euclid(DAY) * second)
            }
            _ => None,
        };
        let since = since.map(|since| since / 1_000_000_000);
        let Some(at) = since.filter(|since| (0..=i128::from(LAST.0)).contains(since)) else {
            return Err("times that rise from the first row's");
        };
        Ok(Span(u64::narrow(at)))
    }

    /// Adds the rate, in bits per second, from a time on; or says what is accepted.
    pub(in crate::reader::layouts) fn push(
        &mut self,
        at: Span,
        rate: f64,
    ) -> Result<(), &'static str> {
        if !(0.0..=MAX_RATE).contains(&rate) {
            return Err("a rate from 0 to 1000000 Gb/s");
        }
        if self.last().is_some_and(|last| at <= last) {
            return Err("a time after the row before's");
        }
        self.list.push((at, u64::saturate(rate + 0.5)));
        Ok(())
    }

    /// The time of the last rate.
    pub(in crate::reader::layouts) fn last(&self) -> Option<Span> {
        self.list.last().map(|(at, _)| *at)
    }

    /// The capacity. The last rate holds as long as the one before it.
    pub(in crate::reader::layouts) fn capacity(&self, path: &Path) -> Result<Capacity, TraceError> {
        let empty = |found| TraceError::Empty { path: path.display().to_string(), found };
        let [.., before, last] = self.list.as_slice() else {
            return Err(empty("fewer than two rows"));
        };
        let period = last.0 + (last.0 - before.0);
        Capacity::rates(&self.list, period).ok_or_else(|| empty("no rate above 0"))
    }
}
