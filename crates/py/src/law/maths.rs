//! Functions with the same result on every machine, which those of Python's `math` and `**` have not.

use airtcp_units::detmath;
use pyo3::prelude::*;

/// Cube root.
#[pyfunction]
pub(crate) fn cbrt(x: f64) -> f64 {
    detmath::cbrt(x)
}

/// `e^x`.
#[pyfunction]
pub(crate) fn exp(x: f64) -> f64 {
    detmath::exp(x)
}

/// Natural logarithm.
#[pyfunction]
pub(crate) fn log(x: f64) -> f64 {
    detmath::ln(x)
}

/// `x^y`.
#[pyfunction]
pub(crate) fn pow(x: f64, y: f64) -> f64 {
    detmath::pow(x, y)
}
