//! The user's options for reading a file.

use airtcp_units::Span;
use serde::{Deserialize, Serialize};

use super::limits;
use crate::error::TraceError;

/// The content of a chosen column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ColumnKind {
    /// 1 or true means received.
    Received,
    /// 1 or true means lost.
    Lost,
    /// Sequence numbers of received packets; gaps are losses.
    Sequence,
    /// A receive time, round-trip time or delay of each packet sent; blank (or NaN) if the packet was
    /// lost.
    Arrival,
}

impl ColumnKind {
    /// Its word in options.
    pub(super) const fn word(self) -> &'static str {
        match self {
            Self::Received => "received",
            Self::Lost => "lost",
            Self::Sequence => "sequence",
            Self::Arrival => "arrival",
        }
    }
}

/// Options for reading. By default the file says everything.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ReadOptions {
    /// Layout tag; `None` detects the layout.
    pub layout: Option<String>,
    /// Column of a table: its name, or its number from 1.
    pub column: Option<String>,
    /// The content of that column.
    pub kind: Option<ColumnKind>,
    /// Values of that column that mean lost, beside blanks, with commas between; "blank" is any blank
    /// cell, "none" no value.
    pub lost_value: Option<String>,
    /// Values of that column in rows without a packet, with commas between.
    pub unsent_value: Option<String>,
    /// Columns that tell links apart: a name or number, or several with commas between.
    pub link_column: Option<String>,
    /// Column of the rates of the link over time: its name, or its number from 1.
    pub rate_column: Option<String>,
    /// Column of the bytes that the link delivered from each row's time to the next: its name, or its
    /// number from 1.
    pub bytes_column: Option<String>,
    /// Column of time stamps: its name, or its number from 1.
    pub time_column: Option<String>,
    /// Unit of the time stamps, if their name does not give it.
    pub time_unit: Option<Span>,
    /// Unit of the rates in a table whose header does not give it: "Mb/s", "B/s", ...
    pub rate_unit: Option<String>,
    /// Inter-packet interval, in place of the file's.
    pub interval: Option<Span>,
    /// Most packets to take from a file, over all its links.
    pub max_packets: u64,
    /// Most links to take from a file.
    pub max_links: u64,
    /// Most decompressed bytes to read from a file; names of links may take an eighth of it.
    pub max_bytes: u64,
    /// Largest gap in sequence numbers that counts as losses.
    pub max_gap: u64,
    /// Seed of the order of packets that the file only counts.
    pub order_seed: u64,
}

impl Default for ReadOptions {
    /// Everything from the file; sizes from [`limits`].
    fn default() -> Self {
        let limit = limits::input_limit().unwrap_or(limits::DEFAULT);
        Self {
            layout: None,
            column: None,
            kind: None,
            lost_value: None,
            unsent_value: None,
            link_column: None,
            rate_column: None,
            bytes_column: None,
            time_column: None,
            time_unit: None,
            rate_unit: None,
            interval: None,
            max_packets: limit,
            max_links: limits::links(limit),
            max_bytes: limit,
            max_gap: limits::gap(limit),
            order_seed: 0,
        }
    }
}

/// Longest accepted interval and unit of time.
const LONGEST: Span = Span::from_secs(3_600_000);

impl ReadOptions {
    /// The options that only a table has, and their values.
    pub(super) fn of_tables(&self) -> impl Iterator<Item = (&'static str, &String)> {
        let all = [
            ("column", &self.column),
            ("time_column", &self.time_column),
            ("lost_value", &self.lost_value),
            ("unsent_value", &self.unsent_value),
            ("link_column", &self.link_column),
            ("rate_column", &self.rate_column),
            ("bytes_column", &self.bytes_column),
        ];
        all.into_iter().filter_map(|(option, value)| Some((option, value.as_ref()?)))
    }

    /// Refuses impossible intervals and units of time.
    pub fn check(&self) -> Result<(), TraceError> {
        for (option, span) in [("interval", self.interval), ("time_unit", self.time_unit)] {
            if let Some(span) = span.filter(|span| !(Span(1)..=LONGEST).contains(span)) {
                let expected = "a time from 1 ns to 1000 h".to_owned();
                return Err(TraceError::Option { option, found: span.to_string(), expected });
            }
        }
        Ok(())
    }
}
