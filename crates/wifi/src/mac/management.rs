//! What a station manages: its beacons, its association, and the management frames that wait.

use std::collections::VecDeque;

use airtcp_units::Nanos;

use super::association::{Association, Stage};
use super::{Beacons, Class, Mpdu};
use crate::node::NodeId;

/// The management of a station; empty without beacons and association.
#[derive(Debug, Default)]
pub(super) struct Management {
    /// An access point's beacons.
    beacons: Option<Beacons>,
    /// State of association; `None` without association.
    association: Option<Association>,
    /// Frames that wait behind the one at the head: destination and class.
    queue: VecDeque<(NodeId, Class)>,
}

/// What a station does about a management frame that it has received.
pub(super) enum Reaction {
    /// It answers with a frame of a class.
    Answer(Class),
    /// It has become associated.
    Associated,
    /// Nothing.
    None,
}

impl Management {
    pub(super) const fn new(beacons: Option<Beacons>, association: Option<Association>) -> Self {
        Self { beacons, association, queue: VecDeque::new() }
    }

    /// True if the station may send data: it is associated, or the cell has no association.
    #[inline]
    pub(super) const fn may_send(&self) -> bool {
        !matches!(
            self.association,
            Some(Association::Member {
                stage: Stage::Seeking | Stage::Authenticating | Stage::Associating,
                ..
            })
        )
    }

    /// True if the station may send data to another: that one is associated, or the cell has no association.
    pub(super) fn serves(&self, to: NodeId) -> bool {
        match &self.association {
            Some(Association::AccessPoint(members)) => members.contains(&to),
            _ => true,
        }
    }

    /// True if the cell has association.
    #[inline]
    pub(super) const fn associates(&self) -> bool {
        self.association.is_some()
    }

    /// When the stage of association times out.
    const fn stage_end(&self) -> Nanos {
        match self.association {
            Some(Association::Member { until, .. }) => until,
            _ => Nanos::NEVER,
        }
    }

    /// When the next beacon is due, or the stage of association times out.
    #[inline]
    pub(super) fn next(&self) -> Nanos {
        self.beacons.map_or(Nanos::NEVER, |beacons| beacons.next).min(self.stage_end())
    }

    /// Waits for a beacon again if the stage has timed out. True if it has.
    pub(super) fn expire_stage(&mut self, now: Nanos) -> bool {
        let expired = self.stage_end() <= now;
        if expired {
            self.seek();
            self.queue.clear();
        }
        expired
    }

    fn seek(&mut self) {
        if let Some(Association::Member { stage, until, .. }) = &mut self.association {
            (*stage, *until) = (Stage::Seeking, Nanos::NEVER);
        }
    }

    /// Handles a received beacon.
    pub(super) fn on_beacon(&mut self, now: Nanos, from: NodeId) -> Reaction {
        let Some(Association::Member { access_point, stage, until, missed, response }) =
            &mut self.association
        else {
            return Reaction::None;
        };
        if from != *access_point {
            return Reaction::None;
        }
        match stage {
            Stage::Associated => *until = now + *missed,
            Stage::Seeking => {
                (*stage, *until) = (Stage::Authenticating, now + *response);
                return Reaction::Answer(Class::Authentication);
            }
            Stage::Authenticating | Stage::Associating => {}
        }
        Reaction::None
    }

    /// Handles a received management frame that is for the station.
    pub(super) fn on_frame(&mut self, now: Nanos, from: NodeId, class: Class) -> Reaction {
        match (&mut self.association, class) {
            (Some(Association::AccessPoint(members)), Class::Authentication) => {
                members.remove(&from);
                Reaction::Answer(Class::Authentication)
            }
            (Some(Association::AccessPoint(_)), Class::AssociationRequest) => {
                Reaction::Answer(Class::AssociationResponse)
            }
            (Some(Association::Member { stage, until, missed, response, .. }), class) => {
                match (*stage, class) {
                    (Stage::Authenticating, Class::Authentication) => {
                        (*stage, *until) = (Stage::Associating, now + *response);
                        Reaction::Answer(Class::AssociationRequest)
                    }
                    (Stage::Associating, Class::AssociationResponse) => {
                        (*stage, *until) = (Stage::Associated, now + *missed);
                        Reaction::Associated
                    }
                    _ => Reaction::None,
                }
            }
            _ => Reaction::None,
        }
    }

    /// Handles the end of the exchange of a management frame.
    pub(super) fn on_end(&mut self, mpdu: &Mpdu, acknowledged: bool) {
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

    /// Queues a frame, unless it waits already.
    pub(super) fn queue(&mut self, to: NodeId, class: Class) {
        if !self.queue.contains(&(to, class)) {
            self.queue.push_back((to, class));
        }
    }

    /// Queues a due beacon ahead of other frames, unless the previous one still waits, here or `at_head`. True if
    /// one is due.
    pub(super) fn queue_due_beacon(&mut self, now: Nanos, at_head: bool) -> bool {
        let due = self.beacons.as_mut().is_some_and(|beacons| beacons.take_due(now));
        let beacon = (NodeId::BROADCAST, Class::Beacon);
        if due && !at_head && !self.queue.contains(&beacon) {
            self.queue.push_front(beacon);
        }
        due
    }

    /// Takes the next frame that waits: destination, class, and bytes of a beacon.
    pub(super) fn take(&mut self) -> Option<(NodeId, Class, Option<u32>)> {
        let (to, class) = self.queue.pop_front()?;
        let beacons = self.beacons.filter(|_| class == Class::Beacon);
        Some((to, class, beacons.map(|beacons| beacons.bytes)))
    }

    /// The stage of association of a member.
    #[cfg(test)]
    pub(super) const fn stage(&self) -> Option<Stage> {
        match self.association {
            Some(Association::Member { stage, .. }) => Some(stage),
            _ => None,
        }
    }
}
