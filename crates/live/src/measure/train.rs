//! What a train says of a direction: which probes arrived, in what order, and how much later than the fastest.

use airtcp_units::Narrow as _;
use serde::Serialize;

use super::arrivals::Arrival;

/// Seconds of a unit of arrivals.
const UNIT: f64 = 1e-7;
/// Clocks drift apart no faster than this; what does is no drift.
const FASTEST_DRIFT: f64 = 1e-3;

/// A direction, as a train saw it.
#[derive(Debug, Clone, Serialize)]
pub struct Train {
    /// Time between two probes.
    pub interval_s: f64,
    /// Probes whose fate is known.
    pub sent: u32,
    /// Those that arrived.
    pub arrived: u32,
    /// Those that arrived again.
    pub duplicates: u32,
    /// Those that arrived after one that was sent later.
    pub late: u32,
    /// By how many numbers, at most.
    pub latest: u32,
    /// Times that a program stood still, so that probes were not sent when they should.
    pub pauses: u32,
    /// A character a probe: 1 arrived, 0 lost.
    pub outcomes: String,
    /// When each was sent, since the first.
    pub sent_s: Vec<f64>,
    /// One-way delay above the least, without the drift of the clocks; null if nothing arrived.
    pub delay: Option<Quantiles>,
}

/// How a time is spread.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[allow(
    clippy::struct_field_names,
    reason = "the fields are keys of JSON, which end in their unit"
)]
pub struct Quantiles {
    /// The least.
    pub least_s: f64,
    /// Half are below.
    pub median_s: f64,
    /// 95 % are below.
    pub p95_s: f64,
    /// 99 % are below.
    pub p99_s: f64,
    /// The most.
    pub most_s: f64,
}

impl Quantiles {
    /// Of some times.
    pub(super) fn of(mut times: Vec<f64>) -> Option<Self> {
        times.sort_by(f64::total_cmp);
        let last = times.len().checked_sub(1)?;
        // The smallest value that so many percent of the values do not exceed.
        let at = |percent: usize| times[(times.len() * percent).div_ceil(100).saturating_sub(1)];
        Some(Self {
            least_s: times[0],
            median_s: at(50),
            p95_s: at(95),
            p99_s: at(99),
            most_s: times[last],
        })
    }
}

/// A train of `sent` probes, of which these arrived.
pub(super) fn train(
    arrivals: &[Arrival],
    sent: u32,
    interval_s: f64,
    duplicates: u32,
    pauses: u32,
) -> Train {
    let count = usize::narrow(sent);
    let mut times: Vec<Option<u32>> = vec![None; count];
    let (mut next, mut late, mut latest) = (0, 0, 0);
    let known: Vec<Arrival> = arrivals.iter().filter(|a| a.number < sent).copied().collect();
    for arrival in &known {
        times[usize::narrow(arrival.number)] = Some(arrival.sent);
        if arrival.number < next {
            late += 1;
            latest = latest.max(next - 1 - arrival.number);
        }
        next = next.max(arrival.number + 1);
    }
    Train {
        interval_s,
        sent,
        arrived: u32::narrow(known.len()),
        duplicates,
        late,
        latest,
        pauses,
        outcomes: times.iter().map(|time| if time.is_some() { '1' } else { '0' }).collect(),
        sent_s: sent_at(&times, interval_s),
        delay: Quantiles::of(above_least(&known)),
    }
}

/// When each probe was sent, since the first. The receiver does not know when a lost one was: an interval after the one
/// before.
fn sent_at(times: &[Option<u32>], interval: f64) -> Vec<f64> {
    let first = times.iter().position(Option::is_some);
    let start = first.and_then(|n| times[n]).map_or(0.0, f64::from) * UNIT
        - first.map_or(0.0, |n| n as f64 * interval);
    let mut list: Vec<f64> = Vec::with_capacity(times.len());
    for time in times {
        let before = list.last().map_or(0.0, |before: &f64| before + interval);
        let at = time.map_or(before, |time| f64::from(time) * UNIT - start);
        // In order, as they were sent, and to the unit.
        let at = at.max(list.last().copied().unwrap_or(0.0));
        list.push((at / UNIT).round() / 1e7);
    }
    list
}

/// One-way delays above the line below all of them that is closest to them: the least delay, and the drift.
fn above_least(arrivals: &[Arrival]) -> Vec<f64> {
    let point =
        |a: &Arrival| (f64::from(a.sent) * UNIT, (f64::from(a.at) - f64::from(a.sent)) * UNIT);
    let mut points: Vec<(f64, f64)> = arrivals.iter().map(point).collect();
    points.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    let slope = drift(&points);
    let level = |p: &(f64, f64)| p.1 - slope * p.0;
    let least = points.iter().map(level).fold(f64::INFINITY, f64::min);
    points.iter().map(|p| level(p) - least).collect()
}

/// The slope of the edge of the lower hull of points in order that lies below their middle: of all lines below the
/// points it has the least mean distance (Moon, Skelly, Towsley, INFOCOM 1999).
fn drift(points: &[(f64, f64)]) -> f64 {
    let mut hull: Vec<(f64, f64)> = Vec::new();
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

#[cfg(test)]
mod tests {
    use super::*;

    fn arrival(number: u32, at: u32) -> Arrival {
        Arrival { number, at, sent: number * 10_000 }
    }

    #[test]
    fn losses_order_and_delays_are_read_off() {
        let list = [arrival(0, 500), arrival(3, 30_700), arrival(1, 31_000), arrival(9, 99_999)];
        let found = train(&list, 5, 0.001, 2, 1);
        assert_eq!((found.outcomes.as_str(), found.arrived), ("11010", 3));
        assert_eq!((found.late, found.latest, found.duplicates, found.pauses), (1, 2, 2, 1));
        assert_eq!(found.sent_s, [0.0, 0.001, 0.002, 0.003, 0.004]);
        let delay = found.delay.unwrap();
        assert!(delay.least_s.abs() < 1e-12);
        assert!((delay.most_s - 0.002_05).abs() < 1e-9, "{delay:?}");
    }

    #[test]
    fn clocks_that_drift_apart_add_no_delay() {
        // 50 ppm, 20 s, and 1 ms more for each tenth.
        let each = |n: u32| {
            let more = if n.is_multiple_of(10) { 10_000 } else { 0 };
            arrival(n, n * 10_000 + n / 2 + 4_000 + more)
        };
        let list: Vec<Arrival> = (0..20_000).map(each).collect();
        let delay = train(&list, 20_000, 0.001, 0, 0).delay.unwrap();
        assert!(delay.median_s < 1e-6 && (delay.p95_s - 0.001).abs() < 1e-6, "{delay:?}");
    }

    #[test]
    fn nothing_that_arrived_has_no_delay() {
        let found = train(&[], 3, 0.001, 0, 0);
        assert_eq!((found.outcomes.as_str(), found.arrived, found.delay), ("000", 0, None));
        assert_eq!(found.sent_s, [0.0, 0.001, 0.002]);
    }
}
