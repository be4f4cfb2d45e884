//! The analysis of captures: files in, report out.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::air::Sniffer;
use crate::air::report::{AirReport, LinkReport};
use crate::dissect::link;
use crate::error::CaptureError;
use crate::file::{read_file, take};
use crate::join::report::JoinedReport;
use crate::tcp::report::Report;
use crate::tcp::{Tracker, TrackerLimits};
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
    /// TCP connections.
    #[serde(flatten)]
    pub tcp: Report,
    /// Links of 802.11, the one with the most attempts first.
    pub links: Vec<LinkReport>,
    /// All frames of 802.11.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub air: Option<AirReport>,
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

/// Analyses files as one capture. `progress` gets the bytes read of a file and its length; it breaks to
/// stop the analysis.
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
    let mut sorted = vec![false; paths.len()];
    loop {
        let mut pass = Pass::new(limits);
        let mut unsorted = None;
        for (number, path) in paths.iter().enumerate() {
            let (found, may_sort) = pass.read(path, sorted[number], &mut progress)?;
            pass.files.push(FileReport::of(path, &found));
            if pass.interrupted {
                break;
            }
            if may_sort && !sorted[number] {
                unsorted = Some(number);
                break;
            }
        }
        match unsorted {
            Some(number) => sorted[number] = true,
            None => return Ok(pass.finish()),
        }
    }
}

/// One reading of the files.
struct Pass {
    tracker: Tracker,
    sniffer: Sniffer,
    files: Vec<FileReport>,
    interrupted: bool,
}

impl Pass {
    fn new(limits: TrackerLimits) -> Self {
        Self {
            tracker: Tracker::new(limits),
            sniffer: Sniffer::default(),
            files: Vec::new(),
            interrupted: false,
        }
    }

    /// Reads a file, and says if sorting can help.
    fn read(
        &mut self,
        path: &Path,
        sorted: bool,
        progress: &mut impl FnMut(u64, Option<u64>) -> ControlFlow<()>,
    ) -> Result<(Found, bool), CaptureError> {
        let copies = self.tracker.copies();
        let (tracker, sniffer) = (&mut self.tracker, &mut self.sniffer);
        let finished = read_file(path, sorted, progress, |packet, fragments, found| {
            take(packet, fragments, found, sniffer, |segment| tracker.on_segment(segment));
        })?;
        self.interrupted = !finished.whole;
        let mut found = finished.found;
        found.copies = self.tracker.copies().since(copies);
        // The acknowledgement of a frame follows it in the file, whatever their times are.
        let may_sort = finished.again && found.tcp > 0 && found.air == 0;
        let may_sort = may_sort && found.summary.unsorted > 0;
        Ok((found, may_sort))
    }

    fn finish(self) -> CaptureReport {
        let (air, links) = self.sniffer.finish();
        CaptureReport {
            schema: CAPTURE_SCHEMA.to_owned(),
            files: self.files,
            tcp: self.tracker.finish(),
            links,
            air,
            joined: None,
            interrupted: self.interrupted,
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
