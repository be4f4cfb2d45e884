//! MPDUs to repeat behind a queue that decides which receiver is next (`mac/repeats.rs`), as the world sees them.

use airtcp_probe::{PoolCx, Probe};
use airtcp_units::Nanos;

use super::clock::Clocked;
use super::medium::Medium;
use crate::node::NodeId;

impl Medium {
    /// Lets the MPDUs that a station has to repeat wait until [`Self::take_turn`] gives their receiver a turn. False if the
    /// station cannot. [`ExchangeAirtime::repeats`](super::ExchangeAirtime) tells of them.
    pub fn park_repeats(&mut self, station: NodeId) -> bool {
        self.stations[station.index()].park_repeats()
    }

    /// Receivers for which MPDUs of a station's category wait for a turn.
    pub fn parked(&self, station: NodeId, category: usize) -> impl Iterator<Item = NodeId> {
        self.stations[station.index()].parked(category)
    }

    /// It is the turn of a receiver whose MPDUs wait in a category that is ready: they come to its head.
    pub fn take_turn<P: Probe>(
        &mut self,
        now: Nanos,
        (station, category): (NodeId, usize),
        to: NodeId,
        cx: &mut PoolCx<'_, P>,
    ) {
        let now = self.at_call(now);
        let mut probe = Clocked::new(cx.probe, self.clock);
        let cx = &mut PoolCx::new(&mut probe, cx.pool, cx.source);
        self.leave_if_shared(station);
        self.report_finished_backoff(now, station, category, cx);
        let rules = &self.cells.of(station.index()).rules;
        let sender = &mut self.stations[station.index()];
        if !sender.take_turn(now, category, to, rules) {
            return;
        }
        let flow = sender.head(category).map(|head| head.flow);
        if let Some(flow) = flow.filter(|flow| *flow != u32::MAX) {
            self.books.on_head(station, category, flow);
        }
        self.refresh(station.0);
    }
}
