//! Sorts rows that are not in the order of the packets by their numbers or times, or refuses them.

use super::super::super::sequence::{Recorder, WINDOW};
use super::by_time::Unordered;
use super::columns::Plan;
use super::group::{Group, wrong};
use super::unused::is_of_links;
use crate::error::{TraceError, excerpt};
use crate::reader::{ColumnKind, ReadOptions};

/// The note on sorted rows.
const IN_ORDER: &str = "the rows are not in the order of the packets' numbers, and were put in it";

impl Group {
    /// Sorts the packets by their numbers if the rows are not in order. `path` is for messages;
    /// `charge` is called with the number of packets added to the record.
    pub(super) fn put_in_order(
        &mut self,
        plan: &Plan,
        path: &str,
        options: &ReadOptions,
        mut charge: impl FnMut(u64) -> Result<(), TraceError>,
    ) -> Result<(), TraceError> {
        let max_gap = options.max_gap;
        if self.by_time.disorder() {
            return self.sort_by_time(plan, path, options);
        }
        if matches!(plan.kind, ColumnKind::Received | ColumnKind::Lost) {
            if self.breaks > 0 && self.by_number.complete() {
                self.outcomes = self.by_number.iter().map(|(_, received)| received).collect();
                self.clock = self.by_number.clock();
                self.breaks = 0;
                self.order.push(IN_ORDER.to_owned());
            }
            if !plan.asked && self.is_repeated(plan) && !self.only_wraps() {
                return Err(self.several(plan, path));
            }
            return Ok(());
        }
        let disorder = self.recorder.disorder() > 0 || self.fall.is_some();
        if !disorder || self.recorder.wrapped() {
            return self.fall_error.take().map_or(Ok(()), Err);
        }
        if self.by_number.several_runs() {
            return Err(self.several(plan, path));
        }
        let Some(sorted) = self.sorted(path, max_gap, &mut charge)? else {
            return self.fall_error.take().map_or(Ok(()), Err);
        };
        self.order = self.order_noted(plan);
        self.recorder = sorted;
        if plan.kind == ColumnKind::Arrival || self.fall.is_some() {
            self.clock = self.by_number.clock();
        }
        Ok(())
    }

    /// The packets by their numbers; `None` if numbers fall by more than the window for late
    /// packets.
    fn sorted(
        &self,
        path: &str,
        max_gap: u64,
        mut charge: impl FnMut(u64) -> Result<(), TraceError>,
    ) -> Result<Option<Recorder>, TraceError> {
        let mut sorted = Recorder::default();
        let mut charged = self.recorder.len();
        for (number, received) in self.by_number.iter() {
            match sorted.take_outcome(number, received, max_gap) {
                Ok(steps) if steps > WINDOW && self.fall_error.is_some() => {
                    return Ok(None);
                }
                Ok(_) if sorted.len() > charged => {
                    charge(sorted.len() - charged)?;
                    charged = sorted.len();
                }
                Ok(_) => {}
                Err(fault) => {
                    let (found, expected) = wrong(&fault, number, max_gap);
                    let path = path.to_owned();
                    return Err(TraceError::Malformed { path, line: 1, found, expected });
                }
            }
        }
        Ok(Some(sorted))
    }

    /// The notes on sorting the rows by their numbers.
    fn order_noted(&self, plan: &Plan) -> Vec<String> {
        let mut order = match plan.kind {
            ColumnKind::Sequence if self.fall.is_none() => {
                let late = self.recorder.disorder()
                    - self.by_number.duplicates.min(self.recorder.disorder());
                let words = "packets arrived late and were put in their place";
                if late > 0 { vec![format!("{late} {words}")] } else { Vec::new() }
            }
            _ if self.recorder.disorder() == self.by_number.duplicates && self.fall.is_none() => {
                Vec::new()
            }
            _ => vec![IN_ORDER.to_owned()],
        };
        if self.by_number.duplicates > 0 {
            order.push(format!("{} duplicate sequence numbers ignored", self.by_number.duplicates));
        }
        order
    }

