//! The MCS field, of 802.11n (radiotap.org/fields/MCS): known, flags, index.

use super::modulation::Modulation;
use crate::bytes::byte;
use crate::radio::{Phy, Radio};
use crate::rate;

/// Bits of `known`.
const BANDWIDTH: u8 = 0x01;
const INDEX: u8 = 0x02;
const GUARD: u8 = 0x04;
/// Format, coding, no STBC streams, no extension streams.
const OTHERS: u8 = 0x08 | 0x10 | 0x20 | 0x40;
/// Bits of the flags: the bandwidth in two, then the guard interval and the coding.
const WIDTH: u8 = 0x03;
const FORTY_MHZ: u8 = 1;
const SHORT_GUARD: u8 = 0x04;
const LDPC: u8 = 0x10;

/// Modulation and coding of a frame of 802.11n.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ht {
    /// Which of the others are known.
    pub known: u8,
    /// Bandwidth, guard interval, format, coding, streams.
    pub flags: u8,
    /// Index, streams included.
    pub index: u8,
}

impl Ht {
    /// The field for a modulation, with everything known.
    pub(super) fn of(modulation: &Modulation) -> Self {
        let wide = if modulation.width_mhz == 40 { FORTY_MHZ } else { 0 };
        let short = if modulation.guard_ns == 400 { SHORT_GUARD } else { 0 };
        let ldpc = if modulation.ldpc { LDPC } else { 0 };
        let streams = modulation.streams.saturating_sub(1);
        Self {
            known: BANDWIDTH | INDEX | GUARD | OTHERS,
            flags: wide | short | ldpc,
            index: streams.saturating_mul(8).saturating_add(modulation.index),
        }
    }

    pub(super) fn parse(value: &[u8]) -> Option<Self> {
        Some(Self { known: byte(value, 0)?, flags: byte(value, 1)?, index: byte(value, 2)? })
    }

    pub(super) const fn bytes(self) -> [u8; 3] {
        [self.known, self.flags, self.index]
    }

    /// Sets what it says of a frame, if it has the index.
    pub(super) fn describe(self, radio: &mut Radio) {
        let Self { known, flags, index } = self;
        if known & INDEX == 0 {
            return;
        }
        let forty_mhz = known & BANDWIDTH != 0 && flags & WIDTH == FORTY_MHZ;
        let short_guard = known & GUARD != 0 && flags & SHORT_GUARD != 0;
        radio.phy = Phy::Ht;
        radio.rate_bps = rate::ht(index, forty_mhz, short_guard);
        radio.symbol_ns = if short_guard { 3_600 } else { 4_000 };
        radio.streams = if index < 32 { index / 8 + 1 } else { 1 };
    }
}
