//! Intervals of means of quantities with a range, such as a goodput between 0 and the rate of the link.
//!
//! Student's interval knows no range. With few, skewed values it leaves the range on one side, and misses
//! the mean on the other. Two changes of scale correct that:
//!
//! ```text
//! towards a bound   Student's end, up to half of the distance d from the mean to the bound; from there on
//!                   the distance left is d/2 exp(-(h - d/2) / (d/2)): the scale is a logarithm, and the
//!                   interval does not reach the bound
//! away from it      if the distances scatter by more than 30 % of their mean, the end of Cox' interval of
//!                   a lognormal mean, if that is farther, up to 3 h: exp(y + s^2/2 + t sqrt(s^2/n +
//!                   s^4/(2(n - 1)))), y and s^2 of the logarithms
//! ```
//! Here h is half of Student's interval. Source: Zhou and Gao, "Confidence intervals for the log-normal
//! mean", Statistics in Medicine 16, 1997 (Cox' method). The limits of 30 % and 3 h are chosen by the
//! measured coverage (docs/models/intervals.md).

use airtcp_units::detmath;

use super::student::Student;

/// Scatter of distances, as a share of their mean, above which their skew counts.
const SKEWED: f64 = 0.3;
/// Farthest end away from a bound, in halves of Student's interval.
const FARTHEST: f64 = 3.0;

/// The least and the greatest possible value of a quantity; infinite if there is none.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Range {
    /// The least value.
    pub least: f64,
    /// The greatest value.
    pub most: f64,
}

impl Range {
    /// Any amount that is not negative.
    pub const NOT_NEGATIVE: Self = Self { least: 0.0, most: f64::INFINITY };
    /// A share or an index, from 0 to 1.
    pub const SHARE: Self = Self { least: 0.0, most: 1.0 };
    /// Any number.
    pub const ANY: Self = Self { least: f64::NEG_INFINITY, most: f64::INFINITY };

    /// From 0 to `most`.
    pub const fn up_to(most: f64) -> Self {
        Self { least: 0.0, most }
    }

    /// True if all values lie in the range.
    pub(super) fn holds(self, values: &[f64]) -> bool {
        values.iter().all(|value| self.least <= *value && *value <= self.most)
    }

    /// The ends `down` below and `up` above a mean in the range, bent so that they do not reach its bounds.
    pub fn ends(self, mean: f64, down: f64, up: f64) -> [f64; 2] {
        let low = left(mean - self.least, down).map_or(mean - down, |left| self.least + left);
        let high = left(self.most - mean, up).map_or(mean + up, |left| self.most - left);
        [low, high]
    }
}

/// The distance to a bound that is left of this one at an end that is `half` from the mean; `None` if the scale
/// is not bent there.
fn left(distance: f64, half: f64) -> Option<f64> {
    let middle = distance / 2.0;
    if half <= middle || !half.is_finite() {
        return None;
    }
    if middle <= 0.0 {
        return Some(distance);
    }
    Some(middle * detmath::exp(-(half - middle) / middle))
}

/// How far an end comes away from a bound to which the values have these distances.
pub(super) fn away(distances: &[f64], student: &Student) -> f64 {
    let n = distances.len() as f64;
    let mean = distances.iter().sum::<f64>() / n;
    let half = student.half;
    if student.deviation <= SKEWED * mean || mean <= 0.0 {
        return half;
    }
    // A distance of 0 has no logarithm. It counts as a millionth of the mean, so that the end is the farthest.
    let logs: Vec<f64> = distances.iter().map(|d| detmath::ln((d / mean).max(1e-6))).collect();
    let middle = logs.iter().sum::<f64>() / n;
    let square = logs.iter().map(|y| (y - middle) * (y - middle)).sum::<f64>() / (n - 1.0);
    let spread = student.quantile * (square / n + square * square / (2.0 * (n - 1.0))).sqrt();
    let end = mean * detmath::exp((middle + square / 2.0 + spread).min(100.0));
    (end - mean).clamp(half, FARTHEST * half)
}
