//! Reads the files of points that share connections once more, and keeps the packets of these.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use std::path::PathBuf;

use super::report::BetweenReport;
use super::{Ends, PointLog, between, shared};
use crate::air::Sniffer;
use crate::dissect::Segment;
use crate::error::CaptureError;
use crate::file::{Manner, read_file, take};
use crate::identity::pair;
use crate::join::hosts::HostLog;
use crate::parts::Parts;
use crate::tcp::report::ConnectionReport;

/// Pairs of ends that are remembered.
const MAX_KNOWN: usize = 1 << 16;

/// The files of a point.
pub(crate) struct PointFiles {
    pub(crate) point: u32,
    pub(crate) files: Vec<PointFile>,
    /// Number of the clock of its times: points of the same files have one.
    pub(crate) clock: u32,
    /// When the capture began and ended, in ns since 1970-01-01.
    pub(crate) time_ns: [u64; 2],
    /// True if all files can be read again.
    pub(crate) again: bool,
}

/// What a point has of a file.
pub(crate) struct PointFile {
    pub(crate) path: PathBuf,
    /// The points of the file, and the number of this one.
    pub(crate) parts: Parts,
    pub(crate) part: usize,
}

/// Compares the connections that several points have. `interface` is the only one that is read. `progress`
/// gets the bytes read of a file and its length; if it breaks, nothing is compared.
///
/// # Errors
/// If a file cannot be opened any more.
pub(crate) fn compare(
    connections: &[ConnectionReport],
    points: Vec<PointFiles>,
    interface: Option<&str>,
    progress: &mut impl FnMut(u64, Option<u64>) -> ControlFlow<()>,
) -> Result<Vec<BetweenReport>, CaptureError> {
    let shared = shared(connections);
    let mut logs = Vec::new();
    for point in points {
        let wanted: BTreeSet<&Ends> = shared
            .iter()
            .filter_map(|(ends, points)| points.contains_key(&point.point).then_some(ends))
            .collect();
        if wanted.is_empty() || !point.again {
            continue;
        }
        let mut kept = Kept { wanted, known: BTreeMap::new(), log: HostLog::default() };
        for PointFile { path, parts, part } in &point.files {
            let mut sniffer = Sniffer::default();
            let manner = Manner { sorted: false, interface };
            let finished = read_file(path, manner, &mut *progress, |packet, fragments, found| {
                if parts.of(packet.interface) == *part {
                    take(packet, fragments, found, &mut sniffer, |segment| kept.take(segment));
                }
            })?;
            if !finished.whole {
                return Ok(Vec::new());
            }
        }
        logs.push(PointLog::new(point.point, point.clock, &kept.log, point.time_ns));
    }
    Ok(between(&shared, &logs))
}

/// The packets of the wanted connections.
struct Kept<'a> {
    wanted: BTreeSet<&'a Ends>,
    /// Whether packets from one end to another are wanted.
    known: BTreeMap<u64, bool>,
    log: HostLog,
}

impl Kept<'_> {
    fn take(&mut self, segment: &Segment) {
        let (from, to) = (segment.from, segment.to);
        let wanted = &self.wanted;
        if self.known.len() >= MAX_KNOWN {
            self.known.clear();
        }
        let is_wanted = self.known.entry(pair(from, to)).or_insert_with(|| {
            let (from, to) = (from.to_string(), to.to_string());
            wanted.contains(&(from.clone(), to.clone())) || wanted.contains(&(to, from))
        });
        if *is_wanted {
            self.log.add(segment);
        }
    }
}
