//! Systematic Reed-Solomon code: any K symbols of a block determine it.
//!
//! Two bytes of a symbol are an element of GF(2^16). The data of a block are the values of a polynomial at
//! the points 0 .. P, where P is the smallest power of two not below K, and the values at K .. P are zero.
//! Repair symbol `K + j` is the value at `P + j`. So it does not depend on the number of repair symbols.
//! Points are in the Cantor basis of Lin, Chung and Han 2014, in which transforms take O(n log n). The
//! crate `reed-solomon-simd` does the field's arithmetic; docs/adr/0007 gives the reasons.
//!
//! The field allows blocks of 65,536 symbols. The limit is 255, because formats carry the number of a
//! symbol in a byte. If data symbols have an odd length, repair symbols are one byte longer.

mod decode;

use std::fmt;
use std::ops::Range;

use reed_solomon_simd::engine::DefaultEngine;
use reed_solomon_simd::rate::{LowRateEncoder, RateEncoder};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::code::{Received, encodable};
use crate::{ErasureCode, FecError, Plan};

/// Maximum number of symbols in a block: numbers fit a byte, and 255 stays unused.
pub const MAX_SYMBOLS: usize = 255;

/// Reed-Solomon has no parameters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ReedSolomonConfig {}

/// The code and the work space of its transforms.
#[derive(Default)]
pub struct ReedSolomon {
    engine: DefaultEngine,
    encoder: Option<LowRateEncoder<DefaultEngine>>,
}

impl fmt::Debug for ReedSolomon {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ReedSolomon")
    }
}

impl ReedSolomon {
    /// The code.
    pub fn new(_: &ReedSolomonConfig) -> Self {
        Self::default()
    }

    /// Computes the repair symbols with these numbers by transforms. `None` stands for a data symbol of zeros.
    /// The shape has been checked.
    fn repair_by_transform(
        &mut self,
        source: &[Option<&[u8]>],
        bytes: usize,
        numbers: Range<usize>,
    ) -> Result<Vec<Vec<u8>>, reed_solomon_simd::Error> {
        let (k, wide) = (source.len(), bytes.next_multiple_of(2));
        if let Some(encoder) = &mut self.encoder {
            encoder.reset(k, numbers.end - k, wide)?;
        }
        let encoder = match &mut self.encoder {
            Some(encoder) => encoder,
            none => {
                let engine = DefaultEngine::new();
                none.insert(LowRateEncoder::new(k, numbers.end - k, wide, engine, None)?)
            }
        };
        let zeros = vec![0; wide];
        for symbol in source {
            match symbol {
                Some(symbol) if symbol.len() == wide => encoder.add_original_shard(symbol),
                Some(symbol) => encoder.add_original_shard(decode::even(symbol, bytes)),
                None => encoder.add_original_shard(&zeros),
            }?;
        }
        let made = encoder.encode()?;
        Ok(made.recovery_iter().skip(numbers.start - k).map(<[u8]>::to_vec).collect())
    }

    /// Restores the missing data from as many repair symbols, with the Cauchy inverse.
    fn restore_by_cauchy(
        &mut self,
        data: &[Option<&[u8]>],
        bytes: usize,
        used: &[(usize, &[u8])],
        missing: &[usize],
    ) -> Vec<Vec<u8>> {
        let numbers: Vec<usize> = used.iter().map(|(n, _)| *n).collect();
        let present = data.len() - missing.len();
        let first = numbers.iter().min().copied().unwrap_or(data.len());
        let end = numbers.iter().max().map_or(first, |n| n + 1);
        let known = if present == 0 {
            None
        } else if decode::sums_are_cheaper(data.len(), present, &numbers) {
            Some(decode::repair_by_sums(&self.engine, data, bytes, &numbers))
        } else {
            self.repair_by_transform(data, bytes, first..end).ok().map(|mut all| {
                numbers.iter().map(|n| std::mem::take(&mut all[n - first])).collect()
            })
        };
        decode::solve_cauchy(&self.engine, data.len(), bytes, used, missing, known.as_deref())
    }
}

impl ErasureCode for ReedSolomon {
    fn plan(&self, source: usize, repair: usize) -> Result<Plan, FecError> {
        match source {
            0 => Err(FecError::NoSource),
            _ if source.saturating_add(repair) > MAX_SYMBOLS => {
                Err(FecError::TooMany { source, repair, max: MAX_SYMBOLS })
            }
            _ => Ok(Plan { source, repair }),
        }
    }

    fn repair_len(&self, bytes: usize) -> usize {
        bytes.next_multiple_of(2)
    }

    fn encode(
        &mut self,
        source: &[&[u8]],
        numbers: Range<usize>,
    ) -> Result<Vec<Vec<u8>>, FecError> {
        let bytes = encodable(self, source, &numbers)?;
        let first = source.len();
        if numbers.is_empty() {
            return Ok(Vec::new());
        }
        let wanted: Vec<usize> = numbers.clone().collect();
        let symbols: Vec<Option<&[u8]>> = source.iter().map(|s| Some(*s)).collect();
        if decode::sums_are_cheaper(first, first, &wanted) {
            return Ok(decode::repair_by_sums(&self.engine, &symbols, bytes, &wanted));
        }
        // The library refuses only impossible shapes.
        let refused =
            |_| FecError::TooMany { source: first, repair: wanted.len(), max: MAX_SYMBOLS };
        self.repair_by_transform(&symbols, bytes, numbers).map_err(refused)
    }

    fn decode(
        &mut self,
        source: usize,
        bytes: usize,
        received: &[(usize, &[u8])],
    ) -> Result<Vec<(usize, Vec<u8>)>, FecError> {
        self.plan(source, 0)?;
        let wide = self.repair_len(bytes);
        let received = Received::new(source, bytes, wide, MAX_SYMBOLS, received)?;
        let missing = received.missing();
        if missing.is_empty() {
            return Ok(Vec::new());
        }
        if received.count() < source {
            return Err(FecError::NotEnough { received: received.count(), source });
        }
        let used = &received.repair[..missing.len()];
        let restored = (missing.len() > decode::MAX_CAUCHY_LOSSES)
            .then(|| decode::decode_with_library(&received.data, bytes, used))
            .flatten();
        let mut restored = restored
            .unwrap_or_else(|| self.restore_by_cauchy(&received.data, bytes, used, &missing));
        for symbol in &mut restored {
            symbol.truncate(bytes);
        }
        Ok(missing.into_iter().zip(restored).collect())
    }

    fn recovers(&self, source: usize, received: &[usize]) -> bool {
        let mut numbers = received.to_vec();
        numbers.sort_unstable();
        numbers.dedup();
        let possible = numbers.last().is_none_or(|&n| n < MAX_SYMBOLS);
        self.plan(source, 0).is_ok() && possible && numbers.len() >= source
    }
}
