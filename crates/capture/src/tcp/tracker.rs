//! All connections of a capture, in bounded memory.

use std::collections::BTreeMap;

use super::connection::Connection;
use super::report::{ConnectionReport, Report};
use super::series::Series;
use super::vantage::Vantage;
use crate::dissect::{Endpoint, Segment};

/// Limits of the memory, and how connections are followed.
#[derive(Debug, Clone, Copy)]
pub struct TrackerLimits {
    /// Most connections followed at a time.
    pub open: usize,
    /// Most connections reported.
    pub reported: usize,
    /// Most points of all series together; without a number, no series are recorded.
    pub series: Option<usize>,
    /// Where the capture was taken, if the user tells it.
    pub vantage: Option<Vantage>,
}

impl Default for TrackerLimits {
    fn default() -> Self {
        Self { open: 16_384, reported: 100_000, series: None, vantage: None }
    }
}

type Key = (Endpoint, Endpoint);

/// Follows the connections of a capture.
#[derive(Debug, Default)]
pub struct Tracker {
    limits: TrackerLimits,
    places: BTreeMap<Key, usize>,
    open: Vec<Option<Box<Connection>>>,
    free: Vec<usize>,
    /// The connection of the last segment: bulk data come in runs.
    last: Option<(Key, usize)>,
    report: Report,
    /// Points of all series.
    recorded: usize,
}

impl Tracker {
    /// A tracker with these limits.
    pub fn new(limits: TrackerLimits) -> Self {
        Self { limits, ..Self::default() }
    }

    /// Takes a segment.
    pub fn on_segment(&mut self, segment: &Segment) {
        let key = if segment.from < segment.to {
            (segment.from, segment.to)
        } else {
            (segment.to, segment.from)
        };
        let place = match self.last {
            Some((last, place)) if last == key => Some(place),
            _ => self.places.get(&key).copied(),
        };
        let over = place
            .and_then(|place| self.open[place].as_ref())
            .is_some_and(|connection| connection.is_over_for(segment));
        let place = match place {
            Some(place) if !over => place,
            Some(place) => {
                self.close(place);
                self.begin(key, segment)
            }
            None => self.begin(key, segment),
        };
        self.last = Some((key, place));
        if let Some(connection) = &mut self.open[place] {
            let Some(most) = self.limits.series else { return connection.on_segment(segment) };
            let before = connection.recorded();
            connection.on_segment(segment);
            self.recorded = self.recorded + connection.recorded() - before;
            if self.recorded > most {
                self.thin_series(most);
            }
        }
    }

    /// Thins the longest series until three quarters of the limit are left. If that is not possible,
    /// ended connections lose their series.
    fn thin_series(&mut self, most: usize) {
        let open = self.open.iter_mut().flatten().flat_map(|c| &mut c.directions);
        let kept = self.report.connections.iter_mut().flat_map(|c| &mut c.directions);
        let mut all: Vec<&mut Series> = open
            .filter_map(|d| d.series.as_deref_mut())
            .chain(kept.filter_map(|d| d.series.as_deref_mut()))
            .collect();
        loop {
            self.recorded = all.iter().map(|series| series.len()).sum();
            let longest = all.iter().map(|series| series.longest()).max().unwrap_or_default();
            if self.recorded <= most / 4 * 3 {
                return;
            }
            if longest <= 1 {
                break;
            }
            for series in &mut all {
                series.thin(longest / 2);
            }
        }
        for direction in self.report.connections.iter_mut().flat_map(|c| &mut c.directions) {
            direction.series = None;
        }
        self.recorded = self.open.iter().flatten().map(|c| c.recorded()).sum();
    }

    fn begin(&mut self, key: Key, segment: &Segment) -> usize {
        if self.places.len() >= self.limits.open {
            self.evict();
        }
        let connection = Some(Box::new(Connection::new(
            segment,
            self.limits.vantage,
            self.limits.series.is_some(),
        )));
        let place = if let Some(place) = self.free.pop() {
            self.open[place] = connection;
            place
        } else {
            self.open.push(connection);
            self.open.len() - 1
        };
        self.places.insert(key, place);
        place
    }

    /// Ends a connection, but keeps its key for the next one.
    fn close(&mut self, place: usize) {
        if let Some(connection) = self.open[place].take() {
            self.free.push(place);
            self.keep(&connection);
        }
        self.last = None;
    }

    /// Ends the quarter of the connections that has been silent longest.
    fn evict(&mut self) {
        let mut ages: Vec<(u64, Key, usize)> = self
            .places
            .iter()
            .filter_map(|(key, place)| Some((self.open[*place].as_ref()?.last_ns, *key, *place)))
            .collect();
        ages.sort_unstable();
        let quarter = (ages.len() / 4).max(1);
        for (_, key, place) in ages.into_iter().take(quarter) {
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
        for place in 0..self.open.len() {
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
