//! Multi-user accesses in a medium: the world names the queued packets, fills the A-MPDUs, and the frames follow.

use airtcp_probe::{PoolCx, Probe};
use airtcp_units::{Nanos, Narrow};

use crate::cell::clock::Clocked;
use crate::cell::medium::Medium;
use crate::mac::{Frame, data_bytes};
use crate::node::NodeId;
use crate::phy::Mode;

impl Medium {
    /// The station of number `place` of this instant that waits for packets. `None` beyond the last one.
    pub fn preparing(&self, place: usize) -> Option<NodeId> {
        self.outbox.filling(place)
    }

    /// The access of number `place` of this instant that [`Self::plan`] is to plan: its access point and category.
    pub fn planning(&self, place: usize) -> Option<(NodeId, usize)> {
        let station = self.outbox.filling(place)?;
        Some((station, self.stations[station.index()].planning()?))
    }

    /// Plans the access of an access point. `queued` are the stations with packets in the queue of its category.
    pub fn plan<P: Probe>(
        &mut self,
        now: Nanos,
        station: NodeId,
        queued: &[NodeId],
        cx: &mut PoolCx<'_, P>,
    ) {
        let now = self.at_call(now);
        let mut probe = Clocked::new(cx.probe, self.clock);
        let cx = &mut PoolCx::new(&mut probe, cx.pool, cx.source);
        let i = station.index();
        let Some(category) = self.stations[i].planning() else { return };
        let reporting = self.stations[i].reporting(category).into_iter();
        let mode = |from: NodeId| -> Option<(NodeId, Mode)> {
            Some((from, self.stations[from.index()].mode_if_triggered(now, category)?))
        };
        let uplink: Vec<_> = reporting.filter_map(mode).collect();
        let rules = &self.cells.of(i).rules;
        self.stations[i].plan(now, queued, &uplink, rules);
        // MPDUs that waited may have expired.
        self.settle(now, i, cx);
    }

    /// The station of number `place` of this instant whose data frame reports its queue, and the category.
    pub fn reporting(&self, place: usize) -> Option<(NodeId, usize)> {
        let station = self.outbox.filling(place)?;
        let sender = &self.stations[station.index()];
        sender.reports().then(|| (station, sender.active_category()))
    }

    /// Takes the queue of a station that reports it: packets, and the bytes of their IP packets.
    pub fn set_queued(&mut self, station: NodeId, category: usize, (packets, bytes): (u32, u64)) {
        let rules = &self.cells.of(station.index()).rules;
        // Delimiter, and on average two bytes of padding.
        let each = data_bytes(0, rules.has_qos_control()) + 4 + 2;
        let total = bytes + u64::from(packets) * u64::from(each);
        self.stations[station.index()].set_queued(category, total);
    }

    /// Nothing more joins the A-MPDU that [`Self::filling`] names: its receiver has no packet that fits.
    pub fn close_filling(&mut self, station: NodeId) {
        self.stations[station.index()].close_mu_room();
    }

    /// Replaces the frame in whose place a station waited for packets, or removes it.
    pub(in crate::cell) fn replace(
        &mut self,
        now: Nanos,
        station: NodeId,
        composed: Option<Frame>,
    ) {
        if !self.air.replace(station, composed) {
            return;
        }
        // The station behaves as if the medium had been busy for an instant.
        let i = station.index();
        if !self.radios[i].is_busy() {
            self.stations[i].on_idle(now);
        }
        self.refresh(u32::narrow(i));
        self.outbox.ready_again(station);
    }
}
