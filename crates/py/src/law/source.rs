//! The random numbers of a law: a stream that its connection's seed decides.

use airtcp_random::{Seed, Stream};
use pyo3::prelude::*;

/// Random numbers of a law.
#[pyclass(module = "airtcp.laws")]
pub struct Random(Stream);

impl Random {
    pub(super) fn new(seed: u64) -> Self {
        Self(Seed::new(seed).stream("law"))
    }
}

#[pymethods]
impl Random {
    /// Uniform from 0 to below 1.
    fn random(&mut self) -> f64 {
        self.0.unit()
    }

    /// Uniform between two numbers.
    fn uniform(&mut self, low: f64, high: f64) -> f64 {
        self.0.uniform(low, high)
    }

    /// A whole number from 0 to below `n`.
    fn below(&mut self, n: u64) -> u64 {
        self.0.below(n)
    }

    /// Exponential with this mean.
    fn exponential(&mut self, mean: f64) -> f64 {
        self.0.exponential(mean)
    }

    /// True with probability `p`.
    fn chance(&mut self, p: f64) -> bool {
        self.0.chance(p)
    }
}
