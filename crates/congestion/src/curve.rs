//! The curve of CUBIC's window: `W(t) = C (t - K)^3 + W_origin`.
//!
//! The curve begins at the window `w` at the start of the epoch and reaches a plateau at `W_origin`
//! after `K = cbrt((W_origin - w) / C)` seconds (RFC 9438 equations 1 and 2; Ha, Rhee, Xu 2008
//! algorithm 1). If `w` is not below the target, `W_origin` is `w` and `K` is 0. Segments and
//! seconds.

use airtcp_units::{Saturate, Span, detmath};

/// Upper bound of the window on a curve, segments.
const MAX_WINDOW: f64 = (1_u64 << 40) as f64;

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Curve {
    /// Segments per second cubed.
    c: f64,
    /// Time from the beginning to the plateau, seconds.
    k: f64,
    /// The plateau, segments.
    origin: f64,
}

impl Curve {
    /// The curve from a window of `start` to a plateau at `target`.
    pub(super) fn new(c: f64, start: f64, target: f64) -> Self {
        if target > start {
            Self { c, k: detmath::cbrt((target - start) / c), origin: target }
        } else {
            Self { c, k: 0.0, origin: start }
        }
    }

    /// The window at time `t` after the beginning.
    #[inline]
    pub(super) fn at(&self, t: Span) -> f64 {
        let d = t.as_secs_f64() - self.k;
        self.c * d * d * d + self.origin
    }

    /// The window in whole segments: the distance to the whole-numbered plateau is rounded down.
    #[inline]
    pub(super) fn rounded(&self, t: Span) -> u64 {
        let d = t.as_secs_f64() - self.k;
        let distance = (self.c * d * d * d).trunc();
        u64::saturate((self.origin + distance).clamp(0.0, MAX_WINDOW))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// K of both CUBICs for a loss at 100 segments, by hand: cbrt(30 / 0.4) and cbrt(20 / 0.4).
    #[test]
    fn worked_numbers() {
        let rfc = Curve::new(0.4, 70.0, 100.0);
        assert!((rfc.k - 4.217_163).abs() < 1e-6, "{}", rfc.k);
        let old = Curve::new(0.4, 80.0, 100.0);
        assert!((old.k - 3.684_031).abs() < 1e-6, "{}", old.k);
        assert!((rfc.at(Span::ZERO) - 70.0).abs() < 1e-9);
        // At half the time an eighth of the distance is left; after K the curve is mirrored.
        let half = Span(u64::saturate(rfc.k * 0.5e9));
        assert!((rfc.at(half) - 96.25).abs() < 1e-6);
        assert!((rfc.at(half + half + half) - 103.75).abs() < 1e-6);
    }

    #[test]
    fn without_a_target_the_curve_begins_on_the_plateau() {
        let curve = Curve::new(0.4, 50.0, 40.0);
        assert_eq!((curve.k, curve.origin), (0.0, 50.0));
        assert!((curve.at(Span::from_secs(5)) - 100.0).abs() < 1e-9);
    }
}
