//! How to read the rows of a table: what each column holds, by the options, else by its documented
//! name. Values are used to refuse, never to choose.

use super::super::super::head::Head;
use super::super::accepted::accepted;
use super::ask::Columns;
use super::choose::{Time, chosen, links, named, times};
use super::roles::{Role, counter, unit_of};
use crate::error::TraceError;
use crate::reader::{ColumnKind, ReadOptions};

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
    pub(super) options: ReadOptions,
    pub(super) value: usize,
    pub(super) content: Content,
    /// True if the user chose the column or its kind.
    pub(super) asked: bool,
    /// Sequence numbers, and where they wrap if the column's name shows it.
    pub(super) sequence: Option<usize>,
    pub(super) counter: Option<u64>,
    pub(super) time: Option<Time>,
    /// The columns that tell links apart.
    pub(super) keys: Vec<usize>,
    /// The packets in all and before the first one received, from a comment of our own writer.
    pub(super) total: Option<(u64, u64)>,
}

impl Plan {
    pub(super) fn of(head: &Head<'_>, options: &ReadOptions) -> Result<Self, TraceError> {
        let columns = Columns::of(head)?;
        let directive = |key| head.directive(key).and_then(|text| text.parse().ok());
        let total = directive("packets").map(|all| (all, directive("lead").unwrap_or(0)));
        let given = options.of_tables().next().is_some() || options.kind.is_some();
        let known = !columns.which(|i| columns.role(i).is_some()).is_empty();
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
        let time = times(&columns, value, options)?;
        let timed = time.as_ref().is_some_and(|time| time.unit.is_some());
        if !timed && !matches!(content, Content::Packets(_)) {
            return Err(columns.question(
                "rates and bytes need the times of the rows: give --time-column and --time-unit, or name the \
                 column time_s",
            ));
        }
        let keys = links(&columns, value, options)?;
        let sequence = match content {
            Content::Packets(ColumnKind::Sequence) => Some(value),
            // Outcomes that the user chose are those of the rows.
            Content::Packets(kind) if !asked || kind == ColumnKind::Arrival => {
                let numbers = columns.of_role(Role::Packets(ColumnKind::Sequence));
                let other = numbers.first().filter(|first| **first != value);
                other.map(|other| columns.single(*other, "--column")).transpose()?;
                numbers.first().copied()
            }
            _ => None,
        };
        let counter = sequence.and_then(|sequence| counter(&columns.names[sequence]));
        let options = options.clone();
        Ok(Self { columns, options, value, content, asked, sequence, counter, time, keys, total })
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
        self.columns.name(column)
    }

    /// The columns of no use in this reading.
    pub(super) fn unused(&self) -> Vec<usize> {
        let time = self.time.as_ref().map(|time| time.column);
        let used = [Some(self.value), self.sequence, time];
        self.columns.which(|i| !used.contains(&Some(i)) && !self.keys.contains(&i))
    }

    /// The use of the columns in one line, for a link of `rows` rows of which `lost` are lost.
    pub(super) fn taken(&self, rows: u64, lost: u64) -> String {
        let mut value = match self.content {
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
        let ReadOptions { lost_value, unsent_value, .. } = &self.options;
        for (marks, means) in [(lost_value, "lost"), (unsent_value, "not sent")] {
            value.extend(marks.iter().map(|marks| format!(", {marks} = {means} as was said")));
        }
        let number = self.sequence.filter(|sequence| *sequence != self.value);
        let number = number.map(|number| (number, "the packets' numbers"));
        let time = self.time.as_ref().map(|time| (time.column, time.told.as_str()));
        let keys = self.keys.iter().map(|key| (*key, "what tells links apart"));
        let others = number.into_iter().chain(time).chain(keys);
        let mut parts = vec![format!("column {} taken as {value}", self.name(self.value))];
        parts.extend(others.map(|(column, what)| format!("{} as {what}", self.name(column))));
        if self.kind().is_some() && self.sequence.is_none() && self.columns.names.len() > 1 {
            parts.push("rows taken in the order sent".to_owned());
        }
        let unused = self.unused();
        let more = unused.len().checked_sub(NAMED + 1).map(|more| format!("{} more", more + 1));
        let shown = unused.iter().take(NAMED).map(|i| self.name(*i)).chain(more);
        let shown = shown.collect::<Vec<_>>().join(", ");
        parts.extend((!shown.is_empty()).then(|| format!("not used: {shown}")));
        let is_time = |i: &&usize| unit_of(&self.columns.names[**i]).is_some();
        if let (None, Some(column)) = (&self.time, unused.iter().find(is_time)) {
            let name = self.name(*column);
            parts.push(format!("if {name} holds times, --time-column gives the interval"));
        }
        parts.join("; ")
    }
}
