//! The analysis of captures: files in, report out.

use std::ops::ControlFlow;
use std::path::PathBuf;

use crate::air::report::FrameCounts;
use crate::air::{Sniffer, Stamps};
use crate::assign::{Assignment, Start, Unit};
use crate::between::read::{PointFile, PointFiles, compare};
use crate::error::CaptureError;
use crate::file::{Manner, first_packet, is_empty, read_file, take};
use crate::parts::{Overlap, Parts};
use crate::report::{CAPTURE_SCHEMA, CaptureReport, FileReport, PointReport};
use crate::shards::Shards;
use crate::tcp::connections::Report;
use crate::tcp::{CopyCounts, TrackerLimits};
use crate::timeless::without_times;
use crate::warnings::Found;

/// How captures are analysed.
#[derive(Debug, Clone, Copy, Default)]
pub struct Asked<'a> {
    /// Limits of the memory, and how connections are followed.
    pub limits: TrackerLimits,
    /// The only interface that is read, by its name.
    pub interface: Option<&'a str>,
}

impl From<TrackerLimits> for Asked<'_> {
    fn from(limits: TrackerLimits) -> Self {
        Self { limits, interface: None }
    }
}

/// Analyses files. Those that overlap in time, or that hold the same packets, were captured at different
/// points: each point is analysed apart, and a connection that several points have is compared between
/// them. So are interfaces of one file that have the same packets. `progress` gets the bytes read of a file
/// and its length; it breaks to stop the analysis.
///
/// A file whose packets are not in the order of their times is read again and sorted, if it can be.
///
/// # Errors
/// If a file cannot be opened or is no capture, or lacks the interface that is asked for.
pub fn analyse<'a>(
    paths: &[PathBuf],
    asked: impl Into<Asked<'a>>,
    mut progress: impl FnMut(u64, Option<u64>) -> ControlFlow<()>,
) -> Result<CaptureReport, CaptureError> {
    let asked = asked.into();
    let order = in_order(paths)?;
    let mut again = vec![Again::default(); paths.len()];
    'pass: loop {
        let mut pass = Pass::new(asked, paths);
        for number in &order {
            let wanted = pass.read(*number, &again[*number], &mut progress)?;
            if pass.interrupted {
                break;
            }
            if wanted != again[*number] {
                again[*number] = wanted;
                continue 'pass;
            }
        }
        return pass.finish(&again, &mut progress);
    }
}

/// The numbers of files in the order of their first packets.
fn in_order(paths: &[PathBuf]) -> Result<Vec<usize>, CaptureError> {
    let mut order: Vec<usize> = (0..paths.len()).collect();
    if paths.len() > 1 {
        let first = |path: &PathBuf| Ok(first_packet(path)?.map_or(u64::MAX, |(ns, _)| ns));
        let times = paths.iter().map(first).collect::<Result<Vec<u64>, CaptureError>>()?;
        order.sort_by_key(|number| times[*number]);
    }
    Ok(order)
}

/// How a file must be read, as a reading before has shown.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Again {
    /// Its packets are to be sorted.
    is_sorted: bool,
    /// It was not captured at the point of a file that ended before it.
    is_alone: bool,
    /// What the stamps of its frames of 802.11 are.
    stamps: Stamps,
    /// The points of its interfaces.
    parts: Parts,
}

/// A part of a file while it is read.
struct Open {
    place: usize,
    /// Counts of its point before it.
    copies: CopyCounts,
    frames: FrameCounts,
    start: Start,
}

/// What analyses the files of one point.
struct Point {
    shards: Shards,
    sniffer: Sniffer,
    time_ns: [u64; 2],
    /// True if all its files can be read again.
    again: bool,
    /// True if packets of it have no times.
    untimed: bool,
}

/// One reading of the files.
struct Pass<'a> {
    asked: Asked<'a>,
    paths: &'a [PathBuf],
    assignment: Assignment,
    points: Vec<Point>,
    files: Vec<Option<FileReport>>,
    interrupted: bool,
}

