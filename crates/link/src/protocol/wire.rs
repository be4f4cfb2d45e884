//! What the two ends of a link protocol say to one another.

use airtcp_units::{Nanos, Span};

use super::SymbolSet;

/// One transmission of a frame: its units go out one after the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Block {
    /// The frame's number on this link, from 0.
    pub frame: u64,
    /// Which transmission of the frame it is, from 1.
    pub attempt: u16,
    /// True if there will be no other.
    pub last: bool,
    /// The oldest frame that the sender still tries to deliver; older ones are settled.
    pub oldest: u64,
    /// How many different units give the frame back.
    pub needed: u16,
    /// The units sent.
    pub symbols: SymbolSet,
    /// How many of them are proactive parity; only in a first transmission.
    pub parity: u16,
    /// Length of a unit in bytes, its header included.
    pub unit_bytes: u32,
}

/// The head of a unit, as the receiver reads it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unit {
    /// The frame it belongs to.
    pub frame: u64,
    /// Which transmission of the frame, from 1.
    pub attempt: u16,
    /// True if there will be no other.
    pub last: bool,
    /// The oldest frame that the sender still tries to deliver.
    pub oldest: u64,
    /// How many different units give the frame back.
    pub needed: u16,
    /// Which unit of the frame it is.
    pub symbol: u16,
    /// Its place in this transmission, from 0.
    pub position: u16,
    /// Units in this transmission.
    pub of: u16,
    /// Time that a unit of this transmission takes.
    pub unit_time: Span,
}

impl Unit {
    /// Time from the end of this unit to the end of the transmission it belongs to.
    pub(crate) fn rest(&self) -> Span {
        self.unit_time * u64::from(self.of.saturating_sub(self.position).saturating_sub(1))
    }

    /// Time the whole transmission takes.
    pub(crate) fn block_time(&self) -> Span {
        self.unit_time * u64::from(self.of)
    }
}

/// What the receiver tells of one transmission of a frame when that is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Report {
    /// The frame.
    pub frame: u64,
    /// The transmission.
    pub attempt: u16,
    /// How many units of this transmission arrived.
    pub received: u16,
    /// Units of the frame that are there, of all its transmissions.
    pub have: SymbolSet,
    /// True if the sender need not go on: the frame is there, or no longer waited for.
    pub settled: bool,
}

/// What a receiver does, and when.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decision {
    /// Enough units of the frame are there.
    Decoded(u64),
    /// The frame goes up.
    Released(u64),
    /// The frame is no longer waited for.
    Skipped(u64),
    /// All frames before this one that are not decided are no longer waited for.
    SkippedBefore(u64),
    /// To be sent back.
    Tell(Report),
}

/// A decision and its time.
pub type Timed = (Nanos, Decision);
