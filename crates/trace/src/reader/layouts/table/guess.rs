//! Finds the columns of outcomes and of times in a table: by the user's options, the header's
//! names, or the cells.

use super::super::super::head::Head;
use super::super::accepted::accepted;
use super::names::{
    Arrival, CODES, COUNTS, LOST, RECEIVED, SENT, SEQUENCE, arrival, is_arrival, is_moment,
    is_number, is_one_of, is_sent_time, is_time_or_outcome, normal, outcome, whole,
};
use super::times::{Stamp, unit_by_size};
use crate::error::{TraceError, excerpt};
use crate::reader::{ColumnKind, ReadOptions};

/// The kinds of columns in order of preference: sequence numbers come last.
const ALL: [ColumnKind; 4] =
    [ColumnKind::Received, ColumnKind::Lost, ColumnKind::Arrival, ColumnKind::Sequence];

/// Fewest rows in which the only column of 0 and 1 is taken as outcomes.
const SURE: usize = 3;

/// A table whose columns are not known yet.
pub(super) struct Guess<'a> {
    pub(super) head: &'a Head<'a>,
    pub(super) options: &'a ReadOptions,
    pub(super) columns: &'a [String],
    pub(super) header: bool,
    pub(super) data: &'a [Vec<String>],
}

impl Guess<'_> {
    pub(super) fn column_error(&self, problem: String) -> TraceError {
        let shown: Vec<String> = self.columns.iter().take(20).map(|name| excerpt(name)).collect();
        let path = self.head.path.display().to_string();
        TraceError::Column { path, problem, columns: shown.join(", ") }
    }

    /// The column a user named, by name or by number from 1.
    pub(super) fn chosen(&self, option: &str, wanted: &str) -> Result<usize, TraceError> {
        let by_name = self.columns.iter().position(|name| normal(name) == normal(wanted));
        let by_number = || {
            let n = wanted.parse::<usize>().ok()?;
            (1..=self.columns.len()).contains(&n).then(|| n - 1)
        };
        by_name.or_else(by_number).ok_or_else(|| {
            self.column_error(format!("there is no column {} ({option})", excerpt(wanted)))
        })
    }

    pub(super) fn all(&self, column: usize, test: impl Fn(&str) -> bool) -> bool {
        self.data.iter().all(|row| row.get(column).is_some_and(|cell| test(cell)))
    }

    /// The column of outcomes, of arrivals or of sequence numbers: by choice, by name, or by its
    /// cells.
    pub(super) fn value(&self, notes: &mut Vec<String>) -> Result<(usize, ColumnKind), TraceError> {
        let kinds = match self.options.kind {
            Some(kind) => vec![kind],
            None => ALL.to_vec(),
        };
        if let Some(wanted) = &self.options.column {
            let column = self.chosen("column", wanted)?;
            return match self.options.kind {
                Some(ColumnKind::Received) => Ok((column, self.received_kind(column)?)),
                Some(kind) => Ok((column, kind)),
                None => Ok((column, self.kind_of(column))),
            };
        }
        if let Some(found) = kinds.iter().find_map(|kind| self.named(*kind)) {
            if let (ColumnKind::Sequence, None) = (found.1, self.options.kind) {
                self.passed_over()?;
            }
            return Ok(found);
        }
        // A known name over unknown cells: the error names the cell.
        for (kind, names) in [(ColumnKind::Received, RECEIVED), (ColumnKind::Lost, LOST)] {
            if let (true, Some(column)) = (kinds.contains(&kind), self.find(names)) {
                return Ok((column, kind));
            }
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

    /// The first column, in the order of `names`, that has one of them.
    fn find(&self, names: &[&str]) -> Option<usize> {
        let at = |name: &&str| self.columns.iter().position(|c| normal(c) == **name);
        self.header.then(|| names.iter().find_map(at)).flatten()
    }

    /// The column that holds `kind` by its name and its cells.
    fn named(&self, kind: ColumnKind) -> Option<(usize, ColumnKind)> {
        let outcomes = |column: &usize| self.all(*column, |cell| outcome(cell, false).is_some());
        match kind {
            ColumnKind::Received => match self.find(RECEIVED)? {
                column if outcomes(&column) => Some((column, kind)),
                // A receiver's times under the name "received".
                column
                    if is_time_or_outcome(&self.columns[column])
                        && self.arrivals(column)
                        && self.all(column, |cell| {
                            !matches!(cell, "0" | "1") || self.zeroed(column)
                        })
                        && self.data.iter().any(|row| {
                            row.get(column).is_some_and(|cell| arrival(cell) == Arrival::Came)
                        })
                        && self.may_be_times(column) =>
                {
                    Some((column, ColumnKind::Arrival))
                }
                _ => None,
            },
            ColumnKind::Lost => self.find(LOST).filter(outcomes).map(|column| (column, kind)),
            ColumnKind::Arrival => self.arrival_columns().first().map(|column| (*column, kind)),
            ColumnKind::Sequence => self.find(SEQUENCE).map(|column| (column, kind)),
        }
    }

    /// True if a column of times has some zeros: the other times are large or have fractions.
    fn zeroed(&self, column: usize) -> bool {
        self.all(column, |cell| {
            let large =
                || Stamp::of(cell).is_some_and(|stamp| stamp.value() >= 1_000_000_000_000_000);
            cell == "0" || arrival(cell) != Arrival::Came || cell.contains('.') || large()
        })
    }

    /// Refuses a table read by sequence numbers if a column has a name of outcomes but other
    /// content.
    fn passed_over(&self) -> Result<(), TraceError> {
        let blank = |cell: &str| arrival(cell) == Arrival::Blank;
        match self.find(RECEIVED) {
            Some(column) if self.all(column, |cell| !blank(cell)) => Err(self.column_error(format!(
                "column {} holds neither 0 and 1 (or such words) nor times: write it so, or, if every row \
                 is a received packet, choose the column of sequence numbers and kind sequence",
                excerpt(&self.columns[column])
            ))),
            _ => Ok(()),
        }
    }

    /// Refuses outcomes that may be counts, or codes in which 0 means success.
    pub(super) fn certain_outcomes(
        &self,
        value: usize,
        kind: ColumnKind,
    ) -> Result<(), TraceError> {
        if !self.header || !matches!(kind, ColumnKind::Received | ColumnKind::Lost) {
            return Ok(());
        }
        let name = excerpt(&self.columns[value]);
        if is_one_of(&self.columns[value], CODES)
            && self.all(value, |cell| matches!(cell, "0" | "1"))
        {
            return Err(self.column_error(format!(
                "column {name} holds 0 and 1, and programs often say 0 for a success: choose column \
                 {name} and kind received if 1 means received, kind lost if 1 means lost"
            )));
        }
        let counts =
            |i: &usize| *i != value && is_one_of(&self.columns[*i], COUNTS) && self.counts(*i);
        if let Some(other) = (0..self.columns.len()).find(counts) {
            return Err(self.column_error(format!(
                "column {} holds counts above 1, so {name} seems to count packets, too, not to say what \
                 became of one: a table with one row a packet is needed; if it is one, choose column \
                 {name} and its kind",
                excerpt(&self.columns[other])
            )));
        }
        Ok(())
    }

    /// True if a column holds small whole numbers that neither number the rows nor rise like times.
    fn counts(&self, column: usize) -> bool {
        let values: Option<Vec<u64>> =
            self.data.iter().map(|row| whole(row.get(column)?)).collect();
        values.is_some_and(|values| {
            let rising = values.len() > 1 && values.windows(2).all(|pair| pair[0] < pair[1]);
            !rising && values.iter().any(|n| *n > 1) && values.iter().all(|n| *n <= 1_000_000)
        })
    }

    /// The column of send times, and whether all nonzero arrivals count from 1970.
    pub(super) fn zero_is_lost(&self, value: usize) -> (Option<usize>, bool) {
        let name = &self.columns[value];
        let moment = !self.header || is_moment(name) || is_time_or_outcome(name);
        if !moment {
            return (None, false);
        }
        let sent = |i: &usize| {
            let name = &self.columns[*i];
            self.header && *i != value && (is_sent_time(name) || is_one_of(name, SENT))
        };
        let came: Vec<Stamp> =
            self.stamps(value).into_iter().filter(|stamp| stamp.value() != 0).collect();
        let epoch = unit_by_size(&came).is_some_and(|(_, told)| told.contains("1970"));
        ((0..self.columns.len()).find(sent), epoch)
    }

    /// Columns with names of receive times or delays.
    pub(super) fn arrival_columns(&self) -> Vec<usize> {
        let fits = |i: &usize| self.header && is_arrival(&self.columns[*i]);
        (0..self.columns.len()).filter(fits).collect()
    }

    /// True if all cells are times or blank.
    fn arrivals(&self, column: usize) -> bool {
        self.all(column, |cell| arrival(cell) != Arrival::Unclear)
    }

    /// The kind of a column that the user chose, by its name, else by its cells.
    fn kind_of(&self, column: usize) -> ColumnKind {
        let name = &self.columns[column];
        let blank =
            |row: &Vec<String>| row.get(column).is_some_and(|c| arrival(c) == Arrival::Blank);
        match () {
            () if self.header && is_one_of(name, LOST) => ColumnKind::Lost,
            () if self.header && is_one_of(name, SEQUENCE) => ColumnKind::Sequence,
            () if self.header && is_arrival(name) => ColumnKind::Arrival,
            () if self.all(column, |cell| outcome(cell, false).is_some()) => ColumnKind::Received,
            () if self.arrivals(column) && self.data.iter().any(blank) => ColumnKind::Arrival,
            () if self.all(column, |cell| whole(cell).is_some()) => ColumnKind::Sequence,
            () => ColumnKind::Received,
        }
    }

    /// The kind of a column named "received": outcomes, or times where a blank is a loss.
    fn received_kind(&self, column: usize) -> Result<ColumnKind, TraceError> {
        if self.all(column, |cell| outcome(cell, false).is_some()) || !self.arrivals(column) {
            return Ok(ColumnKind::Received);
        }
        match self.kind_of(column) {
            ColumnKind::Arrival => Ok(ColumnKind::Arrival),
            _ => Err(self.column_error(format!(
                "column {} holds numbers, not outcomes: if a number means received and a blank \
                 lost, choose the kind arrival",
                excerpt(&self.columns[column])
            ))),
        }
    }

    /// The column in a table without a header: the only column of outcomes, or a single column of
    /// whole numbers.
    fn by_looks(&self, notes: &mut Vec<String>) -> Result<(usize, ColumnKind), TraceError> {
        let binary: Vec<usize> = (0..self.columns.len())
            .filter(|&i| self.all(i, |cell| outcome(cell, false).is_some()))
            .collect();
        match (binary.as_slice(), self.columns.len()) {
            (&[column], n) if self.may_be_a_log(n) => Err(self.column_error(format!(
                "there is no header, and {rows} rows of numbers do not show whether column {at} holds \
                 outcomes, or times or rates that happen to be 0 and 1: for outcomes give --column {at}, \
                 for times and rates say what a rate is counted in (--rate-unit \"Mb/s\")",
                rows = self.data.len(),
                at = column + 1
            ))),
            (&[column], n) => {
                if n > 1 {
                    notes.push(format!(
                        "no header: column {} of {n} taken as outcomes, the only one of 0 and 1",
                        column + 1
                    ));
                }
                Ok((column, ColumnKind::Received))
            }
            ([], 1) if self.all(0, |cell| whole(cell).is_some()) => {
                let mut note = "no header: the numbers taken as received sequence numbers".to_owned();
                let numbers = self.stamps(0);
                if numbers.windows(2).all(|pair| pair[0].value() <= pair[1].value()) {
                    note.push_str(
                        "; if they are the milliseconds of a mahimahi link trace, give --layout mahimahi",
                    );
                }
                notes.push(note);
                Ok((0, ColumnKind::Sequence))
            }
            ([], 2) if (0..2).all(|i| self.all(i, is_number)) => Err(TraceError::NotATrace {
                path: self.head.path.display().to_string(),
                what: "two columns of numbers without names, neither of 0 and 1, such as a log of \
                       throughput (time, rate)"
                    .to_owned(),
                hint: "If they are times and rates, say what a rate is counted in: --rate-unit \"Mb/s\" \
                       (or \"B/s\", ...). If one column holds received sequence numbers, name it: \
                       column 1 (or 2), kind sequence."
                    .to_owned(),
            }),
            ([], _) => Err(self.head.unrecognised(accepted())),
            (several, n) => Err(self.column_error(format!(
                "there is no header, and {} of {n} columns could be the outcomes: choose one with \
                 --column",
                several.len()
            ))),
        }
    }

    /// True for a few rows of numbers in several columns, which may be a log of times and rates.
    fn may_be_a_log(&self, columns: usize) -> bool {
        columns > 1
            && self.options.kind.is_none()
            && self.data.len() < SURE
            && (0..columns).all(|i| self.all(i, is_number))
    }

    /// The error for a header without a known name.
    fn nothing_named(&self) -> TraceError {
        let consistent = self.data.iter().all(|row| row.len() == self.columns.len());
        if self.columns.len() > 1 && consistent && !self.data.is_empty() {
            let numbers = self.columns.len() == 2 && (0..2).all(|i| self.all(i, is_number));
            let rates = if numbers {
                "; if they are times and rates, say what a rate is counted in: --rate-unit \"Mb/s\" (or \
                 \"B/s\", ...)"
            } else {
                ""
            };
            return self.column_error(format!(
                "no column is named as outcomes (received, outcome, success, delivered, ok, lost, \
                 dropped), as receive times or delays (recv_time_s, rtt_ms), or as received \
                 sequence numbers (seq): choose one with --column{rates}"
            ));
        }
        self.head.unrecognised(accepted())
    }

    /// The times in a column, in the examined rows.
    pub(super) fn stamps(&self, column: usize) -> Vec<Stamp> {
        self.data.iter().filter_map(|row| Stamp::of(row.get(column)?)).collect()
    }
}
