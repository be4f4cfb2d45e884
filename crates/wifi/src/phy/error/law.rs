//! What an error law answers: how likely a bit survives.

use airtcp_probe::ConfigError;

use crate::phy::Mode;

/// What a registered error law answers.
pub trait BitLaw {
    /// Natural logarithm of the probability that one bit survives: 0 for surely, negative infinity
    /// for never. Never NaN for an SINR of 0 or more, and not decreasing in it.
    fn ln_bit_success(&self, mode: Mode, sinr: f64) -> f64;
}

/// How a registered error law is built.
pub(crate) trait Model: BitLaw + Sized {
    type Config;
    fn build(config: &Self::Config) -> Result<Self, ConfigError>;
    /// Configurations the common tests run.
    #[cfg(test)]
    fn samples() -> Vec<Self::Config>;
}
