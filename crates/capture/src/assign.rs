//! Which files were captured at the same point of the path.
//!
//! Files that follow each other in time are parts of one capture, as `tcpdump -C` writes them. Files
//! that overlap in time, or that hold the same packets, were captured at different points: each point
//! sees every packet of a connection, so its connections are followed apart. Of a file with several points (`parts`),
//! each part counts as a file here.

use std::collections::BTreeSet;
use std::path::Path;

use crate::dissect::Segment;
use crate::identity::Identity;

/// Overlap of files that follow each other, in ns: packets of one capture are not in perfect order.
const OVERLAP_NS: u64 = 1_000_000;
/// Segments at the beginning of a file that are compared with those of other files.
const COMPARED: u32 = 512;
/// Common segments that show that two files hold the same packets, and their least share.
const COMMON: usize = 5;
const COMMON_SHARE: usize = 4;

/// The first segments of a file.
#[derive(Debug, Default)]
pub(crate) struct Start {
    seen: u32,
    keys: BTreeSet<(u64, u16)>,
    times: BTreeSet<(u64, u64)>,
}

impl Start {
    /// Takes a segment.
    #[inline]
    pub(crate) fn take(&mut self, segment: &Segment) {
        if self.seen < COMPARED {
            self.seen += 1;
            let identity = Identity::of(segment);
            self.keys.insert((identity.key, identity.ip_id));
            self.times.insert((identity.key, segment.time_ns));
        }
    }

    /// True if two files begin with the same packets.
    fn is_same(&self, other: &Self) -> bool {
        let common = self.keys.intersection(&other.keys).count();
        common >= COMMON && common * COMMON_SHARE >= self.keys.len().min(other.keys.len())
    }
}

/// A file, or what one point has of it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Unit {
    /// Number of the file.
    pub(crate) file: usize,
    /// Number of the point in the file.
    pub(crate) part: usize,
    /// The interfaces of this part; empty if the file has one point.
    pub(crate) interfaces: Vec<String>,
}

/// A point, and its files.
#[derive(Debug)]
struct Point {
    /// The path of its first file without digits, and its interfaces.
    name: (String, Vec<String>),
    files: Vec<Unit>,
    last_ns: u64,
    starts: Vec<Start>,
}

/// The points at which the files of an analysis were captured.
#[derive(Debug, Default)]
pub(crate) struct Assignment {
    points: Vec<Point>,
}

impl Assignment {
    /// The point of a file whose first packet has this time; a new one if `is_alone`. Of several
    /// points that ended before, one whose files differ in the digits of their names comes first.
    pub(crate) fn place(
        &mut self,
        unit: Unit,
        path: &Path,
        first_ns: u64,
        is_alone: bool,
    ) -> usize {
        let name = path.to_string_lossy().chars().filter(|c| !c.is_ascii_digit()).collect();
        let name = (name, unit.interfaces.clone());
        // Another part of the same file was captured at the same time.
        let precedes = |(_, point): &(usize, &Point)| {
            point.last_ns <= first_ns.saturating_add(OVERLAP_NS)
                && point.files.last().is_none_or(|last| last.file != unit.file)
        };
        let earlier = self.points.iter().enumerate().filter(precedes);
        let latest = earlier.max_by_key(|(_, point)| (point.name == name, point.last_ns));
        let place = latest.filter(|_| !is_alone).map_or(self.points.len(), |(place, _)| place);
        if place == self.points.len() {
            self.points.push(Point { name, files: Vec::new(), last_ns: 0, starts: Vec::new() });
        }
        self.points[place].files.push(unit);
        place
    }

    /// Ends a file at a point. True if an earlier file there begins with the same packets: then the
    /// file belongs elsewhere.
    pub(crate) fn end(&mut self, place: usize, last_ns: u64, start: Start) -> bool {
        let point = &mut self.points[place];
        point.last_ns = point.last_ns.max(last_ns);
        let is_copy = point.starts.iter().any(|other| other.is_same(&start));
        point.starts.push(start);
        is_copy
    }

    /// A file of another point that begins with the same packets at the same times as the last file of
    /// this one: the file was given twice.
    pub(crate) fn copy_of(&self, place: usize) -> Option<usize> {
        let start = self.points[place].starts.last()?;
        let others = self.points.iter().enumerate().filter(|(other, _)| *other != place);
        let mut files = others.flat_map(|(_, point)| point.files.iter().zip(&point.starts));
        let is_copy = |other: &Start| !start.times.is_empty() && other.times == start.times;
        files.find(|(_, other)| is_copy(other)).map(|(unit, _)| unit.file)
    }

    /// The files of each point.
    pub(crate) fn files(&self) -> impl Iterator<Item = &[Unit]> {
        self.points.iter().map(|point| &*point.files)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn start(keys: std::ops::Range<u64>) -> Start {
        Start { keys: keys.map(|key| (key, 1)).collect(), ..Start::default() }
    }

    fn place(files: &mut Assignment, file: usize, name: &str, first_ns: u64) -> usize {
        let unit = Unit { file, ..Unit::default() };
        files.place(unit, Path::new(name), first_ns, false)
    }

    fn numbers(files: &Assignment) -> Vec<Vec<usize>> {
        files.files().map(|units| units.iter().map(|unit| unit.file).collect()).collect()
    }

    #[test]
    fn parts_of_a_file_are_of_several_points() {
        let mut files = Assignment::default();
        let mut place = |file, part: usize, first_ns| {
            let interfaces = vec![["a", "b"][part].to_owned()];
            let unit = Unit { file, part, interfaces };
            let place = files.place(unit, Path::new("ring.pcapng"), first_ns, false);
            (place, files.end(place, first_ns + 9, start(0..0)))
        };
        assert_eq!([place(0, 0, 10), place(0, 1, 11)], [(0, false), (1, false)]);
        // The next file of a ring: each interface goes on at its point.
        let next = 2_000_000_000;
        assert_eq!([place(1, 1, next), place(1, 0, next)], [(1, false), (0, false)]);
        assert_eq!(numbers(&files), [[0, 1], [0, 1]]);
    }

    #[test]
    fn files_in_a_row_are_of_one_point() {
        let mut files = Assignment::default();
        assert_eq!(place(&mut files, 0, "a.pcap0", 1_000), 0);
        assert!(!files.end(0, 5_000_000_000, start(0..100)));
        assert_eq!(place(&mut files, 1, "a.pcap1", 4_999_500_000), 0, "0.5 ms of overlap");
        assert!(!files.end(0, 9_000_000_000, start(100..200)));
        assert_eq!(place(&mut files, 2, "b.pcap", 6_000_000_000), 1, "3 s of overlap");
        assert!(!files.end(1, 9_200_000_000, start(100..200)));
        assert_eq!(place(&mut files, 3, "a.pcap2", 9_500_000_000), 0, "by the name");
        assert!(files.end(0, 10_000_000_000, start(150..220)), "the packets of file 1");
        assert_eq!(place(&mut files, 4, "c.pcap", 10_500_000_000), 0, "the point that ended last");
        assert_eq!(numbers(&files), [&[0, 1, 3, 4][..], &[2]]);
    }

    #[test]
    fn the_same_packets_are_of_another_point_whatever_the_clock_says() {
        assert!(start(0..20).is_same(&start(10..40)));
        assert!(!start(0..100).is_same(&start(90..200)), "10 of 100");
        assert!(!start(0..4).is_same(&start(0..4)), "too few");
    }
}
