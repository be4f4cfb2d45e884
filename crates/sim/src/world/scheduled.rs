//! An application that writes messages at the times of a file.
//!
//! ```text
//! message i of lap n:  start + n repeat + time i,   n = 0, 1, ... if the arrivals repeat
//! ```
//! Messages at one instant are written in the order of the file, each by its own event. The application closes its flow
//! at `stop`, or after the last message.

use std::sync::Arc;

use airtcp_scenario::Schedule;
use airtcp_units::{Nanos, Span};

use super::transport::Transport;

pub(crate) struct Scheduled {
    schedule: Arc<Schedule>,
    /// Size of messages without a size of their own.
    message: u64,
    /// Number of the next arrival in the schedule.
    next: usize,
    /// Time 0 of the schedule.
    base: Nanos,
    repeat: Option<Span>,
    stop: Nanos,
    opened: Option<Nanos>,
    closed: Option<Nanos>,
}

impl Scheduled {
    pub(crate) const fn new(
        schedule: Arc<Schedule>,
        message: u64,
        repeat: Option<Span>,
        [start, stop]: [Nanos; 2],
    ) -> Self {
        Self { schedule, message, next: 0, base: start, repeat, stop, opened: None, closed: None }
    }

    /// When it opened its flow.
    pub(crate) const fn opened(&self) -> Option<Nanos> {
        self.opened
    }

    /// When it closed a flow that it had opened.
    pub(crate) const fn closed(&self) -> Option<Nanos> {
        if self.opened.is_some() { self.closed } else { None }
    }

    pub(crate) fn next_timer(&self) -> Nanos {
        let arrival = self.schedule.arrivals().get(self.next);
        match (self.closed, arrival) {
            (None, Some(arrival)) => (self.base + arrival.at).min(self.stop),
            _ => Nanos::NEVER,
        }
    }

    pub(crate) fn on_timer(&mut self, now: Nanos, transport: &mut Transport) {
        let Some(arrival) = self.schedule.arrivals().get(self.next) else { return };
        if now >= self.stop {
            self.close(now, transport);
            return;
        }
        if self.opened.is_none() {
            self.opened = Some(now);
            transport.open(now);
        }
        transport.write(now, arrival.size.map_or(self.message, |size| size.0));
        self.next += 1;
        if self.next == self.schedule.arrivals().len() {
            match self.repeat {
                Some(repeat) => (self.next, self.base) = (0, self.base + repeat),
                None => self.close(now, transport),
            }
        }
    }

    fn close(&mut self, now: Nanos, transport: &mut Transport) {
        self.closed = Some(now);
        if self.opened.is_some() {
            transport.close(now);
        }
    }
}
