//! Management frames: beacons, authentication and association.
//!
//! They have their own queue and contend with the back-off of beacons. The rules of association are in
//! `association.rs`. Source: IEEE 802.11-2012 clauses 8.3.3.5, 8.3.3.6, 8.3.3.11, 10.3.

use airtcp_units::{Nanos, Narrow};

use super::exchange::Exchange;
use super::management::Reaction;
use super::{Class, Frame, Mpdu, Part, Rules, Station};
use crate::node::NodeId;
use crate::phy::Standard;

/// Bytes of an authentication frame: MAC header, algorithm, number, status, FCS.
const AUTHENTICATION: u32 = 24 + 2 + 2 + 2 + 4;
/// Element with an SSID of 8 bytes.
const SSID: u32 = 2 + 8;
/// Element of supported rates, without the list of rates.
const RATES: u32 = 2;

/// Length of a management frame with MAC header and FCS.
fn length(class: Class, standard: Standard) -> u32 {
    let rates = RATES + u32::narrow(standard.modes().count().min(8));
    match class {
        Class::AssociationRequest => 24 + 2 + 2 + SSID + rates + 4,
        Class::AssociationResponse => 24 + 2 + 2 + 2 + rates + 4,
        _ => AUTHENTICATION,
    }
}

impl Station {
    /// True if it may send data: it is associated, or the cell has no association.
    pub(crate) const fn may_send(&self) -> bool {
        self.management.may_send()
    }

    /// True if it may send data to a station: that station is associated, or the cell has no
    /// association.
    pub(crate) fn serves(&self, to: NodeId) -> bool {
        self.management.serves(to)
    }

    /// True once after the station has become associated.
    pub(crate) const fn take_newly_associated(&mut self) -> bool {
        self.news.take_associated()
    }

    /// Waits for a beacon again if the stage has timed out.
    pub(super) fn expire_stage(&mut self, now: Nanos) {
        if self.management.expire_stage(now)
            && self.exchange == Exchange::None
            && let Some(last) = self.contenders.last_mut()
        {
            last.mpdu = None;
        }
    }

    /// Handles a received beacon.
    pub(super) fn on_beacon(&mut self, now: Nanos, from: NodeId, rules: &Rules) {
        let reaction = self.management.on_beacon(now, from);
        self.react(now, from, &reaction, rules);
    }

    /// Handles a received management frame addressed to this station.
    pub(super) fn on_management(&mut self, now: Nanos, frame: &Frame, rules: &Rules) {
        let reaction = self.management.on_frame(now, frame.from, frame.class);
        self.react(now, frame.from, &reaction, rules);
    }

    fn react(&mut self, now: Nanos, to: NodeId, reaction: &Reaction, rules: &Rules) {
        match *reaction {
            Reaction::Answer(class) => {
                self.management.queue(to, class);
                self.next_management(now, rules);
            }
            Reaction::Associated => self.news.associate(),
            Reaction::None => {}
        }
    }

    /// Moves the next management frame to the head if the head is empty.
    pub(super) fn next_management(&mut self, now: Nanos, rules: &Rules) {
        let Some(last) = self.contenders.len().checked_sub(1) else { return };
        if !self.has_management || self.contenders[last].mpdu.is_some() {
            return;
        }
        let Some((to, class, beacon)) = self.management.take() else { return };
        let bytes = beacon.unwrap_or_else(|| length(class, rules.timing.standard));
        let sequence = self.numbers.take();
        let part = Part::whole(bytes, rules);
        let mpdu = Mpdu::new(now, to, class, part, sequence, rules.timing.lowest());
        self.put_at_head(now, last, mpdu, rules);
    }

    /// Queues a due beacon ahead of other management frames, unless the previous one still waits.
    pub(super) fn queue_due_beacon(&mut self, now: Nanos, rules: &Rules) {
        let last = self.contenders.last().and_then(|c| c.mpdu.as_ref());
        let at_head = last.is_some_and(|mpdu| mpdu.class == Class::Beacon);
        if self.management.queue_due_beacon(now, at_head) {
            self.next_management(now, rules);
        }
    }

    /// True if a category is that of the station's management frames.
    pub(super) const fn is_management(&self, category: usize) -> bool {
        self.has_management && category + 1 == self.contenders.len()
    }
}

#[cfg(test)]
impl Station {
    pub(crate) const fn set_next_sequence(&mut self, next: u16) {
        self.numbers.set_next(next);
    }

    pub(crate) const fn stage(&self) -> Option<super::Stage> {
        self.management.stage()
    }
}
