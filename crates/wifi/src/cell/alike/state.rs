//! The shared view of a medium, and who shares it.

use airtcp_units::{Nanos, Narrow, Span};

use super::clock::Clocks;
use super::collision::Collision;
use crate::cell::transmission::Transmission;
use crate::mac::{Frame, Rules, View};
use crate::phy::PerMode;

/// The shared view, and who shares it.
#[derive(Debug)]
pub(crate) struct Alike {
    /// True if the medium qualifies.
    pub(super) qualifies: bool,
    /// By station, true if it shares the view.
    pub(super) shares: Vec<bool>,
    /// The stations with a view of their own, in order.
    pub(crate) apart: Vec<u32>,
    pub(super) view: View,
    pub(super) clocks: Clocks,
    /// Index of the frame that is alone on the air.
    pub(super) alone: Option<u32>,
    /// The frames on the air, if they began together.
    pub(super) collision: Collision,
    /// By mode, the SINR below which a frame is certainly lost, once it is needed.
    pub(super) hopeless: PerMode<Option<f64>>,
    /// A frame that ended before the answer to it, and the view of a station that failed to decode it. Which
    /// stations did is drawn only if it has an effect: after the answer, all views are equal.
    pub(super) undecided: Option<(Transmission, View)>,
    /// By sender, the least power in mW at another station.
    pub(super) least_power: Vec<f64>,
    pub(super) slot: Span,
    /// Time of the next timer of a station that shares the view, unless `stale`.
    pub(super) next: Nanos,
    pub(super) stale: bool,
    /// True if stations may be able to join.
    pub(super) may_join: bool,
    /// Stations whose access has come, while they leave.
    pub(super) due: Vec<u32>,
}

impl Alike {
    /// No station shares a view.
    pub(crate) fn none(stations: usize) -> Self {
        Self {
            qualifies: false,
            shares: vec![false; stations],
            apart: (0..u32::narrow(stations)).collect(),
            view: View::new(),
            clocks: Clocks::new(0, 1),
            alone: None,
            collision: Collision::default(),
            hopeless: PerMode::all(None),
            undecided: None,
            least_power: Vec::new(),
            slot: Span::ZERO,
            next: Nanos::NEVER,
            stale: false,
            may_join: false,
            due: Vec::new(),
        }
    }

    /// The state of a medium that qualifies: stations with up to `contenders` back-offs, of which each is
    /// heard with at least `least_power` by sender, in mW.
    pub(crate) fn of(contenders: usize, least_power: Vec<f64>, slot: Span) -> Self {
        let stations = least_power.len();
        Self {
            qualifies: true,
            clocks: Clocks::new(stations, contenders),
            least_power,
            slot,
            may_join: true,
            ..Self::none(stations)
        }
    }

    /// True if a station shares the view.
    #[inline]
    pub(crate) fn shares(&self, station: u32) -> bool {
        self.shares[station as usize]
    }

    /// True if stations share a view.
    #[inline]
    pub(crate) fn is_shared(&self) -> bool {
        self.apart.len() < self.shares.len()
    }

    /// A frame begins on a silent air.
    #[inline]
    pub(crate) fn on_busy(&mut self, now: Nanos, rules: &Rules) {
        for clock in self.clocks.iter_mut() {
            clock.on_busy(now, &self.view, rules);
        }
        self.view.idle_from = Nanos::NEVER;
        self.view.silent_from = Nanos::NEVER;
        self.view.nav_reset = Nanos::NEVER;
        self.stale = true;
    }

    /// A frame that all have decoded ends.
    #[inline]
    pub(crate) fn on_idle(&mut self, now: Nanos, frame: &Frame, rules: &Rules) {
        self.view.eifs = Span::ZERO;
        if frame.duration > Span::ZERO {
            self.view.reserve(now, frame, false, rules);
        }
        (self.view.idle_from, self.view.silent_from) = (now, now);
        self.stale = true;
    }

    /// True if the medium qualifies; then it has no interferers, and detects frames at once.
    #[inline]
    pub(crate) const fn qualifies(&self) -> bool {
        self.qualifies
    }

    /// Stations may join before the next event.
    #[inline]
    pub(crate) const fn may_join(&mut self) {
        self.may_join = true;
    }

    /// Time of the next access, or reset of the NAV, of a station that shares the view.
    #[inline]
    pub(crate) fn next_timer(&mut self) -> Nanos {
        if self.stale {
            self.stale = false;
            self.next = Nanos::NEVER;
            if self.is_shared() {
                self.next = self.view.nav_reset;
                if self.view.idle_from != Nanos::NEVER {
                    for clock in self.clocks.iter_mut() {
                        self.next = self.next.min(clock.next_access(&self.view, self.slot));
                    }
                }
            }
        }
        self.next
    }
}
