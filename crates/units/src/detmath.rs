//! Transcendental functions with the same result on every machine.
//!
//! Wrappers of `libm`, a port of musl's mathematics in pure Rust. IEEE 754 rounds `+ - * /` and `sqrt`
//! exactly, so they need no wrapper.

/// Natural logarithm.
pub fn ln(x: f64) -> f64 {
    libm::log(x)
}

/// `ln(1 + x)`, accurate near zero.
pub fn ln_1p(x: f64) -> f64 {
    libm::log1p(x)
}

/// Base-2 logarithm.
pub fn log2(x: f64) -> f64 {
    libm::log2(x)
}

/// Base-10 logarithm.
pub fn log10(x: f64) -> f64 {
    libm::log10(x)
}

/// `e^x`.
pub fn exp(x: f64) -> f64 {
    libm::exp(x)
}

/// `e^x - 1`, accurate near zero.
pub fn exp_m1(x: f64) -> f64 {
    libm::expm1(x)
}

/// `x^y`.
pub fn pow(x: f64, y: f64) -> f64 {
    libm::pow(x, y)
}

/// Cube root.
pub fn cbrt(x: f64) -> f64 {
    libm::cbrt(x)
}

/// Sine of an angle in radians.
pub fn sin(x: f64) -> f64 {
    libm::sin(x)
}

/// Cosine of an angle in radians.
pub fn cos(x: f64) -> f64 {
    libm::cos(x)
}

/// Complementary error function.
pub fn erfc(x: f64) -> f64 {
    libm::erfc(x)
}
