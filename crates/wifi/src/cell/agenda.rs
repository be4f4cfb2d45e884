//! When the stations, the controllers and the reorder buffers of a medium act next.
//!
//! An event changes a station several times. The station's time is computed when it is asked for, once after all
//! changes, and not at all if the station joins the shared view before.

use airtcp_units::Nanos;

use crate::scheme::AifsController;

/// The next timers of a medium.
#[derive(Debug)]
pub(super) struct Agenda {
    /// By station; never for a station that shares a view.
    stations: Vec<Timer>,
    /// When reorder buffers may hand over packets.
    reorder: Nanos,
    /// Controllers of schemes, each with the number of its cell's first station.
    controllers: Vec<(usize, AifsController)>,
    /// The earliest of all, unless `stale`.
    next: Nanos,
    stale: bool,
}

/// When a station acts next.
#[derive(Debug, Clone, Copy)]
struct Timer {
    at: Nanos,
    /// True if the station has changed since this was computed.
    changed: bool,
}

impl Agenda {
    /// Nothing to do for these stations yet.
    pub(super) fn new(stations: usize) -> Self {
        Self {
            stations: vec![Timer { at: Nanos::NEVER, changed: false }; stations],
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

    /// A station has changed, and may act at another time.
    #[inline]
    pub(super) fn change(&mut self, station: usize) {
        self.stations[station].changed = true;
        self.stale = true;
    }

    /// A station does not act, until it changes.
    #[inline]
    pub(super) fn rest(&mut self, station: usize) {
        self.stations[station] = Timer { at: Nanos::NEVER, changed: false };
        self.stale = true;
    }

    /// When a station acts next; `timer` computes it.
    #[inline]
    pub(super) fn of(&mut self, station: usize, timer: impl FnOnce(usize) -> Nanos) -> Nanos {
        let own = &mut self.stations[station];
        if own.changed {
            *own = Timer { at: timer(station), changed: false };
        }
        own.at
    }

    /// Reorder buffers may hand over packets at `at`.
    #[inline]
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
    #[inline]
    pub(super) fn controllers(&self) -> impl Iterator<Item = &(usize, AifsController)> {
        self.controllers.iter()
    }

    /// When the first of the stations in `apart`, the controllers and the reorder buffers acts. `timer` computes when a
    /// station does.
    #[inline]
    pub(super) fn next(&mut self, apart: &[u32], timer: impl Fn(usize) -> Nanos) -> Nanos {
        if self.stale {
            self.stale = false;
            let controllers = self.controllers.iter().map(|(_, controller)| controller.next);
            let mut next = controllers.fold(self.reorder, Nanos::min);
            for station in apart {
                next = next.min(self.of(*station as usize, &timer));
            }
            self.next = next;
        }
        self.next
    }
}
