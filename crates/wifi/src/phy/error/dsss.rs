//! DSSS and CCK: bit errors of the four rates of 802.11b, independent of the law for OFDM.
//!
//! ```text
//! DBPSK  1 Mb/s     p = exp(-22 s) / 2
//! DQPSK  2 Mb/s     p = (sqrt2 + 1) / sqrt(8 pi sqrt2) x^(-1/2) exp(-(2 - sqrt2) x),  x = 11 s
//! CCK    5.5 Mb/s   symbols of 4 bits, wrong with probability S(4 sqrt(s))
//! CCK    11 Mb/s    symbols of 8 bits, wrong with probability 1 - (1 - S(sqrt(8 s)))^2
//! ```
//!
//! `s` is the SINR over 22 MHz, `x` its Eb/N0 (22 MHz over 1 Mb/s, halved for two bits per symbol),
//! and `S` the symbol error probability of [`cck`](super::cck). The bit error probability is at most
//! one half. The formula of DQPSK is an approximation for a good channel and exceeds 1 in a bad one;
//! ns-3 does not limit it.
//!
//! Source: J. Proakis, *Digital Communications*, eq. 5.2-69 (DBPSK); G. Ferrari and G. Corazza,
//! *Tight bounds and accurate approximations for DQPSK transmission bit error rate*, 2004, eq. 8;
//! M. Pursley and T. Royster, *Properties and performance of the IEEE 802.11b complementary-code-key
//! signal sets*, 2009, eq. 17 and 18. ns-3's DsssErrorRateModel uses the same formulas; for CCK, this
//! is its symbol error integral and not its polynomial fit for builds without GSL. Leaves out
//! multipath, for which 802.11b receivers have equalisers.

use airtcp_units::detmath;

use super::cck;
use crate::phy::Mode;

/// Noise bandwidth over symbol rate of the Barker-spread rates: 22 MHz over 1 MHz.
const SPREAD: f64 = 22.0;

const SQRT_2: f64 = std::f64::consts::SQRT_2;

/// `ln(1 - p)` of a bit at SINR `s`.
pub(super) fn ln_bit_success(mode: Mode, s: f64) -> f64 {
    match mode.kbps() {
        1_000 => detmath::ln_1p(-dbpsk(SPREAD * s)),
        2_000 => detmath::ln_1p(-dqpsk(SPREAD * s / 2.0)),
        5_500 => cck::ln_symbol_success(4.0 * s.sqrt()) / 4.0,
        _ => cck::ln_symbol_success((8.0 * s).sqrt()) * 2.0 / 8.0,
    }
}

fn dbpsk(eb_n0: f64) -> f64 {
    detmath::exp(-eb_n0) / 2.0
}

fn dqpsk(eb_n0: f64) -> f64 {
    let scale = (SQRT_2 + 1.0) / (8.0 * std::f64::consts::PI * SQRT_2).sqrt();
    (scale / eb_n0.sqrt() * detmath::exp(-(2.0 - SQRT_2) * eb_n0)).min(0.5)
}
