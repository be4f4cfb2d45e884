//! How to read the rows of a table: the content of each column, and the table's comments.

use std::path::Path;

use super::super::super::head::Head;
use super::super::accepted::accepted;
use super::delay::DelaySource;
use super::delimiter::Delimiter;
use super::guess::Guess;
use super::minus_one;
use super::names::{Arrival, KEYS, SEQUENCE, arrival, counter, is_header, is_one_of};
use super::times::{DATES, Stamp, TIMES_OF_DAY};
use super::timing::Time;
use crate::error::{TraceError, excerpt};
use crate::reader::{ColumnKind, ReadOptions};

/// Rows examined.
const ROWS: usize = 200;

/// The totals that our own writer of sequence numbers puts into a comment.
#[derive(Debug, Clone, Copy)]
pub(super) struct Total {
    packets: u64,
    /// Packets before the first one received.
    lead: u64,
}

impl Total {
    fn of(head: &Head<'_>) -> Option<Self> {
        let packets = head.directive("packets")?.parse().ok()?;
        let lead = head.directive("lead").and_then(|l| l.parse().ok()).unwrap_or(0);
        Some(Self { packets, lead })
    }

    /// Losses to put before a record of `n` packets, and the length it then has.
    pub(super) fn around(self, n: u64) -> (u64, u64) {
        let lead = if n == 0 { 0 } else { self.lead };
        (lead, self.packets.max(n.saturating_add(lead)))
    }
}

/// True for the line that tells Excel the separator: `sep=;`.
pub(super) fn is_separator(line: &str) -> bool {
    line.trim_start_matches('\u{feff}')
        .strip_prefix("sep=")
        .is_some_and(|rest| rest.trim_end().len() <= 1)
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
    /// True if the user chose the column or its kind.
    pub(super) asked: bool,
    /// Sequence numbers beside outcomes or arrivals.
    pub(super) sequence: Option<usize>,
    /// Where these numbers wrap, if the column's name shows it.
    pub(super) counter: Option<u64>,
    /// The time of sending, and whether an arrival of 0 always means lost.
    pub(super) sent: Option<usize>,
    pub(super) zero_is_lost: bool,
    /// True if an arrival of -1 means lost: no other times are negative.
    pub(super) minus_one_is_lost: bool,
    /// The columns that give the delay of a packet.
    pub(super) delay: Option<DelaySource>,
    /// Columns whose blanks may contradict the losses.
    pub(super) watched: Vec<usize>,
    pub(super) time: Option<Time>,
    /// The column of times that gives the order of rows without numbers.
    pub(super) order: Option<usize>,
    pub(super) keys: Vec<usize>,
    pub(super) total: Option<Total>,
    pub(super) notes: Vec<String>,
    /// The unused columns, for the note.
    pub(super) unused: Option<String>,
}

/// True of lines that are the header or a row.
fn table_line(line: &&str) -> bool {
    !line.trim().is_empty() && !line.trim_start().starts_with('#') && !is_separator(line)
}

/// The columns that could hold the outcomes as well as `value`.
fn watched(guess: &Guess<'_>, value: usize, kind: ColumnKind) -> Vec<usize> {
    match kind {
        ColumnKind::Arrival => {
            guess.arrival_columns().into_iter().filter(|i| *i != value).collect()
        }
        ColumnKind::Sequence => (0..guess.columns.len())
            .filter(|i| *i != value && !is_one_of(&guess.columns[*i], KEYS))
            .collect(),
        _ => Vec::new(),
    }
}

impl Plan {
    pub(super) fn of(head: &Head<'_>, options: &ReadOptions) -> Result<Self, TraceError> {
        let lines: Vec<&str> = head.lines().filter(table_line).take(ROWS).collect();
        let first = lines.first().ok_or_else(|| head.unrecognised(accepted()))?;
        let delimiter = Delimiter::of(first);
        let rows: Vec<Vec<String>> = lines.iter().map(|line| delimiter.split(line)).collect();
        let header = is_header(&rows);
        let numbers = || (1..=rows[0].len()).map(|i| i.to_string()).collect();
        let columns: Vec<String> = if header { rows[0].clone() } else { numbers() };
        let data = if header { &rows[1..] } else { &rows[..] };
        let total = Total::of(head);
        if data.is_empty() && !head.more() && total.is_none() {
            let path = head.path.display().to_string();
            return Err(TraceError::Empty { path, found: "the file holds a header and no rows" });
        }
        let guess = Guess { head, options, columns: &columns, header, data };
        let mut notes = Vec::new();
        let (value, kind) = guess.value(&mut notes)?;
        let time = guess.time(value, &mut notes)?;
        let times = time.as_ref().map(|time| time.column);
        let asked = options.column.is_some() || options.kind.is_some();
        guess.refuse_same_names(value, times)?;
        (!asked).then(|| guess.certain_outcomes(value, kind)).transpose()?;
        let (sent, zero_is_lost) = match kind {
            ColumnKind::Arrival => guess.zero_is_lost(value),
            _ => (None, false),
        };
        let watched = if asked || !header { Vec::new() } else { watched(&guess, value, kind) };
        let named = |names: &[&str]| -> Vec<usize> {
            let fits = |i: &usize| header && *i != value && is_one_of(&columns[*i], names);
            (0..columns.len()).filter(fits).collect()
        };
        let sequence = named(SEQUENCE).first().copied().filter(|_| kind != ColumnKind::Sequence);
        let numbered = kind == ColumnKind::Sequence || sequence.is_some();
        let minus_one_is_lost = kind != ColumnKind::Arrival || {
            let rows = head.lines().filter(table_line).skip(usize::from(header));
            let cell = |line: &str| delimiter.split(line).into_iter().nth(value);
            minus_one::is_lost(rows.filter_map(cell))
        };
        let order = if numbered { None } else { guess.order(value, times) };
        let numbers = sequence.or((kind == ColumnKind::Sequence).then_some(value));
        Ok(Self {
            counter: numbers.filter(|_| header).and_then(|i| counter(&columns[i])),
            sequence,
            order,
            keys: named(KEYS),
            delay: if header { DelaySource::of(&columns, value, sent) } else { None },
            sent,
            zero_is_lost,
            minus_one_is_lost,
            asked,
            watched,
            delimiter,
            header,
            value,
            kind,
            time,
            total,
            notes,
            unused: None,
            columns,
        })
    }