impl<'a> Pass<'a> {
    fn new(asked: Asked<'a>, paths: &'a [PathBuf]) -> Self {
        Self {
            asked,
            paths,
            assignment: Assignment::default(),
            points: Vec::new(),
            files: vec![None; paths.len()],
            interrupted: false,
        }
    }

    /// Opens a part of a file whose first packet has this time, at its point.
    fn open(&mut self, unit: Unit, first_ns: u64, how: &Again) -> Open {
        let path = &self.paths[unit.file];
        let place = self.assignment.place(unit, path, first_ns, how.is_alone);
        if place == self.points.len() {
            self.points.push(Point {
                shards: Shards::new(self.asked.limits),
                sniffer: Sniffer::default(),
                time_ns: [first_ns, first_ns],
                again: true,
                untimed: false,
            });
        }
        let Point { shards, sniffer, .. } = &mut self.points[place];
        let (copies, frames) = (shards.copies(), sniffer.frames());
        sniffer.give_stamps(how.stamps);
        Open { place, copies, frames, start: Start::default() }
    }

    /// Reads a file, and says how it should have been read.
    fn read(
        &mut self,
        number: usize,
        how: &Again,
        progress: &mut impl FnMut(u64, Option<u64>) -> ControlFlow<()>,
    ) -> Result<Again, CaptureError> {
        let (path, several) = (&*self.paths[number], self.paths.len() > 1);
        if several && is_empty(path) {
            self.files[number] = Some(FileReport::of(path, &Found::default()));
            return Ok(how.clone());
        }
        let parts = how.parts.count();
        let is_compared = several || parts > 1;
        let mut open: Vec<Option<Open>> = (0..parts).map(|_| None).collect();
        let (mut overlap, mut first_ns) = (Overlap::default(), None);
        let manner = Manner { sorted: how.is_sorted, interface: self.asked.interface };
        let finished = read_file(path, manner, progress, |packet, fragments, found| {
            let part = how.parts.of(packet.interface);
            let first_ns = *first_ns.get_or_insert(packet.time_ns);
            let interfaces = || how.parts.names(part).to_vec();
            let unit = || Unit { file: number, part, interfaces: interfaces() };
            let Open { place, start, .. } =
                open[part].get_or_insert_with(|| self.open(unit(), first_ns, how));
            let Point { shards, sniffer, .. } = &mut self.points[*place];
            take(packet, fragments, found, sniffer, |segment| {
                if is_compared {
                    start.take(segment);
                }
                if parts == 1 {
                    overlap.take(packet.interface, segment);
                }
                shards.on_segment(segment);
            });
        })?;
        self.interrupted = !finished.whole;
        let mut wanted = how.clone();
        let mut found = finished.found;
        for open in open.into_iter().flatten() {
            self.close(open, finished.again, &mut found, &mut wanted);
        }
        if parts == 1 {
            let shown = overlap.parts(&finished.interfaces);
            found.interfaces = shown.all_names();
            found.is_read_once = !finished.again;
            if finished.again {
                wanted.parts = shown;
            }
        } else {
            found.interfaces = how.parts.all_names();
        }
        // The acknowledgement of a frame follows it in the file, whatever their times are.
        let may_sort = finished.again && found.tcp > 0 && found.air == 0;
        wanted.is_sorted |= may_sort && found.summary.unsorted > 0;
        self.files[number] = Some(FileReport::of(path, &found));
        Ok(wanted)
    }

