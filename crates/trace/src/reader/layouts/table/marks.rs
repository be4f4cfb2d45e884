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
    lost: Option<Vec<String>>,
    unsent: Vec<String>,
}

impl Marks {
    pub(super) fn of(options: &ReadOptions) -> Self {
        let list = |text: &String| {
            let values = text.split(',').map(|value| value.trim().to_owned());
            values.filter(|value| value != "none").collect()
        };
        let unsent = options.unsent_value.as_ref().map(list).unwrap_or_default();
        Self { lost: options.lost_value.as_ref().map(list), unsent }
    }

    /// True if the user said which values mean lost.
    pub(super) const fn are_given(&self) -> bool {
        self.lost.is_some()
    }

    /// The fate of a packet by its cell.
    pub(super) fn fate(&self, cell: &str, kind: ColumnKind) -> Fate {
        let among = |values: &[String]| values.iter().any(|value| equal(value, cell));
        match (kind, outcome(cell, kind == ColumnKind::Lost)) {
            _ if among(&self.unsent) => Fate::Unsent,
            (ColumnKind::Sequence, _) => Fate::Came,
            _ if among(self.lost.as_deref().unwrap_or_default()) => Fate::Lost,
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
        let list = |values: &[String], means: &str| match values {
            [] => String::new(),
            _ => format!(", {} = {means} as was said", values.join(" and ")),
        };
        let lost = list(self.lost.as_deref().unwrap_or_default(), "lost");
        lost + &list(&self.unsent, "not sent")
    }
}

/// True if a cell is a value: the same text, or the same number.
fn equal(value: &str, cell: &str) -> bool {
    let number = |text: &str| Stamp::of(text).filter(|stamp| stamp.is_number());
    value.eq_ignore_ascii_case(cell)
        || (value == "blank" && is_blank(cell))
        || (number(value).is_some() && number(value) == number(cell))
}
