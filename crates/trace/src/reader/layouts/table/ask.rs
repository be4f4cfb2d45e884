//! The columns of a table, and questions about them: what is unclear, and for each column the option
//! that would read it.

use std::collections::BTreeSet;
use std::path::PathBuf;

use super::super::super::head::Head;
use super::super::accepted::accepted;
use super::super::delimiter::{Delimiter, is_comment};
use super::super::names::{has, normal, unit_of};
use super::super::stamps::Stamp;
use super::words::{
    FATES, NO_PACKET, Role, are_of_one_set, is_blank, is_count, is_node, is_number,
    is_outcome_word, is_rate, outcome, role, whole,
};
use crate::error::{Guess, TraceError, excerpt};
use crate::reader::ColumnKind;

/// An answer, or the question for which there is none.
pub(super) type Asked<T> = Result<T, TraceError>;

/// Rows examined.
const ROWS: usize = 200;
/// Most columns listed; longest name in an option, a longer one is given by its number.
const LISTED: usize = 12;
const LONGEST: usize = 30;

/// The columns of a table, with its first rows.
#[derive(Debug)]
pub(super) struct Columns {
    pub(super) path: PathBuf,
    pub(super) delimiter: Delimiter,
    /// Names, or numbers from 1 without a header.
    pub(super) names: Vec<String>,
    pub(super) header: bool,
    pub(super) rows: Vec<Vec<String>>,
}

impl Columns {
    /// The columns of a table that begins with `head`.
    pub(super) fn of(head: &Head<'_>) -> Asked<Self> {
        head.check_first()?;
        let is_row = |line: &&str| !line.trim().is_empty() && !is_comment(line);
        let lines: Vec<&str> = head.lines().filter(is_row).take(ROWS).collect();
        let delimiter = Delimiter::of(&lines);
        let mut rows: Vec<Vec<String>> = lines.iter().map(|line| delimiter.split(line)).collect();
        let Some(first) = rows.first() else { return Err(head.unrecognised(accepted())) };
        let header = is_header(first, rows.get(1).map_or(&[], Vec::as_slice));
        let numbers = (1..=first.len()).map(|i| i.to_string()).collect();
        let names = if header { rows.remove(0) } else { numbers };
        Ok(Self { path: head.path.to_owned(), delimiter, names, header, rows })
    }

    /// What a column holds by its name.
    pub(super) fn role(&self, column: usize) -> Option<Role> {
        self.header.then(|| role(&self.names[column])).flatten()
    }

    /// What the packets' column holds by its name.
    pub(super) fn kind(&self, column: usize) -> Option<ColumnKind> {
        if let Some(Role::Packets(kind)) = self.role(column) { Some(kind) } else { None }
    }

    /// True if all rows have the same number of cells, which may be outcomes or numbers if it is 1.
    pub(super) fn may_be_values(&self) -> bool {
        let count = self.names.len();
        let is_value = |cell: &str| whole(cell).is_some() || is_outcome_word(cell);
        let even = !self.rows.is_empty() && self.rows.iter().all(|row| row.len() == count);
        even && (count > 1 || self.all(0, is_value))
    }

    /// The name of a column in a sentence.
    pub(super) fn name(&self, column: usize) -> String {
        excerpt(&self.names[column])
    }

    /// The same of several.
    pub(super) fn shown(&self, columns: &[usize]) -> String {
        columns.iter().map(|i| self.name(*i)).collect::<Vec<_>>().join(" and ")
    }

    /// The columns for which `test` holds.
    pub(super) fn which(&self, test: impl Fn(usize) -> bool) -> Vec<usize> {
        (0..self.names.len()).filter(|i| test(*i)).collect()
    }

    pub(super) fn of_role(&self, role: Role) -> Vec<usize> {
        self.which(|i| self.role(i) == Some(role))
    }

