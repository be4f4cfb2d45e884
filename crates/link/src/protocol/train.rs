//! The units of a transmission in flight, handled as one.
//!
//! The units of a transmission have one length and no gaps between them. So the start of the first
//! unit gives all arrival times, and the losses are a set of positions. The receiver handles a
//! train with the same result as its units one by one.

use airtcp_units::{Nanos, Pace, Span};

use super::{Block, SymbolSet, Unit};

/// The units of a transmission in flight.
#[derive(Debug, Clone, Copy)]
pub struct Train {
    /// The transmission.
    pub block: Block,
    /// Start of the first unit plus the propagation delay.
    pub start: Nanos,
    /// Transmission times of the units.
    pub pace: Pace,
    /// Lost units, by position in the transmission.
    pub lost: SymbolSet,
}

impl Train {
    /// Arrival time of the unit at a position, unless it is lost.
    pub fn at(&self, place: u16) -> Nanos {
        self.start + self.pace.after(u64::from(place) + 1)
    }

    /// Positions of the units that arrive.
    pub fn arriving(&self) -> SymbolSet {
        SymbolSet::range(0, self.block.symbols.len()).without(self.lost)
    }

    /// The unit at a position, if the transmission has that many units.
    pub fn unit(&self, place: u16) -> Option<Unit> {
        let Block { frame, attempt, last, oldest, needed, symbols, .. } = self.block;
        let unit_time = self.unit_time();
        let (position, of) = (place, symbols.len());
        let symbol = symbols.nth(place)?;
        Some(Unit { frame, attempt, last, oldest, needed, symbol, position, of, unit_time })
    }

    /// Transmission time of the first unit, in whole nanoseconds.
    pub fn unit_time(&self) -> Span {
        self.pace.after(1)
    }
}
