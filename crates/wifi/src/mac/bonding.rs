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
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Frame, Rules, Station};
use crate::phy::{Mode, Width};
use crate::rate::{Outcome, RateControl};

/// What a station does if a secondary channel is busy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Bonding {
    /// It transmits over the widest of 20, 40, 80 and 160 MHz whose secondary channels are idle.
    #[default]
    Dynamic,
    /// It does not transmit, and draws a back-off again.
    Static,
}

/// The widths of a station's transmissions.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Widths {
    rule: Bonding,
    /// Width of the cell.
    most: Width,
    /// The widest channel that is idle.
    pub(crate) idle: Width,
    /// Width of the transmission opportunity.
    current: Width,
    /// The mode that the rate control chose last, and the one that replaced it.
    chosen: Option<(Mode, Mode)>,
}

impl Widths {
    /// Those of a station in a cell of a width.
    pub(crate) const fn new(rule: Bonding, most: Width) -> Self {
        Self { rule, most, idle: most, current: most, chosen: None }
    }

    /// The mode in place of the one that the rate control has chosen.
    pub(super) fn narrowed(&mut self, mode: Mode) -> Mode {
        let narrow = mode.within(self.current);
        self.chosen = Some((mode, narrow));
        narrow
    }

    /// The mode that the rate control had chosen.
    fn chosen(&self, used: Mode) -> Mode {
        self.chosen.filter(|(_, narrow)| *narrow == used).map_or(used, |(mode, _)| mode)
    }
}

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
        if widths.rule == Bonding::Static && widths.idle < widths.most {
            let first = self.first_active();
            for contender in &mut self.contenders[first..] {
                if contender.access(&self.view, rules) <= now {
                    contender.draw(now + rules.timing.slot, &mut self.random);
                }
            }
            return false;
        }
        widths.current = widths.idle.min(widths.most);
        true
    }

    /// A frame that the station sends, with its width.
    pub(super) fn with_width(&self, frame: Frame) -> Frame {
        match self.widths {
            Some(widths) if frame.width.is_none() => Frame { width: Some(widths.current), ..frame },
            _ => frame,
        }
    }

    /// Reports an attempt to the rate control, with the mode that it had chosen.
    pub(super) fn tell_rate(&mut self, outcome: &Outcome) {
        match self.widths {
            None => self.rate.on_result(outcome),
            Some(widths) => {
                self.rate.on_result(&Outcome { mode: widths.chosen(outcome.mode), ..*outcome });
            }
        }
    }
}
