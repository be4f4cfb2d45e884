//! Modulation and coding schemes of 802.11n (HT), ac (VHT) and ax (HE): bits per symbol and symbol time.
//!
//! ```text
//! N_CBPS = N_SD N_BPSCS N_SS                   coded bits in a symbol
//! N_DBPS = floor(N_CBPS R)                     data bits in a symbol
//! T_SYM  = 3.2 us + GI (HT, VHT), 12.8 us + GI (HE)
//! rate   = N_DBPS / T_SYM
//! ```
//!
//! | MHz | N_SD in HT and VHT | N_SD in HE |
//! |---|---|---|
//! | 20 | 52 | 234 |
//! | 40 | 108 | 468 |
//! | 80 | 234 (VHT) | 980 |
//! | 160 | 468 (VHT) | 1960 |
//!
//! HT numbers the schemes of 2, 3 and 4 streams 8 to 31. Here an index counts from 0 for each number of
//! streams, as in VHT and HE: HT's MCS 15 is index 7 with 2 streams.
//!
//! BCC encoders: HT has 2 above 300 Mb/s, else 1. VHT has the least number of at least `N_DBPS / 2160`
//! that divides `N_CBPS` and `N_DBPS`. HE frames are coded with LDPC, which has no tail bits. Resource units of
//! HE have their own N_SD (`ru`).
//!
//! Source: IEEE 802.11-2020 clauses 19.3.5 and 19.5 (HT), 21.3.6 and 21.5 (VHT); 802.11ax-2021 clauses
//! 27.3.12 and 27.5 (HE). Leaves out unequal modulation, HT's MCS 32, STBC, DCM, and more than 4 streams.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;

use super::{RuSize, Width};

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
    /// OFDM with 256-QAM.
    Qam256,
    /// OFDM with 1024-QAM.
    Qam1024,
}

impl Modulation {
    /// Coded bits on a subcarrier, `N_BPSCS`; 0 for DSSS and CCK.
    pub const fn bits(self) -> u32 {
        match self {
            Self::Dbpsk | Self::Dqpsk | Self::Cck => 0,
            Self::Bpsk => 1,
            Self::Qpsk => 2,
            Self::Qam16 => 4,
            Self::Qam64 => 6,
            Self::Qam256 => 8,
            Self::Qam1024 => 10,
        }
    }
}

/// Format of a frame's preamble and symbols.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Format {
    /// DSSS and CCK (802.11b).
    Dsss,
    /// Non-HT OFDM (802.11a and g).
    Ofdm,
    /// HT-mixed (802.11n).
    Ht,
    /// VHT (802.11ac).
    Vht,
    /// HE single-user (802.11ax).
    He,
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Dsss => "DSSS",
            Self::Ofdm => "OFDM",
            Self::Ht => "HT",
            Self::Vht => "VHT",
            Self::He => "HE",
        })
    }
}

/// Code of the data bits of HT and VHT frames. HE frames are coded with LDPC.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Coding {
    /// The binary convolutional code, with 6 tail bits per encoder.
    Bcc,
    /// The low-density parity-check code, without tail bits.
    Ldpc,
}

impl fmt::Display for Coding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Bcc => "bcc",
            Self::Ldpc => "ldpc",
        })
    }
}

/// Guard interval before each OFDM symbol.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
pub enum GuardInterval {
    /// 400 ns, the short one of HT and VHT.
    #[serde(rename = "400 ns")]
    Ns400,
    /// 800 ns.
    #[serde(rename = "800 ns")]
    Ns800,
    /// 1600 ns, of HE.
    #[serde(rename = "1600 ns")]
    Ns1600,
    /// 3200 ns, of HE.
    #[serde(rename = "3200 ns")]
    Ns3200,
}

impl GuardInterval {
    /// Its length in ns.
    pub const fn ns(self) -> u32 {
        match self {
            Self::Ns400 => 400,
            Self::Ns800 => 800,
            Self::Ns1600 => 1_600,
            Self::Ns3200 => 3_200,
        }
    }
}

impl fmt::Display for GuardInterval {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ns", self.ns())
    }
}

/// Maximum number of spatial streams.
pub const MAX_STREAMS: u8 = 4;

impl Format {
    /// Number of schemes for each number of streams; 0 for DSSS and OFDM.
    pub const fn schemes(self) -> u8 {
        match self {
            Self::Dsss | Self::Ofdm => 0,
            Self::Ht => 8,
            Self::Vht => 10,
            Self::He => 12,
        }
    }

