//! The separator of the rows of a table, and their cells.

/// True for a comment, and for the line that tells Excel the separator.
pub(super) fn is_comment(line: &str) -> bool {
    line.trim_start().starts_with('#') || is_separator(line)
}

/// The separator of cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Delimiter {
    Char(char),
    Blanks,
}

impl Delimiter {
    /// The separator that gives each of the `lines` the same number of cells, at least two; else the
    /// one with most cells in the first; blanks if none gives two. A tab comes before a semicolon,
    /// and a semicolon before a comma, which may be a decimal comma.
    pub(super) fn of(lines: &[&str]) -> Self {
        let all = ['\t', ';', ','].map(Self::Char);
        let cells = |delimiter: &Self, line: &&str| delimiter.split(line).len();
        let first = |delimiter: &Self| lines.first().map_or(0, |line| cells(delimiter, line));
        let even = |delimiter: &&Self| {
            let count = first(delimiter);
            count > 1 && lines.iter().all(|line| cells(delimiter, line) == count)
        };
        let most = || all.iter().rev().max_by_key(|d| first(d)).filter(|d| first(d) > 1);
        all.iter().find(even).or_else(most).copied().unwrap_or(Self::Blanks)
    }

    /// The cells of a single row.
    pub(super) fn cells(line: &str) -> Vec<String> {
        Self::of(&[line]).split(line)
    }

    /// Cells, trimmed and without quotation marks.
    pub(super) fn split(self, line: &str) -> Vec<String> {
        let Self::Char(delimiter) = self else {
            return line.split_whitespace().map(str::to_owned).collect();
        };
        let mut cells = vec![String::new()];
        let mut quoted = false;
        for c in line.chars() {
            match c {
                '"' => quoted = !quoted,
                c if c == delimiter && !quoted => cells.push(String::new()),
                c => {
                    if let Some(cell) = cells.last_mut() {
                        cell.push(c);
                    }
                }
            }
        }
        for cell in &mut cells {
            let trimmed = cell.trim();
            if trimmed.len() < cell.len() {
                *cell = trimmed.to_owned();
            }
            if delimiter != ',' && is_decimal_comma(cell) {
                *cell = cell.replace(',', ".");
            }
        }
        cells
    }
}

/// True for a number with a decimal comma, such as `10,25`.
fn is_decimal_comma(cell: &str) -> bool {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let number = cell.strip_prefix('-').unwrap_or(cell);
    number.split_once(',').is_some_and(|(whole, part)| digits(whole) && digits(part))
}

/// True for the line that tells Excel the separator: `sep=;`.
pub(super) fn is_separator(line: &str) -> bool {
    line.trim_start_matches('\u{feff}')
        .strip_prefix("sep=")
        .is_some_and(|rest| rest.trim_end().len() <= 1)
}
