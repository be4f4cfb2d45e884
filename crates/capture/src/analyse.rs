//! The analysis of captures: files in, report out.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::air::report::{AirReport, FrameCounts, LinkReport};
use crate::air::{Sniffer, Stamps};
use crate::assign::{Assignment, Start};
use crate::between::read::{PointFiles, compare};
use crate::between::report::BetweenReport;
use crate::dissect::link;
use crate::error::CaptureError;
use crate::file::{first_packet, is_empty, read_file, take};
use crate::join::report::JoinedReport;
use crate::shards::Shards;
use crate::tcp::connections::Report;
use crate::tcp::{CopyCounts, TrackerLimits};
use crate::timeless::without_times;
use crate::warnings::{Found, warnings};

/// Version of the format of this document.
pub const CAPTURE_SCHEMA: &str = "airtcp.capture/1";

/// What is found in captures.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CaptureReport {
    /// Format of this document.
    pub schema: String,
    /// The files, in the order given.
    pub files: Vec<FileReport>,
    /// The points of the path at which the files were captured, if there are several.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub points: Vec<PointReport>,
    /// TCP connections.
    #[serde(flatten)]
    pub tcp: Report,
    /// Links of 802.11, the one with the most attempts first.
    pub links: Vec<LinkReport>,
    /// All frames of 802.11.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub air: Option<AirReport>,
    /// Connections that were captured at several points, compared between them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub between: Vec<BetweenReport>,
    /// What the captures of the air and of hosts show together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub joined: Option<JoinedReport>,
    /// True if the analysis was stopped before the end.
    pub interrupted: bool,
}

/// A file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FileReport {
    /// Its path as given.
    pub path: String,
    /// Link types of its packets.
    pub link_type: String,
    /// Its packets.
    pub packets: u64,
    /// Packets with a TCP segment.
    pub tcp_segments: u64,
    /// Frames of 802.11.
    pub air_frames: u64,
    /// The first place that could not be read, in bytes after decompression.
    pub damaged_at_bytes: Option<u64>,
    /// Bytes that were skipped at such places, after decompression.
    pub skipped_bytes: u64,
    /// What a reader of the numbers must know.
    pub warnings: Vec<String>,
}

/// Files of one point of the path.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PointReport {
    /// Its number.
    pub point: u32,
    /// Paths of its files, in the order of their times.
    pub files: Vec<String>,
}

