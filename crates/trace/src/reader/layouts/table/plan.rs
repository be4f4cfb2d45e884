//! How to read the rows of a table: what each column holds, by the options, else by its documented
//! name. Values are used to refuse, never to choose.

use super::super::super::head::Head;
use super::super::accepted::accepted;
use super::super::delimiter::{Delimiter, is_separator};
use super::super::stamps::Stamp;
use super::ask::Columns;
use super::choose::{chosen, link_columns, named};
use super::marks::Marks;
use super::roles::{Role, counter, unit_of};
use super::time_column::{Time, time_column};
use super::words::{are_of_one_set, is_blank, is_number};
use crate::error::{TraceError, excerpt};
use crate::reader::{ColumnKind, ReadOptions};

/// Rows examined.
const ROWS: usize = 200;
/// Most unused columns named in a note.
const NAMED: usize = 6;

/// What the column of values holds.
#[derive(Debug, Clone, Copy)]
pub(super) enum Content {
    Packets(ColumnKind),
    /// Rates, with the bits per second of a rate of 1.
    Rate(f64),
    /// Bytes from each row's time to the next.
    Bytes,
}

/// How to read the rows.
#[derive(Debug)]
pub(super) struct Plan {
    pub(super) columns: Columns,
    pub(super) delimiter: Delimiter,
    pub(super) value: usize,
    pub(super) content: Content,
    /// True if the user chose the column or its kind.
    pub(super) asked: bool,
    /// Sequence numbers, and where they wrap if the column's name shows it.
    pub(super) sequence: Option<usize>,
    pub(super) counter: Option<u64>,
    pub(super) time: Option<Time>,
    /// The columns that tell links apart, and true if their names alone say so.
    pub(super) keys: Vec<usize>,
    pub(super) is_link_named: bool,
    pub(super) marks: Marks,
    /// The packets in all and before the first one received, from a comment of our own writer.
    pub(super) total: Option<(u64, u64)>,
}

impl Plan {
    pub(super) fn of(head: &Head<'_>, options: &ReadOptions) -> Result<Self, TraceError> {
        let delimiter = Delimiter::of(&rows(head).collect::<Vec<_>>());
        let columns = columns(head, delimiter)?;
        let directive = |key| head.directive(key).and_then(|text| text.parse().ok());
        let total = directive("packets").map(|all| (all, directive("lead").unwrap_or(0)));
        let given = options.of_tables().next().is_some() || options.kind.is_some();
        let known = columns.is_known();
        if columns.rows.is_empty() && known && !head.more() && total.is_none() {
            let path = head.path.display().to_string();
            return Err(TraceError::Empty { path, found: "the file holds a header and no rows" });
        }
        if !known && !given && !columns.may_be_values() {
            return Err(head.unrecognised(accepted()));
        }
        let chosen = chosen(&columns, options)?;
        let asked = chosen.is_some();
        let (value, content) = chosen.map_or_else(|| named(&columns), Ok)?;
        let time = time_column(&columns, value, options)?;
        let timed = time.as_ref().is_some_and(|time| time.unit.is_some());
        if !timed && !matches!(content, Content::Packets(_)) {
            return Err(columns.question(
                "rates and bytes need the times of the rows: give --time-column and --time-unit, or name the \
                 column time_s",
            ));
        }
        let keys = match &options.link_column {
            Some(wanted) => link_columns(&columns, wanted)?,
            None => columns.which(|i| i != value && columns.role(i) == Some(Role::Link)),
        };
        let numbers = columns.which(|i| columns.kind(i) == Some(ColumnKind::Sequence));
        let sequence = match content {
            Content::Packets(ColumnKind::Sequence) => Some(value),
            // Outcomes that the user chose are those of the rows.
            Content::Packets(kind) if !asked || kind == ColumnKind::Arrival => {
                numbers.first().copied()
            }
            _ => None,
        };
        let unchosen = sequence.filter(|sequence| *sequence != value);
        unchosen.map(|sequence| columns.single(sequence, "--column")).transpose()?;
        let counter = sequence.and_then(|sequence| counter(&columns.names[sequence]));
        let (marks, is_link_named) = (Marks::of(options), options.link_column.is_none());
        let plan = Self {
            columns,
            delimiter,
            value,
            content,
            asked,
            sequence,
            counter,
            time,
            keys,
            is_link_named,
            marks,
            total,
        };
        Ok(plan)
    }

    /// The option that confirms the reading of the rows.
    pub(super) fn confirm(&self) -> String {
        let at = self.columns.argument(self.value);
        match self.content {
            Content::Packets(kind) => format!("--column {at} --kind {}", kind.word()),
            Content::Rate(_) => format!("--rate-column {at}"),
            Content::Bytes => format!("--bytes-column {at}"),
        }
    }

    /// The content of a table of packets.
    pub(super) const fn kind(&self) -> Option<ColumnKind> {
        if let Content::Packets(kind) = self.content { Some(kind) } else { None }
    }

