//! Packets with an arrival before their sending: the clocks differ, or a time is wrong.

use super::columns::Plan;
use super::delay::DelaySource;
use super::midnights::apart;
use super::names::Arrival;
use super::times::Stamp;
use crate::error::excerpt;

/// Counts the packets of a link with a negative delay.
#[derive(Debug, Clone, Default)]
pub(super) struct NegativeDelays {
    count: u64,
    of: u64,
    /// The least delay, in billionths of the unit of its column.
    least: i128,
}

impl NegativeDelays {
    /// Takes a row of a table of arrivals.
    pub(super) fn row(&mut self, plan: &Plan, cells: &[String]) {
        let cell = &cells[plan.value];
        if plan.arrival(cells) != Arrival::Came || plan.is_zero_lost(cells) {
            return;
        }
        let delay = match (plan.delay, Stamp::of(cell)) {
            (Some(DelaySource::Delay), Some(Stamp::Number(delay))) => delay,
            (Some(DelaySource::Since(sent)), Some(came)) => match (came, Stamp::of(&cells[sent])) {
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

    /// The note on negative delays, if there are any.
    pub(super) fn note(&self, plan: &Plan) -> Option<String> {
        let name = |column: usize| excerpt(&plan.columns[column]);
        let value = name(plan.value);
        let least = self.least as f64 / 1e9;
        let what = match plan.delay.filter(|_| self.count > 0)? {
            DelaySource::Delay => {
                format!("delays in column {value} are negative (the least is {least})")
            }
            DelaySource::Since(sent) => format!(
                "packets arrive before they were sent (column {value} less {} is {least} at the least)",
                name(sent)
            ),
        };
        Some(negative_delays_note(self.count, self.of, &what))
    }
}

/// The note on `count` of `of` packets with a negative delay.
pub(in crate::reader::layouts) fn negative_delays_note(count: u64, of: u64, what: &str) -> String {
    format!(
        "{count} of {of} {what}: the clocks of sender and receiver differ, or these times are wrong; the \
         packets count as received, and no result uses their delay"
    )
}
