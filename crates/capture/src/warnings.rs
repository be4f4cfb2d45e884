//! What a reader of the numbers must know about a file.

use crate::read::{DamagedPlace, Dropped, FileSummary};
use crate::tcp::{CopyCounts, MANY_COPIES};
use crate::unread::Unreads;

/// What was found in a file.
#[derive(Debug, Clone, Default)]
pub(crate) struct Found {
    pub(crate) summary: FileSummary,
    /// TCP segments, and frames of 802.11.
    pub(crate) tcp: u64,
    pub(crate) air: u64,
    /// Packets whose headers are cut off or malformed.
    pub(crate) unreadable: u64,
    /// What can hold TCP and is not read, and link types that are not read.
    pub(crate) unread: Unreads,
    /// Fragmented packets that lack a fragment.
    pub(crate) incomplete: u64,
    /// Segments that the capture holds twice.
    pub(crate) copies: CopyCounts,
    /// True if the packets were sorted, and the number of those that came too late for it.
    pub(crate) sorted: bool,
    pub(crate) late: u64,
    /// What the sniffer says of the file.
    pub(crate) air_notes: Vec<String>,
    /// The interfaces of each point of the file, if it has several; and true if it cannot be read again, so that they
    /// were taken for one.
    pub(crate) interfaces: Vec<String>,
    pub(crate) is_read_once: bool,
    /// A file that begins with the same packets at the same times.
    pub(crate) copy_of: Option<String>,
}

/// What is done with a copy.
const SECOND_COPY: &str = "The second copy is left out";

/// A count with its noun and its verb.
fn counted(count: u64, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

/// A line for each thing that a reader must know.
pub(crate) fn warnings(found: &Found) -> Vec<String> {
    let summary = &found.summary;
    let mut lines: Vec<String> = dropped(summary).into_iter().chain(interfaces(found)).collect();
    let mut warn = |count: u64, one: &str, many: &str| {
        if count > 0 {
            lines.push(counted(count, one, many));
        }
    };
    warn(summary.malformed, "malformed block was skipped", "malformed blocks were skipped");
    warn(
        found.unreadable,
        "packet has a header that is cut off or malformed",
        "packets have headers that are cut off or malformed",
    );
    lines.extend(found.unread.lines(summary.packets));
    if summary.untimed > 0 {
        let without = counted(
            summary.untimed,
            "packet in a simple packet block has no time",
            "packets in simple packet blocks have no times",
        );
        lines.push(format!(
            "{without}: round-trip times, rates and durations are left out, and a \
             timeout cannot be told from another retransmission"
        ));
    }
    if summary.unsorted > 0 {
        let early = counted(summary.unsorted, "packet is earlier than", "packets are earlier than");
        lines.push(format!("{early} the one before{}", unsorted(found)));
    }
    if found.late > 0 {
        let late = counted(found.late, "of them is", "of them are");
        let sorted = if found.late == 1 { "was" } else { "were" };
        lines.push(format!("{late} more than 1 s late and {sorted} not sorted"));
    }
    let mut warn = |count: u64, one: &str, many: &str| {
        if count > 0 {
            lines.push(counted(count, one, many));
        }
    };
    warn(
        found.incomplete,
        "fragmented packet lacks a fragment",
        "fragmented packets lack a fragment",
    );
    lines.extend(found.air_notes.iter().cloned());
    lines.extend(copies(found));
    lines.extend(damage(summary));
    if summary.packets == 0 {
        lines.push("the file holds no packets".to_owned());
    } else if found.tcp + found.air + found.unreadable + found.incomplete == 0
        && found.unread.is_empty()
    {
        lines.push("no packet holds TCP or 802.11: nothing was analysed".to_owned());
    }
    lines
}

/// Stretches of time that a line names.
const STRETCHES: usize = 3;

/// A line on packets that the capturing system dropped.
fn dropped(summary: &FileSummary) -> Option<String> {
    if summary.dropped == 0 {
        return None;
    }
    let dropped = counted(summary.dropped, "packet was", "packets were");
    let all = summary.packets.saturating_add(summary.dropped);
    let first_ns = summary.first_ns.unwrap_or_default();
    let second = |ns: u64| format!("{:.1}", ns.saturating_sub(first_ns) as f64 / 1e9);
    let stretch =
        |drops: &Dropped| format!("{} to {} s", second(drops.from_ns), second(drops.to_ns));
    let mut when: Vec<String> = summary.drops.iter().take(STRETCHES).map(stretch).collect();
    if summary.drops.len() > STRETCHES {
        when.push("others".to_owned());
    }
    Some(format!(
        "{dropped} dropped by the capturing system, of {all}. What seems lost then may have passed: {}",
        when.join(", ")
    ))
}

/// Interfaces that a line names.
const NAMED: usize = 4;

/// A line on interfaces that have the same packets.
fn interfaces(found: &Found) -> Option<String> {
    let all = &found.interfaces;
    if all.len() < 2 {
        return None;
    }
    let mut names = all[..all.len().min(NAMED)].join(", ");
    if all.len() > NAMED {
        names.push_str(", ...");
    }
    let what = if found.is_read_once {
        "it can be read only once, so they were taken for one point. Give a file, or --interface with the name of one"
    } else {
        "each is a point of its own. --interface reads one alone"
    };
    Some(format!("its interfaces {names} have the same packets: {what}"))
}

/// A line for each kind of copies.
fn copies(found: &Found) -> Vec<String> {
    let mut lines = Vec::new();
    if found.copies.elsewhere > 0 {
        let copies = counted(found.copies.elsewhere, "segment was", "segments were");
        lines.push(format!(
            "{copies} captured twice with different times to live, at several points of the path. \
             {SECOND_COPY}; round-trip times lack the path between the points"
        ));
    }
    if found.copies.same.saturating_mul(MANY_COPIES) > found.tcp {
        let copies = counted(found.copies.same, "segment was", "segments were");
        lines.push(format!(
            "{copies} captured twice, as by a mirror port, on several interfaces or at several points \
             of the path. {SECOND_COPY}"
        ));
    }
    if found.copies.early > 0 {
        let early =
            counted(found.copies.early, "ACK comes before its data", "ACKs come before their data");
        let longest = found.copies.early_ns as f64 / 1e6;
        let order = match found.copies.early {
            1 => "It was put in order, and gives no round-trip time",
            _ => "They were put in order, and give no round-trip times",
        };
        lines.push(format!(
            "{early}, by up to {longest:.3} ms, as if several receive queues, interfaces or clocks wrote the \
             file. {order}"
        ));
    }
    if let Some(other) = &found.copy_of {
        lines.push(format!(
            "it begins with the same packets at the same times as {other}: probably one file was given \
             twice. Its connections are listed twice and are not compared"
        ));
    }
    lines
}

/// What was done with packets that are earlier than the one before.
fn unsorted(found: &Found) -> &'static str {
    if found.sorted {
        ": the packets were sorted by time, within 1 s"
    } else if found.tcp > 0 {
        ", and the file was not sorted: round-trip times and causes near there can be wrong"
    } else {
        ": the file is not sorted"
    }
}

