//! Which column of a table holds the outcomes, and which the time: what the user says, else the names of
//! the header, else what the cells look like.

use super::super::super::head::Head;
use super::super::accepted;
use super::columns::Time;
use super::names::{LOST, RECEIVED, SEQUENCE, TIME, UNITS, is_number, is_one_of, normal, outcome};
use crate::error::{TraceError, excerpt};
use crate::reader::{ColumnKind, ReadOptions};

/// What is known of a table before its columns are.
pub(super) struct Guess<'a> {
    pub(super) head: &'a Head<'a>,
    pub(super) options: &'a ReadOptions,
    pub(super) columns: &'a [String],
    pub(super) header: bool,
    pub(super) data: &'a [Vec<String>],
}

impl Guess<'_> {
    fn column_error(&self, problem: String) -> TraceError {
        let shown: Vec<String> = self.columns.iter().take(20).map(|name| excerpt(name)).collect();
        let path = self.head.path.display().to_string();
        TraceError::Column { path, problem, columns: shown.join(", ") }
    }

    /// The column a user named, by name or by number from 1.
    fn chosen(&self, option: &str, wanted: &str) -> Result<usize, TraceError> {
        let by_name = self.columns.iter().position(|name| normal(name) == normal(wanted));
        let by_number = || {
            let n = wanted.parse::<usize>().ok()?;
            (1..=self.columns.len()).contains(&n).then(|| n - 1)
        };
        by_name.or_else(by_number).ok_or_else(|| {
            self.column_error(format!("there is no column {} ({option})", excerpt(wanted)))
        })
    }

    fn all(&self, column: usize, test: impl Fn(&str) -> bool) -> bool {
        self.data.iter().all(|row| row.get(column).is_some_and(|cell| test(cell)))
    }

    /// The column of outcomes or of sequence numbers: the one chosen, else by its name, else by its looks.
    pub(super) fn value(&self, notes: &mut Vec<String>) -> Result<(usize, ColumnKind), TraceError> {
        let find = |names: &[&str]| {
            let fits = |name: &&&str| self.columns.iter().position(|c| normal(c) == **name);
            self.header.then(|| names.iter().find_map(|name| fits(&name))).flatten()
        };
        let by_kind = |kind| match kind {
            ColumnKind::Received => find(RECEIVED),
            ColumnKind::Lost => find(LOST),
            ColumnKind::Sequence => find(SEQUENCE),
        };
        if let Some(wanted) = &self.options.column {
            let column = self.chosen("column", wanted)?;
            return Ok((column, self.options.kind.unwrap_or_else(|| self.kind_of(column))));
        }
        let kinds = match self.options.kind {
            Some(kind) => vec![kind],
            None => vec![ColumnKind::Received, ColumnKind::Lost, ColumnKind::Sequence],
        };
        if let Some(found) = kinds.iter().find_map(|kind| Some((by_kind(*kind)?, *kind))) {
            return Ok(found);
        }
        if self.columns.len() == 1
            && let Some(kind) = self.options.kind
        {
            return Ok((0, kind));
        }
        if self.header {
            return Err(self.nothing_named());
        }
        self.by_looks(notes)
    }

    /// What a column chosen by the user holds, by its name, else by its looks.
    fn kind_of(&self, column: usize) -> ColumnKind {
        let name = &self.columns[column];
        match () {
            () if self.header && is_one_of(name, LOST) => ColumnKind::Lost,
            () if self.header && is_one_of(name, SEQUENCE) => ColumnKind::Sequence,
            () if self.all(column, |cell| outcome(cell, false).is_some()) => ColumnKind::Received,
            () if self.all(column, |cell| cell.parse::<u64>().is_ok()) => ColumnKind::Sequence,
            () => ColumnKind::Received,
        }
    }

    /// Without names: the only column of outcomes, or a single column of whole numbers.
    fn by_looks(&self, notes: &mut Vec<String>) -> Result<(usize, ColumnKind), TraceError> {
        let binary: Vec<usize> = (0..self.columns.len())
            .filter(|&i| self.all(i, |cell| outcome(cell, false).is_some()))
            .collect();
        match (binary.as_slice(), self.columns.len()) {
            (&[column], n) => {
                if n > 1 {
                    notes.push(format!(
                        "no header: column {} of {n} taken as outcomes, the only one of 0 and 1",
                        column + 1
                    ));
                }
                Ok((column, ColumnKind::Received))
            }
            ([], 1) if self.all(0, |cell| cell.parse::<u64>().is_ok()) => {
                notes.push("no header: the numbers taken as received sequence numbers".to_owned());
                Ok((0, ColumnKind::Sequence))
            }
            ([], 2) if (0..2).all(|i| self.all(i, is_number)) => Err(TraceError::NotATrace {
                path: self.head.path.display().to_string(),
                what: "two columns of numbers without names, neither of 0 and 1, such as a log of \
                       throughput (time, rate)"
                    .to_owned(),
                hint: "If one column holds received sequence numbers, name it: column 1 (or 2), \
                       kind sequence."
                    .to_owned(),
            }),
            ([], _) => Err(self.head.unrecognised(accepted())),
            (several, n) => Err(self.column_error(format!(
                "there is no header, and {} of {n} columns could be the outcomes: choose one with \
                 the option column",
                several.len()
            ))),
        }
    }

    /// A header without any name we know.
    fn nothing_named(&self) -> TraceError {
        let consistent = self.data.iter().all(|row| row.len() == self.columns.len());
        if self.columns.len() > 1 && consistent && !self.data.is_empty() {
            return self.column_error(
                "no column is named as outcomes (received, outcome, success, delivered, ok, lost, \
                 dropped) or as received sequence numbers (seq): choose one with the option column"
                    .to_owned(),
            );
        }
        self.head.unrecognised(accepted())
    }

    /// The column of time stamps and their unit, if there is one.
    pub(super) fn time(
        &self,
        value: usize,
        notes: &mut Vec<String>,
    ) -> Result<Option<Time>, TraceError> {
        let unit_of = |name: &str| {
            let name = normal(name);
            let (base, unit) = name.rsplit_once('_')?;
            let unit = UNITS.iter().find(|(spelling, _)| *spelling == unit)?.1;
            is_one_of(base.trim_end_matches('_'), TIME).then_some(unit)
        };
        if let Some(wanted) = &self.options.time_column {
            let column = self.chosen("time_column", wanted)?;
            let named = self.header.then(|| unit_of(&self.columns[column])).flatten();
            let Some(unit) = self.options.time_unit.or(named) else {
                return Err(self.column_error(format!(
                    "the unit of the time stamps in column {} is not known: give time_unit, or \
                     name the column time_s, time_ms or time_us",
                    excerpt(&self.columns[column])
                )));
            };
            return Ok(Some(Time { column, unit }));
        }
        if !self.header {
            return Ok(None);
        }
        for (column, name) in self.columns.iter().enumerate().filter(|(i, _)| *i != value) {
            if let Some(unit) = unit_of(name) {
                return Ok(Some(Time { column, unit }));
            }
            if is_one_of(name, TIME) {
                if let Some(unit) = self.options.time_unit {
                    return Ok(Some(Time { column, unit }));
                }
                notes.push(format!(
                    "column {} has no unit in its name (time_s, time_ms, time_us), so the interval \
                     is not known",
                    excerpt(name)
                ));
            }
        }
        Ok(None)
    }
}
