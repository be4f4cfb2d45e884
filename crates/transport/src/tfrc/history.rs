//! Loss events and the average loss interval, RFC 5348 sections 5.2 to 5.5.
//!
//! Losses within a round trip of the first one are one event. The loss event rate is the inverse of
//! a weighted mean of the last eight intervals between events. The open interval counts only if it
//! raises the mean. If it exceeds twice the mean, older intervals are discounted. Intervals are in
//! packets.

use airtcp_units::{Nanos, Span};
use arrayvec::ArrayVec;

/// Number of intervals in the mean (RFC 5348 section 5.4).
pub(crate) const INTERVALS: usize = 8;
/// Weights of the intervals, the most recent first (section 5.4).
const WEIGHTS: [f64; INTERVALS] = [1.0, 1.0, 1.0, 1.0, 0.8, 0.6, 0.4, 0.2];
/// Least discount factor (section 5.5).
const THRESHOLD: f64 = 0.25;

/// Relation of a lost packet to loss events.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Loss {
    /// Part of the previous event.
    Same,
    /// A new event.
    New,
    /// The first event of the connection: [`LossHistory::seed`] must follow.
    First,
}

/// A closed interval and its permanent discount `DF_i`.
#[derive(Debug, Clone, Copy)]
struct Interval {
    packets: f64,
    discount: f64,
}

/// The loss events of a connection.
#[derive(Debug, Clone)]
pub(crate) struct LossHistory {
    discounting: bool,
    /// Number and time of the first lost packet of the last event.
    start: Option<(u64, Nanos)>,
    /// `I_1`, `I_2`, ...
    closed: ArrayVec<Interval, INTERVALS>,
}

impl LossHistory {
    pub(crate) fn new(discounting: bool) -> Self {
        Self { discounting, start: None, closed: ArrayVec::new() }
    }

    /// Packet `number` was lost at `at` (interpolated), with the sender's round-trip time.
    pub(crate) fn on_loss(&mut self, number: u64, at: Nanos, rtt: Span) -> Loss {
        let Some((first, since)) = self.start else {
            self.start = Some((number, at));
            return Loss::First;
        };
        // Section 5.2: T_old + R >= T_new is the same event.
        if at <= since + rtt || number <= first {
            return Loss::Same;
        }
        // The discount of the open interval becomes permanent for the older ones.
        let discount = self.discount(number);
        for interval in &mut self.closed {
            interval.discount *= discount;
        }
        self.push((number - first) as f64);
        self.start = Some((number, at));
        Loss::New
    }

    /// Sets the interval before the first event (section 6.3.1).
    pub(crate) fn seed(&mut self, packets: f64) {
        if self.closed.is_empty() {
            self.push(packets.max(1.0));
        }
    }

    fn push(&mut self, packets: f64) {
        if self.closed.is_full() {
            self.closed.pop();
        }
        self.closed.insert(0, Interval { packets, discount: 1.0 });
    }

    /// The first instant at which a loss belongs to a new event; `None` before the first.
    pub(crate) fn event_ends(&self, rtt: Span) -> Option<Nanos> {
        self.start.map(|(_, at)| at + rtt + Span(1))
    }

    /// `I_0`: packets since the event began, when `next` is the next number expected.
    fn open(&self, next: u64) -> f64 {
        self.start.map_or(0.0, |(first, _)| next.saturating_sub(first) as f64)
    }

    /// Mean of the closed intervals, with their permanent discounts.
    fn closed_mean(&self) -> Option<f64> {
        let (mut total, mut weight) = (0.0, 0.0);
        for (interval, w) in self.closed.iter().zip(WEIGHTS) {
            total += interval.packets * w * interval.discount;
            weight += w * interval.discount;
        }
        (weight > 0.0).then(|| total / weight)
    }

    /// `DF` (section 5.5): below 1 once the open interval is over twice the mean.
    fn discount(&self, next: u64) -> f64 {
        let open = self.open(next);
        match self.closed_mean() {
            Some(mean) if self.discounting && open > 2.0 * mean => {
                (2.0 * mean / open).max(THRESHOLD)
            }
            _ => 1.0,
        }
    }

