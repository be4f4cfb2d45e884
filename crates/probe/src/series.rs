//! Series over time as columns: windows, round-trip times and blocks of endpoints, lengths of
//! queues, rates and airtime of stations.
//!
//! Memory is bounded whatever the run's length. A row is a candidate if `min_interval` has passed since
//! the previous one. When a table is full, it drops every second row and from then on keeps only every
//! second (fourth, eighth ...) candidate. So a table covers the whole run, with between half of `max_rows`
//! and `max_rows` rows and the latest row. Thinning does not average; it can miss a short peak.

use std::collections::BTreeMap;

use airtcp_packet::EndpointId;
use airtcp_units::{Nanos, Span};

use crate::air::{AirEvent, AirFrame, FrameClass};
use crate::{Event, EventSource, Probe};

/// Columns of one series. Times in nanoseconds since the start; windows and sizes in bytes,
/// lengths in packets, durations in nanoseconds, loss rates in millionths.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Table {
    names: &'static [&'static str],
    times: Vec<u64>,
    columns: Vec<Vec<u64>>,
    /// Every `stride`-th candidate is kept.
    stride: u64,
    candidates: u64,
    /// Time of the last candidate.
    last: Option<Nanos>,
    /// The newest values, if the row that holds them was not kept.
    pending: Option<(u64, [u64; WIDTH])>,
}

/// A slow-start threshold from here on is one that no loss has set yet.
pub const NO_THRESHOLD: u64 = 1 << 62;

/// Most columns of any series.
const WIDTH: usize = 4;

impl Table {
    fn new(names: &'static [&'static str]) -> Self {
        Self {
            names,
            times: Vec::new(),
            columns: vec![Vec::new(); names.len()],
            stride: 1,
            candidates: 0,
            last: None,
            pending: None,
        }
    }

    fn add(&mut self, now: Nanos, values: [u64; WIDTH], options: &SeriesOptions) {
        self.pending = Some((now.0, values));
        if self.last.is_some_and(|last| now.since(last) < options.min_interval) {
            return;
        }
        self.last = Some(now);
        let is_kept = self.candidates.is_multiple_of(self.stride);
        self.candidates += 1;
        if is_kept {
            self.keep();
            if self.times.len() >= options.max_rows.max(2) {
                // Thinning drops the newest of an even number of rows, which then stays pending.
                let dropped = self.times.len().is_multiple_of(2);
                self.thin();
                self.pending = dropped.then_some((now.0, values));
            }
        }
    }

    /// Appends the pending row.
    fn keep(&mut self) {
        if let Some((time, values)) = self.pending.take() {
            self.times.push(time);
            for (column, value) in self.columns.iter_mut().zip(values) {
                column.push(value);
            }
        }
    }

    /// Drops every second row, beginning with the second.
    fn thin(&mut self) {
        for column in self.columns.iter_mut().chain([&mut self.times]) {
            let mut index = 0;
            column.retain(|_| {
                index += 1;
                index % 2 == 1
            });
        }
        self.stride *= 2;
        // The next row kept is at the next multiple of the new stride.
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.times.len()
    }

    /// True if nothing was recorded.
    pub fn is_empty(&self) -> bool {
        self.times.is_empty()
    }

    /// Times of the rows in nanoseconds since the start, not decreasing.
    pub fn times(&self) -> &[u64] {
        &self.times
    }

    /// Names of the columns beside the time.
    pub const fn names(&self) -> &'static [&'static str] {
        self.names
    }

    /// A column by its name.
    pub fn column(&self, name: &str) -> Option<&[u64]> {
        let place = self.names.iter().position(|n| *n == name)?;
        self.columns.get(place).map(Vec::as_slice)
    }

    /// All columns beside the time, with their names.
    pub fn columns(&self) -> impl Iterator<Item = (&'static str, &[u64])> {
        self.names.iter().copied().zip(self.columns.iter().map(Vec::as_slice))
    }
}

/// What to record, and how often.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SeriesOptions {
    /// Record windows.
    pub windows: bool,
    /// Record round-trip times.
    pub rtts: bool,
    /// Record queue lengths.
    pub queues: bool,
    /// Record blocks of senders with erasure coding.
    pub blocks: bool,
    /// Record rates and airtime of stations on shared media.
    pub stations: bool,
    /// Minimum time between two rows of a table; zero keeps every change.
    pub min_interval: Span,
    /// Maximum number of rows of a table (at least 2).
    pub max_rows: usize,
}

impl Default for SeriesOptions {
    /// All series, every change, thinned above 10,000 rows per table.
    fn default() -> Self {
        let min_interval = Span::ZERO;
        Self {
            windows: true,
            rtts: true,
            queues: true,
            blocks: true,
            stations: true,
            min_interval,
            max_rows: 10_000,
        }
    }
}

/// Records series.
#[derive(Debug, Clone, Default)]
pub struct Series {
    options: SeriesOptions,
    windows: BTreeMap<EndpointId, Table>,
    rtts: BTreeMap<EndpointId, Table>,
    queues: BTreeMap<u32, Table>,
    blocks: BTreeMap<EndpointId, Table>,
    /// By medium and station; with each the values of its last row.
    stations: BTreeMap<(u32, u32), (Table, [u64; WIDTH])>,
}

