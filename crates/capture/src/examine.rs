//! The analysis of captures of which each packet is kept for a while: captures of the air joined with
//! captures of hosts, and delivery traces.

mod reading;

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::path::PathBuf;

use crate::air::log::LinkLog;
use crate::air::periods::periods;
use crate::air::report::LinkReport;
use crate::air::{Sniffer, Stamps};
use crate::analyse::{Asked, clock, named};
use crate::assign::Assignment;
use crate::between::report::BetweenReport;
use crate::between::{PointLog, between, is_nearest, shared};
use crate::delivery::{DeliveryTrace, of_direction, of_link};
use crate::dissect::link;
use crate::error::CaptureError;
use crate::file::first_packet;
use crate::join::hosts::HostLog;
use crate::join::report::JoinedReport;
use crate::join::{Host, join};
use crate::report::{CAPTURE_SCHEMA, CaptureReport, FileReport};
use crate::tcp::Tracker;
use crate::tcp::connections::Report;
use crate::tcp::report::ConnectionReport;
use crate::timeless::without_times;
use reading::{Again, Hosts, Reading};

/// Captures by the place at which they were taken.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Points {
    /// Of the air; together they are one capture.
    pub air: Vec<PathBuf>,
    /// Of hosts. Beside captures of the air, each is the capture of one host; alone they are together
    /// one capture.
    pub hosts: Vec<PathBuf>,
}

impl Points {
    /// True if captures of both kinds are there.
    pub const fn is_joined(&self) -> bool {
        !self.air.is_empty() && !self.hosts.is_empty()
    }
}

/// Sorts files by the link type of their first packets. Standard input and other pipes count as a host's
/// capture, and so does a file without packets.
///
/// # Errors
/// If a file cannot be opened or is no capture.
pub fn points(paths: &[PathBuf]) -> Result<Points, CaptureError> {
    let mut points = Points::default();
    for path in paths {
        let of_air = first_packet(path)?.is_some_and(|(_, link_type)| link::is_air(link_type));
        let list = if of_air { &mut points.air } else { &mut points.hosts };
        list.push(path.clone());
    }
    Ok(points)
}

/// What is asked beside the report.
#[derive(Debug, Clone, Copy, Default)]
pub struct Wanted {
    /// Every packet of the joined captures.
    pub packets: bool,
    /// Delivery traces.
    pub traces: bool,
}

/// What was found.
#[derive(Debug)]
pub struct Examination {
    /// The report.
    pub report: CaptureReport,
    /// Delivery traces, if they are asked for.
    pub traces: Vec<DeliveryTrace>,
    /// Why a connection has no trace.
    pub untraced: Vec<String>,
}

/// Analyses captures by the place at which they were taken. `progress` gets the bytes read of a file
/// and its length; it breaks to stop the analysis.
///
/// # Errors
/// If a file cannot be opened or is no capture, or lacks the interface that is asked for.
pub fn examine<'a>(
    points: &Points,
    wanted: Wanted,
    asked: impl Into<Asked<'a>>,
    mut progress: impl FnMut(u64, Option<u64>) -> ControlFlow<()>,
) -> Result<Examination, CaptureError> {
    let Asked { limits, interface } = asked.into();
    let mut again = vec![Again::default(); points.hosts.len()];
    let mut stamps = vec![Stamps::default(); points.air.len()];
    'pass: loop {
        let mut reading = Reading {
            sniffer: Sniffer::with_log(),
            files: Vec::new(),
            tracks_air: !points.is_joined(),
            interface,
            progress: &mut progress,
        };
        let is_each = points.is_joined();
        let assignment = Assignment::default();
        let mut hosts = Hosts { limits, is_each, assignment, points: Vec::new() };
        let mut of_air = Tracker::new(limits);
        let mut interrupted = false;
        for (path, known) in points.air.iter().zip(&mut stamps) {
            if interrupted {
                break;
            }
            let (is_stopped, shown) = reading.air(path, *known, &mut of_air)?;
            interrupted = is_stopped;
            if std::mem::replace(known, shown) != shown && !is_stopped {
                continue 'pass;
            }
        }
        for (number, path) in points.hosts.iter().enumerate() {
            if interrupted {
                break;
            }
            let (is_stopped, wanted) = reading.host(number, path, &mut hosts, &again[number])?;
            interrupted = is_stopped;
            if wanted != again[number] && !is_stopped {
                again[number] = wanted;
                continue 'pass;
            }
        }
        let Reading { sniffer, files, .. } = reading;
        let found = Found { sniffer, files, of_air, hosts, interrupted };
        return Ok(found.examine(points, wanted));
    }
}

/// What was read.
struct Found {
    sniffer: Sniffer,
    files: Vec<FileReport>,
    of_air: Tracker,
    hosts: Hosts,
    interrupted: bool,
}

