//! Stations whose distance is taken away (`without.distance`): 1 m from their access point.
//!
//! They stand at equal angles. A station turns on around the access point until nobody is at its place.

use std::f64::consts::TAU;

use airtcp_units::{Narrow, detmath};
use airtcp_wifi::phy::propagation::{MIN_DISTANCE_M, Position};

/// Distance from the access point in metres (a choice: nearer than any station of a scenario, and beyond the
/// shortest distance of the path loss models).
const DISTANCE_M: f64 = 1.0;
/// Turn to the next place that is tried, in parts of the circle: the golden section, which spreads the places.
const TURN: f64 = 0.381_966_011_250_105;
/// Places that are tried (a choice).
const TRIES: u32 = 200;

/// The positions of a cell, the access point's first, after the stations `beside` have moved to it.
pub(super) fn placed(mut all: Vec<Position>, beside: &[usize]) -> Vec<Position> {
    for (k, station) in beside.iter().enumerate() {
        let share = f64::from(u32::narrow(k)) / f64::from(u32::narrow(beside.len()));
        let place = |tries: u32| {
            let angle = TAU * (share + f64::from(tries) * TURN).fract();
            let (x, y) = (DISTANCE_M * detmath::cos(angle), DISTANCE_M * detmath::sin(angle));
            Position::new(all[0].x_m + x, all[0].y_m + y)
        };
        let others = || all.iter().enumerate().filter(|(i, _)| i != station);
        let is_free = |at: &Position| others().all(|(_, p)| at.distance_m(*p) >= MIN_DISTANCE_M);
        // Without a free place, the check of positions refuses the cell.
        all[*station] = (0..TRIES).map(place).find(is_free).unwrap_or_else(|| place(0));
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stations_stand_apart_at_one_metre() {
        let line: Vec<Position> = (0..6).map(|i| Position::new(f64::from(i) + 7.0, 3.0)).collect();
        // The first place beside the access point is that of station 1.
        for beside in [&[2][..], &[3, 4], &[1, 2, 3, 4, 5]] {
            let all = placed(line.clone(), beside);
            for (i, at) in all.iter().enumerate() {
                if beside.contains(&i) {
                    assert!((at.distance_m(all[0]) - 1.0).abs() < 1e-12);
                } else {
                    assert_eq!(*at, line[i]);
                }
                assert!(all[..i].iter().all(|p| at.distance_m(*p) >= MIN_DISTANCE_M), "{beside:?}");
            }
        }
        assert_eq!(placed(line.clone(), &[]), line);
    }
}
