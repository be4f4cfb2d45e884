//! What the wire format of LT-TCP bounds.

/// Most symbols a block can have: those of Reed-Solomon over GF(256) without the zero element.
pub const MAX_SYMBOLS: u16 = 255;

/// Option of a coded data segment: kind, length, identifier, packet number, block, geometry.
pub const DATA_HEADER: u16 = 16;
