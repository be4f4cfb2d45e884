//! A packet, and what was found in its file.

use super::drops::{self, Dropped};

/// A packet as a capture holds it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Packet<'a> {
    /// Time in nanoseconds since 1970-01-01.
    pub time_ns: u64,
    /// False if the file has no time for it; then `time_ns` is that of the packet before.
    pub is_timed: bool,
    /// Link type (number of the registry at tcpdump.org).
    pub link_type: u16,
    /// Number of its interface in the file, by the names that [`Packets::interfaces`](super::Packets::interfaces) has.
    pub interface: u32,
    /// Length on the wire.
    pub wire_len: u32,
    /// The captured bytes.
    pub data: &'a [u8],
}

/// Damaged places that are named one by one.
const MAX_PLACES: usize = 8;

/// A place that could not be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DamagedPlace {
    /// Bytes before it, after decompression.
    pub at: u64,
    /// Bytes that were skipped there; `None` if nothing readable follows.
    pub skipped: Option<u64>,
    /// What is wrong.
    pub what: &'static str,
}

/// What was found in a file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FileSummary {
    /// Link types of its packets, in the order of their first appearance.
    pub link_types: Vec<u16>,
    /// Number of packets.
    pub packets: u64,
    /// The time of the first packet, in ns since 1970-01-01.
    pub first_ns: Option<u64>,
    /// The latest time of a packet, in ns since 1970-01-01.
    pub last_ns: u64,
    /// Bytes after decompression up to which the file was read.
    pub bytes: u64,
    /// The first places that could not be read.
    pub damaged: Vec<DamagedPlace>,
    /// Number of these places.
    pub damages: u64,
    /// Bytes that were skipped at them, after decompression.
    pub skipped_bytes: u64,
    /// Blocks that were skipped because they are malformed.
    pub malformed: u64,
    /// Packets of which the capture holds only the beginning.
    pub cut: u64,
    /// Packets earlier than the one before.
    pub unsorted: u64,
    /// Packets without a time.
    pub untimed: u64,
    /// Packets that the capturing system dropped, by the counts in the file, and when.
    pub dropped: u64,
    /// The stretches of time in which it did.
    pub drops: Vec<Dropped>,
}

impl FileSummary {
    pub(super) fn add_dropped(&mut self, dropped: Dropped) {
        self.dropped = self.dropped.saturating_add(dropped.packets);
        drops::add(&mut self.drops, dropped);
    }

    pub(super) fn add_damage(&mut self, place: DamagedPlace) {
        self.damages += 1;
        self.skipped_bytes += place.skipped.unwrap_or(0);
        if self.damaged.len() < MAX_PLACES {
            self.damaged.push(place);
        }
    }

    /// Removes the last place, behind which nothing is readable.
    pub(super) fn remove_last_damage(&mut self) {
        if self.damages == self.damaged.len() as u64 {
            self.damaged.pop();
        }
        self.damages = self.damages.saturating_sub(1);
    }
}
