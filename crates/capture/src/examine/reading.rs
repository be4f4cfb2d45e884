//! Reads the files of an examination: those of the air into one sniffer, those of hosts by the point at
//! which they were captured.

use std::ops::ControlFlow;
use std::path::Path;

use crate::air::{Sniffer, Stamps};
use crate::assign::{Assignment, Start, Unit};
use crate::error::CaptureError;
use crate::file::{Manner, is_empty, read_file, take};
use crate::join::hosts::HostLog;
use crate::parts::{Overlap, Parts};
use crate::report::FileReport;
use crate::tcp::{CopyCounts, Tracker, TrackerLimits};
use crate::warnings::Found;

/// What is kept of the captures of hosts.
pub(super) struct Hosts {
    pub(super) limits: TrackerLimits,
    /// True if each file is the capture of one host.
    pub(super) is_each: bool,
    /// Which files were captured at the same point, otherwise.
    pub(super) assignment: Assignment,
    pub(super) points: Vec<Point>,
}

/// A place at which captures were taken.
pub(super) struct Point {
    pub(super) tracker: Tracker,
    pub(super) log: HostLog,
    pub(super) time_ns: [u64; 2],
    /// True if packets of it have no times.
    pub(super) untimed: bool,
}

impl Point {
    fn new(limits: TrackerLimits, first_ns: u64) -> Self {
        let log = HostLog::default();
        Self { tracker: Tracker::new(limits), log, time_ns: [first_ns, first_ns], untimed: false }
    }
}

/// How a host's file must be read, as a reading before has shown.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Again {
    /// It was not captured at the point of a file that ended before it.
    is_alone: bool,
    /// The points of its interfaces.
    pub(super) parts: Parts,
}

/// A part of a file while it is read.
struct Open {
    place: usize,
    before: CopyCounts,
    start: Start,
}

impl Hosts {
    /// The point of a part of a file whose first packet has this time.
    fn place(&mut self, unit: Unit, path: &Path, first_ns: u64, is_alone: bool) -> usize {
        let place = if self.is_each {
            unit.file
        } else {
            self.assignment.place(unit, path, first_ns, is_alone)
        };
        while self.points.len() <= place {
            self.points.push(Point::new(self.limits, first_ns));
        }
        place
    }
}

/// What reads the files, one after the other.
pub(super) struct Reading<'a> {
    pub(super) sniffer: Sniffer,
    pub(super) files: Vec<FileReport>,
    /// True if the segments of the air are a capture of their own.
    pub(super) tracks_air: bool,
    /// The only interface that is read, by its name.
    pub(super) interface: Option<&'a str>,
    pub(super) progress: &'a mut dyn FnMut(u64, Option<u64>) -> ControlFlow<()>,
}

impl Reading<'_> {
    /// Names a file without a byte, and leaves it out.
    fn skips(&mut self, path: &Path) -> bool {
        let empty = is_empty(path);
        if empty {
            self.files.push(FileReport::of(path, &Found::default()));
        }
        empty
    }

    /// Reads a file of the air. Says if the analysis was stopped, and what the stamps of its frames are if
    /// it can be read again.
    pub(super) fn air(
        &mut self,
        path: &Path,
        stamps: Stamps,
        tracker: &mut Tracker,
    ) -> Result<(bool, Stamps), CaptureError> {
        if self.skips(path) {
            return Ok((false, stamps));
        }
        let (sniffer, tracks_air) = (&mut self.sniffer, self.tracks_air);
        sniffer.give_stamps(stamps);
        let before = sniffer.frames();
        let manner = Manner { sorted: false, interface: self.interface };
        let finished = read_file(path, manner, &mut self.progress, |packet, fragments, found| {
            take(packet, fragments, found, sniffer, |segment| {
                if tracks_air {
                    tracker.on_segment(segment);
                }
            });
        })?;
        let mut found = finished.found;
        found.air_notes = self.sniffer.notes(&before, found.tcp);
        self.files.push(FileReport::of(path, &found));
        let shown = if finished.again { self.sniffer.stamps() } else { stamps };
        Ok((!finished.whole, shown))
    }

    /// Reads a file of a host. Says if the analysis was stopped, and how the file should have been read.
    pub(super) fn host(
        &mut self,
        number: usize,
        path: &Path,
        hosts: &mut Hosts,
        how: &Again,
    ) -> Result<(bool, Again), CaptureError> {
        if self.skips(path) {
            return Ok((false, how.clone()));
        }
        let sniffer = &mut self.sniffer;
        let parts = how.parts.count();
        let mut open: Vec<Option<Open>> = (0..parts).map(|_| None).collect();
        let (mut overlap, mut first_ns) = (Overlap::default(), None);
        let manner = Manner { sorted: false, interface: self.interface };
        let finished = read_file(path, manner, &mut self.progress, |packet, fragments, found| {
            let part = how.parts.of(packet.interface);
            let first_ns = *first_ns.get_or_insert(packet.time_ns);
            let Open { place, start, .. } = open[part].get_or_insert_with(|| {
                let interfaces = how.parts.names(part).to_vec();
                let unit = Unit { file: number, part, interfaces };
                let place = hosts.place(unit, path, first_ns, how.is_alone);
                let before = hosts.points[place].tracker.copies();
                Open { place, before, start: Start::default() }
            });
            let point = &mut hosts.points[*place];
            take(packet, fragments, found, sniffer, |segment| {
                start.take(segment);
                if parts == 1 {
                    overlap.take(packet.interface, segment);
                }
                point.log.add(segment);
                point.tracker.on_segment(segment);
            });
        })?;
        let mut found = finished.found;
        let mut wanted = how.clone();
        for Open { place, before, start } in open.into_iter().flatten() {
            let point = &mut hosts.points[place];
            found.copies = found.copies.and(point.tracker.copies().since(before));
            point.time_ns[1] = point.time_ns[1].max(found.summary.last_ns);
            point.untimed |= found.summary.untimed > 0;
            wanted.is_alone |= !hosts.is_each
                && hosts.assignment.end(place, found.summary.last_ns, start)
                && finished.again;
        }
        // Beside captures of the air, a file is a host.
        if parts == 1 && finished.again && !hosts.is_each {
            wanted.parts = overlap.parts(&finished.interfaces);
        }
        found.interfaces = how.parts.all_names();
        self.files.push(FileReport::of(path, &found));
        Ok((!finished.whole, wanted))
    }
}
