//! 802.11ac (VHT): 20 to 160 MHz at 5 GHz, 256-QAM.
//!
//! ```text
//! after L-SIG   VHT-SIG-A 8, VHT-STF 4, VHT-LTF 4 N, VHT-SIG-B 4 us
//! ```
//! N is 1, 2, 4, 4 for 1, 2, 3, 4 streams. The number of BCC encoders is the least of at least `N_DBPS / 2160` that
//! divides `N_CBPS` and `N_DBPS`; some schemes have none, and do not exist. An MPDU has at most 11,454 B.
//!
//! Source: IEEE 802.11-2020 clauses 21.3.6, 21.4.3 and 21.5, 9.4.2.157.2 (limits).

use airtcp_probe::air::AirFormat;

use super::description::{
    AirFormats, Channels, Encoders, Generation, LdpcBits, Limits, MAX_TIME, Shape, training_fields,
};
use crate::phy::Width;
use crate::phy::band::Band;
use crate::phy::mcs::{Coding, GuardInterval, SCHEMES};

/// VHT.
pub(super) const VHT: Generation = Generation {
    name: "VHT",
    bands: &[Channels {
        band: Band::Ghz5,
        widths: &Width::ALL,
        usual: Width::Mhz80,
        groups: &[(36, 8), (100, 12), (149, 5)],
    }],
    widths: &Width::ALL,
    guards: &[GuardInterval::Ns400, GuardInterval::Ns800],
    schemes: SCHEMES.split_at(10).0,
    excluded: &[(Width::Mhz20, 9, &[1, 2, 4]), (Width::Mhz80, 6, &[3]), (Width::Mhz160, 9, &[3])],
    tones: [52, 108, 234, 468],
    symbol_ns: 3_200,
    codings: &[Coding::Bcc, Coding::Ldpc],
    encoders: Encoders::Dividing(2_160),
    ldpc: LdpcBits::Symbols,
    preamble_ns,
    plcp_bits,
    rx_start_delay: None,
    limits: Some(Limits {
        mpdus: 64,
        bytes: 1_048_575,
        usual_bytes: 1_048_575,
        time: MAX_TIME,
        mpdu: 11_454,
        amsdu: 11_424,
        delimits_single: true,
    }),
    signal_a: None,
    multi_user: false,
    air: Some(AirFormats::all(AirFormat::Vht)),
};

const fn preamble_ns(shape: Shape) -> u64 {
    8_000 + 4_000 + 4_000 * training_fields(shape.streams) + 4_000
}

/// L-SIG, VHT-SIG-A and VHT-SIG-B.
const fn plcp_bits(width: Width) -> u64 {
    let signal_b = match width {
        Width::Mhz20 => 26,
        Width::Mhz40 => 27,
        Width::Mhz80 | Width::Mhz160 => 29,
    };
    24 + 48 + signal_b
}
