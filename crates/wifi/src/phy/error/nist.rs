//! OFDM with hard decisions and the distance spectrum of the code.
//!
//! ```text
//! BPSK    p = erfc(sqrt(s)) / 2
//! QPSK    p = erfc(sqrt(s / 2)) / 2
//! M-QAM   p = (m - 1) / (m log2 m) erfc(sqrt(3 s / (2 (M - 1)))),   m = sqrt(M)
//! D  = sqrt(4 p (1 - p))                                            Chernoff bound of hard decisions
//! Pe = 1/(2 k) sum over d of c_d D^d, at most 1                     code of rate k/n
//! ```
//!
//! `s` is the SINR: signal and noise of a subcarrier have the same bandwidth, so the law needs no ratio
//! of bandwidth to rate. `c_d` counts the wrong bits on all paths of distance `d` of the (133, 171)
//! code and its punctured forms, for the first nine or ten distances.
//!
//! Source: L. Miller, *Validation of 802.11a/UWB Coexistence Simulation*, NIST 2003; G. Pei and
//! T. Henderson, *Validation of OFDM error rate model in ns-3*, Boeing 2010. Leaves out soft
//! decisions (about 2 dB better), imperfect interleaving in a fading channel, and the gain of the
//! frame's last bits from the code's tail.

use airtcp_probe::ConfigError;
use airtcp_units::detmath;

use super::{BitLaw, Model, dsss};
use crate::phy::{Mode, Modulation};

/// The table of the NIST law: empty.
#[derive(
    Debug, Clone, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize, schemars::JsonSchema,
)]
#[serde(deny_unknown_fields)]
pub struct NistConfig {}

/// The NIST law; DSSS and CCK by their own formulas.
#[derive(Debug, Clone, Copy, Default)]
pub struct Nist;

/// Wrong bits on the paths of distance 10, 12 ... 26 of the rate-1/2 code, which has no odd distances.
const HALF: [f64; 9] =
    [36.0, 211.0, 1_404.0, 11_633.0, 77_433.0, 502_690.0, 3_322_763.0, 21_292_910.0, 134_365_911.0];
/// Wrong bits on the paths of distance 6 to 15 of the code punctured to 2/3.
const TWO_THIRDS: [f64; 10] =
    [3.0, 70.0, 285.0, 1_276.0, 6_160.0, 27_128.0, 117_019.0, 498_860.0, 2_103_891.0, 8_784_123.0];
/// Wrong bits on the paths of distance 5 to 14 of the code punctured to 3/4.
const THREE_QUARTERS: [f64; 10] = [
    42.0,
    201.0,
    1_492.0,
    10_469.0,
    62_935.0,
    379_644.0,
    2_253_373.0,
    13_073_811.0,
    75_152_755.0,
    428_005_675.0,
];

/// `c[0] + c[1] x + c[2] x^2 + ...`
fn polynomial(coefficients: &[f64], x: f64) -> f64 {
    coefficients.iter().rev().fold(0.0, |sum, c| sum * x + c)
}

/// Error probability of a coded bit, before decoding, at SINR `s`.
fn coded_bit_error(modulation: Modulation, s: f64) -> f64 {
    let erfc_sqrt = |x: f64| detmath::erfc(x.sqrt());
    match modulation {
        Modulation::Qpsk => erfc_sqrt(s / 2.0) / 2.0,
        Modulation::Qam16 => erfc_sqrt(s / 10.0) * (3.0 / 8.0),
        Modulation::Qam64 => erfc_sqrt(s / 42.0) * (7.0 / 24.0),
        Modulation::Qam256 => erfc_sqrt(s / 170.0) * (15.0 / 64.0),
        Modulation::Qam1024 => erfc_sqrt(s / 682.0) * (31.0 / 160.0),
        _ => erfc_sqrt(s) / 2.0,
    }
}

/// Error probability of a bit after decoding, from that of a coded bit.
fn decoded_bit_error(code: (u8, u8), p: f64) -> f64 {
    let square = 4.0 * p * (1.0 - p);
    let d = square.sqrt();
    let fourth = square * square;
    let bound = match code {
        (1, 2) => fourth * fourth * square * polynomial(&HALF, square) / 2.0,
        (2, 3) => fourth * square * polynomial(&TWO_THIRDS, d) / 4.0,
        _ => fourth * d * polynomial(&THREE_QUARTERS, d) / 6.0,
    };
    bound.min(1.0)
}

impl BitLaw for Nist {
    #[inline]
    fn ln_bit_success(&self, mode: Mode, sinr: f64) -> f64 {
        if !mode.is_ofdm() {
            return dsss::ln_bit_success(mode, sinr);
        }
        detmath::ln_1p(-decoded_bit_error(mode.code(), coded_bit_error(mode.modulation(), sinr)))
    }
}

impl Model for Nist {
    type Config = NistConfig;

    fn build(_: &NistConfig) -> Result<Self, ConfigError> {
        Ok(Self)
    }

    #[cfg(test)]
    fn samples() -> Vec<NistConfig> {
        vec![NistConfig {}]
    }
}
