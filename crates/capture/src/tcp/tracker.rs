//! All connections of a capture, in bounded memory.

use std::collections::BTreeMap;

use airtcp_units::LowBits as _;

use super::connection::Connection;
use super::report::{ConnectionReport, Report};
use crate::dissect::{Endpoint, Segment};

/// Limits of the memory.
#[derive(Debug, Clone, Copy)]
pub struct TrackerLimits {
    /// Most connections followed at a time.
    pub open: usize,
    /// Most connections reported.
    pub reported: usize,
}

impl Default for TrackerLimits {
    fn default() -> Self {
        Self { open: 16_384, reported: 100_000 }
    }
}

/// The two ends of a connection, the lower one first.
type Key = (Endpoint, Endpoint);

/// A place for a connection.
#[derive(Debug)]
struct Slot {
    key: Key,
    connection: Option<Box<Connection>>,
}

/// Connections that are found without a search, by a part of their key.
const CACHED: usize = 4096;

/// Follows the connections of a capture.
///
/// A segment's connection is nearly always one that was found before, so the cache has it. If not, the
/// search in the ordered map has a bounded time whatever the keys are.
#[derive(Debug)]
pub struct Tracker {
    limits: TrackerLimits,
    places: BTreeMap<Key, usize>,
    slots: Vec<Slot>,
    free: Vec<usize>,
    cache: Box<[usize]>,
    report: Report,
}

impl Default for Tracker {
    fn default() -> Self {
        Self::new(TrackerLimits::default())
    }
}

impl Tracker {
    /// A tracker with these limits.
    pub fn new(limits: TrackerLimits) -> Self {
        Self {
            limits,
            places: BTreeMap::new(),
            slots: Vec::new(),
            free: Vec::new(),
            cache: vec![usize::MAX; CACHED].into(),
            report: Report::default(),
        }
    }

    /// Takes a segment.
    pub fn on_segment(&mut self, segment: &Segment) {
        let key = if segment.from < segment.to {
            (segment.from, segment.to)
        } else {
            (segment.to, segment.from)
        };
        let cached = cache_place(&key);
        let place = self.cache[cached];
        if let Some(slot) = self.slots.get_mut(place)
            && slot.key == key
            && let Some(connection) = &mut slot.connection
            && !connection.is_over_for(segment)
        {
            connection.on_segment(segment);
            return;
        }
        let place = self.place_of(key, segment);
        self.cache[cached] = place;
        if let Some(connection) = &mut self.slots[place].connection {
            connection.on_segment(segment);
        }
    }

    /// The place of the connection that a segment belongs to, a new one if there is none.
    #[inline(never)]
    fn place_of(&mut self, key: Key, segment: &Segment) -> usize {
        if let Some(place) = self.places.get(&key).copied() {
            let known = self.slots[place].connection.as_ref();
            if known.is_some_and(|connection| !connection.is_over_for(segment)) {
                return place;
            }
            self.close(place);
        }
        if self.places.len() >= self.limits.open {
            self.evict();
        }
        let slot = Slot { key, connection: Some(Box::new(Connection::new(segment))) };
        let place = if let Some(place) = self.free.pop() {
            self.slots[place] = slot;
            place
        } else {
            self.slots.push(slot);
            self.slots.len() - 1
        };
        self.places.insert(key, place);
        place
    }

    /// Ends a connection, but keeps its key for the next one.
    fn close(&mut self, place: usize) {
        if let Some(connection) = self.slots[place].connection.take() {
            self.free.push(place);
            self.keep(&connection);
        }
    }

    /// Ends the quarter of the connections that has been silent longest.
    fn evict(&mut self) {
        let aged = |(key, place): (&Key, &usize)| {
            Some((self.slots[*place].connection.as_ref()?.last_ns, *key, *place))
        };
        let mut ages: Vec<(u64, Key, usize)> = self.places.iter().filter_map(aged).collect();
        let quarter = (ages.len() / 4).max(1);
        if quarter < ages.len() {
            ages.select_nth_unstable(quarter);
            ages.truncate(quarter);
        }
        ages.sort_unstable();
        for (_, key, place) in ages {
            self.places.remove(&key);
            self.close(place);
            self.report.evicted += 1;
        }
    }

    fn keep(&mut self, connection: &Connection) {
        if connection.directions.iter().all(|d| d.counters.data_segments == 0) {
            self.report.without_data += 1;
            // A flood of SYNs would fill the report.
            if !connection.ends.iter().all(|end| end.syn_ns.is_some()) {
                return;
            }
        }
        if self.report.connections.len() >= self.limits.reported {
            self.report.omitted += 1;
            return;
        }
        self.report.connections.push(ConnectionReport::of(connection));
    }

    /// Ends all connections: the report, connections in the order of their first packets.
    pub fn finish(mut self) -> Report {
        for place in 0..self.slots.len() {
            self.close(place);
        }
        let mut report = self.report;
        report.connections.sort_by(|a, b| {
            let key = |c: &ConnectionReport| (c.start_s, c.client.clone(), c.server.clone());
            key(a).partial_cmp(&key(b)).unwrap_or(std::cmp::Ordering::Equal)
        });
        report
    }
}

/// Place of a connection in the cache: the low bits of addresses and ports, mixed. Others can share it.
#[inline]
fn cache_place(key: &Key) -> usize {
    /// An odd number whose bits look random (the golden ratio by 2^64).
    const MIX: u64 = 0x9e37_79b9_7f4a_7c15;
    let (a, b) = (key.0, key.1);
    let ports = u64::from(a.port) << 16 | u64::from(b.port);
    let mixed = (a.address.low().wrapping_mul(MIX) ^ b.address.low()).wrapping_mul(MIX) ^ ports;
    usize::low_bits(mixed.wrapping_mul(MIX) >> 52) % CACHED
}
