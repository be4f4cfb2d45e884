//! Finds the column of times of a table, its unit, and the column that orders its rows.

use airtcp_units::Span;

use super::decimal::BILLION;
use super::guess::Guess;
use super::names::{
    PERHAPS_TIME, SENT, SEQUENCE, TIME, is_arrival, is_moment, is_one_of, is_sent_time, is_span,
    normal, unit_of,
};
use super::times::{DATES, Stamp, TIMES_OF_DAY, beyond_reason, typical_gap, unit_by_size};
use crate::error::{TraceError, excerpt};

/// Least plausible interval between packets of a table.
const CLOSEST: Span = Span::from_micros(100);

/// The column of time stamps.
#[derive(Debug)]
pub(super) struct Time {
    pub(super) column: usize,
    pub(super) unit: Span,
    /// The reason for the unit, if neither the name nor the user gives it.
    pub(super) told: &'static str,
}

impl Guess<'_> {
    /// The column of time stamps and their unit, if there is one. Send times come first, receive
    /// times last.
    pub(super) fn time(
        &self,
        value: usize,
        notes: &mut Vec<String>,
    ) -> Result<Option<Time>, TraceError> {
        let unit = |column: usize| self.options.time_unit.or(self.unit_by_name(column));
        if let Some(wanted) = &self.options.time_column {
            let column = self.chosen("time_column", wanted)?;
            let by_size = || unit_by_size(&self.stamps(column)).map(|(unit, _)| unit);
            self.readable(column)?;
            let Some(unit) = unit(column).or_else(by_size) else {
                return Err(self.column_error(format!(
                    "the unit of the time stamps in column {} is not known: give the option \
                     --time-unit, or name the column time_s, time_ms or time_us",
                    excerpt(&self.columns[column])
                )));
            };
            return Ok(Some(Time { column, unit, told: "" }));
        }
        let mut unknown = None;
        for column in self.time_columns(value) {
            let stamps = self.stamps(column);
            if let Some(unit) = unit(column) {
                if self.options.time_unit.is_none() && beyond_reason(&stamps, unit) {
                    return Err(self.column_error(format!(
                        "column {} would lie beyond the year 3000 in the unit of its name: give \
                         the option --time-unit",
                        excerpt(&self.columns[column])
                    )));
                }
                if self.options.time_unit.is_none() {
                    notes.extend(self.since_1970(column, &stamps, unit)?);
                }
                return Ok(Some(Time { column, unit, told: "" }));
            }
            match unit_by_size(&stamps) {
                Some((unit, told)) => return Ok(Some(Time { column, unit, told })),
                None if self.header => unknown = unknown.or(Some(column)),
                None => {}
            }
        }
        if let Some(column) = unknown {
            self.readable(column)?;
            notes.push(format!(
                "column {} has no unit in its name (time_s, time_ms, time_us) and its numbers do \
                 not tell it, so the interval is not known; the option --time-unit gives it",
                excerpt(&self.columns[column])
            ));
        } else if let (true, Some(column)) = (self.header, self.steady(value)) {
            notes.push(format!(
                "column {} rises by the same from row to row: if it is the time, the options --time-column \
                 and --time-unit give the interval",
                excerpt(&self.columns[column])
            ));
        }
        Ok(None)
    }

    /// Refuses a column of times in an unknown form, since the rows may be unsorted.
    fn readable(&self, column: usize) -> Result<(), TraceError> {
        let chosen = self.options.time_column.is_some();
        let asked = self.options.column.is_some() || self.options.kind.is_some();
        let cell = |row: &'_ Vec<String>| row.get(column).cloned().unwrap_or_default();
        let first = self.data.first().map(cell).unwrap_or_default();
        let differ = self.data.iter().any(|row| cell(row) != first);
        if !self.stamps(column).is_empty() || (!chosen && (asked || !differ)) {
            return Ok(());
        }
        Err(self.column_error(format!(
            "the times in column {} are not in a form that is read (the first is {}): write seconds, \
             2024-05-28T12:00:00.005 or 12:00:00.005{}",
            excerpt(&self.columns[column]),
            excerpt(&first),
            if chosen {
                ""
            } else {
                "; if the rows are packets in the order sent, choose the column of outcomes or arrivals and \
                 its kind, and the times are left out"
            }
        )))
    }

    /// The column of times that orders the rows: that of the `time` stamps, unless they are receive
    /// times.
    pub(super) fn order(&self, value: usize, time: Option<usize>) -> Option<usize> {
        let sending = |i: &usize| *i != value && !(self.header && is_arrival(&self.columns[*i]));
        time.filter(sending).or_else(|| self.time_columns(value).into_iter().find(sending))
    }

    /// Tests numbers that may be times since 1970 in a larger unit than the `unit` of their
    /// column's name. They are refused if they have fractions or packets would be closer than
    /// [`CLOSEST`]; otherwise they get a note.
    fn since_1970(
        &self,
        column: usize,
        stamps: &[Stamp],
        unit: Span,
    ) -> Result<Option<String>, TraceError> {
        let Some((other, told)) = unit_by_size(stamps).filter(|(other, _)| *other > unit) else {
            return Ok(None);
        };
        let name = excerpt(&self.columns[column]);
        let told = told.split(',').next().unwrap_or_default();
        let gap = typical_gap(&stamps.iter().map(|stamp| stamp.value()).collect::<Vec<_>>());
        let gap = gap.unwrap_or(0).saturating_mul(i128::from(unit.0)) / 1_000_000_000;
        // A clock that has run for weeks may reach such whole numbers.
        let parts = stamps.iter().any(|stamp| stamp.value() % 1_000_000_000 != 0);
        if parts || gap < i128::from(CLOSEST.0) {
            let first = stamps.first().map_or(0, |stamp| stamp.value()) as f64 / 1e9;
            return Err(self.column_error(format!(
                "column {name} holds numbers such as {first}, which look like {told}, not like times in \
                 units of {unit} as its name says: give the option --time-unit (\"{other}\" or \"{unit}\")"
            )));
        }
        Ok(Some(format!(
            "the numbers of column {name} could be {told} as well; they are taken in units of {unit}, as the \
             name of the column says, unless the option --time-unit says otherwise"
        )))
    }

    /// Columns of times: send times, others, receive times. Without names, only dates and numbers
    /// that count from 1970 are times.
    fn time_columns(&self, value: usize) -> Vec<usize> {
        let named = |test: &dyn Fn(&str) -> bool| -> Vec<usize> {
            (0..self.columns.len()).filter(|i| self.header && test(&self.columns[*i])).collect()
        };
        if !self.header {
            let since_1970 = |i: &usize| {
                *i != value
                    && unit_by_size(&self.stamps(*i)).is_some_and(|(_, told)| {
                        told.contains("1970") || [DATES, TIMES_OF_DAY].contains(&told)
                    })
            };
            return (0..self.columns.len()).filter(since_1970).collect();
        }
        let base = |name: &str| {
            let name = normal(name);
            match (unit_of(&name), name.rsplit_once('_')) {
                (Some(_), Some((base, _))) => base.trim_end_matches('_').to_owned(),
                _ => name,
            }
        };
        let mut found = named(&|name| is_sent_time(name));
        // "sent" may be a count.
        found.extend(
            named(&|name| is_one_of(name, SENT))
                .into_iter()
                .filter(|i| *i != value && unit_by_size(&self.stamps(*i)).is_some()),
        );
        found.extend(named(&|name| is_one_of(&base(name), TIME)));
        let all_times = |i: &usize| self.all(*i, |cell| Stamp::of(cell).is_some());
        found.extend(
            named(&|name| is_one_of(&base(name), PERHAPS_TIME)).into_iter().filter(all_times),
        );
        if found.is_empty() {
            found.extend(self.rising(value));
        }
        found.extend(named(&|name| is_arrival(name) && is_moment(name)));
        let chosen = |i: usize| self.options.column.is_some() && i == value;
        found.retain(|i| !chosen(*i) || is_arrival(&self.columns[*i]));
        found
    }

    fn unit_by_name(&self, column: usize) -> Option<Span> {
        self.header.then(|| unit_of(&self.columns[column])).flatten()
    }

    /// An unused column of numbers that rise by the same from row to row, preferably one that does
    /// not number rows.
    fn steady(&self, value: usize) -> Option<usize> {
        let gaps = |i: usize| -> Option<Vec<i128>> {
            let stamps = self.stamps(i);
            let free = i != value && !is_one_of(&self.columns[i], SEQUENCE);
            (free && stamps.len() == self.data.len() && stamps.len() > 2)
                .then(|| stamps.windows(2).map(|pair| pair[1].value() - pair[0].value()).collect())
        };
        let steady = |i: &usize| {
            gaps(*i).is_some_and(|gaps| gaps[0] > 0 && gaps.iter().all(|gap| *gap == gaps[0]))
        };
        let counts = |i: &usize| gaps(*i).is_some_and(|gaps| gaps[0] == BILLION);
        (0..self.columns.len()).filter(steady).min_by_key(counts)
    }

    /// Columns of rising numbers with a unit of time in their name.
    fn rising(&self, value: usize) -> Vec<usize> {
        let rising = |i: &usize| {
            let name = &self.columns[*i];
            let stamps = self.stamps(*i);
            *i != value
                && unit_of(name).is_some()
                && !is_arrival(name)
                && !is_span(name)
                && stamps.len() == self.data.len()
                && stamps.len() > 2
                && stamps.windows(2).all(|pair| pair[0].value() <= pair[1].value())
                && 2 * stamps.windows(2).filter(|pair| pair[0] != pair[1]).count()
                    >= stamps.len() - 1
        };
        (0..self.columns.len()).filter(|i| self.header && rising(i)).collect()
    }
}
