//! The columns of a table, and questions about them: what is unclear, and for each column the option
//! that would read it.

use std::collections::BTreeSet;
use std::path::PathBuf;

use super::super::super::lines::Lines;
use super::super::stamps::Stamp;
use super::roles::{
    FATES, NO_PACKET, Role, has, is_count, is_node, is_rate, normal, role, unit_of,
};
use super::words::{is_blank, is_number, is_outcome_word, outcome, whole};
use crate::error::{TraceError, excerpt};
use crate::reader::ColumnKind;

/// Most columns listed; longest name in an option, a longer one is given by its number.
const LISTED: usize = 12;
const LONGEST: usize = 30;

/// The columns of a table, with its first rows.
#[derive(Debug)]
pub(super) struct Columns {
    pub(super) path: PathBuf,
    /// Names, or numbers from 1 without a header.
    pub(super) names: Vec<String>,
    pub(super) header: bool,
    pub(super) rows: Vec<Vec<String>>,
}

impl Columns {
    /// What a column holds by its name.
    pub(super) fn role(&self, column: usize) -> Option<Role> {
        self.header.then(|| role(&self.names[column])).flatten()
    }

    /// What the packets' column holds by its name.
    pub(super) fn kind(&self, column: usize) -> Option<ColumnKind> {
        match self.role(column)? {
            Role::Packets(kind) => Some(kind),
            _ => None,
        }
    }

    /// True if a column has a documented name.
    pub(super) fn is_known(&self) -> bool {
        (0..self.names.len()).any(|i| self.role(i).is_some())
    }

    /// True if all rows have the same number of cells, which may be outcomes or numbers if it is 1.
    pub(super) fn may_be_values(&self) -> bool {
        let count = self.names.len();
        let is_value = |cell: &str| whole(cell).is_some() || is_outcome_word(cell);
        let even = !self.rows.is_empty() && self.rows.iter().all(|row| row.len() == count);
        even && (count > 1 || self.all(0, is_value))
    }

    /// Names of columns in a sentence.
    pub(super) fn shown(&self, columns: &[usize]) -> String {
        let names: Vec<String> = columns.iter().map(|i| excerpt(&self.names[*i])).collect();
        names.join(" and ")
    }

    /// The columns for which `test` holds.
    pub(super) fn which(&self, test: impl Fn(usize) -> bool) -> Vec<usize> {
        (0..self.names.len()).filter(|i| test(*i)).collect()
    }

    /// The examined cells of a column.
    pub(super) fn cells(&self, column: usize) -> impl Iterator<Item = &str> + Clone {
        self.rows.iter().filter_map(move |row| Some(row.get(column)?.as_str()))
    }

    /// True if `test` holds for all examined cells that are not blank, and there is one.
    pub(super) fn all(&self, column: usize, test: impl Fn(&str) -> bool) -> bool {
        let mut cells = self.cells(column).filter(|cell| !is_blank(cell)).peekable();
        cells.peek().is_some() && cells.all(test)
    }

    /// The number of different cells.
    pub(super) fn different(&self, column: usize) -> usize {
        self.cells(column).collect::<BTreeSet<_>>().len()
    }

    /// The column a user named, by name or by number from 1. A name must be that of one column.
    pub(super) fn chosen(&self, option: &str, wanted: &str) -> Result<usize, TraceError> {
        let named = self.which(|i| normal(&self.names[i]) == normal(wanted));
        let number = wanted.trim().parse().ok().filter(|n| (1..=self.names.len()).contains(n));
        match (named.first(), number) {
            (Some(&column), _) => self.single(column, option),
            (None, Some(number)) => Ok(number - 1),
            (None, None) => {
                Err(self.question(&format!("there is no column {} ({option})", excerpt(wanted))))
            }
        }
    }

    /// The columns of the name of `column`.
    fn namesakes(&self, column: usize) -> Vec<usize> {
        let name = normal(&self.names[column]);
        self.which(|i| self.header && normal(&self.names[i]) == name)
    }

