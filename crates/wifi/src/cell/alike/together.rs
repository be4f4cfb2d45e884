//! Frames that begin together: the stations that share a view decide at the last end what they have received.

use airtcp_units::{Nanos, Narrow};

use super::collision::Hearing;
use crate::cell::bss::Bss;
use crate::cell::medium::Medium;
use crate::cell::radio::Judge;
use crate::cell::transmission::Transmission;
use crate::mac::{Kind, SignalQuality};
use crate::node::NodeId;

impl Medium {
    /// True if the frames that begin now are the only ones on the air, and stations share a view of it. A NAV
    /// that an RTS has set may end while a longer frame is under way, which no station that shares the view
    /// could notice. Of an aggregate, a station may decode the MPDUs after the end of the other frames.
    pub(crate) fn begins_collision(&self) -> bool {
        let [first, others @ ..] = self.air.starting() else { return false };
        let end_together = || others.iter().all(|f| (f.mode, f.bytes) == (first.mode, first.bytes));
        !others.is_empty()
            && self.alike.is_shared()
            && self.air.is_silent()
            && self.air.starting().iter().all(|frame| frame.subframes <= 1)
            && (self.air.starting().iter().all(|frame| frame.kind != Kind::Rts) || end_together())
    }

    /// The frames on the air have begun together.
    pub(crate) fn collision_begins(&mut self, now: Nanos) {
        for (place, sent) in self.air.places() {
            let mode = sent.frame.mode;
            let hopeless = self.alike.hopeless.get_mut(mode);
            let error = &self.cells.first().error;
            let hopeless = *hopeless.get_or_insert_with(|| error.hopeless_below(mode));
            self.alike.collision.push(place, *sent, hopeless);
        }
        self.alike.on_busy(now, &self.cells.first().rules);
    }

    /// Frames of a collision have ended. At the last end, all stations have failed to decode a frame, and wait EIFS,
    /// except those that leave.
    pub(crate) fn collision_ends(&mut self, now: Nanos) {
        if self.alike.collision.is_empty() || !self.alike.collision.end(now) {
            return;
        }
        for i in 0..self.stations.len() {
            if self.alike.shares[i] && !self.has_failed(i) {
                self.leave(i);
                self.radios[i].becomes(false);
                self.stations[i].on_idle(now);
                self.refresh(u32::narrow(i));
            }
        }
        let Self { alike, cells, .. } = self;
        alike.collision.clear();
        alike.view.eifs = cells.first().rules.eifs_extra();
        (alike.view.idle_from, alike.view.silent_from) = (now, now);
        alike.stale = true;
    }

    /// What a station that shares the view has received of the collision.
    fn hearing(&self, i: usize) -> Option<Hearing> {
        let bss = self.cells.first();
        self.alike.collision.at(|sent| self.power(sent, i), &bss.levels, &Judge::of(bss, i))
    }

    fn power(&self, sent: &Transmission, i: usize) -> f64 {
        self.reach.power(sent.frame.from, NodeId(u32::narrow(i))).unwrap_or_default()
    }

    /// True if a station noticed, and failed to decode, the frame of the collision that it locked on to.
    fn has_failed(&self, i: usize) -> bool {
        let Bss { levels, ambient, band, .. } = self.cells.first();
        if let Some(noise) = ambient.quiet(i)
            && levels.preamble <= 0.0
            && self.alike.collision.is_lost(|sent| self.power(sent, i), levels, (noise, *band))
        {
            return true;
        }
        self.hearing(i).is_some_and(|Hearing { reception, over }| {
            let noticed = reception.noticed(self.cells.first().levels.preamble);
            over.is_some_and(|sent| noticed && !self.decodes(&reception, &sent, i))
        })
    }

    /// Lets a station that leaves receive what it has heard of the collision.
    pub(super) fn hear_collision(&mut self, i: usize) {
        let Some(Hearing { reception, over }) = self.hearing(i) else { return };
        let Self { radios, alike, reach, .. } = self;
        let station = NodeId(u32::narrow(i));
        let power = |sent: &Transmission| reach.power(sent.frame.from, station).unwrap_or_default();
        radios[i].becomes(true);
        alike.collision.signals(power).for_each(|signal| radios[i].hear(signal));
        let Some(sent) = over else {
            radios[i].resume(reception);
            return;
        };
        let decoded = self.decodes(&reception, &sent, i);
        let Self { stations, cells, .. } = self;
        let Bss { rules, levels, .. } = cells.first();
        if decoded {
            // No station of the medium learns from the quality of a signal.
            let quality = SignalQuality { snr: f64::INFINITY, sinr: f64::INFINITY };
            stations[i].on_rx(sent.ends, &sent.frame, quality, rules);
        } else {
            stations[i].on_rx_error(sent.ends, reception.noticed(levels.preamble), rules);
        }
    }
}
