//! The rates of a station's frames: its rate control, and what it remembers of unanswered RTS.

use std::collections::BTreeSet;

use crate::node::NodeId;
use crate::phy::Mode;
use crate::rate::Rate;

/// What decides the rates of a station's frames.
#[derive(Debug)]
pub(super) struct Rates {
    /// Rate control of its data frames.
    pub(super) control: Rate,
    /// The slowest mode of an adaptive rate control.
    slowest: Option<Mode>,
    /// Stations that answered no RTS of a packet and have acknowledged nothing since.
    unanswered: BTreeSet<NodeId>,
}

impl Rates {
    pub(super) const fn new(control: Rate, slowest: Option<Mode>) -> Self {
        Self { control, slowest, unanswered: BTreeSet::new() }
    }

    /// A station answered no RTS of a packet.
    pub(super) fn rts_failed(&mut self, to: NodeId) {
        self.unanswered.insert(to);
    }

    /// A station has acknowledged a packet.
    #[inline]
    pub(super) fn heard_from(&mut self, to: NodeId) {
        self.unanswered.remove(&to);
    }

    /// The mode that replaces the data's mode in the choice of the RTS rate, after no RTS of a
    /// packet was answered. No rate control counts a missing CTS. Without this rule, the RTS rate
    /// would stay too high for good once the SNR has fallen.
    pub(super) fn fallback(&self, to: NodeId) -> Option<Mode> {
        self.slowest.filter(|_| self.unanswered.contains(&to))
    }
}