    pub(super) fn name(&self, column: usize) -> String {
        excerpt(&self.columns.names[column])
    }

    /// Other columns of documented names that say what became of the packets.
    pub(super) fn rivals(&self) -> Vec<(usize, ColumnKind)> {
        let kind = |i| self.columns.kind(i).filter(|kind| *kind != ColumnKind::Sequence);
        let says = self.kind().is_some_and(|kind| kind != ColumnKind::Sequence);
        let others = (0..self.columns.names.len()).filter(|i| *i != self.value && says);
        others.filter_map(|i| Some((i, kind(i)?))).collect()
    }

    /// The columns of no use in this reading.
    pub(super) fn unused(&self) -> Vec<usize> {
        let time = self.time.as_ref().map(|time| time.column);
        let used = [Some(self.value), self.sequence, time];
        self.columns.which(|i| !used.contains(&Some(i)) && !self.keys.contains(&i))
    }

    /// The use of the columns in one line, for a link of `rows` rows of which `lost` are lost.
    pub(super) fn taken(&self, rows: u64, lost: u64) -> String {
        let value = match self.content {
            Content::Packets(ColumnKind::Received) => "outcomes, 1 = received".to_owned(),
            Content::Packets(ColumnKind::Lost) => "outcomes, 1 = lost".to_owned(),
            Content::Packets(ColumnKind::Sequence) => {
                "sequence numbers of received packets, gaps = lost".to_owned()
            }
            Content::Packets(ColumnKind::Arrival) => {
                format!("arrivals, a blank = lost ({lost} of {rows} rows)")
            }
            Content::Rate(scale) => format!("rates, 1 = {scale} b/s, each until the next row"),
            Content::Bytes => "bytes from each row's time to the next row's".to_owned(),
        };
        let mut parts =
            vec![format!("column {} taken as {value}{}", self.name(self.value), self.marks.said())];
        let number = self.sequence.filter(|sequence| *sequence != self.value);
        let time = self.time.as_ref().map(|time| (time.column, time.told.as_str()));
        let keys = self.keys.iter().map(|key| (*key, "what tells links apart"));
        let others = number.map(|number| (number, "the packets' numbers")).into_iter();
        let others = others.chain(time).chain(keys);
        parts.extend(others.map(|(column, what)| format!("{} as {what}", self.name(column))));
        if self.kind().is_some() && self.sequence.is_none() && self.columns.names.len() > 1 {
            parts.push("rows taken in the order sent".to_owned());
        }
        let unused = self.unused();
        let mut shown: Vec<String> = unused.iter().take(NAMED).map(|i| self.name(*i)).collect();
        if unused.len() > NAMED {
            shown.push(format!("{} more", unused.len() - NAMED));
        }
        if !shown.is_empty() {
            parts.push(format!("not used: {}", shown.join(", ")));
        }
        let is_time =
            |i: &&usize| self.columns.header && unit_of(&self.columns.names[**i]).is_some();
        if let (None, Some(column)) = (&self.time, unused.iter().find(is_time)) {
            parts.push(format!(
                "if {} holds times, --time-column gives the interval",
                self.name(*column)
            ));
        }
        parts.join("; ")
    }
}

/// The first rows, with the header.
fn rows<'a>(head: &Head<'a>) -> impl Iterator<Item = &'a str> {
    let is_row = |line: &&str| {
        !line.trim().is_empty() && !line.trim_start().starts_with('#') && !is_separator(line)
    };
    head.lines().filter(is_row).take(ROWS)
}

/// The columns of a table that begins with `head`.
fn columns(head: &Head<'_>, delimiter: Delimiter) -> Result<Columns, TraceError> {
    let mut rows: Vec<Vec<String>> = rows(head).map(|line| delimiter.split(line)).collect();
    let Some(first) = rows.first() else { return Err(head.unrecognised(accepted())) };
    let header = is_header(&rows);
    let numbers = (1..=first.len()).map(|i| i.to_string()).collect();
    let names = if header { rows.remove(0) } else { numbers };
    Ok(Columns { path: head.path.to_owned(), names, header, rows })
}

/// The first row names the columns if no cell is a number or a time, unless the cell below an
/// outcome in words is one, too, and no word is above a number.
fn is_header(rows: &[Vec<String>]) -> bool {
    let number = |cell: &str| Stamp::of(cell).is_some() || is_number(cell);
    let word = |cell: &String| !is_blank(cell) && !number(cell);
    let below = |i: usize| rows.get(1).and_then(|row| row.get(i)).map_or("", String::as_str);
    let words = || rows[0].iter().enumerate().filter(|(_, cell)| word(cell));
    let over_number = || words().any(|(i, _)| number(below(i)));
    let over_outcome = || words().any(|(i, cell)| are_of_one_set(cell, below(i)));
    let all = rows[0].iter().all(|cell| word(cell) || cell.is_empty()) && words().next().is_some();
    all && (over_number() || !over_outcome())
}
