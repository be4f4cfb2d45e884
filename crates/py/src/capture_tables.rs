//! The tables of a capture: files, connections, directions, retransmissions, losses, several points,
//! links, rates.

use airtcp_capture::CaptureReport;
use airtcp_capture::air::report::LinkReport;
use airtcp_capture::between::report::{BetweenDirection, BetweenReport};
use airtcp_capture::tcp::connections::Report;
use airtcp_capture::tcp::report::{ConnectionReport, DirectionReport};
use airtcp_capture::tcp::{RetransmissionRow, TimeoutCause};
use pyo3::prelude::*;

use crate::table::{Columns, Table};

/// Names of the tables.
pub(crate) const TABLES: [&str; 8] = [
    "directions",
    "connections",
    "retransmissions",
    "losses",
    "between",
    "links",
    "rates",
    "files",
];

/// One of [`TABLES`].
pub(crate) fn table(name: &str, report: &CaptureReport) -> PyResult<Table> {
    match name {
        "connections" => connections(&report.tcp),
        "retransmissions" => retransmissions(&report.tcp),
        "losses" => losses(&report.tcp),
        "between" => between(&report.between),
        "links" => links(&report.links),
        "rates" => rates(&report.links),
        "files" => Columns::of(&report.files).records(&[], Some).finish(),
        _ => directions(&report.tcp),
    }
}

/// The connections with their places.
fn placed(report: &Report) -> Vec<(u64, &ConnectionReport)> {
    (0..).zip(&report.connections).collect()
}

fn connections(report: &Report) -> PyResult<Table> {
    Columns::of(&placed(report))
        .count("connection", |r| r.0)
        .records(&[], |r| Some(r.1))
        .prefixed("client_", &[], |r| Some(&r.1.handshake[0]))
        .prefixed("server_", &[], |r| Some(&r.1.handshake[1]))
        .finish()
}

/// One row per connection and end that sends.
fn directions(report: &Report) -> PyResult<Table> {
    let rows: Vec<(u64, &ConnectionReport, &DirectionReport)> = placed(report)
        .into_iter()
        .flat_map(|(place, c)| c.directions.iter().map(move |d| (place, c, d)))
        .collect();
    let mut table = Columns::of(&rows)
        .count("connection", |r| r.0)
        .text("client", |r| r.1.client.as_str())
        .text("server", |r| r.1.server.as_str())
        .text("vantage", |r| r.1.vantage.as_str())
        .real("start_s", |r| r.1.start_s)
        .real("duration_s", |r| r.1.duration_s)
        .records(&[], |r| Some(r.2))
        .prefixed("retransmissions_", &[], |r| Some(&r.2.retransmissions))
        .prefixed("spurious_by_", &[], |r| Some(&r.2.spurious_by))
        .prefixed("timeout_causes_", &[], |r| Some(&r.2.timeout_causes))
        .prefixed("cwnd_bytes_", &[], |r| r.2.cwnd_bytes.as_ref())
        .prefixed("receive_window_", &[], |r| Some(&r.2.receive_window))
        .prefixed("rtt_s_", &[], |r| Some(&r.2.rtt_s))
        .prefixed("loss_clusters_", &[], |r| r.2.loss_clusters.as_deref())
        .prefixed("loss_clusters_", &[], |r| r.2.loss_clusters.as_deref()?.period.as_ref());
    let limits = rows.first().into_iter().flat_map(|r| r.2.limited_by.iter());
    for (place, (limit, _)) in limits.enumerate() {
        let share = |r: &(u64, &ConnectionReport, &DirectionReport)| {
            r.2.limited_by.iter().nth(place).map(|(_, share)| share)
        };
        table = table.real(&format!("limited_by_{limit}"), share);
    }
    table.finish()
}

fn retransmissions(report: &Report) -> PyResult<Table> {
    let rows = report.retransmissions();
    let timeout = |row: &RetransmissionRow| row.timeout_cause.map(TimeoutCause::name);
    Columns::of(&rows).records(&["timeout_cause"], Some).text("timeout_cause", timeout).finish()
}

/// A loss, with the time and the data segments since the loss before it in its direction.
type Loss<'a> = (&'a RetransmissionRow, Option<(f64, u64)>);

/// Segments that were sent again and are not shown to be spurious.
fn losses(report: &Report) -> PyResult<Table> {
    let rows = report.retransmissions();
    let lost: Vec<&RetransmissionRow> = rows.iter().filter(|row| !row.spurious).collect();
    let before = |row: &RetransmissionRow, last: &RetransmissionRow| {
        let same = (row.connection, &row.from) == (last.connection, &last.from);
        let segments = row.data_segments_before.checked_sub(last.data_segments_before)?;
        same.then_some((row.time_s - last.time_s, segments))
    };
    let all: Vec<Loss<'_>> = lost
        .iter()
        .enumerate()
        .map(|(i, row)| (*row, i.checked_sub(1).and_then(|i| before(row, lost[i]))))
        .collect();
    Columns::of(&all)
        .real("time_s", |r| r.0.time_s)
        .count("connection", |r| r.0.connection)
        .text("from", |r| r.0.from.as_str())
        .text("cause", |r| r.0.cause.name())
        .real("since_loss_s", |r| r.1.map(|gap| gap.0))
        .count("segments_since_loss", |r| r.1.map(|gap| gap.1))
        .finish()
}

/// One row per connection and sender, for each two points.
fn between(pairs: &[BetweenReport]) -> PyResult<Table> {
    let rows: Vec<(&BetweenReport, [u32; 2], &BetweenDirection)> = pairs
        .iter()
        .flat_map(|pair| {
            let [a, b] = pair.points;
            [[a, b], [b, a]].into_iter().zip(&pair.directions).map(move |(p, d)| (pair, p, d))
        })
        .collect();
    Columns::of(&rows)
        .text("client", |r| r.0.client.as_str())
        .text("server", |r| r.0.server.as_str())
        .count("near_point", |r| u64::from(r.1[0]))
        .count("far_point", |r| u64::from(r.1[1]))
        .records(&[], |r| Some(r.2))
        .prefixed("delay_s_", &[], |r| Some(&r.2.delay_s))
        .prefixed("clock_", &[], |r| Some(&r.0.clock))
        .finish()
}

fn links(links: &[LinkReport]) -> PyResult<Table> {
    Columns::of(links)
        .records(&[], Some)
        .prefixed("latency_s_", &[], |link| Some(&link.latency_s))
        .prefixed("inter_attempt_s_", &[], |link| Some(&link.inter_attempt_s))
        .prefixed("sniffer_", &[], |link| Some(&link.sniffer))
        .prefixed("signal_", &[], |link| Some(&link.signal))
        .finish()
}

/// One row per link and rate.
fn rates(links: &[LinkReport]) -> PyResult<Table> {
    let rows: Vec<_> =
        links.iter().flat_map(|link| link.rates.iter().map(move |rate| (link, rate))).collect();
    Columns::of(&rows)
        .text("transmitter", |r| r.0.transmitter.as_str())
        .text("receiver", |r| r.0.receiver.as_str())
        .records(&[], |r| Some(r.1))
        .finish()
}
