//! How the clocks of the two ends differ.
//!
//! ```text
//! offset   there - here - trip / 2      of the echo with the least round trip; wrong by trip / 2 at most
//! drift    (up - down) / 2              slopes of the least delays of both trains
//! ```
//! `here` is when the echo was sent and `there` when it arrived, each by its own clock; `trip` is the round trip without the
//! time in which the server had the echo (RFC 5905, section 8). The least delay of a direction may lie anywhere between 0
//! and `trip`, hence the bound. A drift is of opposite sign in the two directions. Where these differ in more than the sign, the
//! least delay of one of them changed, and half of the difference adds to the error.

use serde::Serialize;

use super::arrivals::Arrival;
use super::delay::Line;

/// How the server's clock differs from this host's.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Clocks {
    /// Time of the server's system clock less that of this host's, when the echo passed.
    pub offset_s: f64,
    /// The offset is wrong by this at most.
    pub offset_error_s: f64,
    /// Seconds that the server's clock gains in a second; null if no train tells.
    pub drift: Option<f64>,
    /// The drift is wrong by about this, if the least delays stay the same.
    pub drift_error: Option<f64>,
}

/// An echo, in ns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Trip {
    /// When it was sent, by the clock of this end.
    pub(super) here: i64,
    /// When it arrived at the other end, by that end's clock.
    pub(super) there: i64,
    /// The round trip, without the time in which the other end had it.
    pub(super) round: i64,
}

impl Clocks {
    /// From the echo with the least round trip, and what arrived of the trains to the server and from it.
    pub(super) fn of(trip: Trip, up: &[Arrival], down: &[Arrival]) -> Self {
        let (drift, drift_error) = drift(Line::below(up), Line::below(down)).unzip();
        // Whole numbers first, for a float has no nanoseconds since 1970.
        let apart = trip.there.saturating_sub(trip.here) as f64;
        let half = trip.round as f64 / 2.0;
        Self { offset_s: (apart - half) / 1e9, offset_error_s: half / 1e9, drift, drift_error }
    }
}

/// The drift and its error.
fn drift(up: Option<Line>, down: Option<Line>) -> Option<(f64, f64)> {
    let found = match (up, down) {
        (Some(up), Some(down)) => {
            let differ = (up.slope + down.slope).abs() / 2.0;
            ((up.slope - down.slope) / 2.0, differ + f64::midpoint(up.error, down.error))
        }
        (Some(up), None) => (up.slope, up.error),
        (None, Some(down)) => (-down.slope, down.error),
        (None, None) => return None,
    };
    Some(found).filter(|found| found.1.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 10 s of a probe each 10 ms; the receiver's clock gains `ppm`, and the delay grows by `grows` us a second.
    fn train(ppm: i64, grows: i64) -> Vec<Arrival> {
        let each = |n: u32| {
            let sent = n * 100_000;
            let late = i64::from(n) * (ppm + grows) / 10;
            let at = u32::try_from(i64::from(sent) + 50_000 + late).unwrap();
            Arrival { number: n, at, sent }
        };
        (0..1_000).map(each).collect()
    }

    #[test]
    fn the_offset_lies_within_half_of_the_least_round_trip() {
        // The server is 5 s ahead; 3 ms there, 1 ms back, at any time since 1970.
        let here = 1_700_000_000_000_000_000;
        let trip = Trip { here, there: here + 5_003_000_000, round: 4_000_000 };
        let found = Clocks::of(trip, &[], &[]);
        assert_eq!((found.offset_s, found.offset_error_s), (5.001, 0.002));
        assert_eq!((found.drift, found.drift_error), (None, None));
    }

    #[test]
    fn both_directions_tell_the_drift() {
        let trip = Trip { here: 0, there: 0, round: 0 };
        let of = |up: &[Arrival], down: &[Arrival]| {
            let found = Clocks::of(trip, up, down);
            (found.drift.unwrap() * 1e6, found.drift_error.unwrap() * 1e6)
        };
        let (drift, error) = of(&train(30, 0), &train(-30, 0));
        assert!((drift - 30.0).abs() <= error && error < 0.2, "{drift} {error}");
        let (drift, error) = of(&[], &train(-30, 0));
        assert!((drift - 30.0).abs() <= error && error < 0.2, "{drift} {error}");
        // The path to the server became longer all the time: this is part of the error.
        let (drift, error) = of(&train(30, 8), &train(-30, 0));
        assert!((drift - 30.0).abs() <= error && error < 4.2, "{drift} {error}");
    }
}
