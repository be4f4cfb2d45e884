//! Which column of a table holds what.

use airtcp_units::Span;

use super::super::super::head::Head;
use super::super::accepted;
use crate::error::{TraceError, excerpt};
use crate::reader::{ColumnKind, ReadOptions};

/// Rows looked at.
const ROWS: usize = 200;

const RECEIVED: &[&str] = &[
    "received",
    "receive",
    "recv",
    "outcome",
    "success",
    "succeeded",
    "delivered",
    "delivery",
    "ok",
    "acked",
    "ack",
    "bit",
    "result",
    "status",
];
const LOST: &[&str] =
    &["lost", "loss", "dropped", "drop", "error", "err", "failed", "fail", "failure", "erased"];
const SEQUENCE: &[&str] = &[
    "seq",
    "seqno",
    "seq_no",
    "seqnum",
    "seq_num",
    "sequence",
    "sequence_number",
    "sequence_no",
    "received_seq",
    "icmp_seq",
    "packet_seq",
    "pkt_seq",
    "sn",
];
const TIME: &[&str] = &["time", "t", "timestamp", "ts", "time_stamp"];
const UNITS: &[(&str, Span)] = &[
    ("s", Span::from_secs(1)),
    ("sec", Span::from_secs(1)),
    ("seconds", Span::from_secs(1)),
    ("ms", Span::from_millis(1)),
    ("us", Span::from_micros(1)),
    ("ns", Span(1)),
];
const KEYS: &[&str] =
    &["link", "link_id", "src", "source", "dst", "destination", "tx", "sender", "rx", "receiver"];

/// What stands between two cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Delimiter {
    Char(char),
    Blanks,
}

impl Delimiter {
    /// The separator that makes most cells of the first row, blanks if none makes two.
    fn of(line: &str) -> Self {
        let cells = |c: &char| Self::Char(*c).split(line).len();
        // The first of equals: a tab before a comma before a semicolon.
        match [';', ',', '\t'].into_iter().max_by_key(cells) {
            Some(c) if cells(&c) > 1 => Self::Char(c),
            _ => Self::Blanks,
        }
    }

    /// Cells, trimmed and without quotation marks.
    pub(super) fn split(self, line: &str) -> Vec<String> {
        let Self::Char(delimiter) = self else {
            return line.split_whitespace().map(str::to_owned).collect();
        };
        let mut cells = vec![String::new()];
        let mut quoted = false;
        for c in line.chars() {
            match c {
                '"' => quoted = !quoted,
                c if c == delimiter && !quoted => cells.push(String::new()),
                c => {
                    if let Some(cell) = cells.last_mut() {
                        cell.push(c);
                    }
                }
            }
        }
        for cell in &mut cells {
            let trimmed = cell.trim();
            if trimmed.len() < cell.len() {
                *cell = trimmed.to_owned();
            }
        }
        cells
    }
}

/// The outcome a cell states; `inverted` turns numbers and yes/no round (1 means lost).
pub(super) fn outcome(cell: &str, inverted: bool) -> Option<bool> {
    let word = cell.to_ascii_lowercase();
    match word.as_str() {
        "1" | "1.0" | "true" | "t" | "yes" | "y" => Some(!inverted),
        "0" | "0.0" | "false" | "f" | "no" | "n" => Some(inverted),
        "received" | "recv" | "ok" | "success" | "delivered" | "ack" | "acked" => Some(true),
        "lost" | "loss" | "fail" | "failed" | "failure" | "dropped" | "drop" | "nack"
        | "timeout" => Some(false),
        _ => None,
    }
}

/// The column of time stamps.
#[derive(Debug)]
pub(super) struct Time {
    pub(super) column: usize,
    pub(super) unit: Span,
}

/// What our own writer of sequence numbers leaves in a comment.
#[derive(Debug, Clone, Copy)]
pub(super) struct Total {
    packets: u64,
    /// Packets before the first one received.
    lead: u64,
}

impl Total {
    /// Losses to put before a record of `n` packets, and the length it then has.
    pub(super) fn around(self, n: u64) -> (u64, u64) {
        let lead = if n == 0 { 0 } else { self.lead };
        (lead, self.packets.max(n.saturating_add(lead)))
    }
}

/// How to read the rows.
#[derive(Debug)]
pub(super) struct Plan {
    pub(super) delimiter: Delimiter,
    /// True if the first row names the columns.
    pub(super) header: bool,
    /// Names, or numbers from 1.
    pub(super) columns: Vec<String>,
    pub(super) value: usize,
    pub(super) kind: ColumnKind,
    /// Sequence numbers beside outcomes.
    pub(super) sequence: Option<usize>,
    pub(super) time: Option<Time>,
    pub(super) keys: Vec<usize>,
    pub(super) total: Option<Total>,
    pub(super) notes: Vec<String>,
}

