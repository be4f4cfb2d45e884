//! Explicit loss notification: marks on ACKs whose gaps are losses of the air.
//!
//! ```text
//! the MAC here gave up the frame of a segment      lost
//! a station's MAC gave up the frame of a segment   lost, once the next data of the flow have come from
//!   that has not been here                           the station: the gap shows
//! a lost segment comes here                        repaired: another copy is under way
//! ACK                                              marked if each gap that it shows is lost or repaired,
//!                                                    and at least one is lost
//! ```
//! Without SACK blocks, an ACK shows the gap at its number. With SACK blocks, it shows all gaps below the
//! last of its blocks; the blocks of earlier ACKs count too. A gap of a segment that a queue dropped is
//! not lost here, so that its ACKs stay unmarked. A machine absorbs nothing and emits nothing.
//!
//! The mark of an ACK is the idea of Balakrishnan and Katz, "Explicit loss notification and wireless web
//! performance", 1998. [choice] The rules above. For a gap in the data of a station, the MAC has to have given
//! up the frame too, as the gap in its sequence numbers shows: a queue of the station may drop packets.
//! Leaves out: losses of ACKs and SYNs, and packets that expire in the MAC. Offsets in bytes of sequence
//! space from the initial sequence number.

use std::collections::{BTreeMap, BTreeSet};

use airtcp_packet::{EndpointId, Flags, Kind, Packet, Segment, Seq};
use airtcp_units::Nanos;

use super::ranges::Ranges;
use super::{MiddleCounts, Middlebox, Verdict};

/// Data towards one endpoint.
#[derive(Debug)]
struct Direction {
    /// Initial sequence number of the sender of the data.
    origin: Seq,
    /// One past the last offset that has passed.
    next: u64,
    /// Number of the last ACK.
    acked: u64,
    /// Below `next`, and never here.
    skipped: Ranges,
    /// Given up by a station that has sent nothing since.
    given_up: Ranges,
    /// Lost on the air.
    lost: Ranges,
    /// Lost on the air, and here again since.
    repaired: Ranges,
    /// Beyond `acked`, and at the receiver.
    received: Ranges,
}

/// The agent at one access point.
#[derive(Debug)]
pub struct Eln {
    /// Ends of the flows that it acts on.
    ends: BTreeSet<EndpointId>,
    directions: BTreeMap<EndpointId, Direction>,
}

impl Eln {
    /// An agent for the flows with these ends.
    pub const fn new(ends: BTreeSet<EndpointId>) -> Self {
        Self { ends, directions: BTreeMap::new() }
    }
}

impl Direction {
    fn new(origin: Seq) -> Self {
        Self {
            origin,
            next: 1,
            acked: 1,
            skipped: Ranges::default(),
            given_up: Ranges::default(),
            lost: Ranges::default(),
            repaired: Ranges::default(),
            received: Ranges::default(),
        }
    }

    /// Offsets of a segment's data and FIN, without those that are acknowledged.
    fn span(&self, segment: &Segment) -> Option<(u64, u64)> {
        let start = segment.seq.unwrap_near(self.origin, self.next)?;
        let end = start + u64::from(segment.sequence_len());
        (end > start.max(self.acked)).then_some((start.max(self.acked), end))
    }

    /// Data pass.
    fn on_data(&mut self, segment: &Segment) {
        let Some((start, end)) = self.span(segment) else { return };
        if start > self.next {
            self.skipped.insert(self.next, start);
        }
        self.skipped.remove(start, end);
        self.given_up.remove(start, end);
        if !self.given_up.is_empty() {
            for (start, end) in self.given_up.take() {
                self.repaired.remove(start, end);
                self.lost.insert(start, end);
            }
        }
        if self.lost.remove(start, end) {
            self.repaired.insert(start, end);
        }
        self.next = self.next.max(end);
    }

    /// A station has given up the frame of a segment, or the access point has if `here`.
    fn on_given_up(&mut self, segment: &Segment, here: bool) {
        let Some((start, end)) = self.span(segment) else { return };
        if here {
            self.repaired.remove(start, end);
            self.lost.insert(start, end);
        } else if start >= self.next || self.skipped.covers(start, end) {
            self.given_up.insert(start, end);
        }
    }

    /// An ACK passes. Returns whether it shows only losses of the air.
    fn on_ack(&mut self, segment: &Segment) -> bool {
        let Some(ack) = segment.ack.unwrap_near(self.origin, self.acked) else { return false };
        if ack > self.next {
            return false;
        }
        if ack > self.acked {
            self.acked = ack;
            for ranges in [
                &mut self.skipped,
                &mut self.given_up,
                &mut self.lost,
                &mut self.repaired,
                &mut self.received,
            ] {
                ranges.drop_below(ack);
            }
        }
        let mut top = ack + 1;
        for block in segment.sacks() {
            let (start, end) = (self.offset(block.start), self.offset(block.end));
            if let (Some(start), Some(end)) = (start, end)
                && ack < start
                && start < end
                && end <= self.next
            {
                self.received.insert(start, end);
                top = top.max(end);
            }
        }
        !self.lost.is_empty() && ack == self.acked && self.is_air(ack, top)
    }

    fn offset(&self, number: Seq) -> Option<u64> {
        number.unwrap_near(self.origin, self.acked)
    }

    /// True if all that the receiver lacks of `at..top` was lost on the air, and some of it is not yet
    /// repaired.
    fn is_air(&self, mut at: u64, top: u64) -> bool {
        let mut any = false;
        while at < top {
            let next = self.received.reach(at);
            if next > at {
                at = next;
                continue;
            }
            let gap_end = self.received.next_from(at).unwrap_or(top).min(top);
            let lost = self.lost.reach(at);
            any |= lost > at;
            let known = lost.max(self.repaired.reach(at));
            if known <= at {
                return false;
            }
            at = known.min(gap_end);
        }
        any
    }
}

impl Middlebox for Eln {
    fn pass(&mut self, _now: Nanos, packet: &Packet) -> Verdict {
        let (to, segment) = (packet.to, &packet.segment);
        let other = segment.kind != Kind::Tcp || segment.flags.has(Flags::RST);
        if other || !self.ends.contains(&to) {
            return Verdict::Pass;
        }
        if segment.flags.has(Flags::SYN) {
            if self.directions.get(&to).is_none_or(|d| d.origin != segment.seq) {
                self.directions.insert(to, Direction::new(segment.seq));
            }
            return Verdict::Pass;
        }
        if let Some(direction) = self.directions.get_mut(&to) {
            direction.on_data(segment);
        }
        let acked = self.directions.get_mut(&to.peer()).filter(|_| segment.flags.has(Flags::ACK));
        if acked.is_some_and(|direction| direction.on_ack(segment)) {
            Verdict::Mark
        } else {
            Verdict::Pass
        }
    }

    fn on_given_up(&mut self, packet: &Packet, here: bool) {
        if let Some(direction) = self.directions.get_mut(&packet.to) {
            direction.on_given_up(&packet.segment, here);
        }
    }

    fn hears_losses(&self) -> bool {
        true
    }

    fn on_timer(&mut self, _now: Nanos) {}

    fn next_timer(&self) -> Nanos {
        Nanos::NEVER
    }

    fn poll(&mut self, _now: Nanos) -> Option<Packet> {
        None
    }

    fn counts(&self) -> MiddleCounts {
        MiddleCounts::default()
    }
}
