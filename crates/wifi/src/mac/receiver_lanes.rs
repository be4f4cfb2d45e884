//! MPDUs of several receivers in one category of an access point.
//!
//! Without multi-user operation a category holds the MPDUs of one receiver at a time (`originator.rs`). With it, those
//! that wait are parked here, by receiver and in the order of their sequence numbers, so that one access can serve
//! several receivers, and the next access others.

use std::collections::VecDeque;

use crate::mac::Mpdu;
use crate::mac::series::Series;
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

/// The parked MPDUs of an access point.
#[derive(Debug, Default)]
pub(in crate::mac) struct ReceiverLanes {
    lanes: Vec<ReceiverLane>,
}

impl ReceiverLanes {
    /// The MPDUs of a receiver in a category.
    pub(in crate::mac) fn get(&self, category: usize, to: NodeId) -> Option<&VecDeque<Mpdu>> {
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
    pub(in crate::mac) fn of(&mut self, category: usize, to: NodeId) -> &mut VecDeque<Mpdu> {
        &mut self.lane(category, to).mpdus
    }

    /// The attempts towards a receiver in a category.
    pub(in crate::mac) fn series(&self, category: usize, to: NodeId) -> Series {
        let lane = self.lanes.iter().find(|lane| (lane.category, lane.to) == (category, to));
        lane.map_or_else(Series::default, |lane| lane.series)
    }

    /// The attempts towards a receiver in a category, to change.
    pub(in crate::mac) fn series_mut(&mut self, category: usize, to: NodeId) -> &mut Series {
        &mut self.lane(category, to).series
    }

    /// Takes all MPDUs of a receiver in a category.
    pub(in crate::mac) fn take(&mut self, category: usize, to: NodeId) -> VecDeque<Mpdu> {
        std::mem::take(self.of(category, to))
    }

    /// Receivers with MPDUs in a category.
    pub(in crate::mac) fn receivers(&self, category: usize) -> impl Iterator<Item = NodeId> {
        let lanes = self.lanes.iter();
        lanes.filter(move |l| l.category == category && !l.mpdus.is_empty()).map(|l| l.to)
    }

    /// True if a category has MPDUs.
    pub(in crate::mac) fn has(&self, category: usize) -> bool {
        self.receivers(category).next().is_some()
    }

    /// Packets in all lanes that their receivers do not have.
    pub(in crate::mac) fn packets(&self) -> u64 {
        let mpdus = self.lanes.iter().flat_map(|lane| &lane.mpdus);
        mpdus.filter(|mpdu| mpdu.packet.is_some()).count() as u64
    }

    /// Removes the MPDUs of a category that are too old for another attempt.
    pub(in crate::mac) fn take_expired(
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
