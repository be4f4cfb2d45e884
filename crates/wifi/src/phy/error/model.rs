//! An error law with a shortcut: above an error-free SINR the law is not evaluated.

use airtcp_probe::ConfigError;
use airtcp_units::{Db, detmath};

use super::nist::Nist;
use super::registry::Law;
use super::{BitLaw, ErrorModelConfig};
use crate::phy::{MAX_STREAMS, Mode, PerMode};

/// An error law, with the SINR above which each mode is error-free.
#[derive(Debug, Clone)]
pub struct ErrorModel {
    pub(super) law: Law,
    error_free: PerMode<f64>,
    /// By number of streams less 1, the SINR of a frame over that of one stream.
    split: [f64; MAX_STREAMS as usize],
}

/// Penalties of streams accepted, in dB.
const PENALTIES: std::ops::RangeInclusive<f64> = 0.0..=30.0;

/// Division of the power among streams, without a penalty.
const SPLIT: [f64; MAX_STREAMS as usize] = [1.0, 2.0, 3.0, 4.0];
/// Maximum length for [`ErrorModel::error_free_above`] in bits, above the 4095 bytes of the longest
/// 802.11a, b or g frame.
const ERROR_FREE_BITS: u64 = 65_536;
/// Frame error probability at that length below which a mode counts as error-free.
const NEGLIGIBLE_ERROR: f64 = 1e-12;
/// Bits for [`ErrorModel::hopeless_below`].
pub(crate) const HOPELESS_BITS: u64 = 256;
/// 2^-60. A random number has 53 bits: below this probability, only the number 0 is a success.
const HOPELESS: f64 = 1.0 / (1_u64 << 60) as f64;
/// Range of the search for the error-free SINR, in dB.
const SEARCH_RANGE_DB: (f64, f64) = (-60.0, 100.0);

impl ErrorModel {
    /// The error law of a scenario.
    ///
    /// # Errors
    /// If a value is impossible; the message names the key and what is accepted.
    pub fn new(config: &ErrorModelConfig) -> Result<Self, ConfigError> {
        Self::for_modes(config, &[])
    }

    /// The error law of a scenario, with a shortcut for the modes of HT, VHT and HE in `modes`.
    ///
    /// # Errors
    /// As [`Self::new`].
    pub fn for_modes(config: &ErrorModelConfig, modes: &[Mode]) -> Result<Self, ConfigError> {
        Self::with_penalty(config, modes, 0.0)
    }

    /// The error law of a scenario, with a shortcut for the modes of HT, VHT and HE in `modes`, and the SINR in dB
    /// that each stream after the first needs in addition to its part of the power (`stream_penalty_db`).
    ///
    /// # Errors
    /// As [`Self::new`], and if the penalty is impossible.
    pub fn with_penalty(
        config: &ErrorModelConfig,
        modes: &[Mode],
        penalty_db: f64,
    ) -> Result<Self, ConfigError> {
        let law = Self::check(config, penalty_db)?;
        let mut split = SPLIT;
        if penalty_db > 0.0 {
            for (more, factor) in (0u8..).zip(&mut split) {
                *factor *= Db(penalty_db * f64::from(more)).linear();
            }
        }
        let mut error_free = PerMode::all(f64::INFINITY);
        let more = modes.iter().copied().filter(|mode| mode.is_mcs());
        for mode in Mode::DSSS.into_iter().chain(Mode::OFDM).chain(more) {
            *error_free.get_mut(mode) = error_free_above(&law, &split, mode);
        }
        Ok(Self { law, error_free, split })
    }

    /// Checks a configuration, without the work for single modes.
    ///
    /// # Errors
    /// As [`Self::with_penalty`].
    pub fn validate(config: &ErrorModelConfig, penalty_db: f64) -> Result<(), ConfigError> {
        Self::check(config, penalty_db).map(drop)
    }

    fn check(config: &ErrorModelConfig, penalty_db: f64) -> Result<Law, ConfigError> {
        if !PENALTIES.contains(&penalty_db) {
            let (low, high) = (PENALTIES.start(), PENALTIES.end());
            let text = format!("is {penalty_db} dB: expected {low} to {high} dB");
            return Err(ConfigError::new("stream_penalty_db", text));
        }
        Law::build(config)
    }

