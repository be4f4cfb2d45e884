//! 802.11n (HT): HT-mixed frames over 20 and 40 MHz.
//!
//! ```text
//! after L-SIG   HT-SIG 8, HT-STF 4, HT-LTF 4 N us
//! ```
//! N is 1, 2, 4, 4 for 1, 2, 3, 4 streams. There are two BCC encoders above 300 Mb/s (1080 bits with the short guard
//! interval; the next scheme has 1296). An MPDU in an A-MPDU has at most 4095 B, and an A-MSDU alone 7935 B.
//!
//! Source: IEEE 802.11-2020 clauses 19.3.5, 19.4.3 and 19.5, 9.4.2.55.3 (limits), 9.3.2.2 (A-MSDU). Leaves out
//! greenfield format, unequal modulation, MCS 32 and STBC.

use airtcp_probe::air::AirFormat;
use airtcp_units::Span;

use super::description::{
    AirFormats, Channels, Encoders, Generation, LdpcBits, Limits, MAX_TIME, Shape, training_fields,
};
use crate::phy::Width;
use crate::phy::band::Band;
use crate::phy::mcs::{Coding, GuardInterval, SCHEMES};

const WIDTHS: &[Width] = &[Width::Mhz20, Width::Mhz40];

/// HT.
pub(super) const HT: Generation = Generation {
    name: "HT",
    bands: &[
        Channels {
            band: Band::Ghz5,
            widths: WIDTHS,
            usual: Width::Mhz40,
            groups: &[(36, 8), (100, 12), (149, 5)],
        },
        Channels { band: Band::Ghz2, widths: WIDTHS, usual: Width::Mhz20, groups: &[(1, 13)] },
    ],
    widths: WIDTHS,
    guards: &[GuardInterval::Ns400, GuardInterval::Ns800],
    schemes: SCHEMES.split_at(8).0,
    excluded: &[],
    tones: [52, 108, 0, 0],
    symbol_ns: 3_200,
    codings: &[Coding::Bcc, Coding::Ldpc],
    encoders: Encoders::TwoAbove(1_080),
    ldpc: LdpcBits::Frame,
    preamble_ns,
    plcp_bits,
    rx_start_delay: Some(Span::from_micros(33)),
    limits: Some(Limits {
        mpdus: 64,
        bytes: 65_535,
        usual_bytes: 65_535,
        time: MAX_TIME,
        mpdu: 4_095,
        amsdu: 7_935,
        delimits_single: false,
    }),
    signal_a: None,
    multi_user: false,
    air: Some(AirFormats::all(AirFormat::Ht)),
};

const fn preamble_ns(shape: Shape) -> u64 {
    8_000 + 4_000 + 4_000 * training_fields(shape.streams)
}

/// L-SIG and HT-SIG.
const fn plcp_bits(_: Width) -> u64 {
    24 + 48
}
