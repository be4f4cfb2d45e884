//! Ambiguous tables, which are refused with a question.
//!
//! Three kinds of tables are easily misread as perfect or dead links: a log of all packets sent
//! that marks lost packets by a blank in a column of unknown name; a log of received packets only,
//! which shows no loss; and numbers that do not count packets. Each is refused with a question and
//! the options that answer it.

use std::collections::BTreeMap;
use std::path::Path;

use super::by_number::RowsByNumber;
use super::columns::Plan;
use super::group::{Group, no_packets};
use super::markers::Markers;
use super::names::{Arrival, arrival, is_number, outcome};
use super::times::Stamp;
use crate::error::{TraceError, excerpt};
use crate::reader::ColumnKind;

/// Most characters of a cell that are kept.
const LONGEST_CELL: usize = 40;

/// Fewest rows of links that may share a numbering.
const ROWS: u64 = 20;

/// The cells of a column other than the value column.
#[derive(Debug, Default)]
struct Seen {
    blanks: u64,
    numbers: u64,
    words: u64,
    /// Different cells, up to three.
    different: Vec<String>,
    /// Rows in which only one of this column and the value column is blank.
    differing: u64,
}

/// The columns that may contradict the reading.
pub(super) struct Watch {
    columns: BTreeMap<usize, Seen>,
    rows: u64,
    /// Loss markers among the arrivals.
    markers: Markers,
}

impl Watch {
    pub(super) fn new(plan: &Plan) -> Self {
        let columns = plan.watched.iter().map(|i| (*i, Seen::default())).collect();
        Self { columns, rows: 0, markers: Markers::default() }
    }

    /// Leaves out a column that separates links.
    pub(super) fn leave(&mut self, column: usize) {
        self.columns.remove(&column);
    }

    pub(super) fn row(&mut self, plan: &Plan, cells: &[String]) {
        self.rows += 1;
        if plan.kind == ColumnKind::Arrival
            && !plan.asked
            && !plan.is_zero_lost(cells)
            && arrival(&cells[plan.value]) == Arrival::Came
            && let Some(stamp) = Stamp::of(&cells[plan.value])
        {
            self.markers.add(stamp.value());
        }
        for (column, seen) in &mut self.columns {
            let blank = arrival(&cells[*column]) == Arrival::Blank;
            let number = || is_number(&cells[*column]) || arrival(&cells[*column]) == Arrival::Came;
            match blank {
                true => seen.blanks += 1,
                false if number() => seen.numbers += 1,
                false => seen.words += 1,
            }
            let cell: &str = &cells[*column];
            let end = cell.char_indices().nth(LONGEST_CELL).map_or(cell.len(), |(at, _)| at);
            if seen.different.len() < 3 && !seen.different.iter().any(|c| *c == cell[..end]) {
                seen.different.push(cell[..end].to_owned());
            }
            let taken = arrival(&cells[plan.value]) == Arrival::Blank;
            seen.differing += u64::from(taken != blank);
        }
    }

    /// Refuses the table if a column contradicts the reading.
    pub(super) fn certain(
        &self,
        plan: &Plan,
        path: &Path,
        groups: &BTreeMap<Vec<String>, Group>,
    ) -> Result<(), TraceError> {
        let problem = match plan.kind {
            ColumnKind::Sequence if plan.total.is_none() => {
                numbered_together(plan, groups).or_else(|| self.of_numbers(plan, groups))
            }
            ColumnKind::Arrival if !plan.asked => {
                numbered_together(plan, groups).or_else(|| self.of_arrivals(plan, groups))
            }
            _ => None,
        };
        problem.map_or(Ok(()), |problem| Err(plan.question(path, problem)))
    }

