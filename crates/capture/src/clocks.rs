//! The clock of one capture, that of a host, against the clock of another: a sniffer, or the other host.
//!
//! The difference of the two timestamps of a packet is the offset of the clocks and a delay. A packet
//! that the host sends passes the other place later, and one that it receives passed it before. So the
//! offset as a function of time lies below all differences of sent packets, and above all those of
//! received ones. It is taken as a line (offset and drift), as Moon, Skelly and Towsley do for one
//! direction ("Estimation and removal of clock skew from network delay measurements", INFOCOM 1999).
//! Of all lines between both sets, the one in the middle is taken: the middle of the possible drifts,
//! and then that of the possible offsets. The uncertainty is the largest distance from it, within the
//! time of the packets, that any other line between the sets has, and 1 us for the timestamps. If no line lies between the sets,
//! the one that contradicts them least is taken.

/// Largest drift that is looked for, in ns per s: 500 ppm. Crystals are within 100 ppm.
const MAX_DRIFT: f64 = 500_000.0;
/// Resolution of timestamps in ns: most captures count microseconds.
const RESOLUTION: f64 = 1000.0;
/// Steps of the search for the drift.
const STEPS: usize = 120;
/// Lines whose distance is compared for the uncertainty.
const SAMPLES: u32 = 64;

/// A difference of timestamps: time in s, the other's minus the host's timestamp in ns.
pub(crate) type Point = (f64, f64);

/// A line between the differences.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Line {
    /// Offset at time zero, in ns.
    pub(crate) offset: f64,
    /// Drift in ns per s.
    pub(crate) drift: f64,
    /// Distance to both sets in ns; negative if no line lies between them.
    pub(crate) margin: f64,
    /// Largest error of the drift in ns per s.
    pub(crate) drift_error: f64,
    /// Largest error in ns; `None` if the packets of only one direction are known.
    pub(crate) uncertainty: Option<f64>,
}

impl Line {
    /// The offset at a time, in ns.
    pub(crate) fn at(&self, time: f64) -> f64 {
        self.offset + self.drift * time
    }
}

/// The convex hull below (`sign` 1) or above (`sign` -1) points, by time.
fn hull(points: &[Point], sign: f64) -> Vec<Point> {
    let mut sorted = points.to_vec();
    sorted.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    let mut hull: Vec<Point> = Vec::new();
    for point in sorted {
        while let [.., a, b] = hull.as_slice() {
            let cross = (b.0 - a.0) * (point.1 - a.1) - (b.1 - a.1) * (point.0 - a.0);
            if cross * sign > 0.0 {
                break;
            }
            hull.pop();
        }
        hull.push(point);
    }
    hull
}

/// The corridor between both hulls.
struct Corridor {
    below: Vec<Point>,
    above: Vec<Point>,
}

impl Corridor {
    /// Highest and lowest offset at time zero for a drift.
    fn bounds(&self, drift: f64) -> (f64, f64) {
        let at = |(time, value): &Point| value - drift * time;
        let low = self.below.iter().map(at).fold(f64::NEG_INFINITY, f64::max);
        let high = self.above.iter().map(at).fold(f64::INFINITY, f64::min);
        (low, high)
    }

    fn width(&self, drift: f64) -> f64 {
        let (low, high) = self.bounds(drift);
        high - low
    }

    /// The drift with the widest corridor; the width is a concave function of the drift.
    fn widest(&self) -> f64 {
        let (mut low, mut high) = (-MAX_DRIFT, MAX_DRIFT);
        for _ in 0..STEPS {
            let third = (high - low) / 3.0;
            if self.width(low + third) < self.width(high - third) {
                low += third;
            } else {
                high -= third;
            }
        }
        f64::midpoint(low, high)
    }

    /// The drift between `inside` and `outside` at which the corridor closes.
    fn edge(&self, mut inside: f64, mut outside: f64) -> f64 {
        if self.width(outside) >= 0.0 {
            return outside;
        }
        for _ in 0..STEPS {
            let middle = f64::midpoint(inside, outside);
            if self.width(middle) >= 0.0 {
                inside = middle;
            } else {
                outside = middle;
            }
        }
        outside
    }

    /// The least and the greatest drift of a line in the corridor; twice the same if there is none.
    fn drifts(&self) -> (f64, f64) {
        let widest = self.widest();
        if self.width(widest) < 0.0 {
            return (widest, widest);
        }
        (self.edge(widest, -MAX_DRIFT), self.edge(widest, MAX_DRIFT))
    }

    /// Largest distance between `line` and any line in the corridor at these times.
    fn error(&self, line: &Line, (low, high): (f64, f64), times: [f64; 2]) -> f64 {
        if line.margin < 0.0 {
            return -line.margin;
        }
        let mut most = line.margin;
        for step in 0..=SAMPLES {
            let drift = low + (high - low) * f64::from(step) / f64::from(SAMPLES);
            let (least, greatest) = self.bounds(drift);
            for time in times {
                let ours = line.at(time);
                most = most.max(greatest + drift * time - ours);
                most = most.max(ours - least - drift * time);
            }
        }
        most
    }
}

