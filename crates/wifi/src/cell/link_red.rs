//! Link RED (`mac/link_red.rs`) at the stations of a medium.

use airtcp_packet::{Ecn, PacketId};
use airtcp_probe::{DropReason, Event, PoolCx, Probe};
use airtcp_units::Nanos;

use super::medium::Medium;
use crate::mac::LinkRedCounts;
use crate::node::NodeId;

impl Medium {
    /// Lets Link RED act on the packet that comes to the head of a station: a mark if the packet is
    /// ECN-capable, else a drop. True if it dropped the packet.
    #[inline(never)]
    pub(super) fn drops_early<P: Probe>(
        &mut self,
        now: Nanos,
        station: NodeId,
        packet: PacketId,
        cx: &mut PoolCx<'_, P>,
    ) -> bool {
        let hooks = self.stations[station.index()].hooks.as_mut();
        let Some(red) = hooks.and_then(|hooks| hooks.link_red.as_mut()) else { return false };
        if !red.signals() {
            return false;
        }
        let segment = &mut cx.pool.get_mut(packet).segment;
        if segment.ecn.is_capable() {
            segment.ecn = Ecn::Ce;
            red.counts.marked += 1;
            cx.record(now, || Event::Marked { packet });
            return false;
        }
        red.counts.dropped += 1;
        cx.discard(now, packet, DropReason::QueueEarly, station.0);
        true
    }

    /// Packets on which Link RED acted at a station since the start; `None` without Link RED.
    pub fn link_red_counts(&self, station: NodeId) -> Option<LinkRedCounts> {
        Some(self.stations[station.index()].hooks.as_ref()?.link_red.as_ref()?.counts)
    }
}
