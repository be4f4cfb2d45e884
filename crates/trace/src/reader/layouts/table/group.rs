//! One link of a table under construction: its packets, its times, and what is to be said of them.

use airtcp_units::{Outcomes, Span};

use super::super::super::clock::Clock;
use super::super::super::sequence::{Fault, Recorder, WINDOW};
use super::columns::Plan;
use super::names::{Arrival, arrival, outcome};
use crate::error::excerpt;
use crate::reader::ColumnKind;

/// What was found in a row, and what is accepted there.
pub(super) type Wrong = (String, String);

/// One link under construction.
#[derive(Default)]
pub(super) struct Group {
    /// In the order of the rows.
    pub(super) outcomes: Outcomes,
    /// In the order of the packets' numbers, where the table has them.
    pub(super) recorder: Recorder,
    pub(super) rows: u64,
    /// Rows without an arrival; of these, those with -1.
    pub(super) blank: u64,
    pub(super) minus_one: u64,
    /// Last number in a sequence column beside outcomes, and how often the next was not next.
    last_number: Option<u64>,
    pub(super) breaks: u64,
    clock: Clock,
}

impl Group {
    /// Takes one row's packet; gives back how many packets the record grew by.
    pub(super) fn packet(
        &mut self,
        plan: &Plan,
        cells: &[String],
        max_gap: u64,
    ) -> Result<u64, Wrong> {
        self.rows += 1;
        let cell = cells[plan.value].as_str();
        match plan.kind {
            ColumnKind::Sequence => {
                let number = number(cell)?;
                self.recorder.take(number, max_gap).map_err(|f| wrong(&f, number, max_gap))
            }
            ColumnKind::Arrival => self.arrival(plan, cells, max_gap),
            ColumnKind::Received | ColumnKind::Lost => {
                let Some(received) = outcome(cell, plan.kind == ColumnKind::Lost) else {
                    let found = format!("{} in column {}", excerpt(cell), plan.value_name());
                    let expected = "0 or 1, true or false, received or lost".to_owned();
                    return Err((found, expected));
                };
                self.outcomes.push(received);
                if let Some(number) = plan.sequence.and_then(|i| cells[i].parse::<u64>().ok()) {
                    let last = self.last_number.replace(number);
                    let breaks = last.is_some_and(|last| last.wrapping_add(1) != number);
                    self.breaks += u64::from(breaks);
                }
                Ok(1)
            }
        }
    }

    fn arrival(&mut self, plan: &Plan, cells: &[String], max_gap: u64) -> Result<u64, Wrong> {
        let cell = cells[plan.value].as_str();
        let received = match arrival(cell) {
            Arrival::Came => true,
            Arrival::Blank | Arrival::MinusOne => false,
            Arrival::Unclear => {
                let found = format!("{} in column {}", excerpt(cell), plan.value_name());
                return Err((found, "a time, or a blank, NaN or -1 for a lost packet".to_owned()));
            }
        };
        self.blank += u64::from(!received);
        self.minus_one += u64::from(arrival(cell) == Arrival::MinusOne);
        self.outcomes.push(received);
        let Some(sequence) = plan.sequence else { return Ok(1) };
        let number = number(&cells[sequence])?;
        self.recorder
            .take_outcome(number, received, max_gap)
            .map_err(|fault| wrong(&fault, number, max_gap))
    }

    /// Notes the time of a packet that came `steps` after the one before, if it has one.
    pub(super) fn stamp(&mut self, time: Option<i128>, steps: u64) {
        self.clock.stamp(time, steps);
    }

    /// The interval between packets, and what to say about it.
    pub(super) fn interval(&mut self, unit: Span) -> (Option<Span>, Vec<String>) {
        self.clock.interval(unit)
    }
}

fn number(cell: &str) -> Result<u64, Wrong> {
    let wrong = |_| (excerpt(cell), "a sequence number, a whole number from 0".to_owned());
    cell.parse::<u64>().map_err(wrong)
}

fn wrong(fault: &Fault, number: u64, max_gap: u64) -> Wrong {
    match fault {
        Fault::Huge => (format!("sequence number {number}"), "at most 2^62".to_owned()),
        Fault::Jump { previous, gap } => (
            format!("sequence number {number}, {gap} past {previous}"),
            format!("a gap of at most {max_gap} (option max_gap)"),
        ),
        Fault::Fall { previous } => (
            format!("sequence number {number} after {previous}"),
            format!("at most {WINDOW} below the highest so far; split a file of several runs"),
        ),
        Fault::Stride(stride) => (
            format!("numbers {stride} apart"),
            format!("packets numbered one by one; {}", no_packets(*stride)),
        ),
    }
}

/// What numbers that step by more than 1 look like.
pub(super) fn no_packets(stride: u64) -> String {
    let like = if stride >= 100 {
        "such numbers count bytes, as TCP's do"
    } else {
        "such numbers count something else than packets, or only some packets were logged"
    };
    format!("{like}, and which packets were lost cannot be told from them")
}
