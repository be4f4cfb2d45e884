//! Management frames: a station's beacons, and what it sends and gets to associate.
//!
//! They wait in a row of their own and contend with the back-off of beacons. Source: IEEE 802.11-2012
//! clauses 8.3.3.5, 8.3.3.6, 8.3.3.11, 10.3; what association does is in `association.rs`.

use airtcp_units::{Nanos, Narrow};

use super::association::{Association, Stage};
use super::exchange::Exchange;
use super::{Class, Frame, Mpdu, NodeId, Part, Rules, Station};
use crate::phy::Standard;

/// Bytes of an authentication frame: MAC header, algorithm, number, status, FCS.
const AUTHENTICATION: u32 = 24 + 2 + 2 + 2 + 4;
/// Elements: an SSID of 8 bytes, and rates without their list.
const SSID: u32 = 2 + 8;
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
    /// Whether it may send data: it is associated, or need not be.
    pub(crate) const fn may_send(&self) -> bool {
        !matches!(
            self.association,
            Some(Association::Member {
                stage: Stage::Seeking | Stage::Authenticating | Stage::Associating,
                ..
            })
        )
    }

    /// Whether packets to a station can be sent: it is associated here, or need not be.
    pub(crate) fn serves(&self, to: NodeId) -> bool {
        match &self.association {
            Some(Association::AccessPoint(members)) => members.contains(&to),
            _ => true,
        }
    }

    /// Whether it has just become associated.
    pub(crate) const fn take_joined(&mut self) -> bool {
        std::mem::replace(&mut self.joined, false)
    }

    /// When its stage ends.
    pub(super) const fn stage_end(&self) -> Nanos {
        match self.association {
            Some(Association::Member { until, .. }) => until,
            _ => Nanos::NEVER,
        }
    }

    /// Nothing has come in time: it waits for a beacon again.
    pub(super) fn stage_over(&mut self, now: Nanos) {
        if self.stage_end() > now {
            return;
        }
        self.seek();
        self.waiting.clear();
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

    /// A beacon has been heard.
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

    /// A management frame for it has been received.
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
                        self.joined = true;
                        return;
                    }
                    _ => return,
                }
            }
            _ => return,
        };
        self.send_management(now, frame.from, answer, rules);
    }

    /// The exchange of a management frame has ended.
    pub(super) fn management_done(&mut self, mpdu: &Mpdu, acknowledged: bool) {
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
        if !self.waiting.contains(&(to, class)) {
            self.waiting.push_back((to, class));
        }
        self.next_management(now, rules);
    }

    /// The next management frame that waits begins to contend, if none does.
    pub(super) fn next_management(&mut self, now: Nanos, rules: &Rules) {
        let Some(last) = self.contenders.len().checked_sub(1) else { return };
        if !self.manages || self.contenders[last].mpdu.is_some() {
            return;
        }
        let Some((to, class)) = self.waiting.pop_front() else { return };
        let bytes = match self.beacons {
            Some(beacons) if class == Class::Beacon => beacons.bytes,
            _ => length(class, rules.timing.standard),
        };
        let sequence = self.next_sequence;
        self.next_sequence = (sequence + 1) % 4096;
        let part = Part::whole(bytes, rules);
        let mpdu = Mpdu::new(now, to, class, part, sequence, rules.timing.lowest());
        self.put(now, last, mpdu, rules);
    }

    /// A beacon that is due goes before other management frames, unless the one before still waits.
    pub(super) fn announce_due(&mut self, now: Nanos, rules: &Rules) {
        let due = self.beacons.as_mut().is_some_and(|beacons| beacons.take_due(now));
        if !due {
            return;
        }
        let beacon = (NodeId::BROADCAST, Class::Beacon);
        let last = self.contenders.last().and_then(|c| c.mpdu.as_ref());
        if !self.waiting.contains(&beacon) && last.is_none_or(|mpdu| mpdu.class != Class::Beacon) {
            self.waiting.push_front(beacon);
        }
        self.next_management(now, rules);
    }

    /// Whether that is the back-off of its management frames.
    pub(super) const fn is_management(&self, category: usize) -> bool {
        self.manages && category + 1 == self.contenders.len()
    }
}

#[cfg(test)]
impl Station {
    pub(crate) const fn set_next_sequence(&mut self, next: u16) {
        self.next_sequence = next;
    }

    pub(crate) const fn stage(&self) -> Option<Stage> {
        match self.association {
            Some(Association::Member { stage, .. }) => Some(stage),
            _ => None,
        }
    }
}
