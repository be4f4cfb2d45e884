//! The analysis of captures of which each packet is kept for a while: captures of the air joined with
//! captures of hosts, and delivery traces.

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use crate::air::Sniffer;
use crate::air::log::LinkLog;
use crate::air::periods::periods;
use crate::air::report::LinkReport;
use crate::analyse::{CAPTURE_SCHEMA, CaptureReport, FileReport};
use crate::delivery::{DeliveryTrace, of_direction, of_link};
use crate::dissect::link;
use crate::error::CaptureError;
use crate::file::{read_file, take};
use crate::join::hosts::HostLog;
use crate::join::{Host, join};
use crate::read::{Input, Packets};
use crate::tcp::report::{ConnectionReport, Report};
use crate::tcp::{Tracker, TrackerLimits};

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

/// Sorts files by the link type of their first packets. Standard input counts as a host's capture, and
/// so does a file without packets.
///
/// # Errors
/// If a file cannot be opened or is no capture.
pub fn points(paths: &[PathBuf]) -> Result<Points, CaptureError> {
    let mut points = Points::default();
    for path in paths {
        let of_air = path.as_os_str() != "-" && is_of_air(path)?;
        let list = if of_air { &mut points.air } else { &mut points.hosts };
        list.push(path.clone());
    }
    Ok(points)
}

fn is_of_air(path: &Path) -> Result<bool, CaptureError> {
    let mut of_air = false;
    Packets::new(Input::open(path)?)?.read(|packet| {
        of_air = link::is_air(packet.link_type);
        ControlFlow::Break(())
    });
    Ok(of_air)
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

/// A place at which captures were taken.
#[derive(Default)]
struct Point {
    tracker: Tracker,
    log: HostLog,
}

impl Point {
    fn new(limits: TrackerLimits) -> Self {
        Self { tracker: Tracker::new(limits), log: HostLog::default() }
    }
}

/// What reads the files, one after the other.
struct Reading<'a> {
    sniffer: Sniffer,
    files: Vec<FileReport>,
    /// True if the segments of the air are a capture of their own.
    tracks_air: bool,
    progress: &'a mut dyn FnMut(u64, Option<u64>) -> ControlFlow<()>,
}

impl Reading<'_> {
    /// Reads a file. False if the analysis was stopped.
    fn file(&mut self, path: &Path, point: &mut Point) -> Result<bool, CaptureError> {
        let copies = point.tracker.copies();
        let (sniffer, tracks_air) = (&mut self.sniffer, self.tracks_air);
        let finished = read_file(path, false, &mut self.progress, |packet, fragments, found| {
            take(packet, fragments, found, sniffer, |segment| {
                if !segment.of_air {
                    point.log.add(segment);
                }
                if tracks_air || !segment.of_air {
                    point.tracker.on_segment(segment);
                }
            });
        })?;
        let mut found = finished.found;
        found.copies = point.tracker.copies().since(copies);
        self.files.push(FileReport::of(path, &found));
        Ok(finished.whole)
    }
}

/// Analyses captures by the place at which they were taken. `progress` gets the bytes read of a file
/// and its length; it breaks to stop the analysis.
///
/// # Errors
/// If a file cannot be opened or is no capture.
pub fn examine(
    points: &Points,
    wanted: Wanted,
    limits: TrackerLimits,
    mut progress: impl FnMut(u64, Option<u64>) -> ControlFlow<()>,
) -> Result<Examination, CaptureError> {
    let mut reading = Reading {
        sniffer: Sniffer::with_log(),
        files: Vec::new(),
        tracks_air: !points.is_joined(),
        progress: &mut progress,
    };
    let mut of_hosts: Vec<Point> = Vec::new();
    let mut interrupted = false;
    let mut of_air = Point::new(limits);
    let airs = points.air.iter().map(|path| (path, true));
    for (path, is_air) in airs.chain(points.hosts.iter().map(|path| (path, false))) {
        if !is_air && (points.is_joined() || of_hosts.is_empty()) {
            of_hosts.push(Point::new(limits));
        }
        let point = match of_hosts.last_mut() {
            Some(host) if !is_air => host,
            _ => &mut of_air,
        };
        if !reading.file(path, point)? {
            interrupted = true;
            break;
        }
    }
    let (air, links, logs) = reading.sniffer.finish_with_logs();
    let mut report = CaptureReport {
        schema: CAPTURE_SCHEMA.to_owned(),
        files: reading.files,
        tcp: of_air.tracker.finish(),
        links,
        air,
        joined: None,
        interrupted,
    };
    let (trackers, host_logs): (Vec<Tracker>, Vec<HostLog>) =
        of_hosts.into_iter().map(|point| (point.tracker, point.log)).unzip();
    let reports: Vec<Report> = trackers.into_iter().map(Tracker::finish).collect();
    if points.is_joined() {
        let names =
            |paths: &[PathBuf]| paths.iter().map(|path| path.display().to_string()).collect();
        let paths: Vec<String> = names(&points.hosts);
        let logs_of = paths.iter().zip(&host_logs).zip(&reports);
        let hosts: Vec<Host<'_>> =
            logs_of.map(|((path, log), report)| host(path, log, report)).collect();
        report.joined = Some(join(names(&points.air), &logs, &hosts, wanted.packets));
    }
    let mut traces = traces_of_links(&logs, &report);
    find_periods(&traces, &mut report);
    let mut untraced = Vec::new();
    if wanted.traces {
        for (log, report) in host_logs.iter().zip(&reports) {
            traces_of_host(log, report, &mut traces, &mut untraced);
        }
    }
    if !wanted.traces {
        traces.clear();
    }
    for other in reports {
        merge(&mut report.tcp, other);
    }
    Ok(Examination { report, traces, untraced })
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
    traces: &mut Vec<DeliveryTrace>,
    untraced: &mut Vec<String>,
) {
    for connection in &report.connections {
        for place in 0..connection.directions.len() {
            match of_direction(log, connection, place) {
                Some(Ok(trace)) => traces.push(trace),
                Some(Err(why)) => untraced.push(why),
                None => {}
            }
        }
    }
}

/// Adds the connections of another capture. A connection that both have stays as the first has it.
fn merge(report: &mut Report, other: Report) {
    let ends = |connection: &ConnectionReport| {
        let (client, server) = (connection.client.clone(), connection.server.clone());
        if client < server { (client, server) } else { (server, client) }
    };
    let known: BTreeSet<(String, String)> = report.connections.iter().map(ends).collect();
    let is_new = |connection: &ConnectionReport| !known.contains(&ends(connection));
    report.connections.extend(other.connections.into_iter().filter(is_new));
    report.without_data += other.without_data;
    report.without_data_by.add(&other.without_data_by);
    report.evicted += other.evicted;
    report.omitted += other.omitted;
}