    /// Refuses a column if another one has its name.
    pub(super) fn single(&self, column: usize, option: &str) -> Result<usize, TraceError> {
        let [first, second, ..] = self.namesakes(column)[..] else {
            return Ok(column);
        };
        let (name, first, second) = (excerpt(&self.names[column]), first + 1, second + 1);
        Err(self.question(&format!(
            "columns {first} and {second} are both named {name}: choose one by its number ({option} {first} or \
             {second})"
        )))
    }

    /// The question `problem`, with the columns and their options.
    pub(super) fn question(&self, problem: &str) -> TraceError {
        let listed = |i: usize| match self.option(i) {
            Some(option) => format!("{} ({option})", excerpt(&self.names[i])),
            None => excerpt(&self.names[i]),
        };
        let mut columns: Vec<String> = (0..self.names.len().min(LISTED)).map(listed).collect();
        if self.names.len() > LISTED {
            columns.push(format!("and {} more", self.names.len() - LISTED));
        }
        let (path, problem) = (self.path.display().to_string(), problem.to_owned());
        TraceError::Column { path, problem, columns: columns.join(", ") }
    }

    /// The question about the present line.
    pub(super) fn at_line(&self, lines: &Lines<'_>, problem: &str) -> TraceError {
        self.question(&format!("line {}: {problem}", lines.number()))
    }

    /// A column as a command line names it.
    pub(super) fn argument(&self, column: usize) -> String {
        let name = &self.names[column];
        let plain = name.chars().all(|c| c.is_ascii_alphanumeric() || "_.".contains(c));
        if plain && (1..=LONGEST).contains(&name.len()) && self.namesakes(column).len() < 2 {
            name.clone()
        } else {
            (column + 1).to_string()
        }
    }

    /// The option that would read a column, by its name, else by the form of its cells. It is only
    /// suggested.
    fn option(&self, column: usize) -> Option<String> {
        let (at, name) = (self.argument(column), &self.names[column]);
        let of_kind = |kind: &str| format!("--column {at} --kind {kind}");
        let numbers = self.all(column, is_number);
        let (blanks, different) = (self.cells(column).any(is_blank), self.different(column));
        let few = |share: usize| different > 1 && share * different <= self.rows.len();
        let value = |cell| Stamp::of(cell).map(Stamp::value);
        let pairs = || self.cells(column).zip(self.cells(column).skip(1));
        let rising =
            || 4 * pairs().filter(|(a, b)| value(a) < value(b)).count() > 3 * pairs().count();
        Some(match self.role(column) {
            Some(Role::Packets(kind)) => of_kind(kind.word()),
            Some(Role::Sent | Role::Time) => format!("--time-column {at}"),
            Some(Role::Link) => format!("--link-column {at}"),
            Some(Role::Rate) if numbers => format!("--rate-column {at}"),
            Some(Role::Bytes) => format!("--bytes-column {at}"),
            _ if self.header && (is_count(name) || has(name, NO_PACKET)) => return None,
            _ if self.header && has(name, "bytes") => format!("--bytes-column {at}"),
            _ if self.header && is_rate(name) && numbers => {
                format!("--rate-column {at} --rate-unit UNIT")
            }
            _ if self.all(column, is_outcome_word) => of_kind("received"),
            _ if self.all(column, |cell| outcome(cell, false).is_some()) => {
                of_kind("received or lost")
            }
            _ if numbers && blanks => of_kind("arrival"),
            _ if self.header && unit_of(name).is_some() && rising() => {
                format!("--time-column {at}")
            }
            _ if self.all(column, |cell| whole(cell).is_some()) && different > 2 && rising() => {
                of_kind("sequence")
            }
            _ if self.header && is_node(name) && different > 1 => format!("--link-column {at}"),
            _ if self.all(column, |cell| whole(cell).is_some()) && few(5) && !has(name, FATES) => {
                format!("--link-column {at}")
            }
            _ if !numbers && few(2) => {
                format!("--link-column {at}, or {} --lost-value VALUE", of_kind("received"))
            }
            _ => return None,
        })
    }
}
