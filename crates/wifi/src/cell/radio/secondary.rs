//! Which secondary channels of a cell are busy at a radio.

use airtcp_units::{Nanos, Span};

use super::Radio;
use crate::cell::bands::Tuned;
use crate::cell::occupied::Occupied;
use crate::phy::Width;

impl Tuned {
    /// Records which secondary channels are busy at a radio, after its signals have changed.
    pub(crate) fn sense(&self, now: Nanos, radio: &mut Radio) {
        for (place, (spectrum, [narrow, wide, energy])) in self.secondaries.iter().enumerate() {
            let mut sum = 0.0;
            let busy = radio.signals.iter().any(|signal| {
                let common = signal.band.spectrum().common(*spectrum).mhz();
                let power = signal.power * signal.band.part_in(Occupied::all(*spectrum));
                sum += power;
                power >= if common > 40 { *wide } else { *narrow } || sum >= *energy
            });
            let idle_from = &mut radio.secondary_idle[place];
            if busy {
                *idle_from = Nanos::NEVER;
            } else if *idle_from == Nanos::NEVER {
                *idle_from = now;
            }
        }
    }

    /// The widest channel whose secondary channels have all been idle for a time at `now`.
    pub(crate) fn idle_width(&self, now: Nanos, time: Span, radio: &Radio) -> Width {
        let idle = radio.secondary_idle.iter().take(self.secondaries.len());
        let since = |from: &&Nanos| **from != Nanos::NEVER && **from + time <= now;
        let widths = idle.take_while(since).count();
        Width::ALL[widths]
    }
}
