//! The interface of erasure codes, and their errors.

use std::fmt;
use std::ops::Range;

/// The shape of a block: `source` symbols of data and `repair` symbols computed from them. Symbols are
/// numbered from 0, the data first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Plan {
    /// Data symbols, K.
    pub source: usize,
    /// Repair symbols, R.
    pub repair: usize,
}

impl Plan {
    /// All symbols, N = K + R.
    pub const fn total(&self) -> usize {
        self.source + self.repair
    }
}

/// Error of a code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FecError {
    /// A block without data.
    NoSource,
    /// Symbols of 0 bytes.
    NoBytes,
    /// More symbols than the code allows in a block.
    TooMany {
        /// Symbols of data.
        source: usize,
        /// Repair symbols.
        repair: usize,
        /// Maximum number of symbols.
        max: usize,
    },
    /// Symbols longer than the code allows.
    TooLong {
        /// Length in bytes.
        bytes: usize,
        /// The longest accepted.
        max: usize,
    },
    /// A symbol has another length than the block's.
    Length {
        /// Its number.
        number: usize,
        /// Its length in bytes.
        bytes: usize,
        /// Length of the block's symbols.
        expected: usize,
    },
    /// The number of a requested repair symbol is that of a data symbol.
    NotRepair {
        /// The number.
        number: usize,
        /// The first number of a repair symbol.
        first: usize,
    },
    /// The received symbols do not determine the data.
    NotEnough {
        /// Number of different symbols received.
        received: usize,
        /// Symbols of data.
        source: usize,
    },
}

impl fmt::Display for FecError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::NoSource => f.write_str("a block has at least 1 symbol of data, this has 0"),
            Self::NoBytes => f.write_str("a symbol has at least 1 byte, these have 0"),
            Self::TooMany { source, repair, max } => write!(
                f,
                "{source} symbols of data and {repair} of repair are {}: this code has at most \
                 {max} in a block",
                source.saturating_add(repair)
            ),
            Self::TooLong { bytes, max } => {
                write!(f, "symbols of {bytes} bytes: this code takes at most {max}")
            }
            Self::Length { number, bytes, expected } => {
                write!(f, "symbol {number} has {bytes} bytes; this block's have {expected}")
            }
            Self::NotRepair { number, first } => {
                write!(f, "symbol {number} is data; repair symbols begin with number {first}")
            }
            Self::NotEnough { received, source } => write!(
                f,
                "{received} different symbols arrived, which do not determine the {source} of data"
            ),
        }
    }
}

impl std::error::Error for FecError {}

/// An erasure code for blocks of equal symbols.
///
/// Repair symbol `n` is a function of the data and `n` alone, so more can be made at any time.
pub trait ErasureCode {
    /// Checks the shape of a block.
    ///
    /// # Errors
    /// If it has no data or too many symbols.
    fn plan(&self, source: usize, repair: usize) -> Result<Plan, FecError>;

    /// Length of a repair symbol over data symbols of `bytes`.
    fn repair_len(&self, bytes: usize) -> usize {
        bytes
    }

    /// The repair symbols with these numbers (from `source.len()` on).
    ///
    /// # Errors
    /// If the block has a shape the code refuses or symbols of different lengths.
    fn encode(&mut self, source: &[&[u8]], numbers: Range<usize>)
    -> Result<Vec<Vec<u8>>, FecError>;

    /// Decodes the missing data symbols. Returns them with their numbers, in order. `source` is K, and `bytes`
    /// the length of a data symbol. A symbol received twice counts once.
    ///
    /// # Errors
    /// If the received symbols do not determine the data, or do not belong to the block.
    fn decode(
        &mut self,
        source: usize,
        bytes: usize,
        received: &[(usize, &[u8])],
    ) -> Result<Vec<(usize, Vec<u8>)>, FecError>;

    /// True if the symbols with these numbers determine the data, that is, if
    /// [`decode`](Self::decode) succeeds with them.
    fn recovers(&self, source: usize, received: &[usize]) -> bool;
}

/// Checks the data and the numbers of repair symbols before encoding. Returns the length of a data symbol.
pub(crate) fn encodable(
    code: &impl ErasureCode,
    source: &[&[u8]],
    numbers: &Range<usize>,
) -> Result<usize, FecError> {
    let bytes = lengths(source)?;
    let first = source.len();
    if numbers.start < first {
        return Err(FecError::NotRepair { number: numbers.start, first });
    }
    code.plan(first, numbers.end.saturating_sub(first))?;
    Ok(bytes)
}

/// Checks the data of a block. Returns the length of its symbols.
fn lengths(source: &[&[u8]]) -> Result<usize, FecError> {
    let expected = source.first().ok_or(FecError::NoSource)?.len();
    if expected == 0 {
        return Err(FecError::NoBytes);
    }
    for (number, symbol) in source.iter().enumerate() {
        if symbol.len() != expected {
            return Err(FecError::Length { number, bytes: symbol.len(), expected });
        }
    }
    Ok(expected)
}

/// The received symbols, each once: data by number, repair symbols in the order of arrival.
pub(crate) struct Received<'a> {
    pub(crate) data: Vec<Option<&'a [u8]>>,
    pub(crate) repair: Vec<(usize, &'a [u8])>,
}

impl<'a> Received<'a> {
    /// Sorts the received symbols; `max` is the code's largest symbol number plus 1.
    pub(crate) fn new(
        source: usize,
        bytes: usize,
        repair_bytes: usize,
        max: usize,
        received: &[(usize, &'a [u8])],
    ) -> Result<Self, FecError> {
        if bytes == 0 {
            return Err(FecError::NoBytes);
        }
        let mut sorted = Self { data: vec![None; source], repair: Vec::new() };
        for &(number, symbol) in received {
            if number >= max {
                return Err(FecError::TooMany {
                    source,
                    repair: (number - source).saturating_add(1),
                    max,
                });
            }
            let expected = if number < source { bytes } else { repair_bytes };
            if symbol.len() != expected {
                return Err(FecError::Length { number, bytes: symbol.len(), expected });
            }
            if let Some(place) = sorted.data.get_mut(number) {
                *place = Some(symbol);
            } else if sorted.repair.iter().all(|(n, _)| *n != number) {
                sorted.repair.push((number, symbol));
            }
        }
        Ok(sorted)
    }

    /// Numbers of the missing data symbols.
    pub(crate) fn missing(&self) -> Vec<usize> {
        (0..self.data.len()).filter(|&n| self.data[n].is_none()).collect()
    }

    /// Number of different symbols.
    pub(crate) fn count(&self) -> usize {
        self.data.iter().flatten().count() + self.repair.len()
    }
}
