//! MPDUs to repeat behind a queue that decides which receiver is next.
//!
//! ```text
//! end of an exchange    what it leaves is parked, and the queue learns that its receiver has MPDUs to repeat
//! turn of the receiver  its MPDUs come to the head, and new packets fill the aggregate behind them
//! ```
//! Otherwise the MPDUs of a receiver keep the head of their category until all have arrived. New packets for the same
//! receiver join them meanwhile, so that a receiver with losses would keep the access, whatever its share.
//!
//! A BlockAckReq goes without a turn, and so does what an internal collision defers: it has not been sent. Frames
//! outside sessions keep the head for the attempts of one packet. The back-off and its window are those of the
//! category and do not change. Not with multi-user operation, which orders the receivers itself.
//!
//! Source: Linux ath9k (`retry_q` of a TID, which the scheduler serves: `ath_tid_has_buffered`, `ath_tid_dequeue`);
//! T. Hoeiland-Joergensen et al., "Ending the Anomaly", USENIX ATC 2017, section 3.

use airtcp_units::Nanos;

use super::receiver_lanes::ReceiverLanes;
use super::{Mpdu, MultiUser, Rules, Station};
use crate::node::NodeId;

impl Station {
    /// Lets MPDUs wait for the turns of their receivers from now on. False if the station cannot.
    pub(crate) fn park_repeats(&mut self) -> bool {
        let Some(originator) = &mut self.originator else { return false };
        let can = matches!(self.multi_user, MultiUser::Off) && !originator.rules.is_single();
        if can {
            originator.parked = Some(ReceiverLanes::default());
        }
        can
    }

    /// Parks the MPDUs of a category whose exchange has ended.
    pub(super) fn park_for_turn(&mut self, category: usize) {
        let Some(originator) = &mut self.originator else { return };
        let (Some(parked), Some(lane)) =
            (&mut originator.parked, originator.lanes.get_mut(category))
        else {
            return;
        };
        let Some(head) = self.contenders[category].mpdu.take_if(|mpdu: &mut Mpdu| !mpdu.is_bar())
        else {
            return;
        };
        lane.on_air = 0;
        let waiting = std::mem::take(&mut lane.waiting);
        *parked.series_mut(category, head.to) = std::mem::take(&mut lane.series);
        parked.of(category, head.to).extend(std::iter::once(head).chain(waiting));
        self.news.park(category, head.to);
    }

    /// Moves the parked MPDUs of a receiver, whose turn it is, to the empty head of a category. False without any.
    pub(crate) fn take_turn(
        &mut self,
        now: Nanos,
        category: usize,
        to: NodeId,
        rules: &Rules,
    ) -> bool {
        let Some(originator) = &mut self.originator else { return false };
        let (Some(parked), Some(lane)) =
            (&mut originator.parked, originator.lanes.get_mut(category))
        else {
            return false;
        };
        let mut mpdus = parked.take(category, to);
        let Some(head) = mpdus.pop_front() else { return false };
        lane.on_air = 0;
        lane.waiting = mpdus;
        lane.series = std::mem::take(parked.series_mut(category, to));
        self.put_at_head(now, category, head, rules);
        true
    }

    /// Receivers with parked MPDUs in a category.
    pub(crate) fn parked(&self, category: usize) -> impl Iterator<Item = NodeId> {
        let parked = self.originator.iter().filter_map(|originator| originator.parked.as_ref());
        parked.flat_map(move |lanes| lanes.receivers(category))
    }
}
