//! Association: a station that is not associated sends nothing, and gets nothing.
//!
//! ```text
//! beacon -> Authentication -> Authentication -> Association Request -> Association Response -> data
//!  (AP)       (station)           (AP)               (station)                 (AP)
//! ```
//! All but the beacon are acknowledged and repeated like data, at the lowest rate, and contend with the
//! back-off of beacons. A station begins when it hears a beacon of its access point; without an answer
//! in time, or after its last attempt, it waits for the next one. It is associated from the response on;
//! its access point takes it to be from the end of the exchange of the response until it authenticates
//! again, and drops packets to others. That holds for a response given up as well: the station may have
//! it, the acknowledgements alone being lost, and would not ask again; if it has not, it will. A station that has not heard a beacon for the time of
//! `missed_beacons` of them is not associated any more; its packets wait.
//! Source: IEEE 802.11-2012 clauses 8.3.3.5, 8.3.3.6, 8.3.3.11, 10.3. Open system authentication; leaves
//! out: scanning, reassociation with another access point, deauthentication, keys. Choices: 10 missed
//! beacons (as ns-3 has it), 102.4 ms for an answer, an SSID of 8 bytes.

use std::collections::{BTreeSet, VecDeque};

use airtcp_probe::ConfigError;
use airtcp_units::{Nanos, Span};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::exchange::Exchange;
use super::{Class, Frame, Mpdu, NodeId, Part, Rules, Station};
use crate::phy::Standard;

/// Bytes of an authentication frame: MAC header, algorithm, number, status, FCS.
const AUTHENTICATION: u32 = 24 + 2 + 2 + 2 + 4;
/// Elements: an SSID of 8 bytes, and rates without their list.
const SSID: u32 = 2 + 8;
const RATES: u32 = 2;

/// The table `association` of medium access.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct AssociationConfig {
    /// Intervals without a beacon after which a station is not associated any more.
    pub missed_beacons: u32,
    /// How long a station waits for each of the two answers.
    pub response_timeout: Span,
}

impl Default for AssociationConfig {
    fn default() -> Self {
        Self { missed_beacons: 10, response_timeout: Span::from_micros(102_400) }
    }
}

impl AssociationConfig {
    /// Checks the numbers, and that there are beacons.
    pub(crate) fn validate(&self, beacons: bool) -> Result<(), ConfigError> {
        if !beacons {
            let message =
                "needs beacons, which tell stations of their access point: set mac.beacons = {}";
            return Err(ConfigError::new("association", message));
        }
        if !(1..=1000).contains(&self.missed_beacons) {
            let message = format!("is {}: accepted are 1 to 1000", self.missed_beacons);
            return Err(ConfigError::new("association.missed_beacons", message));
        }
        if !(Span::from_millis(1)..=Span::from_secs(10)).contains(&self.response_timeout) {
            let message = format!("is {}: accepted are 1 ms to 10 s", self.response_timeout);
            return Err(ConfigError::new("association.response_timeout", message));
        }
        Ok(())
    }
}

/// A station's part, or its access point's.
#[derive(Debug)]
pub(crate) enum Association {
    /// A station.
    Member {
        access_point: NodeId,
        stage: Stage,
        /// When the stage ends without what it waits for.
        until: Nanos,
        /// How long it lasts without a beacon, once associated,
        missed: Span,
        /// and without an answer before.
        response: Span,
    },
    /// An access point, and those associated with it.
    AccessPoint(BTreeSet<NodeId>),
}

/// How far a station has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stage {
    /// It waits for a beacon,
    Seeking,
    /// for the answer to its authentication,
    Authenticating,
    /// for that to its association request,
    Associating,
    /// and for nothing any more.
    Associated,
}

/// Management frames that wait for the one before.
pub(crate) type Waiting = VecDeque<(NodeId, Class)>;

impl Association {
    /// The part of the station `id` of a cell.
    pub(crate) fn new(
        config: &AssociationConfig,
        interval: Span,
        id: NodeId,
        access_point: NodeId,
    ) -> Self {
        if id == access_point {
            return Self::AccessPoint(BTreeSet::new());
        }
        Self::Member {
            access_point,
            stage: Stage::Seeking,
            until: Nanos::NEVER,
            missed: Span(interval.0 * u64::from(config.missed_beacons)),
            response: config.response_timeout,
        }
    }
}

/// Length of a management frame with MAC header and FCS.
fn length(class: Class, standard: Standard) -> u32 {
    let rates = RATES + standard.modes().count().min(8) as u32;
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
