//! RaptorQ, RFC 6330: a rateless code, by the crate `raptorq`.
//!
//! A block is one source block without sub-blocks; symbol numbers are encoding symbol
//! identifiers. K symbols fail to decode about once in a hundred, K + 1 once in ten thousand,
//! K + 2 once in a million (section 1). Blocks below 10 symbols are padded by the code.

use airtcp_units::Narrow;
use std::fmt;
use std::ops::Range;

use raptorq::{
    EncodingPacket, ObjectTransmissionInformation, PayloadId, SourceBlockDecoder,
    SourceBlockEncoder, SourceBlockEncodingPlan,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::code::{Received, encodable};
use crate::{ErasureCode, FecError, Plan};

/// Largest block (RFC 6330 section 5.1.2, K'_max).
const MAX_SOURCE: usize = 56_403;
/// Encoding symbol identifiers have 24 bits.
const MAX_SYMBOLS: usize = 1 << 24;

/// RaptorQ has no parameters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct RaptorQConfig {}

/// The code.
#[derive(Default)]
pub struct RaptorQ {
    /// Block size, and the encoding plan that all blocks of this size share.
    plan: Option<(usize, SourceBlockEncodingPlan)>,
}

impl fmt::Debug for RaptorQ {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RaptorQ").field("planned", &self.plan.as_ref().map(|p| p.0)).finish()
    }
}

fn describe(source: usize, bytes: usize) -> Result<ObjectTransmissionInformation, FecError> {
    let max = usize::from(u16::MAX);
    let symbol = u16::try_from(bytes).map_err(|_| FecError::TooLong { bytes, max })?;
    Ok(ObjectTransmissionInformation::new((source * bytes) as u64, symbol, 1, 1, 1))
}

impl RaptorQ {
    /// The code.
    pub const fn new(_: &RaptorQConfig) -> Self {
        Self { plan: None }
    }
}

impl ErasureCode for RaptorQ {
    fn plan(&self, source: usize, repair: usize) -> Result<Plan, FecError> {
        let max = if source > MAX_SOURCE { MAX_SOURCE } else { MAX_SYMBOLS };
        match source {
            0 => Err(FecError::NoSource),
            _ if source > MAX_SOURCE || repair > MAX_SYMBOLS - source => {
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
        let bytes = encodable(self, source, &numbers)?;
        let k = source.len();
        let info = describe(k, bytes)?;
        let data = source.concat();
        if self.plan.as_ref().is_none_or(|p| p.0 != k) {
            self.plan = Some((k, SourceBlockEncodingPlan::generate(u16::narrow(k))));
        }
        let Some((_, plan)) = &self.plan else { return Ok(Vec::new()) };
        let encoder = SourceBlockEncoder::with_encoding_plan(0, &info, &data, plan);
        let packets =
            encoder.repair_packets(u32::narrow(numbers.start - k), u32::narrow(numbers.len()));
        Ok(packets.into_iter().map(|packet| packet.split().1).collect())
    }

    fn decode(
        &mut self,
        source: usize,
        bytes: usize,
        received: &[(usize, &[u8])],
    ) -> Result<Vec<(usize, Vec<u8>)>, FecError> {
        self.plan(source, 0)?;
        let info = describe(source, bytes)?;
        let received = Received::new(source, bytes, bytes, MAX_SYMBOLS, received)?;
        let missing = received.missing();
        let short = FecError::NotEnough { received: received.count(), source };
        if missing.is_empty() {
            return Ok(Vec::new());
        }
        if received.count() < source {
            return Err(short);
        }
        let packet = |n: usize, symbol: &[u8]| {
            EncodingPacket::new(PayloadId::new(0, u32::narrow(n)), symbol.to_vec())
        };
        let data = received.data.iter().enumerate().filter_map(|(n, s)| Some(packet(n, (*s)?)));
        let repair = received.repair.iter().map(|(n, s)| packet(*n, s));
        let mut decoder = SourceBlockDecoder::new(0, &info, (source * bytes) as u64);
        let block = decoder.decode(data.chain(repair)).ok_or(short)?;
        let symbol = |n: usize| block[n * bytes..(n + 1) * bytes].to_vec();
        Ok(missing.into_iter().map(|n| (n, symbol(n))).collect())
    }

    fn recovers(&self, source: usize, received: &[usize]) -> bool {
        // Solvability depends on the numbers alone, so symbols of one zero byte suffice.
        let symbols: Vec<(usize, &[u8])> = received.iter().map(|&n| (n, &[0_u8][..])).collect();
        Self::default().decode(source, 1, &symbols).is_ok()
    }
}
