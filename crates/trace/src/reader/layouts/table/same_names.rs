//! Columns of the same name: the table is refused as ambiguous.

use super::guess::Guess;
use super::names::{SEQUENCE, is_one_of, normal};
use crate::error::{TraceError, excerpt};

impl Guess<'_> {
    /// Columns with the name of `column`, itself included.
    fn same_named(&self, column: usize) -> Vec<usize> {
        let name = normal(&self.columns[column]);
        (0..self.columns.len())
            .filter(|i| self.header && normal(&self.columns[*i]) == name)
            .collect()
    }

    /// True if `column` was chosen by its number.
    fn by_number(column: usize, wanted: Option<&String>) -> bool {
        wanted.is_some_and(|wanted| wanted.trim() == (column + 1).to_string())
    }

    /// Refuses a table if another column has the name of a used one: the outcomes `value`, the
    /// `time` stamps or the numbers.
    pub(super) fn refuse_same_names(
        &self,
        value: usize,
        time: Option<usize>,
    ) -> Result<(), TraceError> {
        let options = self.options;
        let differ = |twins: &[usize]| {
            self.data.iter().any(|row| twins.iter().any(|i| row.get(*i) != row.get(twins[0])))
        };
        let sequence = (0..self.columns.len())
            .find(|i| self.header && *i != value && is_one_of(&self.columns[*i], SEQUENCE));
        let used = [
            (Some(value), "--column", options.column.as_ref()),
            (time, "--time-column", options.time_column.as_ref()),
            (sequence, "", None),
        ];
        for (column, option, wanted) in used {
            let Some(column) = column.filter(|column| !Self::by_number(*column, wanted)) else {
                continue;
            };
            let twins = self.same_named(column);
            let &[first, second, ..] = twins.as_slice() else { continue };
            if column != value && !differ(&twins) {
                continue;
            }
            let answer = match option {
                "" => "name one of them otherwise".to_owned(),
                option => {
                    format!("choose one by its number ({option} {} or {})", first + 1, second + 1)
                }
            };
            return Err(self.column_error(format!(
                "columns {} and {} are both named {}: {answer}",
                first + 1,
                second + 1,
                excerpt(&self.columns[column])
            )));
        }
        Ok(())
    }
}