    /// Probability that `bits` bits in `mode` are all correct at `sinr` (a ratio, not dB).
    ///
    /// In [0, 1] and not decreasing in `sinr`; a negative or NaN SINR counts as 0.
    #[inline]
    pub fn success(&self, mode: Mode, sinr: f64, bits: u64) -> f64 {
        if bits == 0 || self.is_error_free(mode, sinr, bits) {
            return 1.0;
        }
        let sinr = if sinr > 0.0 { sinr } else { 0.0 };
        detmath::exp(bits as f64 * ln_bit_success(&self.law, &self.split, mode, sinr))
    }

    /// True if [`Self::success`] is exactly 1 by the shortcut.
    #[inline]
    pub fn is_error_free(&self, mode: Mode, sinr: f64, bits: u64) -> bool {
        // An infinite SINR must not satisfy an infinite threshold, which means that there is none.
        sinr >= self.error_free.get(mode) && sinr < f64::INFINITY && bits <= ERROR_FREE_BITS
    }

    /// SINR above which the error probability of a frame of up to 65,536 bits in `mode` is below
    /// 1e-12 and counts as 0. Infinite if there is no such SINR.
    #[inline]
    pub fn error_free_above(&self, mode: Mode) -> f64 {
        self.error_free.get(mode)
    }

    /// True if a table of measured error rates has no curve for a mode of HT, VHT or HE.
    pub fn lacks(&self, mode: Mode) -> bool {
        self.law.lacks(mode)
    }

    /// SINR below which [`HOPELESS_BITS`] bits in `mode` are all correct with a probability below 2^-60.
    pub(crate) fn hopeless_below(&self, mode: Mode) -> f64 {
        self.sinr_for(mode, HOPELESS_BITS, HOPELESS)
    }

    /// SINR at which `bits` bits in `mode` are all correct with probability `success`, by bisection.
    /// Infinite if there is no such SINR.
    pub fn sinr_for(&self, mode: Mode, bits: u64, success: f64) -> f64 {
        bisect(|sinr| self.success(mode, sinr, bits) >= success)
    }
}

impl Default for ErrorModel {
    /// NIST for OFDM, the DSSS formulas for the rest.
    fn default() -> Self {
        Self::new(&ErrorModelConfig::default()).unwrap_or(Self {
            law: Law::Nist(Nist),
            error_free: PerMode::all(f64::INFINITY),
            split: SPLIT,
        })
    }
}

/// `ln(1 - p)` of a bit at the SINR of a frame, of which each spatial stream has an equal share.
#[inline]
fn ln_bit_success(law: &Law, split: &[f64], mode: Mode, sinr: f64) -> f64 {
    if mode.is_mcs() && !law.is_of_frame(mode) {
        let place = usize::from(mode.streams()).saturating_sub(1);
        return law.ln_bit_success(mode, sinr / split.get(place).copied().unwrap_or(1.0));
    }
    law.ln_bit_success(mode, sinr)
}

fn error_free_above(law: &Law, split: &[f64], mode: Mode) -> f64 {
    bisect(|sinr| {
        -ln_bit_success(law, split, mode, sinr) * (ERROR_FREE_BITS as f64) < NEGLIGIBLE_ERROR
    })
}

/// Lowest SINR (to a billionth of a dB) at which `holds` is true, if `holds` stays true above it.
/// Infinite if it is not in the search range.
fn bisect(holds: impl Fn(f64) -> bool) -> f64 {
    let (mut low, mut high) = SEARCH_RANGE_DB;
    if !holds(Db(high).linear()) {
        return f64::INFINITY;
    }
    if holds(Db(low).linear()) {
        return Db(low).linear();
    }
    while high - low > 1e-9 {
        let middle = f64::midpoint(low, high);
        if holds(Db(middle).linear()) {
            high = middle;
        } else {
            low = middle;
        }
    }
    Db(high).linear()
}