    /// Sorts the packets by their times.
    fn sort_by_time(
        &mut self,
        plan: &Plan,
        path: &str,
        options: &ReadOptions,
    ) -> Result<(), TraceError> {
        let unordered = match self.by_time.sorted() {
            _ if self.order_days.may_be_another_day() => None,
            Ok((outcomes, clock, open)) => {
                self.outcomes = outcomes;
                self.sorted_by_time = true;
                if plan.time.as_ref().map(|time| time.column) == plan.order {
                    self.clock = clock;
                }
                if open > 0 {
                    let name = excerpt(plan.order.map_or("", |order| &plan.columns[order]));
                    self.order.push(format!(
                        "{open} rows have the same time in {name} as others and another outcome: their order \
                         among each other is not known"
                    ));
                }
                return Ok(());
            }
            Err(unordered) => Some(unordered),
        };
        Err(self.not_by_time(plan, path, options, unordered.as_ref()))
    }

    /// The error of times that do not give an order; `None` means times of day of two days.
    fn not_by_time(
        &self,
        plan: &Plan,
        path: &str,
        options: &ReadOptions,
        why: Option<&Unordered>,
    ) -> TraceError {
        let name = excerpt(plan.order.map_or("", |order| &plan.columns[order]));
        let (what, hint) = match why {
            None => (
                format!(
                    "a table whose rows are not in the order of column {name}, which holds times of day that \
                     are more than twelve hours apart"
                ),
                "Write them with their dates (2024-05-28T12:00:00.005), or give the rows in the order sent."
                    .to_owned(),
            ),
            Some(Unordered::Runs) => (
                format!(
                    "a table whose times in column {name} begin again, such as several runs or several links"
                ),
                "Split it into one file a run, or name the column that tells the links apart \
                 \"link\"."
                    .to_owned(),
            ),
            Some(Unordered::Blank(rows)) => (
                format!(
                    "a table whose rows are not in the order of column {name}, with {rows} {} without a time",
                    if *rows == 1 { "row" } else { "rows" }
                ),
                "Give the rows in the order sent, or with a column of sequence numbers (seq).".to_owned(),
            ),
            Some(Unordered::Ties(rows)) => (
                format!(
                    "a table whose rows are not in the order of column {name}, in which {rows} of {} rows have \
                     the same time as others and another outcome",
                    self.rows
                ),
                "The packets' order cannot be told: give the rows in the order sent, with finer times or \
                 with a column of sequence numbers (seq)."
                    .to_owned(),
            ),
            Some(Unordered::Many) => (
                format!(
                    "a table of more than {} rows that are not in the order of column {name}",
                    options.max_packets / super::by_time::PACKETS_PER_TIME
                ),
                format!(
                    "Beyond that they are not sorted: sort them by {name}, or set the environment variable {} \
                     higher.",
                    super::super::super::limits::VARIABLE
                ),
            ),
        };
        TraceError::NotATrace { path: path.to_owned(), what, hint }
    }

    /// The error for numbers that repeat.
    fn several(&self, plan: &Plan, path: &str) -> TraceError {
        let answer = if matches!(plan.kind, ColumnKind::Received | ColumnKind::Lost) {
            let kind = if plan.kind == ColumnKind::Lost { "lost" } else { "received" };
            format!(
                "if the rows are packets in the order sent, choose column {} and kind {kind}",
                excerpt(plan.value_name())
            )
        } else {
            "if they are packets that came twice, remove the repeated rows".to_owned()
        };
        let named = plan.columns.iter().find(|name| plan.header && is_of_links(name));
        let named = named.map_or(String::new(), |name| format!(" (it may be {})", excerpt(name)));
        TraceError::NotATrace {
            path: path.to_owned(),
            what: format!(
                "a table in which {} of {} rows repeat the number of another row, such as several runs \
                 one after the other, or several links",
                self.by_number.duplicates, self.rows
            ),
            hint: format!(
                "Split it into one file a run, or name the column that tells the links apart{named} \"link\"; \
                 {answer}."
            ),
        }
    }
}
