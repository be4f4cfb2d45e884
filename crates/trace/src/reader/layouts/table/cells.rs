//! What cells say: outcomes, missing values, whole numbers, and the fate of a packet with the user's
//! marks (`--lost-value`, `--unsent-value`).

use super::super::stamps::Stamp;
use super::roles::is_among;
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

/// The fate of a packet by its cell. The user's marks are separated by commas; `blank` stands for any
/// blank cell, and `none` for no value.
pub(super) fn fate(cell: &str, kind: ColumnKind, options: &ReadOptions) -> Fate {
    let among = |values: &Option<String>| {
        values.iter().flat_map(|values| values.split(',')).any(|value| equal(value.trim(), cell))
    };
    match (kind, outcome(cell, kind == ColumnKind::Lost)) {
        _ if among(&options.unsent_value) => Fate::Unsent,
        (ColumnKind::Sequence, _) => Fate::Came,
        _ if among(&options.lost_value) => Fate::Lost,
        (ColumnKind::Arrival, _) if is_blank(cell) => Fate::Lost,
        (ColumnKind::Arrival, Some(false)) if is_outcome_word(cell) => Fate::Lost,
        (ColumnKind::Arrival, _) if Stamp::of(cell).is_some() => Fate::Came,
        (ColumnKind::Arrival, _) => Fate::Unclear,
        (_, Some(true)) => Fate::Came,
        (_, Some(false)) => Fate::Lost,
        // The other values of a column whose marks are known.
        (_, None) if options.lost_value.is_some() && !is_blank(cell) => Fate::Came,
        (_, None) => Fate::Unclear,
    }
}

/// True if a cell is a value: the same text, or the same number.
fn equal(value: &str, cell: &str) -> bool {
    let number = |text: &str| Stamp::of(text).filter(|stamp| stamp.is_number());
    (value.eq_ignore_ascii_case(cell) && value != "none")
        || (value == "blank" && is_blank(cell))
        || (number(value).is_some() && number(value) == number(cell))
}

/// The outcome in a cell; with `inverted` 1 and yes mean lost.
pub(super) fn outcome(cell: &str, inverted: bool) -> Option<bool> {
    match cell.to_ascii_lowercase().as_str() {
        "1" | "1.0" | "true" | "t" | "yes" | "y" | "100%" => Some(!inverted),
        "0" | "0.0" | "false" | "f" | "no" | "n" | "0%" => Some(inverted),
        "received" | "recv" | "ok" | "success" | "delivered" | "ack" | "acked" => Some(true),
        "lost" | "loss" | "fail" | "failed" | "failure" | "dropped" | "drop" | "nack"
        | "timeout" => Some(false),
        _ => None,
    }
}

/// True for an outcome that is a word, not a number.
pub(super) fn is_outcome_word(cell: &str) -> bool {
    outcome(cell, false).is_some() && cell.chars().all(char::is_alphabetic)
}

/// True if both cells are outcomes in words of one set: a column uses one set.
pub(super) fn are_of_one_set(cell: &str, other: &str) -> bool {
    let sets = ["true false t f", "yes no y n"];
    let set = |cell: &str| sets.map(|set| is_among(&cell.to_ascii_lowercase(), set));
    is_outcome_word(cell) && is_outcome_word(other) && set(cell) == set(other)
}

/// True for an empty cell, and for the words of a missing value.
pub(super) fn is_blank(cell: &str) -> bool {
    let words = "nan -nan - -- * none null nil na n/a nat inf +inf infinity";
    cell.is_empty() || is_among(&cell.to_ascii_lowercase(), words)
}

pub(super) fn is_number(cell: &str) -> bool {
    cell.parse::<f64>().is_ok()
}

/// A whole number: 7, 7.0 as in tables of other numbers, or 0x0007.
pub(super) fn whole(cell: &str) -> Option<u64> {
    if let Some(digits) = cell.strip_prefix("0x").or_else(|| cell.strip_prefix("0X")) {
        return u64::from_str_radix(digits, 16).ok();
    }
    let (digits, fraction) = cell.split_once('.').unwrap_or((cell, ""));
    fraction.bytes().all(|digit| digit == b'0').then(|| digits.parse().ok()).flatten()
}
