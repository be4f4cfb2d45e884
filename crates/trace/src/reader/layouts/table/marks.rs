//! The values that mark lost packets, and rows without a packet (`--lost-value`, `--unsent-value`).

use super::super::stamps::Stamp;
use super::words::{is_blank, is_outcome_word, outcome};
use crate::reader::{ColumnKind, ReadOptions};

/// What a row says of its packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fate {
    Came,
    Lost,
    /// No packet was sent.
    Unsent,
    /// Something else.
    Unclear,
}

/// The user's marks: values that are separated by commas. `blank` stands for any blank cell, and
/// `none` for no value.
#[derive(Debug)]
pub(super) struct Marks {
    lost: Option<String>,
    unsent: Option<String>,
}

impl Marks {
    pub(super) fn of(options: &ReadOptions) -> Self {
        Self { lost: options.lost_value.clone(), unsent: options.unsent_value.clone() }
    }

    /// True if the user said which values mean lost.
    pub(super) const fn are_given(&self) -> bool {
        self.lost.is_some()
    }

    /// The fate of a packet by its cell.
    pub(super) fn fate(&self, cell: &str, kind: ColumnKind) -> Fate {
        let among = |values: &Option<String>| {
            let values = values.iter().flat_map(|values| values.split(','));
            values.map(str::trim).any(|value| equal(value, cell))
        };
        match (kind, outcome(cell, kind == ColumnKind::Lost)) {
            _ if among(&self.unsent) => Fate::Unsent,
            (ColumnKind::Sequence, _) => Fate::Came,
            _ if among(&self.lost) => Fate::Lost,
            (ColumnKind::Arrival, _) if is_blank(cell) => Fate::Lost,
            (ColumnKind::Arrival, Some(false)) if is_outcome_word(cell) => Fate::Lost,
            (ColumnKind::Arrival, _) if Stamp::of(cell).is_some() => Fate::Came,
            (ColumnKind::Arrival, _) => Fate::Unclear,
            (_, Some(true)) => Fate::Came,
            (_, Some(false)) => Fate::Lost,
            // The other values of a column whose marks are known.
            (_, None) if self.are_given() && !is_blank(cell) => Fate::Came,
            (_, None) => Fate::Unclear,
        }
    }

    /// The marks in words, for the note.
    pub(super) fn said(&self) -> String {
        let all = [(&self.lost, "lost"), (&self.unsent, "not sent")];
        let said = all.into_iter().filter_map(|(values, means)| {
            Some(format!(", {} = {means} as was said", values.as_ref()?))
        });
        said.collect::<Vec<_>>().concat()
    }
}

/// True if a cell is a value: the same text, or the same number.
fn equal(value: &str, cell: &str) -> bool {
    let number = |text: &str| Stamp::of(text).filter(|stamp| stamp.is_number());
    (value.eq_ignore_ascii_case(cell) && value != "none")
        || (value == "blank" && is_blank(cell))
        || (number(value).is_some() && number(value) == number(cell))
}
