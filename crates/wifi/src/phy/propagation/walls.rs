//! Walls: straight ones, each with the loss of passing through it.
//!
//! A path that crosses k walls loses the sum of theirs. S3 has partitions of 1 to 30 dB. Leaves out the
//! angle, the way around the end of a wall, and reflections. Source: T. Rappaport, *Wireless Communications*,
//! 2nd ed., section 4.11 (partition losses).
//!
//! Ties: a point exactly on a line counts as on its left, so a path through the corner where two walls
//! meet crosses one of them if they lead to different sides of it, and none or both if not; a path along a
//! wall does not cross it.

use airtcp_probe::ConfigError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{MIN_DISTANCE_M, Position, accept};

/// Largest loss of a wall, in dB.
const LARGEST_DB: f64 = 200.0;

/// A wall.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Wall {
    /// One end, for instance [0, 5].
    pub from: Position,
    /// The other end.
    pub to: Position,
    /// Loss of passing through it in dB.
    pub loss_db: f64,
}

/// Whether `p` is to the left of the line from `a` to `b`, or on it.
fn left(a: Position, b: Position, p: Position) -> bool {
    (b.x_m - a.x_m) * (p.y_m - a.y_m) - (b.y_m - a.y_m) * (p.x_m - a.x_m) >= 0.0
}

impl Wall {
    pub(crate) fn check(&self) -> Result<(), ConfigError> {
        let Self { from, to, loss_db } = *self;
        if !from.is_finite() || !to.is_finite() || from.distance_m(to) < MIN_DISTANCE_M {
            let text = format!(
                "one leads from {from} to {to}: a wall is {MIN_DISTANCE_M} m long at least"
            );
            return Err(ConfigError::new("walls", text));
        }
        accept("loss_db", loss_db, 0.0, LARGEST_DB, "dB").map(|_| ())
    }

    /// Its loss in dB if the path from `a` to `b` crosses it, 0 otherwise.
    pub fn loss_db(&self, a: Position, b: Position) -> f64 {
        let ends_apart = left(a, b, self.from) != left(a, b, self.to);
        let path_apart = left(self.from, self.to, a) != left(self.from, self.to, b);
        if ends_apart && path_apart { self.loss_db } else { 0.0 }
    }
}
