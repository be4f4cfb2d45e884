//! Positions of the stations of a cell; by default the access point is at the origin.

use airtcp_probe::ConfigError;
use airtcp_random::Seed;
use airtcp_units::{Narrow, detmath};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::position_file::{self, MAX_STATIONS};
use crate::phy::propagation::{MIN_DISTANCE_M, Position};

/// Maximum redraws of a random position before a disc counts as full (a choice).
const REDRAWS: u32 = 100;

/// Positions of the stations around their access point.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Layout {
    /// Evenly spaced on a circle.
    Star {
        /// Number of stations.
        stations: u32,
        /// Radius in metres.
        #[serde(default = "five")]
        radius_m: f64,
    },
    /// On a square grid around the access point, nearest points first: the first eight stations are
    /// 1 or sqrt(2) spacings away.
    Grid {
        /// Number of stations.
        stations: u32,
        /// Distance between neighbours in metres.
        #[serde(default = "five")]
        spacing_m: f64,
    },
    /// At random on a disc, uniform by area; drawn anew in each replication.
    Disc {
        /// Number of stations.
        stations: u32,
        /// Radius in metres.
        #[serde(default = "ten")]
        radius_m: f64,
        /// Minimum distance from the access point in metres.
        #[serde(default = "one")]
        least_m: f64,
    },
    /// In a line away from the access point.
    Line {
        /// Number of stations.
        stations: u32,
        /// Distance between neighbours in metres.
        #[serde(default = "five")]
        spacing_m: f64,
    },
    /// At the listed positions, `[[x, y], ...]` in metres.
    Positions {
        /// Position of each station.
        stations: Vec<Position>,
        /// Position of the access point.
        #[serde(default)]
        access_point: Position,
        /// Names of the stations' nodes. Default: numbered names.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        names: Vec<String>,
    },
    /// At the positions of a file with one line per station, `name,x_m,y_m` or `x_m,y_m`. The names
    /// become the names of the nodes. The line with the access point's name gives its position.
    File {
        /// Path of the file, relative to the scenario.
        path: String,
        /// Position of the access point, unless the file has one.
        #[serde(default)]
        access_point: Position,
    },
}

const fn one() -> f64 {
    1.0
}
const fn five() -> f64 {
    5.0
}
const fn ten() -> f64 {
    10.0
}

impl Layout {
    /// The configured name of a station, if any.
    pub fn name_of(&self, station: usize) -> Option<&str> {
        match self {
            Self::Positions { names, .. } => names.get(station).map(String::as_str),
            _ => None,
        }
    }

    /// Resolves a layout from the text of its file; other layouts stay the same. `access_point` is
    /// the access point's name.
    ///
    /// # Errors
    /// If a line of the file is not a position.
    pub fn from_file(
        path: &str,
        at: Position,
        access_point: &str,
        text: &str,
    ) -> Result<Self, ConfigError> {
        let read = position_file::read(text);
        let (mut names, mut stations) =
            read.map_err(|e| ConfigError::new("path", format!("\"{path}\": {e}")))?;
        let mut place = at;
        if let Some(own) = names.iter().position(|name| name == access_point) {
            names.remove(own);
            place = stations.remove(own);
        }
        Ok(Self::Positions { stations, access_point: place, names })
    }

    /// Number of stations, without the access point.
    pub fn stations(&self) -> usize {
        match self {
            Self::Star { stations, .. }
            | Self::Grid { stations, .. }
            | Self::Disc { stations, .. }
            | Self::Line { stations, .. } => *stations as usize,
            Self::Positions { stations, .. } => stations.len(),
            Self::File { .. } => 0,
        }
    }

    /// Checks numbers and lengths.
    ///
    /// # Errors
    /// The first key that is impossible.
    pub fn validate(&self) -> Result<(), ConfigError> {
        let n = self.stations();
        if let Self::File { path, .. } = self {
            // The caller resolves files first.
            return Err(ConfigError::new("path", format!("is \"{path}\": the file was not read")));
        }
        if !(1..=MAX_STATIONS).contains(&n) {
            let message = format!("is {n}: expected 1 to {MAX_STATIONS} stations");
            return Err(ConfigError::new("stations", message));
        }
        let (key, length) = match self {
            Self::Star { radius_m, .. } => ("radius_m", *radius_m),
            Self::Disc { radius_m, least_m, .. } => {
                if !(*least_m >= 0.0 && least_m < radius_m) {
                    let message = format!("is {least_m}: expected 0 to radius_m ({radius_m})");
                    return Err(ConfigError::new("least_m", message));
                }
                ("radius_m", *radius_m)
            }
            Self::Grid { spacing_m, .. } | Self::Line { spacing_m, .. } => {
                ("spacing_m", *spacing_m)
            }
            Self::Positions { names, .. } => {
                if !(names.is_empty() || names.len() == n) {
                    let message =
                        format!("names {} of {n} stations: name all of them or none", names.len());
                    return Err(ConfigError::new("names", message));
                }
                if names.iter().any(String::is_empty) {
                    let message = "has an empty name: expected names of at least one character";
                    return Err(ConfigError::new("names", message));
                }
                return Ok(());
            }
            Self::File { .. } => return Ok(()),
        };
        if (0.1..=100_000.0).contains(&length) {
            return Ok(());
        }
        Err(ConfigError::new(key, format!("is {length}: expected 0.1 to 100000 m")))
    }

