//! The PPDUs of a station in BlockAck sessions: an aggregate, a single MPDU, or a BlockAckReq.
//!
//! ```text
//! access -> prepare -> [the world adds packets ->] compose -> RTS, CTS-to-self or data
//! ```
//! An aggregate first takes the MPDUs that the category holds. Then, at the instant of the access, the world adds
//! packets until it is full: the window, the length or the time of the PPDU, or the transmission opportunity ends.
//! Durations follow from the full aggregate.
//!
//! Source: IEEE 802.11-2020 clauses 10.12 (A-MPDU operation), 10.23.2.9 (transmission opportunity limits).

use airtcp_packet::PacketId;
use airtcp_units::{Nanos, Narrow, Span};

use super::aggregation::{
    Aggregation, BLOCK_ACK_BYTES, BLOCK_ACK_REQ_BYTES, LONG_BITMAP, bitmap_bytes, places,
};
use super::multi_user::{Composed, MuAccess};
use super::originator::{Lane, Room, distance};
use super::receiver_lanes::ReceiverLanes;
use super::sending::answer_time;
use super::{Class, Frame, Kind, Mpdu, Part, Rules, Station};
use crate::node::NodeId;

/// Bytes of the MPDU of a TCP segment without payload and options.
const LEAST_BYTES: u32 = 78;

impl Station {
    /// True if aggregates can carry this MPDU, or if it is a BlockAckReq.
    #[inline]
    pub(super) fn is_in_session(&self, mpdu: &Mpdu) -> bool {
        self.originator.is_some() && mpdu.to != NodeId::BROADCAST && !mpdu.class.is_management()
    }

    /// Prepares the PPDU of an access with the MPDUs that the category holds. [`Self::compose`] gives its
    /// first frame, once the world has added packets. Returns a frame in its place.
    pub(super) fn prepare(&mut self, now: Nanos, head: &Mpdu, rules: &Rules) -> Option<Frame> {
        let category = self.active;
        self.expire_waiting(now, category);
        let until = self.txop_room(now, head, rules);
        let first = if head.is_bar() { self.window_start(head.to) } else { head.sequence };
        let narrows = self.widths.is_some();
        let originator = self.originator.as_mut()?;
        let window = originator.rules.window(head.mode);
        let agreement = originator.agreement(head.to, category);
        agreement.renew(first);
        if !head.is_bar() {
            agreement.window = window;
        }
        let most = originator.longest(head.mode, rules);
        let aggregation = originator.rules;
        let bytes = until
            .map_or(most, |time| most.min(aggregation.longest(&rules.timing, head.mode, time)));
        let lane = &mut originator.lanes[category];
        let window = if lane.series.single { 1 } else { window };
        let all = 1 + lane.waiting.len();
        let mut before = aggregation.stride(head.bytes, head.mode);
        lane.on_air = 1;
        if !head.is_bar() {
            for mpdu in lane.waiting.iter().take(usize::from(window) - 1) {
                if Aggregation::with_last(before, mpdu.bytes) > bytes {
                    break;
                }
                before += aggregation.stride(mpdu.bytes, head.mode);
                lane.on_air += 1;
            }
        }
        let complete = lane.on_air < all || head.is_bar();
        let last = *lane.waiting.back().unwrap_or(head);
        let is_open = !complete && last.transmissions == 0 && aggregation.has_amsdu();
        let mpdus = if complete {
            0
        } else {
            let span = distance(head.sequence, originator.upcoming(head.to, category));
            usize::from(window.saturating_sub(span))
        };
        let alone = originator.longest_alone(head.to, head.mode, narrows, rules);
        originator.room = Some(Room {
            category,
            to: head.to,
            mode: head.mode,
            before,
            bytes,
            mpdus,
            open: if is_open { last.bytes } else { 0 },
            alone,
            several: last.riders > 0,
        });
        Some(Frame::control(Kind::Rts, self.id, head.to, head.mode, Span::ZERO, 0))
    }

    /// Time for the PPDU within the transmission opportunity; `None` without a limit.
    fn txop_room(&self, now: Nanos, head: &Mpdu, rules: &Rules) -> Option<Span> {
        let limit = self.contenders[self.active].txop;
        if limit == Span::ZERO {
            return None;
        }
        // The longest PPDU decides whether RTS and CTS come first.
        let long = Mpdu { bytes: u32::MAX, ..*head };
        let rest =
            self.preceding_time(&long, rules) + rules.timing.sifs + rules.block_ack_time(head.mode);
        Some(Span(self.txop_end.0.saturating_sub(now.0)).saturating_sub(rest))
    }

    /// True if [`Self::compose`] is to give the frame of this instant.
    #[inline]
    pub(crate) fn is_preparing(&self) -> bool {
        self.originator.as_ref().is_some_and(|originator| originator.room.is_some())
            || self.multi_user.access_point().is_some_and(MuAccess::is_preparing)
    }

