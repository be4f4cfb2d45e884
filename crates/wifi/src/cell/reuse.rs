//! Spatial reuse: stations ignore frames of another colour below the level of [`ObssPd`](super::obss_pd::ObssPd).
//!
//! The radio is free again at the end of HE-SIG-A. Frames below the level that began while the station was sending, or
//! receiving another frame, are only energy, and do not limit the power: the station has not detected their
//! preamble. The limit of the power applies from then on, until the end of the station's next transmission opportunity.
//!
//! Source: 802.11ax-2021 clause 26.10.2.

use airtcp_probe::{PoolCx, Probe};
use airtcp_units::{Nanos, Narrow, Span};

use super::medium::Medium;
use super::radio::Judge;
use crate::phy::Mode;

impl Medium {
    /// Schedules the ends of the HE-SIG-A fields of frames that begin now.
    pub(super) fn schedule_reuse(&mut self, now: Nanos) {
        if self.cells.iter().any(|bss| bss.reuse.is_on()) {
            for place in 0..self.air.starting().len() {
                if let Some(time) = signal_a(self.air.starting()[place].mode) {
                    self.air.schedule_detection(now + time);
                }
            }
        }
    }

    /// Lets stations ignore frames whose HE-SIG-A field ends now.
    pub(super) fn ignore_others<P: Probe>(&mut self, now: Nanos, cx: &mut PoolCx<'_, P>) {
        if self.air.next_detection() > now {
            return;
        }
        for i in 0..self.radios.len() {
            if self.reach.has_reuse(i) && self.cells.of(i).reuse.is_on() {
                let ignored = self.is_ignored(now, i);
                if ignored {
                    self.radios[i].ignore();
                    self.stations[i].on_rx_ignored(now, &self.cells.of(i).rules);
                    self.settle(now, i, cx);
                }
                self.unsense(now, i);
                if !self.sense(now, i) && ignored {
                    self.refresh(u32::narrow(i));
                }
            }
        }
    }

    /// Frames below the level are not sensed from now on, unless the radio receives them. If the station has missed
    /// the preamble, because it was sending or receiving another frame, they are only energy to it.
    fn unsense(&mut self, now: Nanos, i: usize) {
        let Self { cells, radios, air, .. } = self;
        let own = cells.of(i);
        radios[i].ignore_signals(|signal| {
            air.at(signal.place).is_some_and(|sent| {
                let power = signal.power * own.primary_part(signal.band);
                signal_a(sent.frame.mode).is_some_and(|time| signal.since + time == now)
                    && own.reuse.ignores(&cells.sending(sent).reuse, power)
            })
        });
    }

    /// True if a station ignores the frame that its radio receives.
    fn is_ignored(&mut self, now: Nanos, i: usize) -> bool {
        let bss = self.cells.of(i);
        let radio = &mut self.radios[i];
        let Some(reception) = radio.reception() else { return false };
        let Some(sent) = self.air.at(reception.place) else { return false };
        let sender = self.cells.sending(sent);
        if signal_a(sent.frame.mode).is_none_or(|time| reception.started + time != now)
            || !bss.reuse.ignores(&sender.reuse, reception.power * bss.primary_part(reception.band))
        {
            return false;
        }
        radio.judge(now, &Judge::of(bss, i));
        let Some(reception) = self.radios[i].reception() else { return false };
        let survival = reception.survival();
        survival >= 1.0 || survival > 0.0 && self.cells.draw(sent, i) < survival
    }
}

/// Time from the start of a frame to the end of the field with its colour; `None` without one.
fn signal_a(mode: Mode) -> Option<Span> {
    mode.format().generation().signal_a
}
