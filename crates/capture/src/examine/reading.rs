//! Reads the files of an examination: those of the air into one sniffer, those of hosts by the point at
//! which they were captured.

use std::ops::ControlFlow;
use std::path::Path;

use crate::air::{Sniffer, Stamps};
use crate::analyse::FileReport;
use crate::assign::{Assignment, Start};
use crate::error::CaptureError;
use crate::file::{is_empty, read_file, take};
use crate::join::hosts::HostLog;
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

impl Hosts {
    /// The point of a file whose first packet has this time.
    fn place(&mut self, number: usize, path: &Path, first_ns: u64, is_alone: bool) -> usize {
        let place = if self.is_each {
            number
        } else {
            self.assignment.place(number, path, first_ns, is_alone)
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
        let finished = read_file(path, false, &mut self.progress, |packet, fragments, found| {
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

    /// Reads a file of a host. Says if the analysis was stopped, and if the file belongs to another point
    /// than the one it was taken for.
    pub(super) fn host(
        &mut self,
        number: usize,
        path: &Path,
        hosts: &mut Hosts,
        is_alone: bool,
    ) -> Result<(bool, bool), CaptureError> {
        if self.skips(path) {
            return Ok((false, false));
        }
        let sniffer = &mut self.sniffer;
        let (mut at, mut start) = (None, Start::default());
        let mut before = CopyCounts::default();
        let finished = read_file(path, false, &mut self.progress, |packet, fragments, found| {
            let place = at.unwrap_or_else(|| {
                let place = hosts.place(number, path, packet.time_ns, is_alone);
                before = hosts.points[place].tracker.copies();
                at = Some(place);
                place
            });
            let point = &mut hosts.points[place];
            take(packet, fragments, found, sniffer, |segment| {
                start.take(segment);
                point.log.add(segment);
                point.tracker.on_segment(segment);
            });
        })?;
        let mut found = finished.found;
        let mut is_elsewhere = false;
        if let Some(place) = at {
            let point = &mut hosts.points[place];
            found.copies = point.tracker.copies().since(before);
            point.time_ns[1] = point.time_ns[1].max(found.summary.last_ns);
            point.untimed |= found.summary.untimed > 0;
            is_elsewhere = !hosts.is_each
                && hosts.assignment.end(place, found.summary.last_ns, start)
                && finished.again;
        }
        self.files.push(FileReport::of(path, &found));
        Ok((!finished.whole, is_elsewhere))
    }
}