    /// The category and the receiver of the aggregate of this instant, if it has room.
    pub(crate) fn room(&self) -> Option<(usize, NodeId)> {
        let originator = self.originator.as_ref()?;
        let room = originator.room?;
        let has_room = room.mpdus > 0 || room.extended(&originator.rules, LEAST_BYTES).is_some();
        has_room.then_some((room.category, room.to))
    }

    /// True if the aggregate of this instant has room for an MPDU of `bytes`.
    pub(crate) fn has_room_for(&self, bytes: u32) -> bool {
        self.originator.as_ref().is_some_and(|originator| {
            originator.room.is_some_and(|room| {
                room.mpdus > 0 && Aggregation::with_last(room.before, bytes) <= room.bytes
                    || room.extended(&originator.rules, bytes).is_some()
            })
        })
    }

    /// Adds a packet to the aggregate of this instant.
    pub(crate) fn join(&mut self, now: Nanos, packet: PacketId, new: &Joining, rules: &Rules) {
        if self.ride(now, packet, new) {
            return;
        }
        let Some(originator) = &mut self.originator else { return };
        let Some(mut room) = originator.room else { return };
        let sequence = originator.number(room.to, room.category);
        let part = Part::whole(new.bytes, rules);
        let mpdu = Mpdu {
            packet: Some(packet),
            expires: new.expires,
            first_attempt: now,
            flow: new.flow,
            ..Mpdu::new(now, room.to, new.class, part, sequence, room.mode)
        };
        room.before += originator.rules.stride(new.bytes, room.mode);
        room.mpdus -= 1;
        (room.open, room.several) =
            if originator.rules.has_amsdu() { (new.bytes, false) } else { (0, false) };
        originator.room = Some(room);
        let lane = &mut originator.lanes[room.category];
        lane.waiting.push_back(mpdu);
        lane.on_air += 1;
    }

    /// The first frame of the access of this instant: RTS, CTS-to-self, or data.
    pub(crate) fn compose(&mut self, now: Nanos, rules: &Rules) -> Option<Frame> {
        self.originator.as_mut()?.room = None;
        let mut first = match self.compose_multi_user(now, rules) {
            Composed::Frame(frame) => frame,
            Composed::Nothing => return None,
            Composed::Other => {
                let ppdu = self.ppdu()?;
                self.preceding_frame(&ppdu, rules).or_else(|| self.data(rules))?
            }
        };
        self.set_width(&mut first);
        Some(first)
    }

    /// The PPDU of the active category as if it were one MPDU: the head, with the length of all. Without
    /// aggregation, the head.
    pub(super) fn ppdu(&self) -> Option<Mpdu> {
        let head = self.contenders[self.active].mpdu?;
        let Some(originator) = self.originator.as_ref().filter(|_| self.is_in_session(&head))
        else {
            return Some(head.alone());
        };
        let lane = originator.lanes.get(self.active)?;
        if head.is_bar() {
            return Some(head);
        }
        if lane.on_air <= 1 {
            return Some(head.alone());
        }
        let lengths = self.subframes(self.active, lane.on_air).map(|mpdu| mpdu.bytes);
        let last = places(lengths, &originator.rules, head.mode).last();
        let bytes = last.map_or(0, |(_, end)| end);
        let block_ack = originator.rules.block_ack_bytes(head.mode);
        Some(Mpdu { bytes, subframes: u16::narrow(lane.on_air), block_ack, ..head })
    }

    /// The first `count` MPDUs of a category.
    pub(crate) fn subframes(&self, category: usize, count: usize) -> impl Iterator<Item = &Mpdu> {
        let lane = self.originator.as_ref().and_then(|o| o.lanes.get(category));
        let waiting = lane.map(|lane| lane.waiting.iter()).unwrap_or_default();
        let head = self.contenders.get(category).and_then(|c| c.mpdu.as_ref());
        head.into_iter().chain(waiting).take(count)
    }

    /// The MPDU of this number in the PPDU of a category.
    #[inline]
    pub(crate) fn subframe(&mut self, category: usize, number: usize) -> Option<&mut Mpdu> {
        match number.checked_sub(1) {
            None => self.contenders.get_mut(category)?.mpdu.as_mut(),
            Some(behind) => {
                self.originator.as_mut()?.lanes.get_mut(category)?.waiting.get_mut(behind)
            }
        }
    }

    /// The MPDU of a category with the highest sequence number.
    pub(crate) fn newest(&self, category: usize) -> Option<&Mpdu> {
        let behind = self.originator.as_ref()?.lanes.get(category)?.waiting.back();
        behind.or(self.contenders.get(category)?.mpdu.as_ref())
    }

