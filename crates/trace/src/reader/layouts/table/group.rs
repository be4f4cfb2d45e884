//! One link of a table under construction: its packets, its times, and counts for notes.

use airtcp_units::{Narrow, Outcomes, Span};

use super::super::super::clock::Clock;
use super::super::super::notes::counted;
use super::super::super::sequence::{Fault, Recorder, WINDOW};
use super::by_number::RowsByNumber;
use super::by_time::RowsByTime;
use super::columns::Plan;
use super::midnights::Midnights;
use super::names::{Arrival, outcome, whole};
use super::negative_delays::NegativeDelays;
use super::times::Stamp;
use crate::error::{TraceError, excerpt};
use crate::reader::ColumnKind;

/// What was found in a row, and what is accepted.
pub(super) type Wrong = (String, String);

/// Sizes at which packet counters wrap.
const WRAPS: [u64; 4] = [1 << 8, 1 << 12, 1 << 16, 1 << 32];

/// One link under construction.
#[derive(Default)]
pub(super) struct Group {
    /// In the order of the rows.
    pub(super) outcomes: Outcomes,
    /// In the order of the packets' numbers, where the table has them.
    pub(super) recorder: Recorder,
    pub(super) rows: u64,
    /// Rows without an arrival, and those of them with -1.
    pub(super) blank: u64,
    pub(super) minus_one: u64,
    /// Rows with a receive time of 0.
    pub(super) zeros: u64,
    /// Packets with a negative delay.
    pub(super) negative_delays: NegativeDelays,
    /// The rows by number, in case they are not in order.
    pub(super) by_number: RowsByNumber,
    /// The rows by time, in case they are not in order and have no numbers; true once they were
    /// sorted.
    pub(super) by_time: RowsByTime,
    pub(super) sorted_by_time: bool,
    /// Midnights in the times of day: of the rows' order, and of the interval.
    pub(super) order_days: Midnights,
    time_days: Midnights,
    /// The last number, and the first fall below a number before, which is an error unless the rows
    /// can be sorted.
    number: Option<u64>,
    pub(super) fall: Option<Wrong>,
    pub(super) fall_error: Option<TraceError>,
    /// The first line with a step of more than 1, and true once a stride was found.
    pub(super) apart: Option<u64>,
    pub(super) is_strided: bool,
    /// Notes on sorting the rows.
    pub(super) order: Vec<String>,
    /// Last number in a sequence column beside outcomes, and the count of numbers out of sequence.
    last_number: Option<u64>,
    pub(super) breaks: u64,
    /// Rows that repeat the number of a lost packet in the row before: retransmissions. Then the
    /// numbers below the one before, and the wraps of a counter among them.
    again: u64,
    falls: u64,
    wraps: u64,
    pub(super) clock: Clock,
}

impl Group {
    /// Takes one row's packet. Returns the number of packets added to the record.
    pub(super) fn packet(
        &mut self,
        plan: &Plan,
        cells: &[String],
        max_gap: u64,
    ) -> Result<u64, Wrong> {
        self.rows += 1;
        self.number = None;
        self.recorder.wrap_at(plan.counter);
        let cell = cells[plan.value].as_str();
        match plan.kind {
            ColumnKind::Sequence => {
                let number = number(cell)?;
                self.place(number, true);
                let taken = self.recorder.take(number, max_gap);
                self.fell(taken, number, max_gap)
            }
            ColumnKind::Arrival => self.arrival(plan, cells, max_gap),
            ColumnKind::Received | ColumnKind::Lost => {
                let Some(received) = outcome(cell, plan.kind == ColumnKind::Lost) else {
                    let found = format!("{} in column {}", excerpt(cell), plan.value_name());
                    let expected = "0 or 1, true or false, received or lost".to_owned();
                    return Err((found, expected));
                };
                self.outcomes.push(received);
                if let Some(number) = plan.sequence.and_then(|i| whole(&cells[i])) {
                    self.place(number, received);
                    let last = self.last_number.replace(number);
                    let breaks = last.is_some_and(|last| last.wrapping_add(1) != number);
                    self.breaks += u64::from(breaks);
                    self.repeats(last, number);
                }
                Ok(1)
            }
        }
    }

    /// Counts repeats, falls and wraps of an outcome's `number` after the `last` one.
    fn repeats(&mut self, last: Option<u64>, number: u64) {
        let Some(last) = last else { return };
        let before = self.outcomes.len().checked_sub(2).and_then(|at| self.outcomes.get(at));
        self.again += u64::from(number == last && before == Some(false));
        self.falls += u64::from(number < last);
        self.wraps += u64::from(number == 0 && WRAPS.contains(&last.wrapping_add(1)));
    }

    /// True if the numbers repeat as those of several links or runs do, not by retransmissions.
    pub(super) fn is_repeated(&self, plan: &Plan) -> bool {
        let several = self.by_number.several_runs();
        match plan.kind {
            ColumnKind::Received | ColumnKind::Lost => {
                several && self.by_number.duplicates > self.again
            }
            ColumnKind::Arrival | ColumnKind::Sequence => several && !self.recorder.wrapped(),
        }
    }

    /// True if the numbers of outcomes fall only where a counter wraps.
    pub(super) const fn only_wraps(&self) -> bool {
        self.falls > 0 && self.falls == self.wraps
    }

