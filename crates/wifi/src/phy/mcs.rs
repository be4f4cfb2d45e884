//! Modulation and coding schemes of 802.11n (HT), ac (VHT) and ax (HE), of which `generation` says what each has.
//!
//! ```text
//! N_CBPS = N_SD N_BPSCS N_SS                   coded bits in a symbol
//! N_DBPS = floor(N_CBPS R)                     data bits in a symbol
//! T_SYM  = 3.2 us + GI (HT, VHT), 12.8 us + GI (HE)
//! rate   = N_DBPS / T_SYM
//! ```
//!
//! HT numbers the schemes of 2, 3 and 4 streams 8 to 31. Here an index counts from 0 for each number of
//! streams, as in VHT and HE: HT's MCS 15 is index 7 with 2 streams. Resource units of HE have their own N_SD (`ru`).
//!
//! Source: IEEE 802.11-2020 clauses 19.5 (HT) and 21.5 (VHT); 802.11ax-2021 clause 27.5 (HE). Leaves out more than 4
//! streams.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;

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

/// A modulation and coding scheme.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Scheme {
    pub(crate) modulation: Modulation,
    /// Numerator and denominator of the code rate.
    pub(crate) code: (u8, u8),
}

const fn scheme(modulation: Modulation, code: (u8, u8)) -> Scheme {
    Scheme { modulation, code }
}

/// The schemes by index, the same in all generations that have them.
pub(crate) const SCHEMES: [Scheme; 12] = [
    scheme(Modulation::Bpsk, (1, 2)),
    scheme(Modulation::Qpsk, (1, 2)),
    scheme(Modulation::Qpsk, (3, 4)),
    scheme(Modulation::Qam16, (1, 2)),
    scheme(Modulation::Qam16, (3, 4)),
    scheme(Modulation::Qam64, (2, 3)),
    scheme(Modulation::Qam64, (3, 4)),
    scheme(Modulation::Qam64, (5, 6)),
    scheme(Modulation::Qam256, (3, 4)),
    scheme(Modulation::Qam256, (5, 6)),
    scheme(Modulation::Qam1024, (3, 4)),
    scheme(Modulation::Qam1024, (5, 6)),
];
