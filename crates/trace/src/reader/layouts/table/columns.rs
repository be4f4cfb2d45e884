//! How the rows of a table are to be read: which column holds what, and what its comments add.

use airtcp_units::Span;

use super::super::super::head::Head;
use super::super::accepted;
use super::delimiter::Delimiter;
use super::guess::Guess;
use super::names::{KEYS, SEQUENCE, is_header, is_one_of};
use crate::error::TraceError;
use crate::reader::{ColumnKind, ReadOptions};

/// Rows looked at.
const ROWS: usize = 200;

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
        let total = Total::of(head);
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