    /// A copy of the link, to be followed separately.
    pub(super) fn copied(&self) -> Self {
        Self {
            outcomes: self.outcomes.clone(),
            recorder: self.recorder.clone(),
            negative_delays: self.negative_delays.clone(),
            by_number: self.by_number.clone(),
            by_time: self.by_time.clone(),
            fall: self.fall.clone(),
            fall_error: None,
            order: self.order.clone(),
            clock: self.clock.clone(),
            ..*self
        }
    }

    fn arrival(&mut self, plan: &Plan, cells: &[String], max_gap: u64) -> Result<u64, Wrong> {
        let cell = cells[plan.value].as_str();
        let found = plan.arrival(cells);
        let received = match found {
            Arrival::Came if plan.is_zero_lost(cells) => {
                self.zeros += 1;
                false
            }
            Arrival::Came => true,
            Arrival::Blank | Arrival::MinusOne => false,
            Arrival::Unclear => {
                let found = format!("{} in column {}", excerpt(cell), plan.value_name());
                return Err((found, "a time, or a blank, NaN or -1 for a lost packet".to_owned()));
            }
        };
        self.negative_delays.row(plan, cells);
        self.blank += u64::from(!received);
        self.minus_one += u64::from(found == Arrival::MinusOne);
        self.outcomes.push(received);
        let Some(sequence) = plan.sequence else { return Ok(1) };
        let number = number(&cells[sequence])?;
        self.place(number, received);
        let taken = self.recorder.take_outcome(number, received, max_gap);
        self.fell(taken, number, max_gap)
    }

    /// Takes `packets` lost packets, each an empty line.
    pub(super) fn lose(&mut self, packets: u64) {
        self.rows += packets;
        self.blank += packets;
        self.outcomes.push_run(false, usize::narrow(packets));
    }

    fn place(&mut self, number: u64, received: bool) {
        self.number = Some(number);
        self.by_number.add(number, received);
    }

    /// A fall becomes an error only at the end, because the rows may be sorted.
    fn fell(&mut self, taken: Result<u64, Fault>, number: u64, max_gap: u64) -> Result<u64, Wrong> {
        match taken {
            Ok(steps) => Ok(steps),
            Err(fault @ Fault::Fall { .. }) => {
                if self.fall.is_none() {
                    self.fall = Some(wrong(&fault, number, max_gap));
                }
                Ok(0)
            }
            Err(fault) => {
                self.is_strided = matches!(fault, Fault::Stride(_));
                Err(wrong(&fault, number, max_gap))
            }
        }
    }

    /// Takes the time that orders a row whose packet has no number.
    pub(super) fn time(&mut self, plan: &Plan, cells: &[String], room: &mut u64) {
        let Some(order) = plan.order else { return };
        let last = self.outcomes.len().checked_sub(1);
        let received = last.and_then(|last| self.outcomes.get(last)) == Some(true);
        let stamp = |column: usize| Stamp::of(&cells[column]);
        let arrival = stamp(plan.value).filter(|_| plan.kind == ColumnKind::Arrival);
        let time = stamp(order).map(|stamp| self.order_days.value(stamp));
        self.by_time.add(time, received, arrival.map(Stamp::value), room);
    }

    /// Notes the time, if any, of a packet `steps` after the one before.
    pub(super) fn stamp(&mut self, time: Option<Stamp>, steps: u64) {
        let time = time.map(|stamp| self.time_days.value(stamp));
        if let (Some(number), Some(time)) = (self.number, time) {
            self.by_number.stamp(number, time);
        }
        self.clock.stamp(time, steps);
    }

    /// The note on numbers without a row beside outcomes.
    pub(super) fn unlisted(&self) -> Option<String> {
        let gaps = self.by_number.gaps();
        let known =
            self.by_number.duplicates == 0 && self.falls == 0 && gaps > 0 && gaps < self.rows;
        known.then(|| {
            let numbers =
                counted(gaps, ("number has no row and is", "numbers have no row and are"));
            format!("{numbers} not counted: if these packets were lost, give them rows that say so")
        })
    }

    /// The note on outcomes that are all received, without numbers that would show a loss.
    pub(super) fn all_received(&self, plan: &Plan) -> Option<String> {
        let numbered = plan.sequence.is_some();
        let all = self.outcomes.len() > 1 && self.outcomes.iter().all(|received| received);
        (all && !numbered && plan.columns.len() > 1).then(|| {
            "every row is a received packet, and there are no sequence numbers: if packets that were lost \
             have no row, their loss cannot be seen"
                .to_owned()
        })
    }

    /// The interval between packets, and the notes on it.
    pub(super) fn interval(&mut self, unit: Span) -> (Option<Span>, Vec<String>) {
        self.clock.interval(unit)
    }
}

fn number(cell: &str) -> Result<u64, Wrong> {
    let wrong = || (excerpt(cell), "a sequence number, a whole number from 0".to_owned());
    whole(cell).ok_or_else(wrong)
}

pub(super) fn wrong(fault: &Fault, number: u64, max_gap: u64) -> Wrong {
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

/// The explanation of numbers that step by more than 1.
pub(super) fn no_packets(stride: u64) -> String {
    let like = if stride >= 100 {
        "such numbers count bytes, as TCP's do"
    } else {
        "such numbers count something else than packets, or only some packets were logged"
    };
    format!("{like}, and which packets were lost cannot be told from them")
}
