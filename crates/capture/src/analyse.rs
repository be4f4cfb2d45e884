//! The analysis of captures: files in, report out.

use std::ops::ControlFlow;
use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::air::Sniffer;
use crate::air::report::{AirReport, LinkReport};
use crate::dissect::{Content, Fragments, dissect, dissect_ip, link};
use crate::error::CaptureError;
use crate::join::report::JoinedReport;
use crate::read::{FileSummary, Input, Packets};
use crate::tcp::report::Report;
use crate::tcp::{Tracker, TrackerLimits};

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
    /// The place from which on it could not be read, in bytes after decompression.
    pub damaged_at_bytes: Option<u64>,
    /// What a reader of the numbers must know.
    pub warnings: Vec<String>,
}

/// Packets of a file by their content.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Contents {
    pub(crate) tcp: u64,
    pub(crate) air: u64,
    pub(crate) unreadable: u64,
    pub(crate) unknown_link: u64,
    pub(crate) unsorted: u64,
}

/// Analyses files as one capture. `progress` gets the bytes read of a file and its length; it breaks to
/// stop the analysis.
///
/// # Errors
/// If a file cannot be opened or is no capture.
pub fn analyse(
    paths: &[PathBuf],
    limits: TrackerLimits,
    mut progress: impl FnMut(u64, Option<u64>) -> ControlFlow<()>,
) -> Result<CaptureReport, CaptureError> {
    let mut tracker = Tracker::new(limits);
    let mut sniffer = Sniffer::default();
    let mut files = Vec::new();
    let mut interrupted = false;
    for path in paths {
        let input = Input::open(path)?;
        let (read, length) = (input.read.clone(), input.length);
        let mut packets = Packets::new(input)?;
        let mut fragments = Fragments::default();
        let mut contents = Contents::default();
        let mut count = 0u64;
        let finished = packets.read(|packet| {
            match dissect(packet, &mut fragments) {
                Content::Tcp(segment) => {
                    contents.tcp += 1;
                    tracker.on_segment(&segment);
                }
                Content::Air(_) => {
                    contents.air += 1;
                    let is_read = sniffer.on_packet(packet, |ip, wire| {
                        let content = dissect_ip(packet.time_ns, ip, wire, &mut fragments);
                        if let Content::Tcp(segment) = content {
                            contents.tcp += 1;
                            tracker.on_segment(&segment);
                        }
                    });
                    contents.unreadable += u64::from(!is_read);
                }
                Content::Unreadable => contents.unreadable += 1,
                Content::UnknownLink => contents.unknown_link += 1,
                Content::OtherIp | Content::Other | Content::Fragment => {}
            }
            count += 1;
            if count.is_multiple_of(PROGRESS_EVERY) {
                return progress(read.get(), length);
            }
            ControlFlow::Continue(())
        });
        contents.unsorted = packets.summary().unsorted;
        let path = path.display().to_string();
        files.push(FileReport::of(path, packets.summary(), contents, &fragments));
        if !finished {
            interrupted = true;
            break;
        }
    }
    let (air, links) = sniffer.finish();
    Ok(CaptureReport {
        schema: CAPTURE_SCHEMA.to_owned(),
        files,
        tcp: tracker.finish(),
        links,
        air,
        joined: None,
        interrupted,
    })
}

impl FileReport {
    pub(crate) fn of(
        path: String,
        summary: &FileSummary,
        contents: Contents,
        fragments: &Fragments,
    ) -> Self {
        let mut warnings = Vec::new();
        let mut warn = |count: u64, what: &str| {
            if count > 0 {
                warnings.push(format!("{count} {what}"));
            }
        };
        warn(summary.malformed, "malformed blocks were skipped");
        warn(contents.unreadable, "packets have headers that are cut off or malformed");
        warn(contents.unknown_link, "packets have a link type that airtcp does not read");
        warn(contents.unsorted, "packets are earlier than the one before: the file is not sorted");
        warn(fragments.incomplete(), "fragmented packets lack a fragment");
        if let (Some(at), Some(what)) = (summary.damaged_at, &summary.damage) {
            warnings.push(format!("damaged at byte {at}: {what}; what precedes it was analysed"));
        }
        if summary.packets == 0 {
            warnings.push("the file holds no packets".to_owned());
        }
        let names: Vec<String> = summary.link_types.iter().map(|n| link::name(*n)).collect();
        Self {
            path,
            link_type: names.join(", "),
            packets: summary.packets,
            tcp_segments: contents.tcp,
            air_frames: contents.air,
            damaged_at_bytes: summary.damaged_at,
            warnings,
        }
    }
}