/// A line for each damaged place.
fn damage(summary: &FileSummary) -> impl Iterator<Item = String> {
    let line = |place: &DamagedPlace| {
        let (at, what) = (place.at, place.what);
        match place.skipped {
            Some(n) => {
                let skipped = counted(n, "byte was", "bytes were");
                format!("damaged at byte {at}: {what}; {skipped} skipped")
            }
            None => format!("damaged at byte {at}: {what}; what precedes it was analysed"),
        }
    };
    let others = summary.damages - summary.damaged.len() as u64;
    let rest = (others > 0)
        .then(|| counted(others, "further place is damaged", "further places are damaged"));
    summary.damaged.iter().map(line).chain(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A count of one has a singular.
    #[test]
    fn one_of_each() {
        let place = DamagedPlace { at: 7, skipped: Some(1), what: "the bytes are no packet" };
        let summary = FileSummary {
            packets: 9,
            unsorted: 1,
            untimed: 1,
            malformed: 1,
            damages: 2,
            damaged: vec![place],
            ..FileSummary::default()
        };
        let copies = CopyCounts { same: 1, elsewhere: 1, ..CopyCounts::default() };
        let mut unread = Unreads::default();
        unread.add_link(147);
        let found = Found {
            summary,
            tcp: 9,
            unreadable: 1,
            unread,
            incomplete: 1,
            copies,
            sorted: true,
            late: 1,
            ..Found::default()
        };
        let lines = warnings(&found);
        assert_eq!(lines.len(), 11, "{lines:?}");
        for line in lines {
            assert!(line.contains(" 1 ") || line.starts_with("1 "), "{line}");
            for plural in
                ["blocks", "packets have", "packets are", "segments", "bytes were", "places"]
            {
                assert!(!line.contains(plural), "{line}");
            }
        }
    }
}
