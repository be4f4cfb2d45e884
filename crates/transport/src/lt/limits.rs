//! Limits of LT-TCP's wire format.

/// Maximum number of symbols of a block: those of Reed-Solomon over GF(256) without the zero
/// element.
pub const MAX_SYMBOLS: u16 = 255;

/// Option of a coded data segment: kind, length, identifier, packet number, block, geometry.
pub const DATA_HEADER: u16 = 16;