    /// The loss event rate when `next` is the next number expected; 0 before the first event.
    pub(crate) fn rate(&self, next: u64) -> f64 {
        let Some(closed) = self.closed_mean() else { return 0.0 };
        let discount = self.discount(next);
        // With the open interval first, all others move up by one.
        let (mut total, mut weight) = (self.open(next) * WEIGHTS[0], WEIGHTS[0]);
        for (interval, w) in self.closed.iter().zip(&WEIGHTS[1..]) {
            total += interval.packets * w * interval.discount * discount;
            weight += w * interval.discount * discount;
        }
        1.0 / closed.max(total / weight).max(1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RTT: Span = Span(100);

    /// Events at these numbers, one millisecond apart: far more than a round trip.
    fn events(discounting: bool, seed: f64, numbers: &[u64]) -> LossHistory {
        let mut history = LossHistory::new(discounting);
        for (i, &n) in numbers.iter().enumerate() {
            let loss = history.on_loss(n, Nanos(1_000_000 * (i as u64 + 1)), RTT);
            if loss == Loss::First {
                history.seed(seed);
            }
        }
        history
    }

    #[test]
    fn losses_within_a_round_trip_are_one_event() {
        let mut h = LossHistory::new(true);
        assert!(h.rate(5) <= 0.0);
        assert_eq!(h.on_loss(10, Nanos(1000), RTT), Loss::First);
        h.seed(50.0);
        assert_eq!(h.on_loss(11, Nanos(1099), RTT), Loss::Same);
        assert_eq!(h.on_loss(12, Nanos(1100), RTT), Loss::Same, "a round trip to the instant");
        assert_eq!(h.event_ends(RTT), Some(Nanos(1101)));
        assert_eq!(h.on_loss(40, Nanos(1101), RTT), Loss::New);
        // I_1 = 30, I_2 = 50: mean 40 without the open interval, (1 + 30 + 50) / 3 with it.
        assert!((h.rate(41) - 1.0 / 40.0).abs() < 1e-12);
    }

    /// Section 5.4 by hand: nine events at 100, 200, ...: intervals of 100, the seed pushed out.
    #[test]
    fn eight_intervals_are_averaged() {
        let numbers: Vec<u64> = (1..=9).map(|i| 100 * i).collect();
        let h = events(false, 7.0, &numbers);
        assert!((h.rate(901) - 0.01).abs() < 1e-12);
        // One more after 700: I_0 = 700 in front: (700 + 100 * (1+1+1+.8+.6+.4+.2)) / 6.
        let mean = (700.0 + 100.0 * 5.0) / 6.0;
        assert!((h.rate(1600) - 1.0 / mean).abs() < 1e-12);
    }

    /// Section 5.5: I_0 = 700 against a mean of 100: DF = 200/700.
    #[test]
    fn a_long_open_interval_discounts_the_old_ones() {
        let numbers: Vec<u64> = (1..=9).map(|i| 100 * i).collect();
        let h = events(true, 7.0, &numbers);
        let df = 200.0 / 700.0;
        let mean = (700.0 + 100.0 * 5.0 * df) / (1.0 + 5.0 * df);
        assert!((h.rate(1600) - 1.0 / mean).abs() < 1e-12);
        // Never below the threshold.
        let mean = (90_000.0 + 100.0 * 5.0 * 0.25) / (1.0 + 5.0 * 0.25);
        assert!((h.rate(90_900) - 1.0 / mean).abs() < 1e-12);
        // Permanent once the interval closes: I_1 = 700, I_2.. = 100 discounted by DF.
        let mut numbers = numbers;
        numbers.push(1600);
        let h = events(true, 7.0, &numbers);
        let weights = [1.0, 1.0, 1.0, 0.8, 0.6, 0.4, 0.2];
        let old: f64 = weights.iter().sum();
        let mean = (700.0 + 100.0 * old * df) / (1.0 + old * df);
        assert!((h.rate(1601) - 1.0 / mean).abs() < 1e-12);
    }

    #[test]
    fn the_rate_is_at_most_one() {
        let h = events(true, 1.0, &[1, 2, 3, 4]);
        assert!(h.rate(5) <= 1.0);
        let h = events(true, 0.0, &[1]);
        assert!((h.rate(2) - 1.0).abs() < 1e-12);
    }
}
