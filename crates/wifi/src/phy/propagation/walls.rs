//! Walls: straight, each with a penetration loss.
//!
//! A path loses the sum of the losses of the walls that it crosses. S3 has partitions of 1 to 30 dB.
//! Leaves out the angle of incidence, diffraction at the end of a wall, and reflections. Source: T.
//! Rappaport, *Wireless Communications*, 2nd ed., section 4.11 (partition losses).
//!
//! A point exactly on a line counts as on its left. A path through the corner of two walls therefore
//! crosses one of them if they lie on different sides of the path, else none or both. A path along a
//! wall does not cross it.

use airtcp_probe::ConfigError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{MIN_DISTANCE_M, Position, accept};

/// Maximum loss of a wall, in dB.
const LARGEST_DB: f64 = 200.0;

/// A wall.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Wall {
    /// One end, for instance [0, 5].
    pub from: Position,
    /// The other end.
    pub to: Position,
    /// Penetration loss in dB.
    pub loss_db: f64,
}

/// True if `p` is to the left of the line from `a` to `b`, or on it.
fn is_left(a: Position, b: Position, p: Position) -> bool {
    (b.x_m - a.x_m) * (p.y_m - a.y_m) - (b.y_m - a.y_m) * (p.x_m - a.x_m) >= 0.0
}

impl Wall {
    pub(crate) fn check(&self) -> Result<(), ConfigError> {
        let Self { from, to, loss_db } = *self;
        if !from.is_finite() || !to.is_finite() || from.distance_m(to) < MIN_DISTANCE_M {
            let text =
                format!("one leads from {from} to {to}: expected {MIN_DISTANCE_M} m and longer");
            return Err(ConfigError::new("walls", text));
        }
        accept("loss_db", loss_db, 0.0, LARGEST_DB, "dB").map(|_| ())
    }

    /// Its loss in dB if the path from `a` to `b` crosses it, 0 otherwise.
    pub fn loss_db(&self, a: Position, b: Position) -> f64 {
        let ends_apart = is_left(a, b, self.from) != is_left(a, b, self.to);
        let path_apart = is_left(self.from, self.to, a) != is_left(self.from, self.to, b);
        if ends_apart && path_apart { self.loss_db } else { 0.0 }
    }
}
