//! The arithmetic of blocks: the segments, data and parity of a window, the number of repair
//! symbols, and the condition for decoding. Pure functions of numbers, without state.
//!
//! ```text
//! target  = clamp(step floor(W / (G step)), MSS_min, MSS_max)   most bytes with at least G segments
//! N       = floor(W / MSS), in equal blocks of at most `block_limit`
//! P       = round(N (E + s)) <= N - 1,   K = N - P
//! R       = P' + ceil(X / (1 - E - s)) <= N,    P' = P in the first round and 0 later
//! decodes : any K of the symbols 0..255 have arrived
//! ```
//!
//! S0 section III, S2 section V; where these leave the exact rules open, `docs/models/lt-tcp.md`
//! lists the choices. Sizes in bytes, counts in segments. Leaves out the code itself: only the set
//! of arrived symbols matters, as with any code that decodes from every set of K (Reed-Solomon).

use airtcp_units::{Narrow, Saturate};

use super::config::{LtConfig, Proactive};
use super::estimate::Protection;
pub use super::limits::{DATA_HEADER, MAX_SYMBOLS};

/// Lower bound of `1 - E - s` for repairs.
const MIN_SHARE: f64 = 0.05;

/// Keeps a whole quotient from being rounded up because of its last bit.
const ROUNDING: f64 = 1e-9;

/// A set of symbol indices below 256.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Symbols([u64; 4]);

impl Symbols {
    /// Adds an index; false if the set had it.
    pub const fn insert(&mut self, index: u8) -> bool {
        let (word, bit) = (index as usize / 64, 1 << (index % 64));
        let new = self.0[word] & bit == 0;
        self.0[word] |= bit;
        new
    }

    /// True if the set has the index.
    pub const fn contains(&self, index: u8) -> bool {
        self.0[index as usize / 64] & 1 << (index % 64) != 0
    }

    /// Number of indices.
    pub fn len(&self) -> u16 {
        u16::narrow(self.0.iter().map(|word| word.count_ones()).sum::<u32>())
    }

    /// True if the set is empty.
    pub fn is_empty(&self) -> bool {
        self.0 == [0; 4]
    }

    /// The lowest missing index from `from` on, below `end`.
    pub fn first_missing(&self, from: u16, end: u16) -> Option<u8> {
        (from..end).map(u8::narrow).find(|i| !self.contains(*i))
    }
}

impl FromIterator<u8> for Symbols {
    fn from_iter<I: IntoIterator<Item = u8>>(indices: I) -> Self {
        let mut set = Self::default();
        for index in indices {
            set.insert(index);
        }
        set
    }
}

/// True if these symbols of a block of `data` data symbols decode the block.
pub fn recovers(data: u16, symbols: &Symbols) -> bool {
    symbols.len() >= data
}

/// Kind of the symbol with this index: data `0..data`, then parity `data..data + parity`, then
/// repairs. Each index is sent once while unused ones are left.
pub const fn kind_of(index: u8, data: u16, parity: u16) -> Kind {
    if (index as u16) < data {
        Kind::Data
    } else if (index as u16) < data + parity {
        Kind::Proactive
    } else {
        Kind::Reactive
    }
}

/// Kind of a symbol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Part of the stream.
    Data,
    /// Parity sent with the block.
    Proactive,
    /// Parity sent after the block could not be decoded.
    Reactive,
}

/// Layout of a new block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Plan {
    /// Segment size for which it is made, including the option of [`DATA_HEADER`] bytes.
    pub segment: u16,
    /// Data segments, at least 1.
    pub data: u16,
    /// Parity segments.
    pub parity: u16,
    /// Payload of a symbol, an even number of bytes. The last data segment may be shorter.
    pub symbol: u16,
    /// Bytes by which the last data segment is shorter.
    pub padding: u8,
    /// Bytes of the stream in the block.
    pub bytes: u32,
}

