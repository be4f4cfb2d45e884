//! Event counters over all machines of a run.

use airtcp_units::Nanos;

use crate::{DropReason, Event, EventSource, Probe};

/// Totals over a run.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Counters {
    /// Segments sent by endpoints.
    pub segments_sent: u64,
    /// Those of `segments_sent` with bytes that were sent before.
    pub retransmissions: u64,
    /// Segments received by endpoints.
    pub segments_received: u64,
    /// Expired retransmission timers.
    pub timeouts: u64,
    /// Loss recoveries entered without a timeout.
    pub fast_retransmits: u64,
    /// Retransmissions that turned out to be unnecessary.
    pub spurious: u64,
    /// Bytes that reached applications in order.
    pub delivered_bytes: u64,
    /// Packets enqueued.
    pub enqueued: u64,
    /// Packets dequeued.
    pub dequeued: u64,
    /// Packets marked by queues.
    pub marked: u64,
    /// Transmissions started by links.
    pub transmissions: u64,
    /// Packets delivered by links.
    pub arrivals: u64,
    /// Packets dropped, in the order of [`DropReason::ALL`].
    pub dropped: [u64; DropReason::ALL.len()],
}

impl Counters {
    /// Packets dropped for `reason`.
    pub const fn dropped_for(&self, reason: DropReason) -> u64 {
        self.dropped[reason as usize]
    }

    /// Packets dropped for any reason.
    pub fn dropped_total(&self) -> u64 {
        self.dropped.iter().sum()
    }
}

impl Probe for Counters {
    const ON: bool = true;

    fn record(&mut self, _: Nanos, _: EventSource, event: &Event) {
        match event {
            Event::SegmentSent { retransmission, .. } => {
                self.segments_sent += 1;
                self.retransmissions += u64::from(*retransmission);
            }
            Event::SegmentReceived { .. } => self.segments_received += 1,
            Event::Timeout { .. } => self.timeouts += 1,
            Event::FastRetransmit => self.fast_retransmits += 1,
            Event::Spurious => self.spurious += 1,
            Event::Delivered { bytes } => self.delivered_bytes += bytes,
            Event::Enqueued { .. } => self.enqueued += 1,
            Event::Dequeued { .. } => self.dequeued += 1,
            Event::Marked { .. } => self.marked += 1,
            Event::TxStart { .. } => self.transmissions += 1,
            Event::Arrived { .. } => self.arrivals += 1,
            Event::Dropped { reason, .. } => self.dropped[*reason as usize] += 1,
            Event::Entered { .. }
            | Event::Left { .. }
            | Event::Copied { .. }
            | Event::Window { .. }
            | Event::Bandwidth { .. }
            | Event::Rtt { .. }
            | Event::Recovered
            | Event::LossJudged { .. }
            | Event::Coding { .. }
            | Event::Air(_) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use airtcp_packet::{EndpointId, Packet, Pool, Segment, Side};

    #[test]
    fn drops_are_counted_by_reason() {
        let mut counters = Counters::default();
        let to = EndpointId::new(0, Side::Server);
        let packet = Pool::new().insert(Packet { to, segment: Segment::default() });
        for (n, reason) in DropReason::ALL.into_iter().enumerate() {
            for _ in 0..=n {
                let dropped = Event::Dropped { packet, reason, part: 0 };
                counters.record(Nanos(0), EventSource::Link(0), &dropped);
            }
            assert_eq!(counters.dropped_for(reason), n as u64 + 1, "{}", reason.name());
        }
        let reasons = DropReason::ALL.len() as u64;
        assert_eq!(counters.dropped_total(), reasons * (reasons + 1) / 2);
    }
}