impl Plan {
    pub(super) fn of(head: &Head<'_>, options: &ReadOptions) -> Result<Self, TraceError> {
        let table_line =
            |line: &&str| !line.trim().is_empty() && !line.trim_start().starts_with('#');
        let lines: Vec<&str> = head.lines().filter(table_line).take(ROWS).collect();
        let Some(first) = lines.first() else {
            return Err(head.unrecognised(accepted()));
        };
        let delimiter = Delimiter::of(first);
        let rows: Vec<Vec<String>> = lines.iter().map(|line| delimiter.split(line)).collect();
        let header = is_header(&rows);
        let columns: Vec<String> = if header {
            rows[0].clone()
        } else {
            (1..=rows[0].len()).map(|i| i.to_string()).collect()
        };
        let data = if header { &rows[1..] } else { &rows[..] };
        let total = total(head);
        if data.is_empty() && !head.more() && total.is_none() {
            let path = head.path.display().to_string();
            return Err(TraceError::Empty { path, found: "the file holds a header and no rows" });
        }
        let guess = Guess { head, options, columns: &columns, header, data };
        let mut notes = Vec::new();
        let (value, kind) = guess.value(&mut notes)?;
        let time = guess.time(value, &mut notes)?;
        let named = |names: &[&str]| -> Vec<usize> {
            let fits = |i: &usize| header && *i != value && is_one_of(&columns[*i], names);
            (0..columns.len()).filter(fits).collect()
        };
        Ok(Self {
            sequence: named(SEQUENCE).first().copied().filter(|_| kind != ColumnKind::Sequence),
            keys: named(KEYS),
            delimiter,
            header,
            value,
            kind,
            time,
            total,
            notes,
            columns,
        })
    }

    /// The value column as shown to the user.
    pub(super) fn value_name(&self) -> &str {
        &self.columns[self.value]
    }
}

fn total(head: &Head<'_>) -> Option<Total> {
    let packets = head.directive("packets")?.parse().ok()?;
    let lead = head.directive("lead").and_then(|l| l.parse().ok()).unwrap_or(0);
    Some(Total { packets, lead })
}

/// A name as compared: lower case, anything else than letters and digits an underscore.
fn normal(name: &str) -> String {
    let name: String = name
        .chars()
        .map(|c| if c.is_alphanumeric() { c.to_ascii_lowercase() } else { '_' })
        .collect();
    name.trim_matches('_').to_owned()
}

fn is_one_of(name: &str, names: &[&str]) -> bool {
    names.contains(&normal(name).as_str())
}

fn is_number(cell: &str) -> bool {
    cell.parse::<f64>().is_ok()
}

/// Words that belong together; a column keeps to one set.
fn vocabulary(cell: &str) -> u8 {
    match cell.to_ascii_lowercase().as_str() {
        _ if is_number(cell) => 0,
        "true" | "false" | "t" | "f" => 1,
        "yes" | "no" | "y" | "n" => 2,
        _ if outcome(cell, false).is_some() => 3,
        _ => 4,
    }
}

/// The first row names columns if one of its cells is a word and the cell below is of another
/// kind (a number, an outcome in other words), or if one is a name we know that is no outcome.
fn is_header(rows: &[Vec<String>]) -> bool {
    rows[0].iter().enumerate().any(|(i, cell)| {
        let kind = vocabulary(cell);
        let below = rows.get(1).and_then(|row| row.get(i)).map(|cell| vocabulary(cell));
        let known = || {
            let sets = [RECEIVED, LOST, SEQUENCE, TIME, KEYS];
            sets.iter().any(|names| is_one_of(cell, names))
        };
        match below {
            _ if kind == 0 || cell.is_empty() => false,
            Some(below) if below != kind => below < 4,
            Some(_) => kind == 4 && known(),
            None => known(),
        }
    })
}

struct Guess<'a> {
    head: &'a Head<'a>,
    options: &'a ReadOptions,
    columns: &'a [String],
    header: bool,
    data: &'a [Vec<String>],
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

    fn value(&self, notes: &mut Vec<String>) -> Result<(usize, ColumnKind), TraceError> {
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

    fn time(&self, value: usize, notes: &mut Vec<String>) -> Result<Option<Time>, TraceError> {
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
