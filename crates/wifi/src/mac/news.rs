//! What a station has to tell its medium.

use super::exchange::Finished;
use crate::node::NodeId;

/// What the medium has not taken yet.
#[derive(Debug, Default)]
pub(super) struct News {
    finished: Vec<Finished>,
    /// True if the head of a category has become empty, or a multi-user exchange has ended: the category may be ready
    /// although no packet has finished, for instance after a BlockAckReq.
    vacated: bool,
    /// Receivers, by category, whose MPDUs wait for another turn.
    parked: Vec<(usize, NodeId)>,
    newly_associated: bool,
}

impl News {
    /// The station is done with a packet.
    #[inline]
    pub(super) fn finish(&mut self, packet: Finished) {
        self.finished.push(packet);
    }

    /// A category may be ready without a finished packet.
    #[inline]
    pub(super) const fn vacate(&mut self) {
        self.vacated = true;
    }

    /// MPDUs of a category wait until their receiver has another turn.
    pub(super) fn park(&mut self, category: usize, to: NodeId) {
        self.parked.push((category, to));
        self.vacated = true;
    }

    /// Takes the latest category and receiver whose MPDUs wait for another turn.
    #[inline]
    pub(super) fn take_parked(&mut self) -> Option<(usize, NodeId)> {
        self.parked.pop()
    }

    /// The station has become associated.
    pub(super) const fn associate(&mut self) {
        self.newly_associated = true;
    }

    /// True if finished packets wait to be taken, or a category may have become ready without one.
    #[inline]
    pub(super) const fn is_any(&self) -> bool {
        !self.finished.is_empty() || self.vacated
    }

    /// Takes the latest finished packet.
    #[inline]
    pub(super) fn take_finished(&mut self) -> Option<Finished> {
        self.finished.pop()
    }

    /// True, once, if a category may have become ready without a finished packet.
    #[inline]
    pub(super) const fn take_vacated(&mut self) -> bool {
        std::mem::replace(&mut self.vacated, false)
    }

    /// True, once, after the station has become associated.
    pub(super) const fn take_associated(&mut self) -> bool {
        std::mem::replace(&mut self.newly_associated, false)
    }
}
