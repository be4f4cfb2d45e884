//! One-way delays between two clocks that differ and drift apart.
//!
//! The difference of the clocks cannot be told from the least delay, so delays count from the least one. The line below all
//! of them that is closest to them takes the drift away (Moon, Skelly, Towsley, INFOCOM 1999).

use super::arrivals::Arrival;

/// Seconds of a unit of arrivals.
pub(super) const UNIT: f64 = 1e-7;
/// Clocks drift apart no faster than this; what does is no drift.
const FASTEST_DRIFT: f64 = 1e-3;
/// One of so many delays of a half of a train tells how close delays come to the line.
const CLOSE: usize = 100;

/// Sending time and delay of an arrival, in seconds of two clocks.
type Point = (f64, f64);

/// The line below the delays of a train that is closest to them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Line {
    /// Seconds that the receiver's clock gains in a second of the sender's.
    pub(super) slope: f64,
    /// The slope may be wrong by this much, if the least delay stays the same: how close the delays of both halves come to
    /// the line, over the time between these halves.
    pub(super) error: f64,
    /// The least delay at the start of the sender's clock.
    least: f64,
}

impl Line {
    /// The line of some arrivals; nothing without any.
    pub(super) fn below(arrivals: &[Arrival]) -> Option<Self> {
        let mut points: Vec<Point> = arrivals.iter().map(point).collect();
        points.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
        let slope = slope(&points);
        let level = |p: &Point| p.1 - slope * p.0;
        let least = points.iter().map(level).min_by(f64::total_cmp)?;
        let above: Vec<Point> = points.iter().map(|p| (p.0, level(p) - least)).collect();
        Some(Self { slope, error: error(&above), least })
    }

    /// The delay of an arrival above the least.
    pub(super) fn above(&self, arrival: &Arrival) -> f64 {
        let (sent, delay) = point(arrival);
        (delay - self.slope * sent - self.least).max(0.0)
    }
}

fn point(a: &Arrival) -> Point {
    (f64::from(a.sent) * UNIT, (f64::from(a.at) - f64::from(a.sent)) * UNIT)
}

/// The slope of the edge of the lower hull of points in order that lies below their middle: of all lines below the
/// points it has the least mean distance.
fn slope(points: &[Point]) -> f64 {
    let mut hull: Vec<Point> = Vec::new();
    for p in points {
        while let [.., a, b] = hull[..] {
            let turns = (b.0 - a.0) * (p.1 - a.1) - (b.1 - a.1) * (p.0 - a.0);
            if turns > 0.0 {
                break;
            }
            hull.pop();
        }
        hull.push(*p);
    }
    let middle = points.iter().map(|p| p.0).sum::<f64>() / points.len().max(1) as f64;
    let edge = hull.windows(2).find(|edge| edge[1].0 >= middle && edge[1].0 > edge[0].0);
    let slope = edge.map_or(0.0, |edge| (edge[1].1 - edge[0].1) / (edge[1].0 - edge[0].0));
    if slope.abs() <= FASTEST_DRIFT { slope } else { 0.0 }
}

/// How much the slope may be wrong; infinite if one half has no point.
fn error(above: &[Point]) -> f64 {
    let (Some(first), Some(last)) = (above.first(), above.last()) else { return f64::INFINITY };
    let half = (last.0 - first.0) / 2.0;
    let late = above.partition_point(|p| p.0 < first.0 + half);
    let (early, late) = above.split_at(late);
    let close = |points: &[Point]| {
        let mut all: Vec<f64> = points.iter().map(|p| p.1).collect();
        all.sort_by(f64::total_cmp);
        all.get(all.len() / CLOSE).copied().unwrap_or(f64::INFINITY)
    };
    if half > 0.0 { (close(early) + close(late) + 2.0 * UNIT) / half } else { f64::INFINITY }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A probe a millisecond for 20 s, over clocks that drift apart by 50 ppm, with this much more delay in 100 ns.
    fn drifting(more: impl Fn(u32) -> u32) -> Vec<Arrival> {
        let each = |n: u32| {
            let sent = n * 10_000;
            Arrival { number: n, at: sent + n / 2 + 4_000 + more(n), sent }
        };
        (0..20_000).map(each).collect()
    }

    #[test]
    fn the_drift_is_found_within_its_error() {
        let some = |n: u32| n.wrapping_mul(2_654_435_761) >> 20;
        for (more, worst) in [(0, 0.1), (1, 5.0)] {
            let line = Line::below(&drifting(|n| more * some(n))).unwrap();
            let off = (line.slope * 1e6 - 50.0).abs();
            assert!(off <= line.error * 1e6 && line.error * 1e6 < worst, "{line:?}");
        }
    }

    #[test]
    fn delays_count_from_the_least() {
        let list = drifting(|n| if n.is_multiple_of(10) { 10_000 } else { 0 });
        let line = Line::below(&list).unwrap();
        assert!((line.above(&list[100]) - 0.001).abs() < 1e-6 && line.above(&list[101]) < 1e-6);
    }

    #[test]
    fn too_few_arrivals_tell_no_drift() {
        assert_eq!(Line::below(&[]), None);
        let one = [Arrival { number: 0, at: 70, sent: 20 }];
        let line = Line::below(&one).unwrap();
        assert_eq!((line.slope, line.error, line.above(&one[0])), (0.0, f64::INFINITY, 0.0));
    }
}
