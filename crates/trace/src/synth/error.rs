//! Why a synthetic trace cannot be made.

use std::fmt;

/// Why a synthetic trace cannot be made. The message names the parameter, what was given and
/// what is accepted.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{parameter} = {found}: {accepted}")]
pub struct SynthError {
    /// Name of the parameter.
    pub parameter: &'static str,
    /// Its value.
    pub found: String,
    /// What would be accepted.
    pub accepted: String,
}

impl SynthError {
    pub(crate) fn new(
        parameter: &'static str,
        found: impl fmt::Display,
        accepted: impl Into<String>,
    ) -> Self {
        Self { parameter, found: format!("{found}"), accepted: accepted.into() }
    }

    /// Checks a probability.
    pub(crate) fn probability(parameter: &'static str, p: f64) -> Result<f64, Self> {
        if (0.0..=1.0).contains(&p) {
            return Ok(p);
        }
        Err(Self::new(parameter, p, "expected a probability between 0 and 1"))
    }
}
