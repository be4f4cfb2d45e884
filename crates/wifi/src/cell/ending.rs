//! What became of the transmission that ends now.

use std::collections::VecDeque;

use crate::node::NodeId;

/// Results of the transmissions that end at this instant, so far.
#[derive(Debug, Default)]
pub(super) struct Ending {
    /// True if its receiver decoded the transmission that is handled now.
    decoded: bool,
    /// Power of the interferer that prevented its receiver from decoding it.
    blamed: Option<f64>,
    /// By MPDU of it, whether its receiver decoded it.
    mpdus: Vec<bool>,
    /// Stations that the Multi-STA BlockAck which ends now acknowledges.
    acknowledged: Vec<NodeId>,
    /// Access points whose groups of HE TB PPDUs end now.
    groups: VecDeque<u32>,
}

impl Ending {
    /// The receiver has decoded the transmission, or part of it.
    #[inline]
    pub(super) const fn decode(&mut self) {
        self.decoded = true;
    }

    /// True if the receiver has decoded it.
    #[inline]
    pub(super) const fn is_decoded(&self) -> bool {
        self.decoded
    }

    /// An interferer of this power disturbed the transmission at its receiver, if any did.
    #[inline]
    pub(super) const fn blame(&mut self, power: Option<f64>) {
        self.blamed = power;
    }

    /// Power of the interferer that disturbed it.
    pub(super) const fn blamed(&self) -> Option<f64> {
        self.blamed
    }

    /// Takes whether the receiver decoded the transmission, and the interferer that disturbed it.
    #[inline]
    pub(super) const fn take(&mut self) -> (bool, Option<f64>) {
        (std::mem::replace(&mut self.decoded, false), self.blamed.take())
    }

    /// Lends what is known of its MPDUs, for another radio to add what it decoded.
    pub(super) fn lend_mpdus(&mut self) -> Vec<bool> {
        std::mem::take(&mut self.mpdus)
    }

    /// By MPDU, whether the receiver decoded it.
    pub(super) fn judge_mpdus(&mut self, decoded: Vec<bool>) {
        self.mpdus = decoded;
    }

    /// By MPDU, whether the receiver decoded it; empty if it decoded none.
    pub(super) fn mpdus(&self) -> &[bool] {
        &self.mpdus
    }

    /// The transmission has been counted.
    #[inline]
    pub(super) fn forget_mpdus(&mut self) {
        self.mpdus.clear();
    }

    /// A Multi-STA BlockAck acknowledges these stations.
    pub(super) fn acknowledge(&mut self, stations: impl Iterator<Item = NodeId>) {
        self.acknowledged.clear();
        self.acknowledged.extend(stations);
    }

    /// True if the Multi-STA BlockAck acknowledges a station.
    pub(super) fn is_acknowledged(&self, station: NodeId) -> bool {
        self.acknowledged.contains(&station)
    }

    /// A member of the group of an access point ends.
    pub(super) fn end_member(&mut self, access_point: u32) {
        if !self.groups.contains(&access_point) {
            self.groups.push_back(access_point);
        }
    }

    /// The next access point whose group has ended.
    #[inline]
    pub(super) fn take_group(&mut self) -> Option<u32> {
        self.groups.pop_front()
    }
}
