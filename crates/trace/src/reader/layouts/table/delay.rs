//! The source of packet delays: a column of delays, or the times of sending and receiving.

use super::names::{is_moment, unit_of};

/// The source of packet delays.
#[derive(Debug, Clone, Copy)]
pub(super) enum DelaySource {
    /// The column of arrivals holds delays.
    Delay,
    /// Receive time minus the time of sending in this column.
    Since(usize),
}

impl DelaySource {
    /// Chooses by the names of the column of arrivals and of the column of send times, if any.
    pub(super) fn of(columns: &[String], value: usize, sent: Option<usize>) -> Option<Self> {
        let name = &columns[value];
        if !is_moment(name) {
            return Some(Self::Delay);
        }
        let sent = sent?;
        (unit_of(name) == unit_of(&columns[sent])).then_some(Self::Since(sent))
    }
}