/// Analyses files. Those that overlap in time, or that hold the same packets, were captured at different
/// points: each point is analysed apart, and a connection that several points have is compared between
/// them. `progress` gets the bytes read of a file and its length; it breaks to stop the analysis.
///
/// A file whose packets are not in the order of their times is read again and sorted, if it can be.
///
/// # Errors
/// If a file cannot be opened or is no capture.
pub fn analyse(
    paths: &[PathBuf],
    limits: TrackerLimits,
    mut progress: impl FnMut(u64, Option<u64>) -> ControlFlow<()>,
) -> Result<CaptureReport, CaptureError> {
    let order = in_order(paths)?;
    let mut again = vec![Again::default(); paths.len()];
    'pass: loop {
        let mut pass = Pass::new(limits, paths);
        for number in &order {
            let wanted = pass.read(*number, again[*number], &mut progress)?;
            if pass.interrupted {
                break;
            }
            if wanted != again[*number] {
                again[*number] = wanted;
                continue 'pass;
            }
        }
        return pass.finish(&mut progress);
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
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Again {
    /// Its packets are to be sorted.
    is_sorted: bool,
    /// It was not captured at the point of a file that ended before it.
    is_alone: bool,
    /// What the stamps of its frames of 802.11 are.
    stamps: Stamps,
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
    limits: TrackerLimits,
    paths: &'a [PathBuf],
    assignment: Assignment,
    points: Vec<Point>,
    files: Vec<Option<FileReport>>,
    interrupted: bool,
}

impl<'a> Pass<'a> {
    fn new(limits: TrackerLimits, paths: &'a [PathBuf]) -> Self {
        Self {
            limits,
            paths,
            assignment: Assignment::default(),
            points: Vec::new(),
            files: vec![None; paths.len()],
            interrupted: false,
        }
    }

    /// The point of a file whose first packet has this time.
    fn point(&mut self, number: usize, path: &Path, first_ns: u64, is_alone: bool) -> usize {
        let place = self.assignment.place(number, path, first_ns, is_alone);
        if place == self.points.len() {
            self.points.push(Point {
                shards: Shards::new(self.limits),
                sniffer: Sniffer::default(),
                time_ns: [first_ns, first_ns],
                again: true,
                untimed: false,
            });
        }
        place
    }

    /// Reads a file, and says how it should have been read.
    fn read(
        &mut self,
        number: usize,
        how: Again,
        progress: &mut impl FnMut(u64, Option<u64>) -> ControlFlow<()>,
    ) -> Result<Again, CaptureError> {
        let (path, is_compared) = (&*self.paths[number], self.paths.len() > 1);
        if is_compared && is_empty(path) {
            self.files[number] = Some(FileReport::of(path, &Found::default()));
            return Ok(how);
        }
        let (mut start, mut at) = (Start::default(), None);
        let (mut before, mut frames_before) = (CopyCounts::default(), FrameCounts::default());
        let finished = read_file(path, how.is_sorted, progress, |packet, fragments, found| {
            let place = at.unwrap_or_else(|| {
                let place = self.point(number, path, packet.time_ns, how.is_alone);
                let Point { shards, sniffer, .. } = &mut self.points[place];
                before = shards.copies();
                frames_before = sniffer.frames();
                sniffer.give_stamps(how.stamps);
                at = Some(place);
                place
            });
            let Point { shards, sniffer, .. } = &mut self.points[place];
            take(packet, fragments, found, sniffer, |segment| {
                if is_compared {
                    start.take(segment);
                }
                shards.on_segment(segment);
            });
        })?;
        self.interrupted = !finished.whole;
        let mut found = finished.found;
        let mut wanted = how;
        if let Some(place) = at {
            let point = &mut self.points[place];
            found.copies = point.shards.copies().since(before);
            point.time_ns[1] = point.time_ns[1].max(found.summary.last_ns);
            point.again &= finished.again;
            point.untimed |= found.summary.untimed > 0;
            let is_copy = self.assignment.end(place, found.summary.last_ns, start);
            wanted.is_alone |= is_copy && finished.again;
            let point = &mut self.points[place];
            found.air_notes = point.sniffer.notes(&frames_before, found.tcp);
            if finished.again {
                wanted.stamps = point.sniffer.stamps();
            }
            let other = self.assignment.copy_of(place).map(|file| &self.paths[file]);
            found.copy_of = other.map(|path| path.display().to_string());
        }
        // The acknowledgement of a frame follows it in the file, whatever their times are.
        let may_sort = finished.again && found.tcp > 0 && found.air == 0;
        wanted.is_sorted |= may_sort && found.summary.unsorted > 0;
        self.files[number] = Some(FileReport::of(path, &found));
        Ok(wanted)
    }

    /// Says which files cannot be compared with those of other points.
    fn name_what_is_read_once(&mut self) {
        if self.points.len() < 2 {
            return;
        }
        for (point, files) in self.points.iter().zip(self.assignment.files()) {
            for file in files.iter().filter(|_| !point.again) {
                if let Some(report) = &mut self.files[*file] {
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
        for ((point, files), number) in
            self.points.into_iter().zip(self.assignment.files()).zip(0..)
        {
            let files: Vec<PathBuf> = files.iter().map(|file| self.paths[*file].clone()).collect();
            let (air, links) = point.sniffer.finish();
            let mut tcp = point.shards.finish();
            if point.untimed {
                without_times(&mut tcp);
            }
            report.add(several.then_some(number), tcp, air, links);
            points.push(PointFiles {
                point: number,
                files,
                time_ns: point.time_ns,
                again: point.again,
            });
        }
        if several {
            report.points = named(&self.assignment, self.paths);
            if !report.interrupted {
                report.between = compare(&report.tcp.connections, points, progress)?;
            }
        }
        report.tcp.largest_first();
        Ok(report)
    }
}

/// The points of an assignment of files.
pub(crate) fn named(assignment: &Assignment, paths: &[PathBuf]) -> Vec<PointReport> {
    let name = |file: &usize| paths[*file].display().to_string();
    let files = assignment.files().zip(0..);
    files
        .map(|(files, point)| PointReport { point, files: files.iter().map(name).collect() })
        .collect()
}

impl CaptureReport {
    /// Adds what was found at a point.
    fn add(
        &mut self,
        point: Option<u32>,
        mut tcp: Report,
        air: Option<AirReport>,
        links: Vec<LinkReport>,
    ) {
        tcp.set_point(point);
        self.tcp.add(tcp);
        self.links.extend(links.into_iter().map(|link| LinkReport { point, ..link }));
        // The frames of several sniffers are the same ones: the capture with the most counts.
        let frames = |air: &Option<AirReport>| air.as_ref().map(|air| air.frames.data);
        if frames(&air) > frames(&self.air) || self.air.is_none() {
            self.air = air;
        }
    }
}

impl FileReport {
    pub(crate) fn of(path: &Path, found: &Found) -> Self {
        let summary = &found.summary;
        let names: Vec<String> = summary.link_types.iter().map(|n| link::name(*n)).collect();
        Self {
            path: path.display().to_string(),
            link_type: names.join(", "),
            packets: summary.packets,
            tcp_segments: found.tcp,
            air_frames: found.air,
            damaged_at_bytes: summary.damaged.first().map(|place| place.at),
            skipped_bytes: summary.skipped_bytes,
            warnings: warnings(found),
        }
    }
}
