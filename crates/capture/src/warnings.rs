//! What a reader of the numbers must know about a file.

use crate::read::{DamagedPlace, FileSummary};
use crate::tcp::CopyCounts;

/// What was found in a file.
#[derive(Debug, Clone, Default)]
pub(crate) struct Found {
    pub(crate) summary: FileSummary,
    /// TCP segments, and frames of 802.11.
    pub(crate) tcp: u64,
    pub(crate) air: u64,
    /// Packets whose headers are cut off or malformed.
    pub(crate) unreadable: u64,
    pub(crate) unknown_link: u64,
    /// Fragmented packets that lack a fragment.
    pub(crate) incomplete: u64,
    /// Segments that the capture holds twice.
    pub(crate) copies: CopyCounts,
    /// True if the packets were sorted, and the number of those that came too late for it.
    pub(crate) sorted: bool,
    pub(crate) late: u64,
}

/// Share of the segments, as one in so many, above which copies are not those of the network.
const MANY_COPIES: u64 = 10;

/// A line for each thing that a reader must know.
pub(crate) fn warnings(found: &Found) -> Vec<String> {
    let summary = &found.summary;
    let mut lines = Vec::new();
    let mut warn = |count: u64, what: &str| {
        if count > 0 {
            lines.push(format!("{count} {what}"));
        }
    };
    warn(summary.malformed, "malformed blocks were skipped");
    warn(found.unreadable, "packets have headers that are cut off or malformed");
    warn(found.unknown_link, "packets have a link type that airtcp does not read");
    warn(summary.unsorted, unsorted(found));
    warn(found.late, "of them are more than 1 s late and were not sorted");
    warn(found.incomplete, "fragmented packets lack a fragment");
    warn(
        found.copies.elsewhere,
        "segments are in the file twice with different times to live: it has several points of the \
         path. The second copy is left out if it is an ACK, and is a network duplicate if it has \
         data; round-trip times lack the path between the points",
    );
    if found.copies.same.saturating_mul(MANY_COPIES) > found.tcp {
        warn(
            found.copies.same,
            "segments are in the file twice, as from a mirror port or several interfaces. The second \
             copy is left out if it is an ACK, and is a network duplicate if it has data",
        );
    }
    lines.extend(damage(summary));
    if summary.packets == 0 {
        lines.push("the file holds no packets".to_owned());
    } else if found.tcp + found.air + found.unreadable + found.unknown_link + found.incomplete == 0
    {
        lines.push("no packet holds TCP or 802.11: nothing was analysed".to_owned());
    }
    lines
}

/// What was done with packets that are earlier than the one before.
fn unsorted(found: &Found) -> &'static str {
    if found.sorted {
        "packets are earlier than the one before: the packets were sorted by time, within 1 s"
    } else if found.tcp > 0 {
        "packets are earlier than the one before and were not sorted: round-trip times and causes \
         near them can be wrong"
    } else {
        "packets are earlier than the one before: the file is not sorted"
    }
}

/// A line for each damaged place.
fn damage(summary: &FileSummary) -> impl Iterator<Item = String> {
    let line = |place: &DamagedPlace| {
        let (at, what) = (place.at, place.what);
        match place.skipped {
            Some(n) => format!("damaged at byte {at}: {what}; {n} bytes were skipped"),
            None => format!("damaged at byte {at}: {what}; what precedes it was analysed"),
        }
    };
    let others = summary.damages - summary.damaged.len() as u64;
    let rest = (others > 0).then(|| format!("{others} further places are damaged"));
    summary.damaged.iter().map(line).chain(rest)
}
