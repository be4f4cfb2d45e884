//! Management frames: beacons, authentication and association.
//!
//! They have their own queue and contend with the back-off of beacons. The rules of association are in
//! `association.rs`. Source: IEEE 802.11-2012 clauses 8.3.3.5, 8.3.3.6, 8.3.3.11, 10.3.

use airtcp_units::{Nanos, Narrow};

use super::association::{Association, Stage};
use super::exchange::Exchange;
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
        !matches!(
            self.association,
            Some(Association::Member {
                stage: Stage::Seeking | Stage::Authenticating | Stage::Associating,
                ..
            })
        )
    }

    /// True if it may send data to a station: that station is associated, or the cell has no
    /// association.
    pub(crate) fn serves(&self, to: NodeId) -> bool {
        match &self.association {
            Some(Association::AccessPoint(members)) => members.contains(&to),
            _ => true,
        }
    }

    /// True once after the station has become associated.
    pub(crate) const fn take_newly_associated(&mut self) -> bool {
        self.news.take_associated()
    }

    /// Time at which its stage times out.
    pub(super) const fn stage_end(&self) -> Nanos {
        match self.association {
            Some(Association::Member { until, .. }) => until,
            _ => Nanos::NEVER,
        }
    }

    /// Waits for a beacon again if the stage has timed out.
    pub(super) fn expire_stage(&mut self, now: Nanos) {
        if self.stage_end() > now {
            return;
        }
        self.seek();
        self.management_queue.clear();
        if self.exchange == Exchange::None
            && let Some(last) = self.contenders.last_mut()
        {
            last.mpdu = None;
        }
    }

    fn seek(&mut self) {
        if let Some(Association::Member { stage, until, .. }) = &mut self.association {
            (*stage, *until) = (Stage::Seeking, Nanos::NEVER);
        }
    }

    /// Handles a received beacon.
    pub(super) fn on_beacon(&mut self, now: Nanos, from: NodeId, rules: &Rules) {
        let Some(Association::Member { access_point, stage, until, missed, response }) =
            &mut self.association
        else {
            return;
        };
        if from != *access_point {
            return;
        }
        match stage {
            Stage::Associated => *until = now + *missed,
            Stage::Seeking => {
                (*stage, *until) = (Stage::Authenticating, now + *response);
                self.send_management(now, from, Class::Authentication, rules);
            }
            Stage::Authenticating | Stage::Associating => {}
        }
    }

    /// Handles a received management frame addressed to this station.
    pub(super) fn on_management(&mut self, now: Nanos, frame: &Frame, rules: &Rules) {
        let answer = match (&mut self.association, frame.class) {
            (Some(Association::AccessPoint(members)), Class::Authentication) => {
                members.remove(&frame.from);
                Class::Authentication
            }
            (Some(Association::AccessPoint(_)), Class::AssociationRequest) => {
                Class::AssociationResponse
            }
            (Some(Association::Member { stage, until, missed, response, .. }), class) => {
                match (*stage, class) {
                    (Stage::Authenticating, Class::Authentication) => {
                        (*stage, *until) = (Stage::Associating, now + *response);
                        Class::AssociationRequest
                    }
                    (Stage::Associating, Class::AssociationResponse) => {
                        (*stage, *until) = (Stage::Associated, now + *missed);
                        self.news.associate();
                        return;
                    }
                    _ => return,
                }
            }
            _ => return,
        };
        self.send_management(now, frame.from, answer, rules);
    }

    /// Handles the end of the exchange of a management frame.
    pub(super) fn on_management_end(&mut self, mpdu: &Mpdu, acknowledged: bool) {
        match &mut self.association {
            Some(Association::AccessPoint(members)) if mpdu.class == Class::AssociationResponse => {
                members.insert(mpdu.to);
            }
            Some(Association::Member { stage, .. })
                if !acknowledged && *stage != Stage::Associated =>
            {
                self.seek();
            }
            _ => {}
        }
    }

    fn send_management(&mut self, now: Nanos, to: NodeId, class: Class, rules: &Rules) {
        if !self.management_queue.contains(&(to, class)) {
            self.management_queue.push_back((to, class));
        }
        self.next_management(now, rules);
    }

    /// Moves the next management frame to the head if the head is empty.
    pub(super) fn next_management(&mut self, now: Nanos, rules: &Rules) {
        let Some(last) = self.contenders.len().checked_sub(1) else { return };
        if !self.has_management || self.contenders[last].mpdu.is_some() {
            return;
        }
        let Some((to, class)) = self.management_queue.pop_front() else { return };
        let bytes = match self.beacons {
            Some(beacons) if class == Class::Beacon => beacons.bytes,
            _ => length(class, rules.timing.standard),
        };
        let sequence = self.numbers.take();
        let part = Part::whole(bytes, rules);
        let mpdu = Mpdu::new(now, to, class, part, sequence, rules.timing.lowest());
        self.put_at_head(now, last, mpdu, rules);
    }

    /// Queues a due beacon ahead of other management frames, unless the previous one still waits.
    pub(super) fn queue_due_beacon(&mut self, now: Nanos, rules: &Rules) {
        let due = self.beacons.as_mut().is_some_and(|beacons| beacons.take_due(now));
        if !due {
            return;
        }
        let beacon = (NodeId::BROADCAST, Class::Beacon);
        let last = self.contenders.last().and_then(|c| c.mpdu.as_ref());
        if !self.management_queue.contains(&beacon)
            && last.is_none_or(|mpdu| mpdu.class != Class::Beacon)
        {
            self.management_queue.push_front(beacon);
        }
        self.next_management(now, rules);
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

    pub(crate) const fn stage(&self) -> Option<Stage> {
        match self.association {
            Some(Association::Member { stage, .. }) => Some(stage),
            _ => None,
        }
    }
}