    /// The contradiction to sequence numbers of received packets, as a question.
    fn of_numbers(&self, plan: &Plan, groups: &BTreeMap<Vec<String>, Group>) -> Option<String> {
        let name = |column: usize| excerpt(&plan.columns[column]);
        let (value, rows) = (name(plan.value), self.rows);
        if let Some(stride) = groups.values().find_map(|group| group.recorder.stride()) {
            return Some(format!(
                "the numbers in column {value} are {stride} apart, not 1: {}",
                no_packets(stride)
            ));
        }
        let blank = self.columns.iter().find(|(_, s)| s.blanks > 0 && s.words == 0);
        if let Some((column, seen)) = blank.filter(|(_, seen)| seen.numbers > 0) {
            return Some(format!(
                "column {column} is blank in {} of {rows} rows: if a blank means that the packet was lost, \
                 choose column {column} and kind arrival; if every row is a received packet, choose column \
                 {value} and kind sequence",
                seen.blanks,
                column = name(*column),
            ));
        }
        let gapless = groups.values().all(|group| group.recorder.missing() == 0);
        let telling =
            |seen: &Seen| seen.blanks > 0 && seen.blanks < rows || seen.different.len() == 2;
        let (column, seen) =
            self.columns.iter().find(|(_, seen)| gapless && rows > 2 && telling(seen))?;
        let holds = match seen.different.as_slice() {
            [one, other] => format!("holds {} and {} only", excerpt(one), excerpt(other)),
            _ => format!("is blank in {} of {rows} rows", seen.blanks),
        };
        let column = name(*column);
        let outcomes = seen.different.iter().all(|cell| outcome(cell, false).is_some());
        let answer = if outcomes {
            format!("choose column {column} and kind received (1 = received) or lost (1 = lost)")
        } else {
            "write 1 for received and 0 for lost in it and name it received".to_owned()
        };
        Some(format!(
            "no number is missing in column {value}, and column {column} {holds}: if it says which packets \
             were lost, {answer}; if every row is a received packet, choose column {value} and kind sequence"
        ))
    }

    /// The contradiction to receive times and delays, as a question.
    fn of_arrivals(&self, plan: &Plan, groups: &BTreeMap<Vec<String>, Group>) -> Option<String> {
        let name = |column: usize| excerpt(&plan.columns[column]);
        let (value, rows) = (name(plan.value), self.rows);
        if let Some((marker, count)) = self.markers.suspect() {
            return Some(format!(
                "{} stands in {count} of {rows} rows of column {value}, apart from all other values: if it \
                 marks lost packets, leave these cells blank; if it was measured, choose column {value} and \
                 kind arrival",
                marker as f64 / 1e9
            ));
        }
        if let Some(stride) = groups.values().find_map(|group| group.recorder.stride()) {
            return Some(format!(
                "the numbers in column {} are {stride} apart, not 1; if every packet sent has a row, choose \
                 column {value} and kind arrival",
                plan.sequence.map(name).unwrap_or_default()
            ));
        }
        if let Some((other, seen)) = self.columns.iter().find(|(_, s)| s.differing > 0) {
            return Some(format!(
                "columns {value} and {} differ in {} of {rows} rows on whether the packet arrived: choose one \
                 of them with --column",
                name(*other),
                seen.differing
            ));
        }
        let lost = groups.values().any(|group| group.blank > 0);
        (!lost && plan.sequence.is_none()).then(|| {
            format!(
                "no row is blank in column {value} and there are no sequence numbers, so losses cannot be \
                 seen: if every packet sent has a row, choose column {value} and kind arrival; if only \
                 received packets have one, a column of sequence numbers is needed"
            )
        })
    }
}

/// The question about links whose packets share one numbering.
fn numbered_together(plan: &Plan, groups: &BTreeMap<Vec<String>, Group>) -> Option<String> {
    let (own, all) = shared_numbers(groups).filter(|_| !plan.asked)?;
    Some(format!(
        "the packets of all {} links are numbered together in column {}: each link lacks the numbers of the \
         others ({own} in all), and only {all} are missing from the whole; number the packets of each link \
         from 0 on, or say for each row what became of the packet in a column received",
        groups.len(),
        excerpt(&plan.columns[plan.sequence.unwrap_or(plan.value)]),
    ))
}

/// Numbers missing from each link and from all links together, if the links share one numbering: no
/// number repeats, and other links have the numbers that one link lacks.
fn shared_numbers(groups: &BTreeMap<Vec<String>, Group>) -> Option<(u64, u64)> {
    if groups.len() < 2 || groups.values().any(|group| group.by_number.duplicates > 0) {
        return None;
    }
    let rows: u64 = groups.values().map(|group| group.rows).sum();
    let own: u64 = groups.values().map(|group| group.by_number.gaps()).sum();
    if rows < ROWS || 4 * own < rows {
        return None;
    }
    let mut whole = RowsByNumber::default();
    for group in groups.values() {
        whole.join(&group.by_number);
    }
    (whole.duplicates == 0 && 4 * whole.gaps() <= own).then(|| (own, whole.gaps()))
}
