//! Splits a row of a bandwidth series into cells.

/// The cells of a row, trimmed.
pub(super) fn cells(line: &str) -> Vec<&str> {
    // A comma separates cells, or is a decimal comma if there is another separator.
    let separators: &[char] = if line.contains([';', '\t']) { &[';', '\t'] } else { &[','] };
    let split: Vec<&str> = line.split(separators).map(str::trim).collect();
    if split.len() > 1 { split } else { line.split_whitespace().collect() }
}
