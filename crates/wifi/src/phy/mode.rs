//! The rates of 802.11a, b and g: modulation, code rate and bits per symbol.
//!
//! Source: IEEE 802.11-2012 clauses 16 (DSSS), 17 (CCK), 18 (OFDM, table 18-4).

use std::fmt;

use airtcp_units::{BitRate, Narrow};

/// Modulation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Modulation {
    /// Differential BPSK spread by the Barker sequence, 1 Mb/s.
    Dbpsk,
    /// Differential QPSK spread by the Barker sequence, 2 Mb/s.
    Dqpsk,
    /// Complementary code keying, 5.5 and 11 Mb/s.
    Cck,
    /// OFDM with BPSK on each subcarrier.
    Bpsk,
    /// OFDM with QPSK.
    Qpsk,
    /// OFDM with 16-QAM.
    Qam16,
    /// OFDM with 64-QAM.
    Qam64,
}

/// One rate of the physical layer: an index into the table of all rates.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Mode(u8);

struct Row {
    kbps: u32,
    modulation: Modulation,
    /// Numerator and denominator of the convolutional code.
    code: (u8, u8),
    /// Data bits in an OFDM symbol of 4 us; 0 for DSSS.
    bits_per_symbol: u16,
}

const fn row(kbps: u32, modulation: Modulation, code: (u8, u8), bits_per_symbol: u16) -> Row {
    Row { kbps, modulation, code, bits_per_symbol }
}

static TABLE: [Row; 12] = [
    row(1_000, Modulation::Dbpsk, (1, 1), 0),
    row(2_000, Modulation::Dqpsk, (1, 1), 0),
    row(5_500, Modulation::Cck, (1, 1), 0),
    row(11_000, Modulation::Cck, (1, 1), 0),
    row(6_000, Modulation::Bpsk, (1, 2), 24),
    row(9_000, Modulation::Bpsk, (3, 4), 36),
    row(12_000, Modulation::Qpsk, (1, 2), 48),
    row(18_000, Modulation::Qpsk, (3, 4), 72),
    row(24_000, Modulation::Qam16, (1, 2), 96),
    row(36_000, Modulation::Qam16, (3, 4), 144),
    row(48_000, Modulation::Qam64, (2, 3), 192),
    row(54_000, Modulation::Qam64, (3, 4), 216),
];

impl Mode {
    /// The four DSSS and CCK rates, slowest first.
    pub const DSSS: [Self; 4] = [Self(0), Self(1), Self(2), Self(3)];
    /// The eight OFDM rates, slowest first.
    pub const OFDM: [Self; 8] =
        [Self(4), Self(5), Self(6), Self(7), Self(8), Self(9), Self(10), Self(11)];
    /// Number of modes: the length of an array over modes.
    pub const COUNT: usize = TABLE.len();

    /// The mode with a rate in kb/s; each rate exists in one modulation only. `None` if no mode has
    /// it.
    pub fn from_kbps(kbps: u64) -> Option<Self> {
        let place = TABLE.iter().position(|row| u64::from(row.kbps) == kbps)?;
        Some(Self(u8::narrow(place)))
    }

    /// Index into an array over modes.
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    fn row(self) -> &'static Row {
        &TABLE[self.index()]
    }

    /// The rate in kb/s.
    pub fn kbps(self) -> u32 {
        self.row().kbps
    }

    /// The rate.
    pub fn rate(self) -> BitRate {
        BitRate::new(u64::from(self.kbps()) * 1_000).unwrap_or(BitRate::from_mbps(1))
    }

    /// The modulation.
    pub fn modulation(self) -> Modulation {
        self.row().modulation
    }

    /// The code rate of the convolutional code, as numerator and denominator; 1/1 without a code.
    pub fn code(self) -> (u8, u8) {
        self.row().code
    }

    /// Data bits in one OFDM symbol, `N_DBPS`; 0 for DSSS and CCK.
    pub fn bits_per_symbol(self) -> u64 {
        u64::from(self.row().bits_per_symbol)
    }

    /// Bits of a frame's body: its `bytes` (MAC header and FCS included), and for OFDM 16 service and
    /// 6 tail bits (clause 18.3.5).
    pub const fn body_bits(self, bytes: u32) -> u64 {
        8 * bytes as u64 + if self.is_ofdm() { 16 + 6 } else { 0 }
    }

    /// True for OFDM, false for DSSS and CCK.
    pub const fn is_ofdm(self) -> bool {
        self.0 >= Self::OFDM[0].0
    }
}

impl fmt::Display for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kbps = self.kbps();
        if kbps.is_multiple_of(1_000) {
            write!(f, "{} Mb/s", kbps / 1_000)
        } else {
            write!(f, "{}.{} Mb/s", kbps / 1_000, kbps % 1_000 / 100)
        }
    }
}

impl fmt::Debug for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Mode({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_per_symbol_follow_from_modulation_and_code() {
        for mode in Mode::OFDM {
            let bits = match mode.modulation() {
                Modulation::Bpsk => 1,
                Modulation::Qpsk => 2,
                Modulation::Qam16 => 4,
                _ => 6,
            };
            let (k, n) = mode.code();
            assert_eq!(mode.bits_per_symbol(), 48 * bits * u64::from(k) / u64::from(n));
            assert_eq!(mode.bits_per_symbol() * 250, u64::from(mode.kbps()));
        }
    }
}
