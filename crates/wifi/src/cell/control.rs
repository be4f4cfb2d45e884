//! Controllers of schemes: they adjust the stations of their cell at intervals.

use airtcp_units::Nanos;

use super::medium::Medium;
use crate::node::NodeId;
use crate::scheme::{AifsController, AifsnLimits};

impl Medium {
    /// Lets the controllers whose time has come adjust their stations.
    pub(super) fn control(&mut self, now: Nanos) {
        for (first, controller) in self.agenda.controllers_due(now) {
            let cell = self.cells.number(first);
            let stations =
                (first + 1..self.stations.len()).take_while(|i| self.cells.number(*i) == cell);
            let stations: Vec<usize> = stations.collect();
            let received: Vec<u64> = stations.iter().map(|i| self.books.decoded(*i)).collect();
            controller.adjust(&received);
            let timing = &self.cells.at(cell).rules.timing;
            for (local, station) in stations.into_iter().enumerate() {
                if let Some(aifsn) = controller.aifsn(local)
                    && let Some(hooks) = &mut self.stations[station].hooks
                {
                    hooks.set_ifs(controller.category, timing.aifs(aifsn));
                }
            }
        }
    }

    /// AIFSN that a controller has given a station; `None` without a controller.
    pub fn adjusted_aifsn(&self, station: NodeId) -> Option<u32> {
        let (controller, number) = self.controller(station)?;
        controller.aifsn(number)
    }

    /// How often the bounds of a controller kept a station from a more equal share; `None` without a
    /// controller.
    pub fn aifsn_limits(&self, station: NodeId) -> Option<AifsnLimits> {
        let (controller, number) = self.controller(station)?;
        controller.limits(number)
    }

    /// The controller of a station, and the number of the station there.
    fn controller(&self, station: NodeId) -> Option<(&AifsController, usize)> {
        let (first, controller) = self
            .agenda
            .controllers()
            .find(|(first, _)| self.cells.same(*first, station.index()))?;
        Some((controller, station.index().checked_sub(first + 1)?))
    }
}
