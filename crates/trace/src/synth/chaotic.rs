//! Chaotic maps: a deterministic recursion whose two regions stand for received and lost
//! (Köpke, Willig and Karl, INFOCOM 2003; the map is Erramilli's double intermittency map).
//!
//! `x' = x + e + c x^m` below 1/2, `c = (1 - e - 1/2) / (1/2)^m`, and the mirror image above; a
//! point near an end leaves it slowly, so that run lengths have power-law tails of index `1 / (m -
//! 1)` up to about `1/e` packets. The seed only picks the starting point. Köpke et al. let the
//! border between the regions vary; here it is at 1/2 and each side has its own `m` and `e`.

use airtcp_random::Stream;
use airtcp_units::{Outcomes, detmath};
use serde::{Deserialize, Serialize};

use super::error::SynthError;

/// The border between the regions.
const BORDER: f64 = 0.5;

/// One side of the map.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Side {
    /// Exponent, 1 to 5: the larger, the heavier the tail.
    pub exponent: f64,
    /// Least step, above 0 up to 1/2: cuts the tail at about its inverse.
    pub step: f64,
}

impl Side {
    fn check(&self) -> Result<(), SynthError> {
        if !(1.0..=5.0).contains(&self.exponent) {
            return Err(SynthError::new("exponent", self.exponent, "expected 1 to 5"));
        }
        if !(self.step >= 1e-9 && self.step <= BORDER) {
            return Err(SynthError::new("step", self.step, "expected 1e-9 to 0.5"));
        }
        Ok(())
    }

    /// The next point, as a distance from this side's end.
    fn advance(&self, x: f64) -> f64 {
        let c = 1.0 - self.step - BORDER;
        x + self.step + c * detmath::pow(x / BORDER, self.exponent)
    }

    /// Steps from `x` until the border is passed, at most `most`.
    pub(crate) fn escape(&self, mut x: f64, most: u64) -> u64 {
        let mut n = 0;
        while x <= BORDER && n < most {
            x = self.advance(x);
            n += 1;
        }
        n
    }
}

/// A chaotic map.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ChaoticMap {
    /// The side whose packets are received.
    pub success: Side,
    /// The side whose packets are lost.
    pub loss: Side,
}

impl ChaoticMap {
    pub(super) fn generate(&self, n: usize, stream: &mut Stream) -> Result<Outcomes, SynthError> {
        self.success.check()?;
        self.loss.check()?;
        let mut out = Outcomes::with_capacity(n);
        let mut received = stream.chance(0.5);
        // The distance from the end of the present side.
        let mut x = stream.unit() * BORDER;
        while out.len() < n {
            out.push(received);
            let side = if received { &self.success } else { &self.loss };
            x = side.advance(x);
            if x > BORDER {
                // On the other side, distances count from the other end.
                x = (1.0 - x).clamp(0.0, BORDER);
                received = !received;
            }
        }
        Ok(out)
    }
}
