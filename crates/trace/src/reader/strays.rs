//! Lines of a program's output that the reader does not use.

use crate::error::excerpt;

/// Counts such lines.
#[derive(Debug, Default)]
pub(super) struct Strays {
    count: u64,
    first: String,
}

impl Strays {
    /// Takes in a line.
    pub(super) fn add(&mut self, line: &str) {
        if self.count == 0 {
            self.first = excerpt(line.trim());
        }
        self.count += 1;
    }

    /// The note on skipped lines in the output of `program`.
    pub(super) fn note(&self, program: &str) -> Option<String> {
        (self.count > 0).then(|| {
            let lines = if self.count == 1 { "line" } else { "lines" };
            format!(
                "{} {lines} skipped that airtcp does not read in the output of {program}, the first: {}",
                self.count, self.first
            )
        })
    }
}
