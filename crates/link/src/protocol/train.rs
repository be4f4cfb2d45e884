//! A transmission as it arrives: many units in one piece.
//!
//! Units of a transmission have one length and follow one another, so when each of them arrives follows from
//! when the first one started, and which of them are lost is a set of places. What the receiver makes
//! of a train is what it makes of its units one by one, each at its own time.

use airtcp_units::{Nanos, Pace, Span};

use super::{Block, SymbolSet, Unit};

/// The units of a transmission on their way.
#[derive(Debug, Clone, Copy)]
pub struct Train {
    /// The transmission.
    pub block: Block,
    /// When its first unit started, and how long anything takes to the receiver, added up.
    pub start: Nanos,
    /// How long its units take.
    pub pace: Pace,
    /// Which of them are lost, by place in the transmission.
    pub lost: SymbolSet,
}

impl Train {
    /// When the unit at a place arrives, if it does.
    pub fn at(&self, place: u16) -> Nanos {
        self.start + self.pace.after(u64::from(place) + 1)
    }

    /// Places of those that arrive.
    pub fn arriving(&self) -> SymbolSet {
        SymbolSet::range(0, self.block.symbols.len()).without(self.lost)
    }

    /// The unit at a place, if the transmission has as many.
    pub fn unit(&self, place: u16) -> Option<Unit> {
        let Block { frame, attempt, last, oldest, needed, symbols, .. } = self.block;
        let unit_time = self.unit_time();
        let (position, of) = (place, symbols.len());
        let symbol = symbols.nth(place)?;
        Some(Unit { frame, attempt, last, oldest, needed, symbol, position, of, unit_time })
    }

    /// Time that a unit takes: the first one, in whole nanoseconds.
    pub fn unit_time(&self) -> Span {
        self.pace.after(1)
    }
}