const WINDOW: &[&str] = &["cwnd", "ssthresh", "pipe", "peer_window"];
const RTT: &[&str] = &["sample", "srtt", "rto"];
const BLOCK: &[&str] = &["estimate_ppm", "segment", "data", "parity"];
const QUEUE: &[&str] = &["packets", "bytes"];
const STATION: &[&str] = &["rate", "airtime", "frames", "lost"];

impl Series {
    /// A recorder.
    pub fn new(options: SeriesOptions) -> Self {
        Self { options, ..Self::default() }
    }

    /// Appends the pending rows, so that each table ends with its last change. Call it once, at the end.
    pub fn finish(&mut self) {
        let ends = self.windows.values_mut().chain(self.rtts.values_mut());
        let stations = self.stations.values_mut().map(|(table, _)| table);
        let tables = ends.chain(self.blocks.values_mut()).chain(stations);
        tables.chain(self.queues.values_mut()).for_each(Table::keep);
    }

    /// Windows of each endpoint that sent data: `cwnd`, `ssthresh`, `pipe`, `peer_window`, bytes.
    pub fn windows(&self) -> impl Iterator<Item = (EndpointId, &Table)> {
        self.windows.iter().map(|(end, table)| (*end, table))
    }

    /// Round-trip times at each endpoint: `sample`, `srtt`, `rto`, nanoseconds.
    pub fn rtts(&self) -> impl Iterator<Item = (EndpointId, &Table)> {
        self.rtts.iter().map(|(end, table)| (*end, table))
    }

    /// Blocks of each endpoint that codes: `estimate_ppm`, `segment` in bytes, `data` and `parity`
    /// in segments.
    pub fn blocks(&self) -> impl Iterator<Item = (EndpointId, &Table)> {
        self.blocks.iter().map(|(end, table)| (*end, table))
    }

    /// Transmissions of each station, by medium and number: `rate` of its last frame with a packet in bit/s,
    /// and since the start `airtime` of all its frames in nanoseconds, number of `frames` with a packet, and
    /// number of these that were `lost`.
    pub fn stations(&self) -> impl Iterator<Item = ((u32, u32), &Table)> {
        self.stations.iter().map(|(station, (table, _))| (*station, table))
    }

    fn sent(&mut self, now: Nanos, medium: u32, frame: &AirFrame, is_lost: bool) {
        let station = self.stations.entry((medium, frame.from));
        let (table, values) = station.or_insert_with(|| (Table::new(STATION), [0; WIDTH]));
        let [rate, airtime, frames, lost] = values;
        *airtime += frame.ended.since(frame.started).0;
        if matches!(frame.class, FrameClass::Data | FrameClass::TcpAck) {
            *rate = frame.rate.bps();
            *frames += 1;
            *lost += u64::from(is_lost);
        }
        table.add(now, *values, &self.options);
    }

    /// Lengths of each queue: `packets`, `bytes`.
    pub fn queues(&self) -> impl Iterator<Item = (u32, &Table)> {
        self.queues.iter().map(|(queue, table)| (*queue, table))
    }
}

impl Probe for Series {
    const ON: bool = true;

    fn record(&mut self, now: Nanos, source: EventSource, event: &Event) {
        let options = &self.options;
        match (source, event) {
            (EventSource::Endpoint(end), Event::Window { cwnd, ssthresh, pipe, peer_window })
                if options.windows =>
            {
                let table = self.windows.entry(end).or_insert_with(|| Table::new(WINDOW));
                table.add(now, [*cwnd, *ssthresh, *pipe, *peer_window], options);
            }
            (EventSource::Endpoint(end), Event::Rtt { sample, srtt, rto }) if options.rtts => {
                let table = self.rtts.entry(end).or_insert_with(|| Table::new(RTT));
                table.add(now, [sample.0, srtt.0, rto.0, 0], options);
            }
            (EventSource::Endpoint(end), Event::Coding { estimate_ppm, segment, data, parity })
                if options.blocks =>
            {
                let table = self.blocks.entry(end).or_insert_with(|| Table::new(BLOCK));
                let row = [*estimate_ppm, *segment, *data, *parity].map(u64::from);
                table.add(now, row, options);
            }
            (
                EventSource::Queue(queue),
                Event::Enqueued { packets, bytes, .. } | Event::Dequeued { packets, bytes, .. },
            ) if options.queues => {
                let table = self.queues.entry(queue).or_insert_with(|| Table::new(QUEUE));
                table.add(now, [u64::from(*packets), *bytes, 0, 0], options);
            }
            (EventSource::Medium(medium), Event::Air(AirEvent::Sent { frame, loss }))
                if options.stations =>
            {
                self.sent(now, medium, frame, loss.is_some());
            }
            _ => {}
        }
    }

    fn wants_air(&self, _now: Nanos) -> bool {
        self.options.stations
    }
}

#[cfg(test)]
mod tests {
    use airtcp_units::Narrow;

    use super::*;
    use airtcp_packet::Side;
    use proptest::prelude::*;

