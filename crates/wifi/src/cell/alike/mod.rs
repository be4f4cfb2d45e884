//! Stations that hear each other alike share one view of the medium. A frame that is alone on the air costs
//! the same for any number of them, and a collision costs little for each.
//!
//! Why the results are those of [`super::starts`] and [`super::ends`], which treat each station by itself:
//!
//! - A medium qualifies ([`Medium::shared_view`]) if all its stations belong to one cell and receive each other's
//!   frames in every modulation above the thresholds of sensitivity and of carrier sense, at a constant
//!   power and at once, over a constant noise without interferers or a least SINR of the preamble, and if no
//!   station learns from frames that are not for it.
//! - A frame that begins on a silent air makes the medium busy at every other station at the same instant.
//!   Each of them locks on to it, because there is nothing else, and the medium becomes idle again at its
//!   end. If no other frame begins before that end, a station decodes the frame with the probability of its
//!   SNR, and then its NAV and its inter-frame space follow from the frame alone ([`alone`]). If several
//!   frames begin at the same instant, what a station receives follows from their powers and ends
//!   ([`together`], [`collision`]).
//! - Between its exchanges, the state of a station is its view (idle since, NAV, EIFS) and the slots left of
//!   each back-off. Stations with equal views therefore keep equal views, as long as each of them decodes
//!   the same frames. The slots that pass are equal for equal inter-frame spaces: [`clock`] counts them once.
//! - A station leaves ([`Medium::leave`]) with the view and the slots that it would have by itself: before it
//!   sends, receives a frame that is for it, or gets a packet; when it does not receive what the others do
//!   (of a frame alone, if it may fail to decode it; of a collision, if it decodes a frame or did not notice
//!   one); and when a NAV that an RTS has set ends early. If a frame is under way, its radio is receiving that
//!   frame since its start. All stations leave before another frame begins during the first, and while a
//!   probe observes the air.
//! - A station joins ([`Medium::join_idle`]) at the start of an idle period, if nothing but its view and its
//!   slots decides what it does next, and if its view gives the same results as the shared one.
//!
//! One step is equal only up to a probability of 2^-53 ([`collision`]): a frame that would survive with a
//! probability below 2^-60 counts as lost, although the random number 0 would decode it.
//!
//! `cell/tests/alike.rs` runs random cells with and without shared views and compares every frame, delivery and
//! counter of the stations.

mod alone;
mod clock;
mod collision;
pub(super) mod state;
mod together;

use airtcp_units::{Nanos, Narrow, Span};

use super::medium::Medium;
use super::radio::Signal;
use crate::mac::{Station, View};
use crate::node::NodeId;
use crate::rate::RateControl;
use state::Alike;

impl Medium {
    /// The shared view of the medium, if it qualifies.
    pub(super) fn shared_view(&self) -> Option<Alike> {
        let n = self.stations.len();
        let bss = self.cells.only()?;
        let levels = &bss.levels;
        let threshold = levels.sensitivity.max(levels.always_sensed());
        let learns = |station: &Station| {
            let rate = station.rate();
            rate.learns_from_receptions() || rate.rts_mode().is_some()
        };
        let qualifies = n > 1
            && self.reach.is_uniform()
            && bss.fading.is_none()
            && bss.ambient.is_still()
            && levels.detection_time == Span::ZERO
            && levels.detection <= 0.0
            && bss.rules.mac.ofdma.is_none()
            && self.reach.all_hear(threshold)
            && !self.stations.iter().any(learns);
        let contenders = self.stations.iter().map(|s| s.contenders().len()).max();
        qualifies.then(|| {
            Alike::of(contenders.unwrap_or(1), self.reach.least_powers(), bss.rules.timing.slot)
        })
    }

    /// Lets the stations leave whose timer has expired.
    pub(super) fn leave_due(&mut self, now: Nanos) {
        if self.alike.next_timer() > now {
            return;
        }
        self.decide_undecided();
        if self.alike.view.nav_reset <= now {
            self.leave_all();
            return;
        }
        let mut due = std::mem::take(&mut self.alike.due);
        for clock in self.alike.clocks.iter_mut() {
            clock.add_due(now, &self.alike.view, self.alike.slot, &mut due);
        }
        for station in due.drain(..) {
            self.leave_if_shared(NodeId(station));
        }
        self.alike.due = due;
    }

    /// Lets all stations leave. The radios then receive the frames under way by themselves.
    pub(crate) fn leave_all(&mut self) {
        self.leave_all_shared();
        self.alike.undecided = None;
        self.alike.collision.clear();
        let Some(place) = self.alike.alone.take() else { return };
        let Some(sent) = self.air.at(place) else { return };
        for (i, radio) in self.radios.iter_mut().enumerate() {
            if let Some(power) = self.reach.power(sent.frame.from, NodeId(u32::narrow(i))) {
                let (since, band) = (sent.started, sent.band);
                let (readable, received, group) = (true, false, None);
                let signal = Signal { place, power, band, since, readable, received, group };
                radio.hear(signal);
                radio.lock(sent.started, signal, sent);
            }
        }
    }

    /// Lets all stations leave.
    pub(super) fn leave_all_shared(&mut self) {
        if self.alike.is_shared() {
            for station in 0..self.stations.len() {
                if self.alike.shares[station] {
                    self.leave(station);
                }
            }
        }
    }

    /// Lets a station leave if it shares the view.
    #[inline]
    pub(super) fn leave_if_shared(&mut self, station: NodeId) {
        if self.alike.shares.get(station.index()) == Some(&true) {
            self.leave(station.index());
        }
    }

    /// Gives a station that shares the view its own.
    pub(super) fn leave(&mut self, i: usize) {
        let undecided = self.alike.undecided.as_ref();
        let failed = undecided.filter(|(sent, _)| self.failed(sent, i)).map(|(_, view)| *view);
        let Self { alike, stations, cells, radios, .. } = self;
        alike.shares[i] = false;
        alike.stale = true;
        let number = u32::narrow(i);
        let place = alike.apart.partition_point(|other| *other < number);
        alike.apart.insert(place, number);
        let View { idle_from, silent_from, .. } = alike.view;
        let view = failed.map_or(alike.view, |view| View { idle_from, silent_from, ..view });
        stations[i].resume(&view);
        alike.clocks.leave(i, stations[i].contenders_mut(), &cells.first().rules);
        radios[i].becomes(alike.alone.is_some());
        self.hear_collision(i);
        self.refresh(number);
    }

    /// Lets stations join at the start of an idle period.
    pub(super) fn join_idle(&mut self) {
        if !std::mem::take(&mut self.alike.may_join)
            || !self.alike.qualifies
            || !self.air.is_silent()
        {
            return;
        }
        let Self { alike, stations, radios, agenda, .. } = self;
        let mut shared = alike.is_shared();
        if shared && alike.undecided.is_some() {
            return;
        }
        alike.undecided = None;
        let mut kept = 0;
        for place in 0..alike.apart.len() {
            let station = alike.apart[place];
            let i = station as usize;
            if radios[i].is_quiet()
                && let Some(view) = stations[i].settled_view()
            {
                if !shared {
                    alike.view = *view;
                }
                if alike.view.is_like(view) && alike.clocks.join(i, stations[i].contenders()) {
                    shared = true;
                    alike.shares[i] = true;
                    alike.stale = true;
                    agenda.rest(i);
                    continue;
                }
            }
            alike.apart[kept] = station;
            kept += 1;
        }
        alike.apart.truncate(kept);
    }
}
