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
//! code and its punctured forms, for the first nine or ten distances. HT, VHT and HE add 5/6. A test finds the
//! first of them by a search through the code's paths.
//!
//! The law also serves LDPC, of which it knows no gain over the convolutional code.
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

/// Wrong bits on the paths of distance 4 to 13 of the code punctured to 5/6.
const FIVE_SIXTHS: [f64; 10] = [
    92.0,
    528.0,
    8_694.0,
    79_453.0,
    792_114.0,
    7_375_573.0,
    67_884_974.0,
    610_875_423.0,
    5_427_275_376.0,
    47_664_215_639.0,
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
        (5, 6) => fourth * polynomial(&FIVE_SIXTHS, d) / 10.0,
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

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    /// Which coded bits of each of the two generators a punctured code keeps, by data bit.
    fn kept(code: (u8, u8)) -> [&'static [u32]; 2] {
        match code {
            (1, 2) => [&[1], &[1]],
            (2, 3) => [&[1, 1], &[1, 0]],
            (3, 4) => [&[1, 1, 0], &[1, 0, 1]],
            _ => [&[1, 1, 0, 1, 0], &[1, 0, 1, 0, 1]],
        }
    }

    /// By distance up to `most`, the wrong bits on all paths that leave and rejoin the correct one: a search
    /// through the states of the encoder, from each place in the puncturing pattern.
    fn spectrum(code: (u8, u8), most: u32) -> BTreeMap<u32, f64> {
        let [a, b] = kept(code);
        let step = |state: u32, bit: u32, place: usize| {
            let register = bit << 6 | state;
            let parity = |generator: u32| (register & generator).count_ones() & 1;
            let place = place % a.len();
            (register >> 1, parity(0o133) * a[place] + parity(0o171) * b[place])
        };
        let mut found = BTreeMap::new();
        for first in 0..a.len() {
            let (state, distance) = step(0, 1, first);
            // By state and distance, how many paths have how many wrong bits.
            let mut paths = BTreeMap::from([((state, distance), BTreeMap::from([(1_u32, 1.0)]))]);
            for place in first + 1..first + 100 {
                let mut next: BTreeMap<_, BTreeMap<u32, f64>> = BTreeMap::new();
                for ((state, distance), counts) in &paths {
                    for bit in [0, 1] {
                        let (state, more) = step(*state, bit, place);
                        let distance = distance + more;
                        if distance > most {
                            continue;
                        }
                        for (wrong, paths) in counts {
                            let wrong = wrong + bit;
                            if state == 0 {
                                *found.entry(distance).or_default() += f64::from(wrong) * paths;
                            } else {
                                let counts = next.entry((state, distance)).or_default();
                                *counts.entry(wrong).or_default() += paths;
                            }
                        }
                    }
                }
                paths = next;
            }
        }
        found
    }

    #[test]
    fn spectra_are_those_of_the_code() {
        let check = |code, distances: &[u32], known: &[f64]| {
            let found = spectrum(code, *distances.last().unwrap());
            let expected: BTreeMap<_, _> =
                distances.iter().copied().zip(known.iter().copied()).collect();
            assert_eq!(found, expected);
        };
        check((1, 2), &[10, 12, 14], &HALF);
        check((2, 3), &[6, 7, 8, 9], &TWO_THIRDS);
        check((3, 4), &[5, 6, 7], &THREE_QUARTERS);
        check((5, 6), &[4, 5, 6], &FIVE_SIXTHS);
    }
}
