//! Symbol errors of complementary code keying.
//!
//! The code words of CCK are eight orthogonal signals and their negatives (5.5 Mb/s), or a pair of
//! such sets (11 Mb/s). The receiver takes the correlation with the largest absolute value, and its
//! sign. It decides a symbol correctly with probability
//!
//! ```text
//! 1 - S(b) = integral from -b to infinity of (2 Phi(x + b) - 1)^7 phi(x) dx
//! ```
//!
//! `phi` and `Phi` are the standard normal density and distribution, `b = sqrt(2 E/N0)` of the
//! symbol. Source: Pursley and Royster 2009, eq. 18; equal to Proakis' for eight biorthogonal pairs.
//!
//! The integral is computed once for a grid of `b`; cubics interpolate `ln S`. `S` itself is
//! integrated, not its complement, so that small values keep their precision. A sum over equal steps
//! is accurate enough: the integrand is flat at both ends, and only its seventh derivative jumps at
//! `x = -b`.

use std::sync::LazyLock;

use airtcp_units::{Saturate, detmath};

/// Number of orthogonal signals besides the transmitted one.
const OTHERS: usize = 7;
/// Grid steps per unit of `b` and of `x`.
const STEPS: usize = 64;
/// Largest `b` in the grid, where S is below 1e-20.
const LARGEST: usize = 14;
/// The integral over `x` runs from -11 to 11; `phi` is below 1e-26 outside.
const REACH: usize = 11;

/// `ln S` at b = 0, 1/64 ... 14.
static LN_ERROR: LazyLock<Vec<f64>> = LazyLock::new(|| {
    let step = 1.0 / STEPS as f64;
    let reach = REACH * STEPS;
    // At x = (i - reach) step: phi, and the probability that another signal wins at x + b.
    let density: Vec<f64> = (0..=2 * reach)
        .map(|i| {
            let x = (i as f64 - reach as f64) * step;
            detmath::exp(-x * x / 2.0) / std::f64::consts::TAU.sqrt()
        })
        .collect();
    let beaten: Vec<f64> = (0..=2 * reach + LARGEST * STEPS)
        .map(|i| beaten((i as f64 - reach as f64) * step))
        .collect();
    (0..=LARGEST * STEPS)
        .map(|b| {
            let sum: f64 = density.iter().zip(&beaten[b..]).map(|(phi, lost)| phi * lost).sum();
            detmath::ln(sum * step)
        })
        .collect()
});

/// `1 - (2 Phi(y) - 1)^7`, and 1 for negative `y`.
fn beaten(y: f64) -> f64 {
    if y <= 0.0 {
        return 1.0;
    }
    let tail = detmath::erfc(y * std::f64::consts::FRAC_1_SQRT_2);
    // 1 - (1 - t)^7 = t (1 + u + u^2 + ... + u^6) with u = 1 - t: no cancellation.
    let u = 1.0 - tail;
    tail * (0..OTHERS).fold(0.0, |sum, _| sum * u + 1.0)
}

/// `ln(1 - S(b))`.
pub(super) fn ln_symbol_success(b: f64) -> f64 {
    let table = &*LN_ERROR;
    let place = b * STEPS as f64;
    if place >= (LARGEST * STEPS) as f64 {
        return 0.0;
    }
    // Lagrange's cubic through the four nearest points.
    let first = usize::saturate(place).saturating_sub(1).min(table.len() - 4);
    let t = place - first as f64;
    let (a, b, c, d) = (t, t - 1.0, t - 2.0, t - 3.0);
    let y = &table[first..first + 4];
    let ln_error = -b * c * d / 6.0 * y[0] + a * c * d / 2.0 * y[1] - a * b * d / 2.0 * y[2]
        + a * b * c / 6.0 * y[3];
    detmath::ln_1p(-detmath::exp(ln_error))
}

#[cfg(test)]
#[allow(clippy::float_cmp, reason = "some answers are exact")]
mod tests {
    use super::*;

    /// The integral as printed, by Simpson's rule.
    fn simpson(b: f64) -> f64 {
        let n = 40_000;
        let h = (12.0 + b) / f64::from(n);
        let at = |i: i32| {
            let x = -b + h * f64::from(i);
            let inside = 1.0 - detmath::erfc((x + b) / std::f64::consts::SQRT_2);
            let seventh = (0..7).fold(1.0, |product, _| product * inside);
            seventh * detmath::exp(-x * x / 2.0) / std::f64::consts::TAU.sqrt()
        };
        let sum: f64 = (0..=n)
            .map(|i| at(i) * if i == 0 || i == n { 1.0 } else { f64::from(2 + 2 * (i % 2)) })
            .sum();
        sum * h / 3.0
    }

    #[test]
    fn the_table_is_the_integral() {
        for b in [0.0, 0.013, 0.5, 1.234, 2.0, 3.333, 4.9, 6.03, 7.7] {
            let direct = simpson(b);
            let ours = detmath::exp(ln_symbol_success(b));
            assert!((ours - direct).abs() < 2e-9 * (1.0 - direct) + 1e-12, "{b}: {ours} {direct}");
        }
    }

    #[test]
    fn limits() {
        // Without a signal one of sixteen words is right by chance.
        assert!((detmath::exp(ln_symbol_success(0.0)) - 1.0 / 16.0).abs() < 1e-9);
        assert_eq!(ln_symbol_success(14.0).abs(), 0.0);
        assert_eq!(ln_symbol_success(f64::INFINITY).abs(), 0.0);
        // At large b the union bound is tight: seven others, each wins with erfc(b / 2) (both signs).
        let b = 11.0;
        let bound = 7.0 * detmath::erfc(b / 2.0);
        assert!((-ln_symbol_success(b) / bound - 1.0).abs() < 1e-2);
    }
}