    /// The frame with the MPDUs of the current PPDU; `None` if the head is not of a session.
    pub(super) fn aggregate(&mut self, rules: &Rules) -> Option<Frame> {
        let ppdu = self.ppdu()?;
        if !self.is_in_session(&ppdu) {
            return None;
        }
        let category = u8::narrow(self.active);
        let duration = answer_time(&ppdu, rules);
        let retry = ppdu.transmissions > 0;
        for number in 0..usize::from(ppdu.subframes.max(1)) {
            if let Some(mpdu) = self.subframe(self.active, number) {
                mpdu.transmissions += 1;
                mpdu.all_transmissions += 1;
            }
        }
        let usual = Frame::control(Kind::Data, self.id, ppdu.to, ppdu.mode, duration, category);
        if ppdu.is_bar() {
            let sequence = self.window_start(ppdu.to);
            let (kind, bytes) = (Kind::BlockAckReq, BLOCK_ACK_REQ_BYTES);
            let fragment = if ppdu.block_ack > BLOCK_ACK_BYTES { LONG_BITMAP } else { 0 };
            return Some(Frame {
                kind,
                class: Class::BlockAckReq,
                bytes,
                sequence,
                fragment,
                ..usual
            });
        }
        Some(Frame {
            class: ppdu.class,
            bytes: ppdu.bytes,
            sequence: ppdu.sequence,
            subframes: ppdu.subframes,
            retry,
            report: self.queue_report(self.active, usize::from(ppdu.subframes.max(1)), ppdu.mode),
            ..usual
        })
    }

    /// The first sequence number that the active category has not finished.
    pub(super) fn window_start(&self, to: NodeId) -> u16 {
        let Some(originator) = &self.originator else { return 0 };
        let oldest = originator.lanes[self.active].waiting.front();
        oldest.map_or_else(|| originator.upcoming(to, self.active), |mpdu| mpdu.sequence)
    }

    /// Moves the first MPDU that waits to the empty head of a category.
    pub(super) fn advance_lane(&mut self, category: usize) {
        if let Some(lane) = self.originator.as_mut().and_then(|o| o.lanes.get_mut(category)) {
            let next = lane.waiting.pop_front();
            lane.on_air = 0;
            self.contenders[category].mpdu = next;
            if next.is_none() {
                self.news.vacate();
            }
        }
    }

    /// True if a BlockAckReq follows a PPDU: MPDUs of it were given up, or its BlockAck is missing.
    pub(super) fn asks(&self, lost: bool, missed: bool) -> bool {
        self.originator.as_ref().is_some_and(|originator| originator.rules.asks(lost, missed))
    }

    /// Puts a BlockAckReq at the head of a category, unless one is there, or the receiver has no session.
    pub(super) fn ask(&mut self, now: Nanos, category: usize, to: NodeId, rules: &Rules) {
        let Some(originator) = &mut self.originator else { return };
        let head = self.contenders[category].mpdu;
        let window = originator.agreement(to, category).window;
        if window < 2 || head.is_some_and(|mpdu| mpdu.is_bar()) {
            return;
        }
        let lane = &mut originator.lanes[category];
        let mode = rules.timing.answer_mode(head.map_or(rules.timing.lowest(), |mpdu| mpdu.mode));
        if let Some(first) = head {
            lane.waiting.push_front(first);
        }
        lane.on_air = 0;
        let part = Part::whole(BLOCK_ACK_REQ_BYTES, rules);
        let bar = Mpdu::new(now, to, Class::BlockAckReq, part, 0, mode);
        let bar = Mpdu { bytes: BLOCK_ACK_REQ_BYTES, block_ack: bitmap_bytes(window), ..bar };
        self.contenders[category].mpdu = Some(bar);
    }

    /// The number of its session with a receiver.
    #[inline]
    pub(crate) fn session(&self, to: NodeId, category: usize) -> u8 {
        self.originator.as_ref().map_or(0, |originator| originator.session(to, category))
    }

    /// Packets that wait behind the heads, also in their MPDUs.
    pub(super) fn packets_behind(&self) -> u64 {
        let lanes = self.originator.iter().flat_map(|originator| &originator.lanes);
        let held = |lane: &Lane| lane.waiting.iter().filter(|m| m.packet.is_some()).count() as u64;
        let riders = self.originator.iter().flat_map(|originator| originator.riders.values());
        let riders = riders.flatten().filter(|rider| rider.packet.is_some()).count() as u64;
        let repeats = self.originator.as_ref().and_then(|originator| originator.parked.as_ref());
        let parked = self.multi_user.access_point().map_or(0, MuAccess::packets)
            + repeats.map_or(0, ReceiverLanes::packets);
        lanes.map(held).sum::<u64>() + riders + parked
    }
}

impl Mpdu {
    /// An MPDU as the only one of its PPDU, with the length of the PSDU.
    #[inline]
    pub(super) fn alone(&self) -> Self {
        Self { bytes: Aggregation::single(self.bytes, self.mode), ..*self }
    }
}

/// A packet that joins an aggregate.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Joining {
    pub(crate) class: Class,
    pub(crate) bytes: u32,
    pub(crate) expires: Nanos,
    pub(crate) flow: u32,
}
