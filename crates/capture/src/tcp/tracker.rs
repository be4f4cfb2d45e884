//! All connections of a capture, in bounded memory.

use super::connection::Connection;
use super::connections::Report;
use super::copies::CopyCounts;
use super::index::{Index, Key};
use super::log::{Budget, Log};
use super::series::Series;
use super::slot::{How, Slot};
use super::vantage::Vantage;
use crate::dissect::Segment;

/// Limits of the memory, and how connections are followed.
#[derive(Debug, Clone, Copy)]
pub struct TrackerLimits {
    /// Most connections followed at a time.
    pub open: usize,
    /// Most connections reported: those with the most bytes.
    pub reported: usize,
    /// Most points of all series together; without a number, no series are recorded.
    pub series: Option<usize>,
    /// Most records of all logs together; without a number, none are kept.
    pub log: Option<usize>,
    /// Where the capture was taken, if the user tells it.
    pub vantage: Option<Vantage>,
    /// Threads that follow connections, that which reads included.
    pub workers: usize,
}

impl Default for TrackerLimits {
    fn default() -> Self {
        Self { open: 16_384, reported: 100_000, series: None, log: None, vantage: None, workers: 1 }
    }
}

/// Most packets of all connections that wait for others at a time.
const MAX_WAITING: usize = 1 << 15;

/// Follows the connections of a capture.
#[derive(Debug, Clone)]
pub struct Tracker {
    limits: TrackerLimits,
    how: How,
    index: Index,
    /// The connections, by their places.
    open: Vec<Option<Slot>>,
    report: Report,
    /// Copies in the connections that have ended.
    copies: CopyCounts,
    /// Points of all series.
    recorded: usize,
    /// Packets that may still wait for others.
    room: usize,
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
            how: How {
                vantage: limits.vantage,
                series: limits.series.is_some(),
                log: limits.log.map(Budget::new),
            },
            index: Index::new(limits.open),
            open: Vec::new(),
            report: Report::default(),
            copies: CopyCounts::default(),
            recorded: 0,
            room: MAX_WAITING,
        }
    }

    /// Takes a segment.
    #[inline]
    pub fn on_segment(&mut self, segment: &Segment) {
        let key = if segment.from < segment.to {
            (segment.from, segment.to)
        } else {
            (segment.to, segment.from)
        };
        let place = self.index.find(&key);
        if self.limits.series.is_some() {
            self.follow_with_series(key, place, segment);
        } else {
            self.follow(key, place, segment);
        }
    }

    #[inline]
    fn follow(&mut self, key: Key, place: Option<usize>, segment: &Segment) {
        if let Some(Some(connection)) = place.and_then(|place| self.open.get_mut(place))
            && !connection.is_over_for(segment)
        {
            connection.on_segment(segment, &self.how, &mut self.room);
        } else {
            self.begin(key, place, segment);
        }
    }

    #[inline(never)]
    fn follow_with_series(&mut self, key: Key, place: Option<usize>, segment: &Segment) {
        let recorded = |open: &[Option<Slot>], place: Option<usize>| {
            let connection = place.and_then(|place| open.get(place)?.as_ref()?.open());
            connection.filter(|c| !c.is_over_for(segment)).map_or(0, Connection::recorded)
        };
        let before = recorded(&self.open, place);
        self.follow(key, place, segment);
        let place = place.or_else(|| self.index.find(&key));
        let after = place.and_then(|place| self.open.get(place)?.as_ref()?.open());
        let after = after.map_or(0, Connection::recorded);
        self.recorded = self.recorded + after - before;
        if let Some(most) = self.limits.series.filter(|most| self.recorded > *most) {
            self.thin_series(most);
        }
    }

    /// Thins the longest series until three quarters of the limit are left. If that is not possible,
    /// ended connections lose their series.
    fn thin_series(&mut self, most: usize) {
        let open = self.open.iter_mut().flatten().filter_map(Slot::open_mut);
        let open = open.flat_map(|c| &mut c.directions);
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
        let open = self.open.iter().flatten().filter_map(Slot::open);
        self.recorded = open.map(Connection::recorded).sum();
    }

    /// Begins a connection, in the place of an earlier one between the same ends if there is one.
    #[inline(never)]
    fn begin(&mut self, key: Key, place: Option<usize>, segment: &Segment) {
        let place = if let Some(place) = place {
            self.close(place);
            place
        } else {
            if self.index.len() >= self.limits.open {
                self.evict();
            }
            self.index.add(key)
        };
        if self.open.len() <= place {
            self.open.resize_with(place + 1, || None);
        }
        self.open[place] = Some(Slot::new(segment, &self.how, &mut self.room));
    }

    /// Ends a connection.
    fn close(&mut self, place: usize) {
        match self.open[place].take() {
            Some(Slot::Open(mut connection)) => {
                connection.end(&mut self.room);
                self.copies = self.copies.and(connection.copies());
                self.report.take(&connection, self.limits.reported);
            }
            Some(Slot::First(_)) => self.report.take_unanswered(),
            None => {}
        }
    }

    /// Ends the quarter of the connections that has been silent longest.
    fn evict(&mut self) {
        let ages = self.open.iter().enumerate();
        let mut ages: Vec<(u64, usize)> =
            ages.filter_map(|(place, open)| Some((open.as_ref()?.last_ns(), place))).collect();
        let quarter = (ages.len() / 4).max(1);
        if quarter < ages.len() {
            ages.select_nth_unstable(quarter);
            ages.truncate(quarter);
        }
        for (_, place) in ages {
            let is_over = self.open[place].as_ref().is_some_and(Slot::is_over);
            self.report.evicted += u64::from(!is_over);
            self.index.remove(place);
            self.close(place);
        }
    }

    /// Packets that the segments so far hold twice.
    pub fn copies(&self) -> CopyCounts {
        let open = self.open.iter().flatten().filter_map(Slot::open).map(Connection::copies);
        open.fold(self.copies, CopyCounts::and)
    }

    /// The report so far, without logs, as if all connections ended here. They go on.
    pub fn so_far(&mut self) -> Report {
        let logs: Vec<_> = self.logs().map(Option::take).collect();
        let copy = self.clone();
        for (place, log) in self.logs().zip(logs) {
            *place = log;
        }
        copy.finish()
    }

    /// The logs of connections that have ended.
    fn logs(&mut self) -> impl Iterator<Item = &mut Option<Box<Log>>> {
        let directions = self.report.connections.iter_mut().flat_map(|c| &mut c.directions);
        directions.map(|direction| &mut direction.log)
    }

    /// Ends all connections: the report, connections in the order of their first packets.
    pub fn finish(mut self) -> Report {
        for place in 0..self.open.len() {
            self.close(place);
        }
        let mut report = self.report;
        report.bound(self.limits.reported);
        report.sort();
        report
    }
}

#[cfg(test)]
mod tests;
