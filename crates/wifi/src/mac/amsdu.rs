//! A-MSDU: the packets of an MPDU behind the first one.
//!
//! ```text
//! MPDU       the first packet, with the state of all: attempts, rate, sequence number
//! riders     the others, in order; they are received, given up and dropped with it
//! ```
//! A packet joins the last MPDU of the aggregate that is about to begin, if that MPDU has not been sent before and
//! does not become too long. Retransmissions therefore have the packets of the first transmission. An A-MSDU expires
//! with its youngest packet.
//!
//! Source: IEEE 802.11-2020 clause 9.3.2.2 (format), and its clause "A-MSDU operation" (lifetime).

use airtcp_packet::PacketId;
use airtcp_units::{Nanos, Narrow};

use super::exchange::{Completion, Finished};
use super::ppdu::Joining;
use super::rider::{Place, Rider};
use super::{Mpdu, Station};

impl Station {
    /// Adds a packet to the last MPDU of the aggregate of this instant. False if it does not fit.
    pub(super) fn ride(&mut self, now: Nanos, packet: PacketId, new: &Joining) -> bool {
        let Some(originator) = &mut self.originator else { return false };
        let Some(mut room) = originator.room else { return false };
        let Some(bytes) = room.extended(&originator.rules, new.bytes) else { return false };
        let lane = &mut originator.lanes[room.category];
        let last = lane.waiting.back_mut().or(self.contenders[room.category].mpdu.as_mut());
        let Some(last) = last else { return false };
        let rider = Rider {
            packet: Some(packet),
            class: new.class,
            flow: new.flow,
            bytes: bytes - last.bytes,
            since: now,
        };
        let stride = |bytes| originator.rules.stride(bytes, room.mode);
        room.before = room.before - stride(last.bytes) + stride(bytes);
        (room.open, room.several) = (bytes, true);
        last.bytes = bytes;
        last.riders += 1;
        last.expires = last.expires.max(new.expires);
        let place = (room.category, last.to, last.sequence);
        originator.riders.entry(place).or_default().push(rider);
        originator.room = Some(room);
        true
    }

    /// The packets of an MPDU behind the first one.
    pub(crate) fn riders(&self, category: usize, mpdu: &Mpdu) -> &[Rider] {
        let place = (category, mpdu.to, mpdu.sequence);
        let riders = self.originator.as_ref().filter(|_| mpdu.riders > 0);
        riders.and_then(|o| o.riders.get(&place)).map_or(&[], Vec::as_slice)
    }

    /// Takes the packets of an MPDU that its receiver decoded, behind the first one, with their bytes.
    pub(crate) fn take_riders(&mut self, place: Place) -> Vec<(PacketId, u32)> {
        let riders = self.originator.as_mut().and_then(|o| o.riders.get_mut(&place));
        let riders = riders.into_iter().flatten();
        riders.filter_map(|rider| Some((rider.packet.take()?, rider.bytes))).collect()
    }

    /// Finishes the packets of an MPDU behind the first one, as that one.
    pub(super) fn finish_riders(&mut self, category: usize, mpdu: &Mpdu, completion: Completion) {
        let place = (category, mpdu.to, mpdu.sequence);
        let riders = self.originator.as_mut().and_then(|o| o.riders.remove(&place));
        for Rider { packet, class, flow, since, .. } in riders.into_iter().flatten() {
            let mpdu = Mpdu { packet, class, flow, head_since: since, riders: 0, ..*mpdu };
            self.news.finish(Finished { mpdu, category: u8::narrow(category), completion });
        }
    }
}
