//! Logarithmic levels: power in dBm, ratios in dB.

use crate::detmath;

/// A ratio in decibels.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Default)]
pub struct Db(pub f64);

/// A power in decibels above one milliwatt.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Default)]
pub struct Dbm(pub f64);

impl Db {
    /// The ratio as a plain factor.
    pub fn linear(self) -> f64 {
        detmath::pow(10.0, self.0 / 10.0)
    }
}

impl Dbm {
    /// The power in milliwatts.
    pub fn milliwatts(self) -> f64 {
        detmath::pow(10.0, self.0 / 10.0)
    }
}