/// Target segment size of a window of `window` bytes: the largest multiple of the step that leaves
/// at least G segments, between MSS_min and `most`.
pub fn target_segment(window: u64, most: u16, config: &LtConfig) -> u16 {
    let step = u64::from(config.mss_step.max(1));
    let even = step * (window / (u64::from(config.granulation.max(1)) * step));
    let most = most.max(config.mss_min);
    u16::narrow(even.clamp(u64::from(config.mss_min), u64::from(most)))
}

/// Proactive parity of a block of `n` segments.
pub fn parity(n: u16, protection: &Protection, config: &LtConfig) -> u16 {
    let share = match config.proactive {
        Proactive::Fixed => config.fixed_share,
        Proactive::Adaptive if protection.estimate < config.least_estimate => return 0,
        Proactive::Adaptive => protection.expected_share(n),
    };
    u16::saturate((f64::from(n) * share).round()).min(n.saturating_sub(1))
}

/// Number of symbols that repair a block of `n` segments of which `missing` are needed. `proactive`
/// is the block's parity in the first round, 0 in later ones.
pub fn repairs(n: u16, proactive: u16, missing: u16, protection: &Protection) -> u16 {
    let share = (1.0 - protection.expected_share(n)).max(MIN_SHARE);
    let needed = (f64::from(missing) / share - ROUNDING).ceil();
    let cap = n.max(missing);
    u16::saturate((f64::from(proactive) + needed).min(f64::from(cap)))
}

/// The next block of a stream with `available` waiting bytes (at least 1), for a window of `window`
/// bytes with segments of `segment` bytes.
pub fn plan(
    window: u64,
    segment: u16,
    available: u64,
    protection: &Protection,
    config: &LtConfig,
) -> Plan {
    let mut segment = segment;
    let (mut n, mut p) = split(window, segment, protection, config);
    let adapts = config.proactive == Proactive::Adaptive;
    let wanted = adapts && protection.estimate >= config.least_estimate;
    if wanted && p == 0 && segment >= config.mss_min.saturating_add(config.mss_step) {
        // A smaller segment makes room for one of parity (S0: "MSS is adjusted to allow one or
        // more FEC packets per window").
        segment -= config.mss_step;
        (n, p) = split(window, segment, protection, config);
    }
    if wanted {
        p = p.max(1).min(n - 1);
    }
    // Whole elements of the code's field, which are two bytes (`airtcp_fec`, Reed-Solomon).
    let payload = u64::from((segment - DATA_HEADER) & !1);
    let mut data = n - p;
    let needed = available.div_ceil(payload).max(1);
    if needed < u64::from(data) {
        // Less data than a window: the smallest block that holds the data.
        let few = u16::narrow(needed);
        n = (few..n).find(|n| n - parity(*n, protection, config) >= few).unwrap_or(n);
        data = few;
        p = (n - few).max(u16::from(wanted));
    }
    let mut bytes = available.min(u64::from(data) * payload);
    // Equal symbols: the last data segment lacks less than two bytes for each of them.
    let mut symbol = bytes.div_ceil(u64::from(data)).next_multiple_of(2);
    if (u64::from(data) * symbol).saturating_sub(bytes) > u64::from(u8::MAX) {
        // The padding exceeds its header field: whole symbols, and the rest goes into another
        // block.
        symbol -= 2;
        bytes = u64::from(data) * symbol;
    }
    data = u16::narrow(bytes.div_ceil(symbol));
    let padding = u8::narrow(u64::from(data) * symbol - bytes);
    let (symbol, bytes) = (u16::narrow(symbol), u32::narrow(bytes));
    Plan { segment, data, parity: p, symbol, padding, bytes }
}

/// Segments and parity of a block: the window, or an equal part of it.
fn split(window: u64, segment: u16, protection: &Protection, config: &LtConfig) -> (u16, u16) {
    let whole = (window / u64::from(segment)).max(1);
    let parts = whole.div_ceil(u64::from(config.block_limit));
    let n = u16::narrow(whole.div_ceil(parts));
    (n, parity(n, protection, config))
}

#[cfg(test)]
mod tests;
