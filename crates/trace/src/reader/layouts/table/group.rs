//! One link of a table: its packets, its times, and notes on their reading.

use airtcp_units::{Outcomes, Span};

use super::super::super::clock::Clock;
use super::super::super::notes::counted;
use super::super::super::sequence::{Fault, Recorder};
use super::super::rates::{Series, WORTH};
use super::super::stamps::{DAY, Stamp};
use super::checks::SEVERAL;
use super::plan::{Content, Plan};
use super::words::{Fate, fate, whole};
use crate::error::{TraceError, excerpt};
use crate::reader::{ColumnKind, LinkTrace};

/// One link under construction.
#[derive(Default)]
pub(super) struct Group {
    /// In the order of the rows.
    outcomes: Outcomes,
    /// In the order of the packets' numbers, where the table has them.
    pub(super) recorder: Recorder,
    pub(super) rows: u64,
    pub(super) lost: u64,
    /// Rows without a packet.
    unsent: u64,
    /// Most numbers missing in a row, and the numbers around them.
    pub(super) gap: (u64, u64, u64),
    last: u64,
    /// Rows in a row that repeat a number or go back, the present and the most.
    pub(super) back: (u64, u64),
    clock: Clock,
    /// Times below the one before.
    pub(super) falls: u64,
    time: Option<i128>,
    /// The last time of day, and the midnights since the first.
    day: (Option<i128>, i128),
    /// The rates of a table of rates.
    series: Option<Series>,
}

/// What a row says, and the packets (or their worth) added to the record; or what was found and is
/// expected.
type Taken = Result<(Fate, u64), String>;

impl Group {
    /// Takes a row.
    pub(super) fn row(&mut self, plan: &Plan, cells: &[String]) -> Taken {
        match plan.content {
            Content::Packets(kind) => self.packet(plan, kind, cells),
            Content::Rate(scale) => self.rate(plan, scale, cells),
        }
    }

    fn rate(&mut self, plan: &Plan, scale: Option<f64>, cells: &[String]) -> Taken {
        let cell = &cells[plan.value];
        let fate = fate(cell, ColumnKind::Sequence, &plan.options);
        let time = plan.time.as_ref().filter(|_| fate != Fate::Unsent);
        let Some(time) = time else { return Ok((fate, 0)) };
        let new = || Series::new(time.unit.unwrap_or(Span::from_secs(1)));
        self.series.get_or_insert_with(new).row(scale, &cells[time.column], cell)?;
        Ok((fate, WORTH))
    }

    fn packet(&mut self, plan: &Plan, kind: ColumnKind, cells: &[String]) -> Taken {
        let cell = &cells[plan.value];
        let fate = fate(cell, kind, &plan.options);
        if fate == Fate::Unsent {
            self.unsent += 1;
            return Ok((fate, 0));
        }
        if fate == Fate::Unclear {
            let expected = match kind {
                ColumnKind::Arrival => "a time, or a blank or NaN for a lost packet",
                _ => "0 or 1, true or false, received or lost",
            };
            return Err(format!(
                "found {} in column {}; expected {expected}: say what other values mean (--lost-value, \
                 --unsent-value), or what another column holds",
                excerpt(cell),
                plan.name(plan.value)
            ));
        }
        let received = fate == Fate::Came;
        self.rows += 1;
        self.lost += u64::from(!received);
        if kind != ColumnKind::Sequence {
            self.outcomes.push(received);
        }
        let Some(sequence) = plan.sequence else { return Ok((fate, 1)) };
        let number = whole(&cells[sequence]).ok_or_else(|| {
            let found = excerpt(&cells[sequence]);
            format!("found {found}; expected a sequence number, a whole number from 0")
        })?;
        self.recorder.wrap_at(plan.counter);
        let max_gap = plan.options.max_gap;
        let taken = match kind {
            ColumnKind::Sequence => self.recorder.take(number, max_gap),
            _ => self.recorder.take_outcome(number, received, max_gap),
        };
        let steps = taken.map_err(|fault| {
            let (found, expected) = fault.said(number, max_gap);
            let falls = matches!(fault, Fault::Fall { .. });
            let name = plan.name(sequence);
            let sort = format!(": {SEVERAL}; if all rows are of one link, sort them by {name}");
            format!("found {found}; expected {expected}{}", if falls { &sort } else { "" })
        })?;
        if steps > self.gap.0 + 1 {
            self.gap = (steps - 1, self.last, number);
        }
        self.last = number;
        self.back.0 = if steps == 0 { self.back.0 + 1 } else { 0 };
        self.back.1 = self.back.1.max(self.back.0);
        Ok((fate, steps))
    }

    /// Notes the time, if any, of a packet `steps` after the one before. Times of day continue after
    /// midnight.
    pub(super) fn stamp(&mut self, stamp: Option<Stamp>, steps: u64) {
        let time = stamp.map(|stamp| {
            let Stamp::TimeOfDay(time) = stamp else { return stamp.value() };
            let step = time - self.day.0.replace(time).unwrap_or(time);
            self.day.1 += i128::from(step < -DAY / 2);
            time + self.day.1 * DAY
        });
        if let Some(time) = time {
            self.falls += u64::from(self.time.replace(time).is_some_and(|last| time < last));
        }
        self.clock.stamp(time, steps);
    }

    /// Puts the packets or the capacity into `link`, with notes.
    pub(super) fn finish(mut self, plan: &Plan, link: &mut LinkTrace) -> Result<(), TraceError> {
        link.notes = vec![plan.taken(self.rows, self.lost)];
        if let Some(series) = self.series {
            let capacity = series.capacity(&link.source.path)?;
            link.capacity = Some(capacity.map_err(|problem| {
                plan.columns.question(&format!("column {} {problem}", plan.name(plan.value)))
            })?);
            return Ok(());
        }
        if self.unsent > 0 {
            let rows = counted(self.unsent, ("row says", "rows say"));
            link.notes.push(format!("{rows} that no packet was sent, and are not counted"));
        }
        let unit = plan.time.as_ref().and_then(|time| time.unit);
        let times = unit.map(|unit| self.clock.interval(unit));
        let missing = self.recorder.missing();
        let numbers = plan.kind() == Some(ColumnKind::Sequence);
        link.outcomes = self.outcomes;
        if plan.sequence.is_some() && (numbers || self.recorder.stride().is_none()) {
            let (outcomes, notes) = self.recorder.finish();
            link.outcomes = outcomes;
            // The first note is about the ends of a log without outcomes.
            link.notes.extend(notes.into_iter().skip(usize::from(!numbers)));
            if !numbers && missing > 0 {
                let rows = ("number has no row and is", "numbers have no row and are");
                link.notes.push(format!("{} taken for lost", counted(missing, rows)));
            }
        }
        let count = link.outcomes.len();
        if count > 1 && link.outcomes.received() == count && plan.total.is_none() {
            link.notes.push(
                "nothing is lost: if packets that were lost have no row and no number, their loss cannot be seen"
                    .to_owned(),
            );
        }
        if let Some((interval, notes)) = times {
            link.interval = interval;
            link.notes.extend(notes);
        }
        Ok(())
    }
}
