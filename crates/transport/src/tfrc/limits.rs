//! Recent receive rates: `X_recv_set` of RFC 5348 section 4.3. Bytes per second.

use airtcp_units::{Nanos, Span};
use arrayvec::ArrayVec;

/// Number of values kept. Feedback comes about once per round trip and two round trips count, so
/// only expedited reports need more. If the set is full, the smallest value is dropped.
const ROOM: usize = 8;

/// The receive rates of the last two round trips; infinite until the first report.
#[derive(Debug, Clone)]
pub(crate) struct ReceiveRates {
    rates: ArrayVec<(Nanos, f64), ROOM>,
}

impl ReceiveRates {
    pub(crate) fn new() -> Self {
        let mut rates = ArrayVec::new();
        rates.push((Nanos::ZERO, f64::INFINITY));
        Self { rates }
    }

    pub(crate) fn max(&self) -> f64 {
        self.rates.iter().fold(0.0, |m, &(_, x)| m.max(x))
    }

    /// "Update": adds a value and drops those older than two round trips.
    pub(crate) fn update(&mut self, now: Nanos, rate: f64, rtt: Span) {
        let two = Span(rtt.0.saturating_mul(2));
        self.rates.retain(|&mut (at, _)| at + two >= now);
        if self.rates.is_full() {
            let smallest = (0..ROOM).min_by(|&a, &b| self.rates[a].1.total_cmp(&self.rates[b].1));
            self.rates.remove(smallest.unwrap_or(0));
        }
        self.rates.push((now, rate));
    }

    /// "Maximize": keeps only the largest value, dated now; the initial infinity does not count.
    pub(crate) fn maximize(&mut self, now: Nanos, rate: f64) {
        let finite = self.rates.iter().map(|&(_, x)| x).filter(|x| x.is_finite());
        let largest = finite.fold(rate, f64::max);
        self.reset(now, largest);
    }

    pub(crate) fn halve(&mut self) {
        for (_, x) in &mut self.rates {
            *x /= 2.0;
        }
    }

    /// Keeps one value only.
    pub(crate) fn reset(&mut self, now: Nanos, rate: f64) {
        self.rates.clear();
        self.rates.push((now, rate));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_the_rfc_says() {
        let mut set = ReceiveRates::new();
        assert!(set.max().is_infinite());
        set.update(Nanos(1000), 5.0, Span(100));
        assert!((set.max() - 5.0).abs() < 1e-12, "the infinity is older than two round trips");
        set.update(Nanos(1100), 3.0, Span(100));
        set.update(Nanos(1200), 4.0, Span(100));
        assert!((set.max() - 5.0).abs() < 1e-12);
        set.update(Nanos(1201), 2.0, Span(100));
        assert!((set.max() - 4.0).abs() < 1e-12);
        set.maximize(Nanos(1300), 1.0);
        assert!((set.max() - 4.0).abs() < 1e-12);
        set.halve();
        assert!((set.max() - 2.0).abs() < 1e-12);
        set.reset(Nanos(1400), 9.0);
        assert!((set.max() - 9.0).abs() < 1e-12);
        for i in 0..20 {
            set.update(Nanos(1400), f64::from(i), Span(100));
        }
        assert!((set.max() - 19.0).abs() < 1e-12);
        let mut set = ReceiveRates::new();
        set.maximize(Nanos(5), 7.0);
        assert!((set.max() - 7.0).abs() < 1e-12);
    }
}
