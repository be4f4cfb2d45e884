//! Messages between the two ends of a link protocol.

use airtcp_units::{Nanos, Span};

use super::SymbolSet;

/// One transmission of a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Block {
    /// The frame's number on this link, from 0.
    pub frame: u64,
    /// Number of the transmission of this frame, from 1.
    pub attempt: u16,
    /// True for the last attempt.
    pub last: bool,
    /// The oldest frame that the sender still tries to deliver; older ones are settled.
    pub oldest: u64,
    /// Number of different units that decode the frame.
    pub needed: u16,
    /// The units sent.
    pub symbols: SymbolSet,
    /// Number of proactive parity units; 0 except in a first transmission.
    pub parity: u16,
    /// Length of a unit in bytes, its header included.
    pub unit_bytes: u32,
}

/// Header of a unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unit {
    /// The frame it belongs to.
    pub frame: u64,
    /// Number of the transmission of this frame, from 1.
    pub attempt: u16,
    /// True for the last attempt.
    pub last: bool,
    /// The oldest frame that the sender still tries to deliver.
    pub oldest: u64,
    /// Number of different units that decode the frame.
    pub needed: u16,
    /// Number of the unit in the frame.
    pub symbol: u16,
    /// Position in this transmission, from 0.
    pub position: u16,
    /// Units in this transmission.
    pub of: u16,
    /// Transmission time of a unit of this transmission.
    pub unit_time: Span,
}

impl Unit {
    /// Time from the end of this unit to the end of its transmission.
    pub(crate) fn rest(&self) -> Span {
        self.unit_time * u64::from(self.of.saturating_sub(self.position).saturating_sub(1))
    }

    /// Duration of the whole transmission.
    pub(crate) fn block_time(&self) -> Span {
        self.unit_time * u64::from(self.of)
    }
}

/// Report of the receiver on one transmission of a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Report {
    /// The frame.
    pub frame: u64,
    /// The transmission.
    pub attempt: u16,
    /// How many units of this transmission arrived.
    pub received: u16,
    /// Units of the frame that have arrived, over all its transmissions.
    pub have: SymbolSet,
    /// True if the frame needs no further transmission: it is decoded or abandoned.
    pub settled: bool,
}

/// Decision of a receiver.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decision {
    /// The frame is decoded.
    Decoded(u64),
    /// The frame is delivered.
    Released(u64),
    /// The frame is abandoned.
    Skipped(u64),
    /// All undecided frames before this one are abandoned.
    SkippedBefore(u64),
    /// Send this report to the sender.
    Report(Report),
}

/// A decision and its time.
pub type Timed = (Nanos, Decision);
