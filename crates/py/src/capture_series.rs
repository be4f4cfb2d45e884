//! The tables of a capture's series: one row for each point, of each direction that has any.

use std::sync::Arc;

use airtcp_capture::bottleneck::{Backlog, Fate, Told, Transmission, transmissions_of};
use airtcp_capture::tcp::connections::Report;
use airtcp_capture::tcp::report::DirectionReport;
use airtcp_capture::tcp::series::{SegmentKind, SegmentPoint, Series, Thinned};
use airtcp_units::Narrow as _;
use arrow_array::{ArrayRef, Int64Array};
use arrow_schema::DataType;
use pyo3::prelude::*;

use crate::table::{Columns, Table};

/// Names of the tables.
pub(crate) const TABLES: [&str; 6] =
    ["segment_series", "ack_series", "sack_series", "rtt_series", "window_series", "transmissions"];

/// A point with its direction and with how many it stands for.
struct Row<'a, T> {
    connection: u64,
    from: &'a str,
    origin: u64,
    one_of: u64,
    point: &'a T,
}

/// One of [`TABLES`].
pub(crate) fn table(name: &str, report: &Report) -> PyResult<Table> {
    match name {
        "segment_series" => segments(report),
        "ack_series" => acks(report),
        "sack_series" => sacks(report),
        "rtt_series" => rtts(report),
        "transmissions" => transmissions(report),
        _ => windows(report),
    }
}

fn rows<'a, T>(report: &'a Report, of: impl Fn(&'a Series) -> &'a Thinned<T>) -> Vec<Row<'a, T>> {
    let mut all = Vec::new();
    for (connection, direction) in directions(report) {
        if let Some(series) = &direction.series {
            all.extend(points(connection, direction, series, of(series)));
        }
    }
    all
}

fn directions(report: &Report) -> impl Iterator<Item = (u64, &DirectionReport)> {
    let placed = (0..).zip(&report.connections);
    placed.flat_map(|(place, c)| c.directions.iter().map(move |d| (place, d)))
}

fn points<'a, T>(
    connection: u64,
    direction: &'a DirectionReport,
    series: &Series,
    list: &'a Thinned<T>,
) -> impl Iterator<Item = Row<'a, T>> {
    let (origin, one_of) = (series.origin, list.one_of());
    list.points().iter().map(move |point| Row {
        connection,
        from: &direction.from,
        origin,
        one_of,
        point,
    })
}

/// Columns that every series has.
fn begun<'a, T>(rows: &'a [Row<'a, T>], time_ns: impl Fn(&T) -> u64) -> Columns<'a, Row<'a, T>> {
    Columns::of(rows)
        .real("time_s", |r| time_ns(r.point) as f64 / 1e9)
        .count("connection", |r| r.connection)
        .text("from", |r| r.from)
        .count("one_of", |r| r.one_of)
}

/// Bytes from the first byte of the stream; negative for bytes from before the capture.
fn offset<'a, T>(
    table: Columns<'a, Row<'a, T>>,
    name: &str,
    place: impl Fn(&T) -> u64,
) -> Columns<'a, Row<'a, T>> {
    let away = |r: &Row<'a, T>| place(r.point).wrapping_sub(r.origin).cast_signed();
    let array: Int64Array = table.rows().iter().map(|r| Some(away(r))).collect();
    let array: ArrayRef = Arc::new(array);
    table.push(name, DataType::Int64, array)
}

fn segments(report: &Report) -> PyResult<Table> {
    let mut all: Vec<Row<'_, SegmentPoint>> = Vec::new();
    for (connection, direction) in directions(report) {
        if let Some(series) = &direction.series {
            let begin = all.len();
            all.extend(points(connection, direction, series, &series.first));
            all.extend(points(connection, direction, series, &series.other));
            all[begin..].sort_by_key(|row| row.point.time_ns);
        }
    }
    let cause = |point: &SegmentPoint| match point.kind {
        SegmentKind::Retransmission(cause) => Some(cause.name()),
        _ => None,
    };
    let again = |point: &SegmentPoint| cause(point).map(|_| point.spurious);
    let table = offset(begun(&all, |p| p.time_ns), "offset_bytes", |p| p.start);
    table
        .count("length", |r| u64::from(r.point.length))
        .text("kind", |r| r.point.kind.name())
        .text("cause", |r| cause(r.point))
        .flag("spurious", |r| again(r.point))
        .finish()
}

