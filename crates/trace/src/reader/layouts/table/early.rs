//! Packets that arrive before they were sent: the clocks differ, or a time is wrong.

use super::columns::Plan;
use super::dates::apart;
use super::names::{Arrival, is_moment, unit_of};
use super::times::Stamp;
use crate::error::excerpt;

/// What gives the delay of a packet.
#[derive(Debug, Clone, Copy)]
pub(super) enum Told {
    /// Its column holds delays.
    Delay,
    /// From the time of sending in this column.
    Since(usize),
}

/// Counts the packets of a link with a negative delay.
#[derive(Debug, Clone, Default)]
pub(super) struct Early {
    count: u64,
    of: u64,
    /// The least delay, in billionths of the unit of its column.
    least: i128,
}

impl Told {
    /// By the names of the column of arrivals and of the column of send times, if there is one.
    pub(super) fn of(columns: &[String], value: usize, sent: Option<usize>) -> Option<Self> {
        let name = &columns[value];
        if !is_moment(name) {
            return Some(Self::Delay);
        }
        let sent = sent?;
        (unit_of(name) == unit_of(&columns[sent])).then_some(Self::Since(sent))
    }
}

impl Early {
    /// Takes a row of a table of arrivals.
    pub(super) fn row(&mut self, plan: &Plan, cells: &[String]) {
        let cell = &cells[plan.value];
        if plan.arrival(cells) != Arrival::Came || plan.is_zero_lost(cells) {
            return;
        }
        let delay = match (plan.delay, Stamp::of(cell)) {
            (Some(Told::Delay), Some(Stamp::Number(delay))) => delay,
            (Some(Told::Since(sent)), Some(came)) => match (came, Stamp::of(&cells[sent])) {
                (Stamp::Number(came), Some(Stamp::Number(sent)))
                | (Stamp::Date(came), Some(Stamp::Date(sent))) => came - sent,
                (Stamp::TimeOfDay(came), Some(Stamp::TimeOfDay(sent))) => apart(came, sent),
                _ => return,
            },
            _ => return,
        };
        self.of += 1;
        self.count += u64::from(delay < 0);
        self.least = self.least.min(delay);
    }

    /// The note on them, if there are any.
    pub(super) fn note(&self, plan: &Plan) -> Option<String> {
        let name = |column: usize| excerpt(&plan.columns[column]);
        let value = name(plan.value);
        let least = self.least as f64 / 1e9;
        let what = match plan.delay.filter(|_| self.count > 0)? {
            Told::Delay => format!("delays in column {value} are negative (the least is {least})"),
            Told::Since(sent) => format!(
                "packets arrive before they were sent (column {value} less {} is {least} at the least)",
                name(sent)
            ),
        };
        Some(said(self.count, self.of, &what))
    }
}

/// The sentence on `count` of `of` packets with a negative delay.
pub(in crate::reader::layouts) fn said(count: u64, of: u64, what: &str) -> String {
    format!(
        "{count} of {of} {what}: the clocks of sender and receiver differ, or these times are wrong; the \
         packets count as received, and no result uses their delay"
    )
}
