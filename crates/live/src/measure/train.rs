//! What a train says of a direction: which probes arrived, in what order, and how much later than the fastest.

use airtcp_units::Narrow as _;
use serde::Serialize;

use super::arrivals::Arrival;
use super::delay::{Line, UNIT};

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
    /// The delay of each, in one direction and above the least, without the drift of the clocks; null for those lost.
    pub delay_s: Vec<Option<f64>>,
    /// How these are spread; null if nothing arrived.
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
    let line = Line::below(&known);
    let mut delay_s: Vec<Option<f64>> = vec![None; count];
    for arrival in &known {
        let place = usize::narrow(arrival.number);
        times[place] = Some(arrival.sent);
        delay_s[place] = line.map(|line| to_the_unit(line.above(arrival)));
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
        delay: Quantiles::of(delay_s.iter().flatten().copied().collect()),
        delay_s,
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
        list.push(to_the_unit(at));
    }
    list
}

fn to_the_unit(time: f64) -> f64 {
    (time / UNIT).round() / 1e7
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
        assert_eq!(found.delay_s, [Some(0.0), Some(0.002_05), None, Some(0.000_02), None]);
    }

    #[test]
    fn nothing_that_arrived_has_no_delay() {
        let found = train(&[], 3, 0.001, 0, 0);
        assert_eq!((found.outcomes.as_str(), found.arrived, found.delay), ("000", 0, None));
        assert_eq!(found.sent_s, [0.0, 0.001, 0.002]);
    }
}
