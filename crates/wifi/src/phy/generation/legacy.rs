//! 802.11a, b and g: DSSS and CCK, and non-HT OFDM. Their rates have no schemes; [`Timing`](crate::phy::Timing) has the
//! times of their frames.
//!
//! Source: IEEE 802.11-2012 clauses 16 (DSSS), 17 (CCK) and 18 (OFDM).

use super::description::{Channels, Encoders, Generation, LdpcBits, Shape};
use crate::phy::Width;
use crate::phy::band::Band;
use crate::phy::mcs::GuardInterval;

/// The channels of 20 MHz of a band. Other rules number them.
const fn narrow(band: Band) -> Channels {
    Channels { band, widths: &[Width::Mhz20], usual: Width::Mhz20, groups: &[] }
}

/// Without schemes.
const PLAIN: Generation = Generation {
    name: "",
    bands: &[],
    widths: &[Width::Mhz20],
    guards: &[],
    schemes: &[],
    excluded: &[],
    tones: [0; 4],
    symbol_ns: 0,
    codings: &[],
    encoders: Encoders::None,
    ldpc: LdpcBits::Frame,
    preamble_ns: no_fields,
    plcp_bits: signal_bits,
    rx_start_delay: None,
    limits: None,
    signal_a: None,
    multi_user: false,
    air: None,
};

/// DSSS and CCK.
pub(super) const DSSS: Generation =
    Generation { name: "DSSS", bands: &[narrow(Band::Ghz2)], ..PLAIN };

/// Non-HT OFDM.
pub(super) const OFDM: Generation = Generation {
    name: "OFDM",
    bands: &[narrow(Band::Ghz5), narrow(Band::Ghz2)],
    guards: &[GuardInterval::Ns800],
    tones: [48; 4],
    symbol_ns: 3_200,
    ..PLAIN
};

/// L-SIG is the last field.
const fn no_fields(_: Shape) -> u64 {
    0
}

/// L-SIG.
const fn signal_bits(_: Width) -> u64 {
    24
}