    /// The examined cells of a column.
    pub(super) fn cells(&self, column: usize) -> impl Iterator<Item = &str> {
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
    pub(super) fn chosen(&self, option: &str, wanted: &str) -> Asked<usize> {
        let number = wanted.trim().parse().ok().filter(|n| (1..=self.names.len()).contains(n));
        match (self.named(wanted).first(), number) {
            (Some(&column), _) => self.single(column, option),
            (None, Some(number)) => Ok(number - 1),
            _ => self.ask(&format!("there is no column {} ({option})", excerpt(wanted))),
        }
    }

    fn named(&self, name: &str) -> Vec<usize> {
        self.which(|i| normal(&self.names[i]) == normal(name))
    }

    /// Refuses a column if another one has its name.
    pub(super) fn single(&self, column: usize, option: &str) -> Asked<usize> {
        let [first, second, ..] = self.named(&self.names[column])[..] else {
            return Ok(column);
        };
        let (name, first, second) = (self.name(column), first + 1, second + 1);
        self.ask(&format!(
            "columns {first} and {second} are both named {name}: choose one by its number ({option} {first} or \
             {second})"
        ))
    }

    pub(super) fn ask<T>(&self, problem: &str) -> Asked<T> {
        Err(self.question(problem))
    }

    /// The question `problem`, with the columns and their options.
    pub(super) fn question(&self, problem: &str) -> TraceError {
        let (path, problem) = (self.path.display().to_string(), problem.to_owned());
        let option = |i| self.option(i).map_or_else(String::new, |option| format!(" ({option})"));
        let listed = (0..self.names.len()).take(LISTED).map(|i| self.name(i) + &option(i));
        let others = self.names.len().saturating_sub(LISTED);
        let others = (others > 0).then(|| format!("and {others} more"));
        let columns = listed.chain(others).collect::<Vec<_>>().join(", ");
        TraceError::Column { path, problem, columns, guess: None }
    }

    /// The same of a table without names in which nothing is chosen, and what it may be.
    pub(super) fn question_of_unnamed(&self, problem: &str) -> TraceError {
        let mut asked = self.question(problem);
        if let TraceError::Column { guess, .. } = &mut asked {
            *guess = self.may_be_rates().then_some(Guess::RATES);
        }
        asked
    }

    /// True if the table may be a log of throughput: times and rates without names.
    pub(super) fn may_be_rates(&self) -> bool {
        let is_time = |cell: &str| Stamp::of(cell).is_some();
        !self.header && self.names.len() == 2 && self.all(0, is_time) && self.all(1, is_number)
    }

    /// A column as a command line names it.
    pub(super) fn argument(&self, column: usize) -> String {
        let name = &self.names[column];
        let plain = name.chars().all(|c| c.is_ascii_alphanumeric() || "_.".contains(c));
        let plain = plain && (1..=LONGEST).contains(&name.len()) && self.named(name).len() < 2;
        if plain { name.clone() } else { (column + 1).to_string() }
    }

    /// The option that would read a column, by its name, else by the form of its cells. It is only
    /// suggested.
    fn option(&self, column: usize) -> Option<String> {
        let at = self.argument(column);
        let of = |what: &str| format!("--{what}-column {at}");
        let of_kind = |kind: &str| format!("--column {at} --kind {kind}");
        let name = if self.header { self.names[column].as_str() } else { "" };
        let numbers = self.all(column, is_number);
        let is_whole = || self.all(column, |cell| whole(cell).is_some());
        let is_outcome = |cell: &str| outcome(cell, false).is_some();
        let different = self.different(column);
        let few = |share: usize| different > 1 && share * different <= self.rows.len();
        let value = |cell| Stamp::of(cell).map(Stamp::value);
        let pairs = || self.cells(column).map(value).zip(self.cells(column).map(value).skip(1));
        let rising = || 4 * pairs().filter(|(a, b)| a < b).count() > 3 * pairs().count();
        Some(match self.role(column) {
            Some(Role::Packets(kind)) => of_kind(kind.word()),
            Some(Role::Sent | Role::Time) => of("time"),
            Some(Role::Link) => of("link"),
            Some(Role::Rate) if numbers => of("rate"),
            Some(Role::Bytes) => of("bytes"),
            _ if (is_count(name) && !is_node(name)) || has(name, NO_PACKET) => return None,
            _ if has(name, "bytes") => of("bytes"),
            _ if is_rate(name) && numbers => of("rate") + " --rate-unit UNIT",
            _ if self.all(column, is_outcome_word) => of_kind("received"),
            _ if self.all(column, is_outcome) => of_kind("received or lost"),
            _ if numbers && self.cells(column).any(is_blank) => of_kind("arrival"),
            _ if unit_of(name).is_some() && rising() => of("time"),
            _ if different > 2 && is_whole() && rising() => of_kind("sequence"),
            _ if is_node(name) && different > 1 => of("link"),
            _ if few(5) && is_whole() && !has(name, FATES) => of("link"),
            _ if !numbers && few(2) => {
                format!("{}, or {} --lost-value VALUE", of("link"), of_kind("received"))
            }
            _ => return None,
        })
    }
}

/// The first row names the columns if no cell is a number or a time, unless the cell below an
/// outcome in words is one, too, and no word is above a number.
fn is_header(first: &[String], second: &[String]) -> bool {
    let number = |cell: &str| Stamp::of(cell).is_some() || is_number(cell);
    let word = |cell: &str| !is_blank(cell) && !number(cell);
    let words = || first.iter().zip(second).filter(|(cell, _)| word(cell));
    let over_number = || words().any(|(_, below)| number(below));
    let over_outcome = || words().any(|(cell, below)| are_of_one_set(cell, below));
    let all = first.iter().all(|cell| word(cell) || cell.is_empty());
    all && first.iter().any(|cell| word(cell)) && (over_number() || !over_outcome())
}