    /// Positions, the access point's first.
    pub fn positions(&self, seed: Seed, label: &str) -> Vec<Position> {
        let mut all = vec![Position::new(0.0, 0.0)];
        match self {
            Self::Star { stations, radius_m } => {
                all.extend((0..*stations).map(|i| {
                    let angle = std::f64::consts::TAU * f64::from(i) / f64::from(*stations);
                    polar(*radius_m, angle)
                }));
            }
            Self::Grid { stations, spacing_m } => {
                all.extend(ring_order(*stations as usize).map(|(x, y)| {
                    Position::new(f64::from(x) * spacing_m, f64::from(y) * spacing_m)
                }));
            }
            Self::Disc { stations, radius_m, least_m } => {
                let mut random = seed.stream(&format!("{label}/layout"));
                let mut draw = || {
                    let square = random.uniform(least_m * least_m, radius_m * radius_m);
                    polar(square.sqrt(), std::f64::consts::TAU * random.unit())
                };
                for _ in 0..*stations {
                    let mut place = draw();
                    // If two stations overlap, the second is redrawn while there is room.
                    for _ in 0..REDRAWS {
                        if all.iter().all(|p| place.distance_m(*p) >= MIN_DISTANCE_M) {
                            break;
                        }
                        place = draw();
                    }
                    all.push(place);
                }
            }
            Self::Line { stations, spacing_m } => {
                all.extend((1..=*stations).map(|i| Position::new(f64::from(i) * spacing_m, 0.0)));
            }
            Self::Positions { stations, access_point, .. } => {
                all[0] = *access_point;
                all.extend(stations);
            }
            Self::File { access_point, .. } => all[0] = *access_point,
        }
        all
    }
}

fn polar(radius: f64, angle: f64) -> Position {
    Position::new(radius * detmath::cos(angle), radius * detmath::sin(angle))
}

/// The first points of the grid around the origin: nearest first, then by angle.
fn ring_order(n: usize) -> impl Iterator<Item = (i32, i32)> {
    let mut half = 1i32;
    while (2 * half + 1).pow(2) <= i32::narrow(n) {
        half += 1;
    }
    let mut points: Vec<(i32, i32)> = (-half..=half)
        .flat_map(|x| (-half..=half).map(move |y| (x, y)))
        .filter(|point| *point != (0, 0))
        .collect();
    points.sort_by_key(|(x, y)| (x * x + y * y, *x, *y));
    points.into_iter().take(n)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances() {
        let from = |layout: Layout| {
            let all = layout.positions(Seed::new(1), "cell");
            all[1..].iter().map(|p| all[0].distance_m(*p)).collect::<Vec<f64>>()
        };
        let star = from(Layout::Star { stations: 6, radius_m: 5.0 });
        assert!(star.len() == 6 && star.iter().all(|d| (d - 5.0).abs() < 1e-9));
        let grid = from(Layout::Grid { stations: 8, spacing_m: 5.0 });
        assert!(grid[..4].iter().all(|d| (d - 5.0).abs() < 1e-9));
        assert!(grid[4..].iter().all(|d| (d - 50f64.sqrt()).abs() < 1e-9));
        assert_eq!(from(Layout::Line { stations: 2, spacing_m: 3.0 }), [3.0, 6.0]);
        let disc = from(Layout::Disc { stations: 500, radius_m: 10.0, least_m: 1.0 });
        assert!(disc.iter().all(|d| (1.0..=10.0).contains(d)));
        // Uniform by area: half of them within the radius that halves the area.
        let inner = disc.iter().filter(|d| **d < 50.5f64.sqrt()).count();
        assert!((200..300).contains(&inner), "{inner}");
        // Crowded stations do not overlap.
        let crowd = Layout::Disc { stations: 300, radius_m: 1.0, least_m: 0.1 };
        let all = crowd.positions(Seed::new(1), "cell");
        for (i, p) in all.iter().enumerate() {
            assert!(all[..i].iter().all(|q| p.distance_m(*q) >= MIN_DISTANCE_M), "{i}");
        }
    }

    #[test]
    fn impossible_layouts_are_refused() {
        let key = |layout: Layout| layout.validate().unwrap_err().key;
        assert_eq!(key(Layout::Star { stations: 0, radius_m: 5.0 }), "stations");
        assert_eq!(key(Layout::Star { stations: 2, radius_m: f64::NAN }), "radius_m");
        assert_eq!(key(Layout::Disc { stations: 2, radius_m: 1.0, least_m: 1.0 }), "least_m");
        assert!(Layout::Grid { stations: 8, spacing_m: 5.0 }.validate().is_ok());
    }
}