    /// Widths of its channels, the narrowest first.
    pub const fn widths(self) -> &'static [Width] {
        match self {
            Self::Dsss | Self::Ofdm => &[Width::Mhz20],
            Self::Ht => &[Width::Mhz20, Width::Mhz40],
            Self::Vht | Self::He => &Width::ALL,
        }
    }

    /// Guard intervals of its symbols, the shortest first.
    pub const fn guards(self) -> &'static [GuardInterval] {
        match self {
            Self::Dsss => &[],
            Self::Ofdm => &[GuardInterval::Ns800],
            Self::Ht | Self::Vht => &[GuardInterval::Ns400, GuardInterval::Ns800],
            Self::He => &[GuardInterval::Ns800, GuardInterval::Ns1600, GuardInterval::Ns3200],
        }
    }

    /// Data subcarriers, `N_SD`.
    pub const fn data_subcarriers(self, width: Width) -> u32 {
        match (self, width) {
            (Self::Dsss, _) => 0,
            (Self::Ofdm, _) => 48,
            (Self::Ht | Self::Vht, Width::Mhz20) => 52,
            (Self::Ht | Self::Vht, Width::Mhz40) => 108,
            (Self::Ht | Self::Vht, Width::Mhz80) | (Self::He, Width::Mhz20) => 234,
            (Self::Ht | Self::Vht, Width::Mhz160) | (Self::He, Width::Mhz40) => 468,
            (Self::He, Width::Mhz80) => 980,
            (Self::He, Width::Mhz160) => 1_960,
        }
    }

    /// Duration of an OFDM symbol with its guard interval, in ns.
    pub const fn symbol_ns(self, guard: GuardInterval) -> u32 {
        let body = if matches!(self, Self::He) { 12_800 } else { 3_200 };
        body + guard.ns()
    }
}

/// Modulation and code rate of an index, the same in HT, VHT and HE.
pub(super) const fn scheme(mcs: u8) -> (Modulation, (u8, u8)) {
    match mcs {
        0 => (Modulation::Bpsk, (1, 2)),
        1 => (Modulation::Qpsk, (1, 2)),
        2 => (Modulation::Qpsk, (3, 4)),
        3 => (Modulation::Qam16, (1, 2)),
        4 => (Modulation::Qam16, (3, 4)),
        5 => (Modulation::Qam64, (2, 3)),
        6 => (Modulation::Qam64, (3, 4)),
        7 => (Modulation::Qam64, (5, 6)),
        8 => (Modulation::Qam256, (3, 4)),
        9 => (Modulation::Qam256, (5, 6)),
        10 => (Modulation::Qam1024, (3, 4)),
        _ => (Modulation::Qam1024, (5, 6)),
    }
}

/// Data bits of a symbol, and the number of BCC encoders (0 for LDPC).
pub(super) struct Symbol {
    pub(super) data_bits: u32,
    pub(super) encoders: u32,
}

/// The symbol of a scheme; `None` if the standard excludes the combination.
pub(super) const fn symbol(
    format: Format,
    mcs: u8,
    streams: u8,
    width: Width,
    ru: Option<RuSize>,
) -> Option<Symbol> {
    let known = matches!((format, width), (Format::Vht | Format::He, _))
        || matches!((format, width), (Format::Ht, Width::Mhz20 | Width::Mhz40));
    if !known || mcs >= format.schemes() || streams == 0 || streams > MAX_STREAMS {
        return None;
    }
    let (modulation, (k, n)) = scheme(mcs);
    let subcarriers = match ru {
        Some(ru) => ru.data_subcarriers(),
        None => format.data_subcarriers(width),
    };
    let coded = subcarriers * modulation.bits() * streams as u32;
    let data_bits = coded * k as u32 / n as u32;
    match format {
        Format::He => Some(Symbol { data_bits, encoders: 0 }),
        Format::Vht => {
            let excluded = match (width, mcs) {
                (Width::Mhz20, 9) => streams != 3,
                (Width::Mhz80, 6) | (Width::Mhz160, 9) => streams == 3,
                _ => false,
            };
            if excluded {
                return None;
            }
            let mut encoders = data_bits.div_ceil(2_160);
            while !coded.is_multiple_of(encoders) || !data_bits.is_multiple_of(encoders) {
                encoders += 1;
            }
            Some(Symbol { data_bits, encoders })
        }
        // 300 Mb/s with the short guard interval are 1080 bits; the next scheme has 1296.
        _ => Some(Symbol { data_bits, encoders: if data_bits > 1_080 { 2 } else { 1 } }),
    }
}
