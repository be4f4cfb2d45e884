//! What reached the applications over time: bytes in equal intervals, by receiving end.
//!
//! Memory is bounded whatever the run's length: when there are too many intervals, two become one. Sums are
//! therefore exact, unlike those of a [`Series`](crate::Series), which drops rows.

use std::collections::BTreeMap;

use airtcp_packet::EndpointId;
use airtcp_units::{Nanos, Narrow, Span};

use crate::{Event, EventSource, Probe};

/// Length of an interval, as long as there are at most [`MOST`] of them. [choice]
const INTERVAL: Span = Span::from_millis(100);
/// Most intervals: a thousand seconds at full resolution.
const MOST: usize = 10_000;

/// Records what is delivered in each interval.
#[derive(Debug, Clone)]
pub struct Delivered {
    interval: Span,
    ends: BTreeMap<EndpointId, Vec<u64>>,
}

impl Default for Delivered {
    fn default() -> Self {
        Self { interval: INTERVAL, ends: BTreeMap::new() }
    }
}

impl Delivered {
    /// Length of the intervals.
    pub const fn interval(&self) -> Span {
        self.interval
    }

    /// Bytes in each interval since the start, by receiving end, up to its last delivery.
    pub fn ends(&self) -> impl Iterator<Item = (EndpointId, &[u64])> {
        self.ends.iter().map(|(end, bytes)| (*end, bytes.as_slice()))
    }

    /// Makes intervals twice as long.
    fn widen(&mut self) {
        self.interval = self.interval * 2;
        for bytes in self.ends.values_mut() {
            *bytes = bytes.chunks(2).map(|two| two.iter().sum()).collect();
        }
    }
}

impl Probe for Delivered {
    const ON: bool = true;

    fn record(&mut self, now: Nanos, source: EventSource, event: &Event) {
        let (EventSource::Endpoint(end), Event::Delivered { bytes }) = (source, event) else {
            return;
        };
        while now.0 / self.interval.0 >= MOST as u64 {
            self.widen();
        }
        let at = usize::narrow(now.0 / self.interval.0);
        let all = self.ends.entry(end).or_default();
        if all.len() <= at {
            all.resize(at + 1, 0);
        }
        all[at] += bytes;
    }
}

#[cfg(test)]
mod tests {
    use airtcp_packet::Side;

    use super::*;

    fn with(times: &[(u64, u64)]) -> Delivered {
        let mut found = Delivered::default();
        let end = EventSource::Endpoint(EndpointId::new(0, Side::Server));
        for (ms, bytes) in times {
            let now = Nanos::ZERO + Span::from_millis(*ms);
            found.record(now, end, &Event::Delivered { bytes: *bytes });
        }
        found
    }

    #[test]
    fn bytes_stand_in_the_interval_of_their_delivery() {
        let found = with(&[(0, 1), (99, 2), (100, 4), (350, 8)]);
        let ends: Vec<_> = found.ends().map(|(_, bytes)| bytes.to_vec()).collect();
        assert_eq!(ends, [vec![3, 4, 0, 8]]);
        assert_eq!(found.interval(), INTERVAL);
    }

    #[test]
    fn a_long_run_has_longer_intervals_and_the_same_sum() {
        let times: Vec<(u64, u64)> = (0..5000).map(|i| (i * 1000, i)).collect();
        let found = with(&times);
        let bytes = found.ends().next().unwrap().1;
        assert!(bytes.len() <= MOST && found.interval() == INTERVAL * 8);
        assert_eq!(bytes.iter().sum::<u64>(), (0..5000_u64).sum::<u64>());
        // Second 4 begins an interval of 0.8 s, and the one before has none.
        assert_eq!(bytes[3..=5], [3, 0, 4]);
    }
}
