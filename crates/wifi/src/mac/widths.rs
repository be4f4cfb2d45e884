//! The widths of a station's transmissions.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::phy::{Mode, Width};

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
    idle: Width,
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

    /// The widest channel that is idle is known.
    #[inline]
    pub(crate) const fn set_idle(&mut self, idle: Width) {
        self.idle = idle;
    }

    /// An access begins, as wide as the idle channel. False if the rule does not allow that.
    pub(super) fn begin_access(&mut self) -> bool {
        let may = self.rule == Bonding::Dynamic || self.idle >= self.most;
        if may {
            self.current = self.idle.min(self.most);
        }
        may
    }

    /// Width of the access.
    pub(super) const fn current(&self) -> Width {
        self.current
    }

    /// The mode in place of the one that the rate control has chosen.
    pub(super) fn narrowed(&mut self, mode: Mode) -> Mode {
        let narrow = mode.within(self.current);
        self.chosen = Some((mode, narrow));
        narrow
    }

    /// A mode as an access of this width has it.
    pub(super) fn within(&self, mode: Mode) -> Mode {
        mode.within(self.current)
    }

    /// The next PPDU has a mode that rate control chose for this width.
    pub(super) const fn forget_chosen(&mut self) {
        self.chosen = None;
    }

    /// The mode that the rate control had chosen.
    pub(super) fn chosen(&self, used: Mode) -> Mode {
        self.chosen.filter(|(_, narrow)| *narrow == used).map_or(used, |(mode, _)| mode)
    }
}
