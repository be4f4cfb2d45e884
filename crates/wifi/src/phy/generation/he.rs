//! 802.11ax (HE): symbols of 12.8 us, 1024-QAM, OFDMA, spatial reuse, 6 GHz.
//!
//! ```text
//! after L-SIG   RL-SIG 4, HE-SIG-A 8, HE-STF 4 (8 in an HE TB PPDU), HE-LTF N (T + GI) us
//! T             6.4 us with a guard interval of 800 or 1600 ns, 12.8 us with 3200 ns
//! ```
//! N is 1, 2, 4, 4 for 1, 2, 3, 4 streams. The times of an HE MU PPDU depend on all its users
//! ([`MuPpdu`](crate::phy::MuPpdu)). Frames are coded with LDPC. An MPDU has at most 11,454 B, a PSDU 6,500,631 B.
//!
//! Source: 802.11ax-2021 clauses 27.3.12, 27.4.3 and 27.5, table 27-54 (limits), clause 27.3.11.7 (HE-SIG-A). Of the
//! HE-LTF sizes the model takes 2x (4x with 3200 ns), the ones that stations must support. Leaves out DCM, STBC and
//! packet extension.

use airtcp_probe::air::AirFormat;
use airtcp_units::Span;

use super::description::{
    AirFormats, Channels, Encoders, Generation, LdpcBits, Limits, MAX_TIME, Shape, training_fields,
};
use crate::phy::Width;
use crate::phy::band::Band;
use crate::phy::mcs::{Coding, GuardInterval, SCHEMES};

/// HE.
pub(super) const HE: Generation = Generation {
    name: "HE",
    bands: &[
        Channels {
            band: Band::Ghz5,
            widths: &Width::ALL,
            usual: Width::Mhz80,
            groups: &[(36, 8), (100, 12), (149, 8)],
        },
        Channels {
            band: Band::Ghz2,
            widths: &[Width::Mhz20, Width::Mhz40],
            usual: Width::Mhz20,
            groups: &[(1, 13)],
        },
        Channels { band: Band::Ghz6, widths: &Width::ALL, usual: Width::Mhz80, groups: &[(1, 59)] },
    ],
    widths: &Width::ALL,
    guards: &[GuardInterval::Ns800, GuardInterval::Ns1600, GuardInterval::Ns3200],
    schemes: &SCHEMES,
    excluded: &[],
    tones: [234, 468, 980, 1_960],
    symbol_ns: 12_800,
    codings: &[Coding::Ldpc],
    encoders: Encoders::None,
    ldpc: LdpcBits::Segments,
    preamble_ns,
    plcp_bits,
    rx_start_delay: Some(Span::from_micros(32)),
    limits: Some(Limits {
        mpdus: 256,
        bytes: 6_500_631,
        usual_bytes: 4_194_303,
        time: MAX_TIME,
        mpdu: 11_454,
        amsdu: 11_424,
        delimits_single: true,
    }),
    // 20 us up to L-SIG, RL-SIG, HE-SIG-A.
    signal_a: Some(Span::from_micros(20 + 4 + 8)),
    multi_user: true,
    air: Some(AirFormats {
        single: AirFormat::He,
        multi_user: AirFormat::HeMu,
        triggered: AirFormat::HeTrigger,
    }),
};

const fn preamble_ns(shape: Shape) -> u64 {
    let training = if shape.in_unit { 8_000 } else { 4_000 };
    4_000 + 8_000 + training + ltf_ns(shape.guard) * training_fields(shape.streams)
}

/// Duration of an HE-LTF in ns.
pub(crate) const fn ltf_ns(guard: Option<GuardInterval>) -> u64 {
    match guard {
        Some(GuardInterval::Ns3200) => 12_800 + 3_200,
        Some(GuardInterval::Ns1600) => 6_400 + 1_600,
        _ => 6_400 + 800,
    }
}

/// L-SIG, RL-SIG and HE-SIG-A.
const fn plcp_bits(_: Width) -> u64 {
    24 + 24 + 52
}
