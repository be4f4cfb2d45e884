//! Reports of a link protocol on the reverse direction of its link. A report is sent as soon as the
//! transmitter is free, before any packet, and the direction's loss model applies to it.

use std::collections::VecDeque;

use airtcp_packet::{EndpointId, Side};
use airtcp_units::{Bytes, Nanos};

use super::wire::Wire;
use crate::protocol::Report;

/// Reports that wait for the transmitter, and reports in flight.
#[derive(Debug)]
pub(super) struct Control {
    bytes: u32,
    sent: u64,
    waiting: VecDeque<Report>,
    under_way: VecDeque<(Nanos, Report)>,
}

impl Control {
    pub(super) fn new(bytes: Bytes) -> Self {
        let bytes = u32::try_from(bytes.0).unwrap_or(u32::MAX);
        Self { bytes, sent: 0, waiting: VecDeque::new(), under_way: VecDeque::new() }
    }

    /// Bytes sent.
    pub(super) const fn sent_bytes(&self) -> u64 {
        self.bytes as u64 * self.sent
    }

    /// True if none waits for the transmitter.
    pub(super) fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    pub(super) fn push(&mut self, report: Report) {
        self.waiting.push_back(report);
    }

    /// Sends waiting reports while the transmitter is free. Returns the bytes sent.
    pub(super) fn send(&mut self, now: Nanos, wire: &mut Wire) -> u64 {
        let mut sent = 0;
        while now >= wire.ready_at
            && let Some(report) = self.waiting.pop_front()
        {
            // Loss models see a packet without payload.
            let passage = wire.transmit(now, (self.bytes, 0, EndpointId::new(0, Side::Client)));
            self.sent += 1;
            sent += u64::from(self.bytes);
            if !passage.lost {
                self.under_way.push_back((wire.ready_at + wire.delay, report));
            }
        }
        sent
    }

    /// The next report that has arrived.
    pub(super) fn take(&mut self, now: Nanos) -> Option<Report> {
        self.under_way.pop_front_if(|r| r.0 <= now).map(|r| r.1)
    }

    /// Time of the next event; the transmitter is free at `ready_at`.
    pub(super) fn next_timer(&self, ready_at: Nanos) -> Nanos {
        let arrival = self.under_way.front().map_or(Nanos::NEVER, |r| r.0);
        if self.waiting.is_empty() { arrival } else { arrival.min(ready_at) }
    }
}
