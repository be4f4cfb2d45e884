//! Rows sorted by arrival: a spreadsheet puts the lost packets at an end.

/// Fewest received rows in which sorted delays are no coincidence.
const RECEIVED: u64 = 8;

/// The arrivals of a table, row by row.
#[derive(Debug, Default)]
pub(super) struct Sorted {
    last: Option<i128>,
    received: u64,
    rises: bool,
    falls: bool,
    /// Lost packets before the first arrival, after the last one, and between arrivals.
    lead: u64,
    tail: u64,
    between: u64,
}

impl Sorted {
    /// Takes a row's arrival; `None` means a lost packet.
    pub(super) fn add(&mut self, arrival: Option<i128>) {
        let Some(value) = arrival else {
            *(if self.received == 0 { &mut self.lead } else { &mut self.tail }) += 1;
            return;
        };
        let last = self.last.replace(value);
        self.rises |= last.is_some_and(|last| value > last);
        self.falls |= last.is_some_and(|last| value < last);
        self.received += 1;
        self.between += std::mem::take(&mut self.tail);
    }

    /// The number of lost packets if the rows may be sorted by arrivals, which are points in time
    /// if `moment`. A single lost packet at an end is no evidence.
    pub(super) const fn sorted(&self, moment: bool) -> Option<u64> {
        let in_order = !(self.rises && self.falls) && (moment || self.rises || self.falls);
        let at_one_end = self.between == 0 && (self.lead == 0 || self.tail == 0);
        let lost = self.lead + self.tail;
        if in_order && at_one_end && lost > 1 && self.received >= RECEIVED {
            Some(lost)
        } else {
            None
        }
    }
}
