//! The origin of each loss: the queue, the link, or unknown.

use airtcp_units::Saturate as _;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::levels::{Levels, Seen, episodes};
use super::transmissions::Fate;

/// What lost a packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LossOrigin {
    /// The queue was full.
    Queue,
    /// The link.
    Link,
    /// The capture does not tell.
    Unknown,
}

/// A lost packet.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LostPacket {
    /// When it was sent, in s since 1970-01-01.
    pub time_s: f64,
    /// What lost it.
    pub origin: LossOrigin,
    /// Packets that waited at the bottleneck when it came to the queue.
    pub backlog_packets: u64,
}

/// Part of the transmissions that may have found more than the largest backlog.
const OUTLIERS: f64 = 5e-4;
/// Relative distance from the largest backlog within which a loss may be the queue's.
const NEAR: f64 = 0.06;

/// The losses, by what the backlog says of each.
pub(super) struct Losses<'a> {
    seen: &'a Seen<'a>,
    early: &'a [u64],
    levels: &'a Levels,
    /// True if the queue drops early: then what found a queue is not the link's.
    is_aqm: bool,
    /// Places of the lost transmissions.
    pub(super) lost: Vec<usize>,
}

impl<'a> Losses<'a> {
    pub(super) fn new(
        seen: &'a Seen<'a>,
        early: &'a [u64],
        levels: &'a Levels,
        is_aqm: bool,
    ) -> Self {
        let list = &seen.sent.list;
        let lost = (0..list.len()).filter(|place| list[*place].fate == Fate::Lost).collect();
        Self { seen, early, levels, is_aqm, lost }
    }

    /// Transmissions that the link could lose.
    pub(super) fn exposed(&self) -> u64 {
        let list = &self.seen.sent.list;
        let known = |place: &usize| matches!(list[*place].fate, Fate::Delivered | Fate::Lost);
        (0..list.len()).filter(known).filter(|place| self.is_exposed(*place)).count() as u64
    }

    /// Groups of drops of the queue.
    pub(super) fn episodes(&self) -> u64 {
        let drops = self.lost.iter().filter(|place| !self.is_below(**place));
        episodes(self.seen.sent, &drops.copied().collect::<Vec<usize>>()) as u64
    }

    fn is_below(&self, place: usize) -> bool {
        self.levels.below.is_none_or(|below| self.seen.backlog[place] < below)
    }

    /// True if the link alone could lose a transmission.
    fn is_exposed(&self, place: usize) -> bool {
        self.is_below(place) && !(self.is_aqm && self.early[place] > 0)
    }

    /// Losses that the queue did not cause.
    pub(super) fn of_link(&self) -> Vec<usize> {
        self.lost.iter().filter(|place| self.is_exposed(**place)).copied().collect()
    }

    /// The largest backlog of packets that were not dropped, without outliers.
    pub(super) fn largest(&self) -> u64 {
        let list = &self.seen.sent.list;
        let accepted = |place: &usize| {
            let packet = &list[*place];
            packet.fate == Fate::Delivered && !packet.is_late && !self.seen.in_stall[*place]
        };
        let mut backlogs: Vec<u64> =
            (0..list.len()).filter(accepted).map(|place| self.seen.backlog[place]).collect();
        backlogs.sort_unstable();
        let outliers = usize::saturate(OUTLIERS * list.len() as f64).max(1);
        backlogs.len().checked_sub(outliers).map_or(0, |place| backlogs[place])
    }

    pub(super) fn origins(&self, is_other: bool) -> Vec<LostPacket> {
        let largest = self.largest() as f64;
        let edge = (largest - (NEAR * largest).max(2.0)).max(4.0);
        let origin = |place: usize| {
            if is_other {
                LossOrigin::Unknown
            } else if !self.is_exposed(place) {
                LossOrigin::Queue
            } else if !self.is_aqm
                && self.levels.found.is_empty()
                && self.seen.backlog[place] as f64 >= edge
            {
                // Nothing was accepted above: the queue may have been full.
                LossOrigin::Unknown
            } else {
                LossOrigin::Link
            }
        };
        let sent = self.seen.sent;
        let lost = |place: &usize| LostPacket {
            time_s: sent.origin_ns as f64 / 1e9 + sent.list[*place].sent_s,
            origin: origin(*place),
            backlog_packets: self.seen.backlog[*place],
        };
        self.lost.iter().map(lost).collect()
    }
}

/// Runs of neighbours.
pub(super) fn bursts(places: &[usize]) -> u64 {
    let begins = places.windows(2).filter(|pair| pair[1] != pair[0] + 1).count();
    begins as u64 + u64::from(!places.is_empty())
}