    const END: EndpointId = EndpointId::new(0, Side::Client);

    fn window(cwnd: u64) -> Event {
        Event::Window { cwnd, ssthresh: 2 * cwnd, pipe: 3 * cwnd, peer_window: 4 * cwnd }
    }

    fn record(options: SeriesOptions, times: impl IntoIterator<Item = u64>) -> Table {
        let mut series = Series::new(options);
        for (n, t) in times.into_iter().enumerate() {
            series.record(Nanos(t), EventSource::Endpoint(END), &window(n as u64));
        }
        series.finish();
        let table = series.windows().next().map(|(_, table)| table.clone());
        table.unwrap_or_else(|| Table::new(WINDOW))
    }

    #[test]
    fn every_change_is_kept_by_default() {
        let table = record(SeriesOptions::default(), [1, 1, 4, 9]);
        assert_eq!(table.times(), [1, 1, 4, 9]);
        assert_eq!(table.column("cwnd"), Some(&[0, 1, 2, 3][..]));
        assert_eq!(table.column("peer_window"), Some(&[0, 4, 8, 12][..]));
        assert_eq!(table.column("rto"), None);
        assert_eq!(table.columns().map(|c| c.0).collect::<Vec<_>>(), WINDOW);
    }

    #[test]
    fn min_interval_thins_and_finish_keeps_the_last_row() {
        let options = SeriesOptions { min_interval: Span(10), ..SeriesOptions::default() };
        let table = record(options, [0, 3, 9, 10, 19, 21, 22]);
        assert_eq!(table.times(), [0, 10, 21, 22]);
        assert_eq!(table.column("cwnd"), Some(&[0, 3, 5, 6][..]));
    }

    #[test]
    fn a_full_table_doubles_its_stride() {
        let options = SeriesOptions { max_rows: 8, ..SeriesOptions::default() };
        // 0..8 fills the table: 0 2 4 6; then every second one up to 14 fills it again: 0 4 8 12.
        assert_eq!(record(options, 0..12).times(), [0, 2, 4, 6, 8, 10, 11]);
        assert_eq!(record(options, 0..16).times(), [0, 4, 8, 12, 15]);
    }

    #[test]
    fn finish_keeps_the_last_row_after_thinning() {
        let options =
            SeriesOptions { max_rows: 2, min_interval: Span(35), ..SeriesOptions::default() };
        assert_eq!(record(options, [0, 34, 59, 75, 118]).times(), [0, 118]);
    }

    #[test]
    fn tables_are_kept_apart() {
        let mut series = Series::new(SeriesOptions { rtts: false, ..SeriesOptions::default() });
        let packet = airtcp_packet::Packet { to: END, segment: airtcp_packet::Segment::default() };
        let packet = airtcp_packet::Pool::new().insert(packet);
        let rtt = Event::Rtt { sample: Span(1), srtt: Span(2), rto: Span(3) };
        series.record(Nanos(1), EventSource::Endpoint(END), &window(1));
        series.record(Nanos(1), EventSource::Endpoint(END), &rtt);
        series.record(Nanos(2), EventSource::Endpoint(END.peer()), &window(1));
        series.record(
            Nanos(3),
            EventSource::Queue(3),
            &Event::Enqueued { packet, packets: 1, bytes: 40 },
        );
        series.record(
            Nanos(4),
            EventSource::Queue(3),
            &Event::Dequeued { packet, packets: 0, bytes: 0 },
        );
        series.record(
            Nanos(5),
            EventSource::Queue(1),
            &Event::Enqueued { packet, packets: 1, bytes: 40 },
        );
        series.finish();
        assert_eq!(series.windows().map(|w| w.0).collect::<Vec<_>>(), [END, END.peer()]);
        assert_eq!(series.rtts().count(), 0);
        let lengths: Vec<_> =
            series.queues().map(|(n, t)| (n, t.column("bytes").unwrap_or(&[]).to_vec())).collect();
        assert_eq!(lengths, [(1, vec![40]), (3, vec![40, 0])]);
    }

    proptest! {
        #[test]
        fn memory_is_bounded_and_the_run_is_covered(
            gaps in proptest::collection::vec(0u64..50, 1..2000),
            max_rows in 0usize..64,
            min_interval in 0u64..100,
        ) {
            let mut now = 0;
            let times: Vec<u64> = gaps.iter().map(|g| { now += g; now }).collect();
            let options = SeriesOptions {
                max_rows,
                min_interval: Span(min_interval),
                ..SeriesOptions::default()
            };
            let table = record(options, times.iter().copied());
            let rows = max_rows.max(2);
            prop_assert!(table.len() <= rows);
            let candidates = usize::narrow(table.candidates);
            prop_assert!(candidates < rows || table.len() >= rows / 2);
            prop_assert_eq!(table.times().first(), times.first());
            prop_assert_eq!(table.times().last(), times.last());
            prop_assert!(table.times().is_sorted());
            // A row holds the value at its time.
            for (time, cwnd) in table.times().iter().zip(table.column("cwnd").unwrap_or(&[])) {
                prop_assert_eq!(times[usize::narrow(*cwnd)], *time);
            }
        }
    }
}
