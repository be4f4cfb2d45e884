//! The words in cells: outcomes, missing values, whole numbers.

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
    let set = |cell: &str| match cell.to_ascii_lowercase().as_str() {
        "true" | "false" | "t" | "f" => 1,
        "yes" | "no" | "y" | "n" => 2,
        _ => 3,
    };
    is_outcome_word(cell) && is_outcome_word(other) && set(cell) == set(other)
}

/// True for an empty cell, and for the words of a missing value.
pub(super) fn is_blank(cell: &str) -> bool {
    let word = cell.to_ascii_lowercase();
    let words = "nan -nan - -- * none null nil na n/a nat inf +inf infinity";
    word.is_empty() || words.split(' ').any(|blank| blank == word)
}

/// True if a cell is a number.
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