    /// Uses `column` to separate `links` links, since their numbers repeat without it.
    pub(super) fn tell_apart(&mut self, column: usize, links: usize) {
        self.keys.push(column);
        self.notes.push(format!(
            "the numbers in column {} repeat, and column {} tells {links} links apart",
            excerpt(&self.columns[self.sequence.unwrap_or(self.value)]),
            excerpt(&self.columns[column])
        ));
    }

    /// The arrival of a row.
    pub(super) fn arrival(&self, cells: &[String]) -> Arrival {
        match arrival(&cells[self.value]) {
            Arrival::MinusOne if !self.minus_one_is_lost => Arrival::Came,
            found => found,
        }
    }

    /// True if the row has a receive time of 0 that means a lost packet: the packet was sent after
    /// time 0, or all other times count from 1970.
    pub(super) fn is_zero_lost(&self, cells: &[String]) -> bool {
        let stamp = |cell: &str| Stamp::of(cell).map(Stamp::value);
        let sent = || self.sent.and_then(|i| stamp(&cells[i]));
        (self.zero_is_lost || self.sent.is_some())
            && stamp(&cells[self.value]) == Some(0)
            && (self.zero_is_lost || sent().is_some_and(|sent| sent > 0))
    }

    /// The use of the columns in one line, for a link with `rows` rows, `blank` of them without an
    /// arrival. With `by_time` the rows were put in order.
    pub(super) fn taken(&self, rows: u64, blank: u64, by_time: bool) -> String {
        let name = |i: usize| excerpt(&self.columns[i]);
        let value = match self.kind {
            ColumnKind::Received => "outcomes, 1 = received".to_owned(),
            ColumnKind::Lost => "outcomes, 1 = lost".to_owned(),
            ColumnKind::Sequence => "sequence numbers of received packets, gaps = lost".to_owned(),
            ColumnKind::Arrival => {
                format!("arrivals, a blank = lost ({blank} of {rows} rows)")
            }
        };
        let mut parts = vec![format!("column {} taken as {value}", name(self.value))];
        if let (Some(sequence), ColumnKind::Arrival) = (self.sequence, self.kind) {
            parts.push(format!("{} as the packets' numbers", name(sequence)));
        }
        if let Some(Time { column, unit, told }) = &self.time {
            parts.push(match *told {
                "" => format!("{} as times in units of {unit}", name(*column)),
                DATES | TIMES_OF_DAY => format!("{} as {told}", name(*column)),
                told => format!("{} as times in {told}", name(*column)),
            });
        }
        if let (true, Some(order)) = (by_time, self.order) {
            parts.push(format!("rows put into order of {}", name(order)));
        }
        let unordered = self.sequence.is_none() && self.order.is_none() && self.columns.len() > 1;
        if unordered && self.kind != ColumnKind::Sequence {
            parts.push("rows taken in the order sent".to_owned());
        }
        parts.extend(self.unused.clone());
        parts.join("; ")
    }

    /// The error of an ambiguous table.
    pub(super) fn question(&self, path: &Path, problem: String) -> TraceError {
        let shown: Vec<_> = self.columns.iter().take(20).map(|name| excerpt(name)).collect();
        let path = path.display().to_string();
        TraceError::Column { path, problem, columns: shown.join(", ") }
    }

    /// The options that confirm the reading of the rows.
    pub(super) fn choose(&self) -> String {
        let kind = match self.kind {
            ColumnKind::Received => "received",
            ColumnKind::Lost => "lost",
            ColumnKind::Sequence => "sequence",
            ColumnKind::Arrival => "arrival",
        };
        format!("choose column {} and kind {kind}", excerpt(self.value_name()))
    }

    /// The value column as the user sees it.
    pub(super) fn value_name(&self) -> &str {
        &self.columns[self.value]
    }
}
