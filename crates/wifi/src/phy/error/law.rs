//! Interface of an error law: the probability that a bit is received correctly.

use airtcp_probe::ConfigError;

use crate::phy::Mode;

/// A registered error law.
pub trait BitLaw {
    /// Natural logarithm of the probability that one bit is correct: 0 for 1, negative infinity for
    /// 0. Not NaN for an SINR of 0 or more, and not decreasing in it. For HT, VHT and HE, `sinr` is that of one
    /// spatial stream.
    fn ln_bit_success(&self, mode: Mode, sinr: f64) -> f64;

    /// True if the law takes the SINR of the whole frame for a mode, in place of that of one stream.
    fn is_of_frame(&self, _: Mode) -> bool {
        false
    }

    /// True if the law has a table of modes in which a mode of HT, VHT or HE is missing.
    fn lacks(&self, _: Mode) -> bool {
        false
    }
}

/// Construction of a registered error law.
pub(crate) trait Model: BitLaw + Sized {
    type Config;
    fn build(config: &Self::Config) -> Result<Self, ConfigError>;
    /// Configurations for the common tests.
    #[cfg(test)]
    fn samples() -> Vec<Self::Config>;
}
