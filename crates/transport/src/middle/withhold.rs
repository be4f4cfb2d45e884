//! ACKs of a half of a split connection that wait for the other half ([`super::split`]).
//!
//! ```text
//! ack'    = min(ack, acknowledged by the far peer)
//! window' = window + (ack - ack')              the right edge stays
//! ```
//! A bare ACK that would not advance is withheld: its sender would take it for a duplicate and
//! retransmit data that the node has. If the data behind it have a gap, the duplicate ACKs follow once
//! the far peer has acknowledged all data before the gap.

use airtcp_packet::{Flags, Segment};
use airtcp_units::Narrow;

use crate::tcp::Connection;

/// Duplicate ACKs that make a sender retransmit (RFC 5681 section 3.2).
const DUPLICATES: u32 = 3;

/// State of withheld ACKs.
#[derive(Debug, Default)]
pub(super) struct Withheld {
    /// Offset acknowledged by the last segment that left.
    acknowledged: u64,
    /// ACKs withheld while data lay behind a gap.
    duplicates: u32,
    /// The last bare ACK that left.
    last: Option<Segment>,
}

impl Withheld {
    /// Offset that the last segment acknowledged.
    pub(super) const fn acknowledged(&self) -> u64 {
        self.acknowledged
    }

    /// Reduces the acknowledgement of a segment to `acked`. `None` if the segment is withheld.
    pub(super) fn shape(
        &mut self,
        connection: &Connection,
        mut segment: Segment,
        acked: u64,
    ) -> Option<Segment> {
        let held = connection.next_offset().saturating_sub(acked);
        let ack = connection.next_offset() - held;
        if segment.flags.has(Flags::SYN) || segment.flags.has(Flags::RST) {
            self.acknowledged = ack;
            return Some(segment);
        }
        let bare = segment.sequence_len() == 0;
        if held > 0 {
            if bare && ack <= self.acknowledged {
                self.duplicates += u32::from(connection.has_gap());
                return None;
            }
            let shift = connection.scales().map_or(0, |(_, ours)| ours);
            let held = u32::narrow(held);
            segment.ack = segment.ack.plus(held.wrapping_neg());
            let window = (u32::from(segment.window) + (held >> shift)).min(0xffff);
            segment.window = u16::narrow(window);
        }
        self.acknowledged = self.acknowledged.max(ack);
        self.last = bare.then_some(segment).or(self.last);
        Some(segment)
    }

    /// Duplicate ACKs that had to wait, if nothing is withheld any more.
    pub(super) fn released_duplicates(
        &mut self,
        connection: &Connection,
        acked: u64,
    ) -> impl Iterator<Item = Segment> + use<> {
        let due =
            connection.next_offset() <= acked && self.acknowledged == connection.next_offset();
        let count = if due { std::mem::take(&mut self.duplicates).min(DUPLICATES) } else { 0 };
        let last = self.last.filter(|_| connection.has_gap());
        (0..count).filter_map(move |_| last)
    }
}
