//! The separator of a row, and the cells.

/// The separator of cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Delimiter {
    Char(char),
    Blanks,
}

impl Delimiter {
    /// The separator that gives the most cells in the first row; blanks if none gives two.
    pub(super) fn of(line: &str) -> Self {
        let cells = |c: &char| Self::Char(*c).split(line).len();
        // Among equals, a tab comes before a comma, and a comma before a semicolon.
        match [';', ',', '\t'].into_iter().max_by_key(cells) {
            Some(c) if cells(&c) > 1 => Self::Char(c),
            _ => Self::Blanks,
        }
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