/// The line between the differences of sent and those of received packets. `None` without any.
pub(crate) fn fit(sent: &[Point], received: &[Point]) -> Option<Line> {
    let times = sent.iter().chain(received).map(|point| point.0);
    let first = times.clone().fold(f64::INFINITY, f64::min);
    let last = times.fold(f64::NEG_INFINITY, f64::max);
    if sent.is_empty() || received.is_empty() {
        return envelope(sent, received, f64::midpoint(first, last));
    }
    let corridor = Corridor { below: hull(received, -1.0), above: hull(sent, 1.0) };
    let drifts = corridor.drifts();
    let drift = f64::midpoint(drifts.0, drifts.1);
    let (low, high) = corridor.bounds(drift);
    let mut line = Line {
        offset: f64::midpoint(low, high),
        drift,
        margin: (high - low) / 2.0,
        drift_error: (drifts.1 - drifts.0) / 2.0,
        uncertainty: None,
    };
    line.uncertainty = Some(corridor.error(&line, drifts, [first, last]) + RESOLUTION);
    Some(line)
}

/// The line along the hull of one set at the middle of its time: the delay that all packets have
/// stays in the offset.
fn envelope(sent: &[Point], received: &[Point], middle: f64) -> Option<Line> {
    let hull = if received.is_empty() { hull(sent, 1.0) } else { hull(received, -1.0) };
    hull.last()?;
    let crosses =
        |pair: &[Point]| pair[0].0 <= middle && middle <= pair[1].0 && pair[0].0 < pair[1].0;
    let drift = hull
        .windows(2)
        .find(|pair| crosses(pair))
        .map_or(0.0, |pair| (pair[1].1 - pair[0].1) / (pair[1].0 - pair[0].0));
    let drift = drift.clamp(-MAX_DRIFT, MAX_DRIFT);
    let at = |(time, value): &Point| value - drift * time;
    let (low, high) = (
        hull.iter().map(at).fold(f64::INFINITY, f64::min),
        hull.iter().map(at).fold(f64::NEG_INFINITY, f64::max),
    );
    let offset = if received.is_empty() { low } else { high };
    Some(Line { offset, drift, margin: 0.0, drift_error: MAX_DRIFT, uncertainty: None })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Whatever the delays, the true clock is within the stated uncertainty.
        #[test]
        fn the_true_clock_is_within_the_uncertainty(
            offset in -1e9..1e9f64,
            ppm in -200.0..200.0f64,
            delays in proptest::collection::vec((0.0..100.0f64, 0.0..5e6f64, any::<bool>()), 4..200),
        ) {
            let truth = |time: f64| offset + ppm * 1000.0 * time;
            let side = |wanted: bool| -> Vec<Point> {
                let of = |(time, delay, sent): &(f64, f64, bool)| {
                    (*sent == wanted).then(|| (*time, truth(*time) + if wanted { *delay } else { -*delay }))
                };
                delays.iter().filter_map(of).collect()
            };
            let (sent, received) = (side(true), side(false));
            prop_assume!(!sent.is_empty() && !received.is_empty());
            let line = fit(&sent, &received).unwrap();
            let allowed = line.uncertainty.unwrap() + 1.0;
            for (time, _, _) in &delays {
                prop_assert!((line.at(*time) - truth(*time)).abs() <= allowed, "{line:?}");
            }
        }
    }

    #[test]
    fn a_clock_with_drift_is_found() {
        // Delays of 50 us and more one way, 20 us and more the other way; 30 ppm.
        let point = |i: u32, least: f64| {
            let time = f64::from(i) * 0.1;
            let delay = least + f64::from(i * 7919 % 1000) * 1000.0;
            (time, 5e6 + 30_000.0 * time + delay.copysign(least))
        };
        let sent: Vec<Point> = (0..600).map(|i| point(i, 50_000.0)).collect();
        let received: Vec<Point> = sent
            .iter()
            .zip(0u32..)
            .map(|((time, _), i)| {
                let delay = 20_000.0 + f64::from(i * 104_729 % 1000) * 1000.0;
                (*time, 5e6 + 30_000.0 * time - delay)
            })
            .collect();
        let line = fit(&sent, &received).unwrap();
        assert!((line.drift - 30_000.0).abs() < 3000.0, "{line:?}");
        assert!((line.drift - 30_000.0).abs() <= line.drift_error, "{line:?}");
        assert!(line.uncertainty.unwrap() < 120_000.0, "{line:?}");
        assert!((line.at(30.0) - 5.9e6).abs() < line.uncertainty.unwrap(), "{line:?}");
        // The wrong direction contradicts itself.
        assert!(fit(&received, &sent).unwrap().margin < 0.0);
        // One direction: the least delay stays in the offset.
        let line = fit(&sent, &[]).unwrap();
        assert!(line.uncertainty.is_none() && (line.drift - 30_000.0).abs() < 10_000.0, "{line:?}");
        assert!(fit(&[], &[]).is_none());
    }
}