fn acks(report: &Report) -> PyResult<Table> {
    let all = rows(report, |series| &series.acks);
    offset(begun(&all, |p| p.time_ns), "ack_offset_bytes", |p| p.ack)
        .count("receive_window_bytes", |r| r.point.window)
        .count("in_flight_bytes", |r| r.point.flight)
        .finish()
}

fn sacks(report: &Report) -> PyResult<Table> {
    let all = rows(report, |series| &series.sacks);
    let table = offset(begun(&all, |p| p.time_ns), "start_offset_bytes", |p| p.start);
    offset(table, "end_offset_bytes", |p| p.end).flag("duplicate", |r| r.point.duplicate).finish()
}

fn rtts(report: &Report) -> PyResult<Table> {
    let all = rows(report, |series| &series.rtts);
    begun(&all, |p| p.time_ns)
        .real("rtt_s", |r| r.point.rtt_ns as f64 / 1e9)
        .real("srtt_s", |r| r.point.srtt_ns as f64 / 1e9)
        .finish()
}

fn windows(report: &Report) -> PyResult<Table> {
    let all = rows(report, |series| &series.rounds);
    begun(&all, |p| p.time_ns)
        .count("in_flight_bytes", |r| r.point.flight)
        .count("cwnd_bytes", |r| r.point.cwnd)
        .count("receive_window_bytes", |r| r.point.window)
        .finish()
}

/// Most senders whose transmissions are listed, those with the most data.
const SENDERS: usize = 64;

/// A transmission with its connection, its sender, and the backlog that it found.
struct Found<'a> {
    connection: u64,
    from: &'a str,
    origin_s: f64,
    sent: Transmission,
    backlog: [u64; 2],
}

/// The transmissions of the largest transfers; connections between the same hosts are measured together.
fn transmissions(report: &Report) -> PyResult<Table> {
    let mut senders: Vec<(u64, usize, &str)> = directions(report)
        .map(|(place, direction)| {
            (direction.unique_bytes, usize::narrow(place), direction.from.as_str())
        })
        .collect();
    senders.sort_by_key(|sender| std::cmp::Reverse(sender.0));
    senders.truncate(SENDERS);
    let mut rows: Vec<Found<'_>> = Vec::new();
    let mut measured: Vec<(usize, &str)> = Vec::new();
    for (_, place, from) in senders {
        if measured.contains(&(place, from)) {
            continue;
        }
        let found = transmissions_of(&report.connections, place, from, Told::default());
        let Some((places, sent)) = found else { continue };
        // A small connection is no part of the transfer between its hosts, which may be listed already.
        if places.iter().any(|place| measured.contains(place)) {
            continue;
        }
        measured.extend(&places);
        let backlog = Backlog::new(&sent);
        let counts = backlog.late.iter().zip(&backlog.early);
        rows.extend(sent.list.iter().zip(counts).map(|(packet, (late, early))| Found {
            connection: places[packet.connection].0 as u64,
            from: places[packet.connection].1,
            origin_s: sent.origin_ns as f64 / 1e9,
            sent: *packet,
            backlog: [*late, *early],
        }));
    }
    Columns::of(&rows)
        .real("time_s", |r| r.origin_s + r.sent.sent_s)
        .count("connection", |r| r.connection)
        .text("from", |r| r.from)
        .real("ip_bytes", |r| r.sent.bytes)
        .text("fate", |r| r.sent.fate.name())
        .real("acked_s", |r| r.sent.acked_s.map(|acked| r.origin_s + acked))
        .flag("trigger", |r| r.sent.is_trigger)
        .flag("late", |r| r.sent.is_late)
        .count("backlog_packets", |r| r.backlog[0])
        .count("early_backlog_packets", |r| r.backlog[1])
        .flag("lost", |r| r.sent.fate == Fate::Lost)
        .finish()
}
