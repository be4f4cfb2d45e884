//! What is found in captures. The names here are the documented, versioned JSON format.

use std::path::Path;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::air::report::{AirReport, LinkReport};
use crate::between::report::BetweenReport;
use crate::dissect::link;
use crate::join::report::JoinedReport;
use crate::read::Dropped;
use crate::tcp::connections::Report;
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
    /// Packets that the capturing system dropped, by the counts in a pcapng file: they are missing here.
    #[serde(default)]
    pub dropped_packets: u64,
    /// When it dropped them, as far as the counts tell.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub drops: Vec<DropReport>,
    /// What a reader of the numbers must know.
    pub warnings: Vec<String>,
}

/// Packets that the capturing system dropped.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DropReport {
    /// Beginning of the stretch of time in which it did, in s since 1970-01-01.
    pub from_s: f64,
    /// Its end.
    pub to_s: f64,
    /// The packets.
    pub packets: u64,
}

/// Files of one point of the path.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PointReport {
    /// Its number.
    pub point: u32,
    /// Paths of its files, in the order of their times.
    pub files: Vec<String>,
    /// Its interfaces, if the files have several points.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub interfaces: Vec<String>,
}

impl CaptureReport {
    /// Adds what was found at a point.
    pub(crate) fn add(
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

impl DropReport {
    fn of(dropped: &Dropped) -> Self {
        let [from_s, to_s] = [dropped.from_ns, dropped.to_ns].map(|ns| ns as f64 / 1e9);
        Self { from_s, to_s, packets: dropped.packets }
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
            dropped_packets: summary.dropped,
            drops: summary.drops.iter().map(DropReport::of).collect(),
            warnings: warnings(found),
        }
    }
}
