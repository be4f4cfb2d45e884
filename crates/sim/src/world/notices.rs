//! Notices of packets that stations gave up, on their way to the senders.

use std::collections::VecDeque;

use airtcp_link::CorruptionNotice;
use airtcp_units::{Nanos, Span};

use super::queue::MachineId;

/// Notices that have not yet reached their senders.
pub(crate) struct Notices {
    /// By endpoint, the delay of a notice; `None` if it asked for none.
    pub(super) delays: Vec<Option<Span>>,
    /// In the order of their times; equal times in the order of the packets.
    waiting: VecDeque<CorruptionNotice>,
    pub(super) timer: MachineId,
}

impl Notices {
    pub(super) const fn new(delays: Vec<Option<Span>>, timer: MachineId) -> Self {
        Self { delays, waiting: VecDeque::new(), timer }
    }

    pub(super) fn add(&mut self, notice: CorruptionNotice) {
        let place = self.waiting.partition_point(|other| other.at <= notice.at);
        self.waiting.insert(place, notice);
    }

    /// The next notice, if it is due.
    pub(super) fn take(&mut self, now: Nanos) -> Option<CorruptionNotice> {
        self.waiting.pop_front_if(|notice| notice.at <= now)
    }

    /// When the next notice is due.
    pub(super) fn next(&self) -> Nanos {
        self.waiting.front().map_or(Nanos::NEVER, |notice| notice.at)
    }
}
