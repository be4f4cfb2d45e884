//! Packets that arrive before they were sent: the clocks differ, or a time is wrong.

use super::columns::Plan;
use super::delay::Told;
use super::midnights::apart;
use super::names::Arrival;
use super::times::Stamp;
use crate::error::excerpt;

/// Counts the packets of a link with a negative delay.
#[derive(Debug, Clone, Default)]
pub(super) struct Early {
    count: u64,
    of: u64,
    /// The least delay, in billionths of the unit of its column.
    least: i128,
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
