//! Packets that join one aggregate in a row, each in an MPDU of its own: [`Station::join`] for each, with what stays the
//! same found once (see `cell/fill_run.rs`).

use airtcp_packet::PacketId;
use airtcp_units::Nanos;

use super::aggregation::Aggregation;
use super::originator::{Lane, Room, take_number};
use super::ppdu::Joining;
use super::{Mpdu, Part, Rules, Station};

/// The aggregate of this instant, while packets join it.
#[derive(Debug)]
pub(crate) struct Joins<'a> {
    now: Nanos,
    rules: &'a Rules,
    aggregation: &'a Aggregation,
    room: &'a mut Room,
    lane: &'a mut Lane,
    /// The next sequence number.
    next: &'a mut u16,
    /// Bytes of the last MPDU, and those that it takes before the next one.
    last: (u32, u32),
}

impl Station {
    /// The aggregate of this instant; `None` without one, and with A-MSDU.
    pub(crate) fn joins<'a>(&'a mut self, now: Nanos, rules: &'a Rules) -> Option<Joins<'a>> {
        let (aggregation, room, lane, next) = self.originator.as_deref_mut()?.filling()?;
        if aggregation.has_amsdu() {
            return None;
        }
        let last = (0, aggregation.stride(0, room.mode));
        Some(Joins { now, rules, aggregation, room, lane, next, last })
    }
}

impl Joins<'_> {
    /// True if a packet may fit.
    #[inline]
    pub(crate) const fn is_open(&self) -> bool {
        self.room.mpdus > 0
    }

    /// True if it has room for an MPDU of `bytes`.
    #[inline]
    pub(crate) const fn has_room_for(&self, bytes: u32) -> bool {
        self.room.mpdus > 0 && Aggregation::with_last(self.room.before, bytes) <= self.room.bytes
    }

    /// Adds a packet that has room. Returns its sequence number.
    #[inline]
    pub(crate) fn join(&mut self, packet: PacketId, new: &Joining) -> u16 {
        if self.last.0 != new.bytes {
            self.last = (new.bytes, self.aggregation.stride(new.bytes, self.room.mode));
        }
        self.room.before += self.last.1;
        self.room.mpdus -= 1;
        let sequence = take_number(self.next);
        let part = Part::whole(new.bytes, self.rules);
        let Room { to, mode, .. } = *self.room;
        self.lane.waiting.push_back(Mpdu {
            packet: Some(packet),
            expires: new.expires,
            first_attempt: self.now,
            flow: new.flow,
            ..Mpdu::new(self.now, to, new.class, part, sequence, mode)
        });
        self.lane.on_air += 1;
        sequence
    }
}