impl Found {
    fn examine(self, points: &Points, wanted: Wanted) -> Examination {
        let (air, links, logs) = self.sniffer.finish_with_logs();
        let mut report = CaptureReport {
            schema: CAPTURE_SCHEMA.to_owned(),
            files: self.files,
            points: Vec::new(),
            tcp: self.of_air.finish(),
            links,
            air,
            between: Vec::new(),
            joined: None,
            interrupted: self.interrupted,
        };
        let several = !self.hosts.is_each && self.hosts.points.len() > 1;
        if several {
            report.points = named(&self.hosts.assignment, &points.hosts);
        }
        let mut clocks = Vec::new();
        let clocks: Vec<u32> =
            self.hosts.assignment.files().map(|units| clock(&mut clocks, units)).collect();
        let (mut reports, mut host_logs, mut times) = (Vec::new(), Vec::new(), Vec::new());
        for (point, number) in self.hosts.points.into_iter().zip(0..) {
            let mut of_point = point.tracker.finish();
            if point.untimed {
                without_times(&mut of_point);
            }
            of_point.set_point(several.then_some(number));
            reports.push(of_point);
            host_logs.push(point.log);
            times.push(point.time_ns);
        }
        if points.is_joined() {
            report.joined = Some(joined(points, &logs, &host_logs, &reports, wanted));
        }
        if several {
            report.between = compared(&reports, &host_logs, &clocks, &times);
        }
        let mut traces = traces_of_links(&logs, &report);
        find_periods(&traces, &mut report);
        let mut untraced = Vec::new();
        if wanted.traces {
            for (log, of_host) in host_logs.iter().zip(&reports) {
                traces_of_host(log, of_host, &report.between, &mut traces, &mut untraced);
            }
        } else {
            traces.clear();
        }
        for other in reports {
            if several {
                report.tcp.add(other);
            } else {
                merge(&mut report.tcp, other);
            }
        }
        report.tcp.largest_first();
        Examination { report, traces, untraced }
    }
}

/// Joins the captures of hosts with those of the air.
fn joined(
    points: &Points,
    logs: &[LinkLog],
    host_logs: &[HostLog],
    reports: &[Report],
    wanted: Wanted,
) -> JoinedReport {
    let name = |path: &PathBuf| path.display().to_string();
    let paths: Vec<String> = points.hosts.iter().map(name).collect();
    let logs_of = paths.iter().zip(host_logs).zip(reports);
    let hosts: Vec<Host<'_>> =
        logs_of.map(|((path, log), report)| host(path, log, report)).collect();
    join(points.air.iter().map(name).collect(), logs, &hosts, wanted.packets)
}

/// Compares the connections that several points have.
fn compared(
    reports: &[Report],
    logs: &[HostLog],
    clocks: &[u32],
    times: &[[u64; 2]],
) -> Vec<BetweenReport> {
    let all: Vec<ConnectionReport> =
        reports.iter().flat_map(|report| report.connections.clone()).collect();
    let logs = logs.iter().zip(clocks).zip(times).zip(0..);
    let logs: Vec<PointLog> = logs
        .map(|(((log, clock), time_ns), point)| PointLog::new(point, *clock, log, *time_ns))
        .collect();
    between(&shared(&all), &logs)
}

fn host<'a>(path: &str, log: &'a HostLog, report: &'a Report) -> Host<'a> {
    Host { path: path.to_owned(), log, connections: &report.connections }
}

/// Looks for periods in the losses of each link.
fn find_periods(traces: &[DeliveryTrace], report: &mut CaptureReport) {
    for trace in traces {
        let is_it =
            |link: &&mut LinkReport| link.transmitter == trace.from && link.receiver == trace.to;
        if let Some(link) = report.links.iter_mut().find(is_it) {
            link.loss_periods = periods(&trace.outcomes);
        }
    }
}

fn traces_of_links(logs: &[LinkLog], report: &CaptureReport) -> Vec<DeliveryTrace> {
    let of = |log: &LinkLog| {
        let ends = (log.transmitter.to_string(), log.receiver.to_string());
        let is_it = |link: &&LinkReport| link.transmitter == ends.0 && link.receiver == ends.1;
        of_link(log, report.links.iter().find(is_it))
    };
    logs.iter().filter_map(of).collect()
}

fn traces_of_host(
    log: &HostLog,
    report: &Report,
    between: &[BetweenReport],
    traces: &mut Vec<DeliveryTrace>,
    untraced: &mut Vec<String>,
) {
    for connection in &report.connections {
        for (place, direction) in connection.directions.iter().enumerate() {
            if !is_nearest(between, connection, &direction.from) {
                continue;
            }
            match of_direction(log, connection, place) {
                Some(Ok(trace)) => traces.push(trace),
                Some(Err(why)) => untraced.push(why),
                None => {}
            }
        }
    }
}

/// Adds the connections of another capture. A connection that both have stays as the first has it.
fn merge(report: &mut Report, mut other: Report) {
    let ends = |connection: &ConnectionReport| {
        let (client, server) = (connection.client.clone(), connection.server.clone());
        if client < server { (client, server) } else { (server, client) }
    };
    let known: BTreeSet<(String, String)> = report.connections.iter().map(ends).collect();
    let is_new = |connection: &ConnectionReport| !known.contains(&ends(connection));
    other.connections.retain(is_new);
    report.add(other);
}
