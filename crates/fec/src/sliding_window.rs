//! Random linear code over GF(2^8) for sliding windows, RFC 8681.
//!
//! A repair symbol is the sum of the data symbols of its window, each times a coefficient that both ends
//! derive from a 16-bit key (section 3.6). With density 15 no coefficient is zero; with a lower density
//! `d`, each is zero with probability `1 - (d+1)/16`. One in 255 random square systems over 256 elements
//! is singular; the receiver then needs one more symbol.
//!
//! As a block code ([`SlidingWindow`]), the window is the whole block, and repair symbol `n` has the key
//! `n - K`. Streams use [`combine`] and [`WindowDecoder`]. Leaves out: GF(2), the packet formats of
//! FECFRAME.

use airtcp_units::{LowBits, Narrow};
use std::ops::Range;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::code::{Received, encodable};
use crate::tinymt::TinyMt32;
use crate::{ErasureCode, FecError, Plan, Symbol, WindowDecoder};

/// Density at which no coefficient is zero (RFC 8681 section 3.6).
const DENSE: u8 = 15;
/// Maximum number of data symbols in a block [choice]: elimination takes time in proportion to the cube of
/// the losses.
const MAX_SOURCE: usize = 4096;
/// Maximum number of repair symbols in a block: keys have 16 bits.
const MAX_REPAIR: usize = 1 << 16;

/// Parameters of the code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct SlidingWindowConfig {
    /// Density of the coefficients, 0 to 15 (greater values count as 15): each is zero with probability
    /// 1 - (density + 1)/16
    pub density: u8,
}

impl Default for SlidingWindowConfig {
    fn default() -> Self {
        Self { density: DENSE }
    }
}

/// The endless sequence of coefficients of a key.
pub fn coefficients(key: u16, density: u8) -> impl Iterator<Item = u8> {
    let mut generator = TinyMt32::new(u32::from(key));
    std::iter::repeat_with(move || {
        if density < DENSE && (generator.next() & 15) as u8 > density {
            return 0;
        }
        loop {
            let coefficient = u8::low_bits(generator.next());
            if coefficient != 0 {
                return coefficient;
            }
        }
    })
}

/// The repair symbol with this key over a window of symbols; `None` if the window is empty.
pub fn combine<'a, S: Symbol + 'a>(
    key: u16,
    density: u8,
    window: impl IntoIterator<Item = &'a S>,
) -> Option<S> {
    let mut sum: Option<S> = None;
    for (symbol, c) in window.into_iter().zip(coefficients(key, density)) {
        if let Some(sum) = &mut sum {
            sum.add_scaled(symbol, c);
        } else {
            let mut first = symbol.clone();
            first.scale(c);
            sum = Some(first);
        }
    }
    sum
}

/// The code as a block code.
#[derive(Debug, Clone)]
pub struct SlidingWindow {
    density: u8,
}

impl SlidingWindow {
    /// Builds the configured code.
    pub const fn new(config: &SlidingWindowConfig) -> Self {
        Self { density: config.density }
    }

    /// A decoder after all received symbols.
    fn eliminate<S: Symbol>(
        &self,
        source: usize,
        data: impl Iterator<Item = (usize, S)>,
        repair: impl Iterator<Item = (usize, S)>,
    ) -> WindowDecoder<S> {
        let mut decoder = WindowDecoder::new(source);
        for (number, symbol) in data {
            decoder.source(number as u64, symbol);
        }
        for (number, symbol) in repair {
            let list: Vec<u8> =
                coefficients(u16::narrow(number - source), self.density).take(source).collect();
            decoder.repair(0, &list, symbol);
            if decoder.complete_up_to() == source as u64 {
                break;
            }
        }
        decoder
    }
}

impl ErasureCode for SlidingWindow {
    fn plan(&self, source: usize, repair: usize) -> Result<Plan, FecError> {
        let max = MAX_SOURCE + MAX_REPAIR;
        match source {
            0 => Err(FecError::NoSource),
            _ if source > MAX_SOURCE || repair > MAX_REPAIR => {
                Err(FecError::TooMany { source, repair, max })
            }
            _ => Ok(Plan { source, repair }),
        }
    }

    fn encode(
        &mut self,
        source: &[&[u8]],
        numbers: Range<usize>,
    ) -> Result<Vec<Vec<u8>>, FecError> {
        encodable(self, source, &numbers)?;
        let first = source.len();
        let window: Vec<Vec<u8>> = source.iter().map(|s| s.to_vec()).collect();
        Ok(numbers.filter_map(|n| combine(u16::narrow(n - first), self.density, &window)).collect())
    }

    fn decode(
        &mut self,
        source: usize,
        bytes: usize,
        received: &[(usize, &[u8])],
    ) -> Result<Vec<(usize, Vec<u8>)>, FecError> {
        self.plan(source, 0)?;
        let received = Received::new(source, bytes, bytes, source + MAX_REPAIR, received)?;
        let missing = received.missing();
        let data = received.data.iter().enumerate();
        let data = data.filter_map(|(n, symbol)| symbol.map(|s| (n, s.to_vec())));
        let repair = received.repair.iter().map(|(n, s)| (*n, s.to_vec()));
        let decoder = self.eliminate(source, data, repair);
        let restored = missing.iter().map(|&n| Some((n, decoder.get(n as u64)?.clone())));
        restored
            .collect::<Option<Vec<_>>>()
            .ok_or(FecError::NotEnough { received: received.count(), source })
    }

    fn recovers(&self, source: usize, received: &[usize]) -> bool {
        let last = received.iter().max().copied().unwrap_or(0);
        if self.plan(source, 0).is_err() || last >= source + MAX_REPAIR {
            return false;
        }
        let mut numbers = received.to_vec();
        numbers.sort_unstable();
        numbers.dedup();
        let pair = |n: usize| (n, ());
        let data = numbers.iter().copied().filter(|&n| n < source).map(pair);
        let repair = numbers.iter().copied().filter(|&n| n >= source).map(pair);
        self.eliminate(source, data, repair).complete_up_to() == source as u64
    }
}
