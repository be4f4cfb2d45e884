//! Channel bonding: the width of a transmission, by which secondary channels are idle.
//!
//! ```text
//! width = the widest channel whose secondary channels have been idle for PIFS before the access
//! PIFS  = SIFS + slot
//! ```
//! With `dynamic` the transmission opportunity has that width. With `static` it has the width of the cell: if a
//! secondary channel was busy, the station draws a back-off again, from the same window, as each category does whose
//! back-off has ended. The new back-off begins with the next slot. Frames of a narrower transmission have the
//! same index and number of streams, or the highest index below that exists. Answers, and non-HT frames
//! before the data, are duplicated over that width.
//!
//! The secondary channels of a cell that is alone on its medium are idle whenever the primary one is.
//! Source: IEEE 802.11-2020 clause 10.23.2.5 (EDCA channel access in a VHT, HE or TVHT BSS).

use airtcp_units::{Nanos, Span};

use super::{Frame, Rules, Station};
use crate::rate::{Outcome, RateControl};

impl Rules {
    /// Point coordination inter-frame space.
    pub(crate) fn pifs(&self) -> Span {
        self.timing.aifs(1)
    }
}

impl Station {
    /// Takes the width of the access that begins now. False if the station may not transmit; each category
    /// whose back-off has ended then draws one again.
    pub(super) fn takes_width(&mut self, now: Nanos, rules: &Rules) -> bool {
        let Some(widths) = &mut self.widths else { return true };
        let may = widths.begin_access();
        if !may {
            let first = self.first_active();
            for contender in &mut self.contenders[first..] {
                if contender.access(&self.view, rules) <= now {
                    contender.draw(now + rules.timing.slot, &mut self.random);
                }
            }
        }
        may
    }

    /// Sets the width of a frame that the station sends.
    pub(super) fn set_width(&self, frame: &mut Frame) {
        if let Some(widths) = &self.widths {
            frame.width = frame.width.or(Some(widths.current()));
        }
    }

    /// Reports an attempt to the rate control, with the mode that it had chosen.
    pub(super) fn tell_rate(&mut self, outcome: &Outcome) {
        match self.widths {
            None => self.rates.control.on_result(outcome),
            Some(widths) => {
                self.rates
                    .control
                    .on_result(&Outcome { mode: widths.chosen(outcome.mode), ..*outcome });
            }
        }
    }
}
