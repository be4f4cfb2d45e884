//! The analysis of captures: files in, report out.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::air::Sniffer;
use crate::air::report::{AirReport, LinkReport};
use crate::dissect::{Content, Fragments, dissect, dissect_ip, link};
use crate::error::CaptureError;
use crate::join::report::JoinedReport;
use crate::read::{Input, Packet, Packets, Sorter};
use crate::tcp::report::Report;
use crate::tcp::{CopyCounts, Tracker, TrackerLimits};
use crate::warnings::{Found, warnings};

/// Version of the format of this document.
pub const CAPTURE_SCHEMA: &str = "airtcp.capture/1";
/// Packets between two reports of progress.
pub(crate) const PROGRESS_EVERY: u64 = 65_536;

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
        let input = Input::open(path)?;
        let (read, length) = (input.read.clone(), input.length);
        let mut packets = Packets::new(input)?;
        let mut fragments = Fragments::default();
        let mut found = Found { sorted, ..Found::default() };
        let copies = self.tracker.copies();
        let mut count = 0u64;
        let mut take = |packet: &Packet<'_>| {
            self.take(packet, &mut fragments, &mut found);
            count += 1;
            if count.is_multiple_of(PROGRESS_EVERY) {
                return progress(read.get(), length);
            }
            ControlFlow::Continue(())
        };
        let finished = if sorted {
            let mut sorter = Sorter::default();
            let finished = packets.read(|packet| sorter.push(packet, &mut take))
                && sorter.finish(&mut take).is_continue();
            found.late = sorter.late();
            finished
        } else {
            packets.read(take)
        };
        self.interrupted = !finished;
        let now = self.tracker.copies();
        found.copies = CopyCounts {
            same: now.same - copies.same,
            elsewhere: now.elsewhere - copies.elsewhere,
        };
        found.incomplete = fragments.incomplete();
        found.summary = packets.summary().clone();
        // The acknowledgement of a frame follows it in the file, whatever their times are.
        let may_sort = length.is_some() && found.tcp > 0 && found.air == 0;
        let may_sort = may_sort && found.summary.unsorted > 0;
        Ok((found, may_sort))
    }

    #[inline]
    fn take(&mut self, packet: &Packet<'_>, fragments: &mut Fragments, found: &mut Found) {
        match &dissect(packet, fragments) {
            Content::Tcp(segment) => {
                found.tcp += 1;
                self.tracker.on_segment(segment);
            }
            Content::Air(_) => self.take_frame(packet, fragments, found),
            Content::Unreadable => found.unreadable += 1,
            Content::UnknownLink => found.unknown_link += 1,
            Content::OtherIp | Content::Other | Content::Fragment => {}
        }
    }

    fn take_frame(&mut self, packet: &Packet<'_>, fragments: &mut Fragments, found: &mut Found) {
        found.air += 1;
        let is_read = self.sniffer.on_packet(packet, |ip, wire| {
            if let Content::Tcp(mut segment) = dissect_ip(packet.time_ns, ip, wire, fragments) {
                found.tcp += 1;
                segment.of_air = true;
                self.tracker.on_segment(&segment);
            }
        });
        found.unreadable += u64::from(!is_read);
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
