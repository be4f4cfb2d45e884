//! MPDUs of several receivers in one category of a station.
//!
//! A category has the MPDUs of one receiver at its head (`originator.rs`). Those of other receivers are parked here, by
//! receiver and in the order of their sequence numbers: with multi-user operation, so that one access can serve several
//! receivers, and behind a queue that orders what is repeated (`repeats.rs`), so that the next access can serve
//! another one.

use std::collections::VecDeque;

use super::Mpdu;
use super::series::Series;
use crate::node::NodeId;

/// MPDUs of one receiver in one category.
#[derive(Debug)]
struct ReceiverLane {
    category: usize,
    to: NodeId,
    mpdus: VecDeque<Mpdu>,
    /// Attempts for rate control.
    series: Series,
}

/// The parked MPDUs of a station.
#[derive(Debug, Default)]
pub(super) struct ReceiverLanes {
    lanes: Vec<ReceiverLane>,
}

impl ReceiverLanes {
    /// The MPDUs of a receiver in a category.
    pub(super) fn get(&self, category: usize, to: NodeId) -> Option<&VecDeque<Mpdu>> {
        let lane = self.lanes.iter().find(|lane| (lane.category, lane.to) == (category, to))?;
        Some(&lane.mpdus)
    }

    fn lane(&mut self, category: usize, to: NodeId) -> &mut ReceiverLane {
        let found = self.lanes.iter().position(|lane| (lane.category, lane.to) == (category, to));
        let place = found.unwrap_or_else(|| {
            let (mpdus, series) = (VecDeque::new(), Series::default());
            self.lanes.push(ReceiverLane { category, to, mpdus, series });
            self.lanes.len() - 1
        });
        &mut self.lanes[place]
    }

    /// The MPDUs of a receiver in a category, to change.
    pub(super) fn of(&mut self, category: usize, to: NodeId) -> &mut VecDeque<Mpdu> {
        &mut self.lane(category, to).mpdus
    }

    /// The attempts towards a receiver in a category.
    pub(super) fn series(&self, category: usize, to: NodeId) -> Series {
        let lane = self.lanes.iter().find(|lane| (lane.category, lane.to) == (category, to));
        lane.map_or_else(Series::default, |lane| lane.series)
    }

    /// The attempts towards a receiver in a category, to change.
    pub(super) fn series_mut(&mut self, category: usize, to: NodeId) -> &mut Series {
        &mut self.lane(category, to).series
    }

    /// Takes all MPDUs of a receiver in a category.
    pub(super) fn take(&mut self, category: usize, to: NodeId) -> VecDeque<Mpdu> {
        std::mem::take(self.of(category, to))
    }

    /// Receivers with MPDUs in a category.
    pub(super) fn receivers(&self, category: usize) -> impl Iterator<Item = NodeId> {
        let lanes = self.lanes.iter();
        lanes.filter(move |l| l.category == category && !l.mpdus.is_empty()).map(|l| l.to)
    }

    /// True if a category has MPDUs.
    pub(super) fn has(&self, category: usize) -> bool {
        self.receivers(category).next().is_some()
    }

    /// Packets in all lanes that their receivers do not have.
    pub(super) fn packets(&self) -> u64 {
        let mpdus = self.lanes.iter().flat_map(|lane| &lane.mpdus);
        mpdus.filter(|mpdu| mpdu.packet.is_some()).count() as u64
    }

    /// Removes the MPDUs of a category that are too old for another attempt.
    pub(super) fn take_expired(
        &mut self,
        category: usize,
        expired: impl Fn(&Mpdu) -> bool,
    ) -> Vec<Mpdu> {
        let mut out = Vec::new();
        for lane in self.lanes.iter_mut().filter(|lane| lane.category == category) {
            lane.mpdus.retain(|mpdu| {
                let old = expired(mpdu);
                if old {
                    out.push(*mpdu);
                }
                !old
            });
        }
        out
    }
}