    /// Ends a part of a file: adds to what was found in it, and to how it should have been read.
    fn close(&mut self, open: Open, again: bool, found: &mut Found, wanted: &mut Again) {
        let Open { place, copies, frames, start } = open;
        let point = &mut self.points[place];
        found.copies = found.copies.and(point.shards.copies().since(copies));
        point.time_ns[1] = point.time_ns[1].max(found.summary.last_ns);
        point.again &= again;
        point.untimed |= found.summary.untimed > 0;
        let is_copy = self.assignment.end(place, found.summary.last_ns, start);
        wanted.is_alone |= is_copy && again;
        let point = &mut self.points[place];
        found.air_notes.extend(point.sniffer.notes(&frames, found.tcp));
        if again && point.sniffer.frames() != frames {
            wanted.stamps = point.sniffer.stamps();
        }
        let other = self.assignment.copy_of(place).map(|file| &self.paths[file]);
        found.copy_of = found.copy_of.take().or(other.map(|path| path.display().to_string()));
    }

    /// Says which files cannot be compared with those of other points.
    fn name_what_is_read_once(&mut self) {
        if self.points.len() < 2 {
            return;
        }
        for (point, files) in self.points.iter().zip(self.assignment.files()) {
            for unit in files.iter().filter(|_| !point.again) {
                if let Some(report) = &mut self.files[unit.file] {
                    report.warnings.push(
                        "it can be read only once, so its connections are not compared with those of \
                         other points: give a file"
                            .to_owned(),
                    );
                }
            }
        }
    }

    fn finish(
        mut self,
        again: &[Again],
        progress: &mut impl FnMut(u64, Option<u64>) -> ControlFlow<()>,
    ) -> Result<CaptureReport, CaptureError> {
        self.name_what_is_read_once();
        let mut report = CaptureReport {
            schema: CAPTURE_SCHEMA.to_owned(),
            files: self.files.into_iter().flatten().collect(),
            points: Vec::new(),
            tcp: Report::default(),
            links: Vec::new(),
            air: None,
            between: Vec::new(),
            joined: None,
            interrupted: self.interrupted,
        };
        let several = self.points.len() > 1;
        let mut points = Vec::new();
        let mut clocks: Vec<Vec<usize>> = Vec::new();
        for ((point, units), number) in
            self.points.into_iter().zip(self.assignment.files()).zip(0..)
        {
            let file = |unit: &Unit| PointFile {
                path: self.paths[unit.file].clone(),
                parts: again[unit.file].parts.clone(),
                part: unit.part,
            };
            let files = units.iter().map(file).collect();
            let clock = clock(&mut clocks, units);
            let (air, links) = point.sniffer.finish();
            let mut tcp = point.shards.finish();
            if point.untimed {
                without_times(&mut tcp);
            }
            report.add(several.then_some(number), tcp, air, links);
            points.push(PointFiles {
                point: number,
                files,
                clock,
                time_ns: point.time_ns,
                again: point.again,
            });
        }
        if several {
            report.points = named(&self.assignment, self.paths);
            if !report.interrupted {
                let interface = self.asked.interface;
                report.between = compare(&report.tcp.connections, points, interface, progress)?;
            }
        }
        report.tcp.largest_first();
        Ok(report)
    }
}

/// The number of the clock of some files. Parts of the same files have the same.
pub(crate) fn clock(clocks: &mut Vec<Vec<usize>>, units: &[Unit]) -> u32 {
    let files: Vec<usize> = units.iter().map(|unit| unit.file).collect();
    let number = clocks.iter().position(|known| *known == files).unwrap_or_else(|| {
        clocks.push(files);
        clocks.len() - 1
    });
    u32::try_from(number).unwrap_or(u32::MAX)
}

/// The points of an assignment of files.
pub(crate) fn named(assignment: &Assignment, paths: &[PathBuf]) -> Vec<PointReport> {
    let name = |unit: &Unit| paths[unit.file].display().to_string();
    let of = |(units, point): (&[Unit], u32)| PointReport {
        point,
        files: units.iter().map(name).collect(),
        interfaces: units.first().map(|unit| unit.interfaces.clone()).unwrap_or_default(),
    };
    assignment.files().zip(0..).map(of).collect()
}
