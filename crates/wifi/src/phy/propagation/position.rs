//! Position of a station, and the key of a pair of stations.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Position on the plane, `[x, y]` in metres.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(from = "[f64; 2]", into = "[f64; 2]")]
#[schemars(with = "[f64; 2]")]
pub struct Position {
    /// Metres to the east.
    pub x_m: f64,
    /// Metres to the north.
    pub y_m: f64,
}

impl Position {
    /// The position with the given coordinates in metres.
    pub const fn new(x_m: f64, y_m: f64) -> Self {
        Self { x_m, y_m }
    }

    /// Distance to another position in metres.
    pub fn distance_m(self, other: Self) -> f64 {
        let (dx, dy) = (self.x_m - other.x_m, self.y_m - other.y_m);
        (dx * dx + dy * dy).sqrt()
    }

    /// True if both coordinates are finite.
    pub const fn is_finite(self) -> bool {
        self.x_m.is_finite() && self.y_m.is_finite()
    }
}

impl From<[f64; 2]> for Position {
    fn from([x_m, y_m]: [f64; 2]) -> Self {
        Self { x_m, y_m }
    }
}

impl From<Position> for [f64; 2] {
    fn from(p: Position) -> Self {
        [p.x_m, p.y_m]
    }
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[{}, {}]", self.x_m, self.y_m)
    }
}

/// Key of the random draws of a pair of stations, the same for both orders. Unique for station numbers
/// below 2^31.
pub const fn pair_key(a: usize, b: usize) -> u64 {
    let (low, high) = if a < b { (a, b) } else { (b, a) };
    ((low as u64 & 0x7fff_ffff) << 31) | (high as u64 & 0x7fff_ffff)
}
