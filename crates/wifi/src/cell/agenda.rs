//! When the stations, the controllers and the reorder buffers of a medium act next.

use airtcp_units::Nanos;

use crate::scheme::AifsController;

/// The next timers of a medium.
#[derive(Debug)]
pub(super) struct Agenda {
    /// By station; never for a station that shares a view.
    stations: Vec<Nanos>,
    /// When reorder buffers may hand over packets.
    reorder: Nanos,
    /// Controllers of schemes, each with the number of its cell's first station.
    controllers: Vec<(usize, AifsController)>,
    /// The earliest of all, unless `stale`.
    next: Nanos,
    stale: bool,
}

impl Agenda {
    /// Nothing to do for these stations yet.
    pub(super) fn new(stations: usize) -> Self {
        Self {
            stations: vec![Nanos::NEVER; stations],
            reorder: Nanos::NEVER,
            controllers: Vec::new(),
            next: Nanos::NEVER,
            stale: false,
        }
    }

    /// Adds the controllers of the cell whose first station is `first`.
    pub(super) fn add(&mut self, first: usize, controllers: Vec<AifsController>) {
        self.stale |= !controllers.is_empty();
        self.controllers.extend(controllers.into_iter().map(|controller| (first, controller)));
    }

    /// A station acts next at `at`.
    #[inline]
    pub(super) fn set(&mut self, station: usize, at: Nanos) {
        if self.stations[station] != at {
            self.stations[station] = at;
            self.stale = true;
        }
    }

    /// True if a station acts by `now`.
    #[inline]
    pub(super) fn is_due(&self, station: usize, now: Nanos) -> bool {
        self.stations[station] <= now
    }

    /// When a station acts next.
    #[cfg(test)]
    pub(super) fn of(&self, station: usize) -> Nanos {
        self.stations[station]
    }

    /// Reorder buffers may hand over packets at `at`.
    pub(super) fn set_reorder(&mut self, at: Nanos) {
        if self.reorder != at {
            self.reorder = at;
            self.stale = true;
        }
    }

    /// True if a controller acts by `now`.
    #[inline]
    pub(super) fn is_controlled(&self, now: Nanos) -> bool {
        self.controllers.iter().any(|(_, controller)| controller.next <= now)
    }

    /// The controllers that act by `now`, each with the number of its cell's first station. Each must take a later
    /// time.
    pub(super) fn controllers_due(
        &mut self,
        now: Nanos,
    ) -> impl Iterator<Item = (usize, &mut AifsController)> {
        self.stale = true;
        let due = self.controllers.iter_mut().filter(move |(_, controller)| controller.next <= now);
        due.map(|(first, controller)| (*first, controller))
    }

    /// The controllers, each with the number of its cell's first station.
    pub(super) fn controllers(&self) -> impl Iterator<Item = &(usize, AifsController)> {
        self.controllers.iter()
    }

    /// When the first of the stations in `apart`, the controllers and the reorder buffers acts.
    #[inline]
    pub(super) fn next(&mut self, apart: &[u32]) -> Nanos {
        if self.stale {
            self.stale = false;
            let stations = apart.iter().map(|station| self.stations[*station as usize]);
            let controllers = self.controllers.iter().map(|(_, controller)| controller.next);
            self.next = stations.chain(controllers).fold(self.reorder, Nanos::min);
        }
        self.next
    }
}
