//! The windows of a direction: the receiver's as it is advertised, and the congestion window as the
//! flight shows it.
//!
//! A sender that its congestion window limits fills it once a round trip. The most bytes in flight in
//! a round trip are then the congestion window. The estimate needs a capture at the sender. It leaves
//! out round trips in which losses were repaired, and those that ended under another limit.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::times::Times;

/// Sums over the windows of a direction.
#[derive(Debug, Clone, Default)]
pub(super) struct Windows {
    /// The receiver's windows, in bytes: those before the last change, and those since then.
    before: Times,
    last: u64,
    same: u64,
    rounds: u64,
    cwnd_sum: u64,
    cwnd_largest: u64,
}

impl Windows {
    /// True before the first window.
    pub(super) const fn is_empty(&self) -> bool {
        self.same == 0
    }

    /// An ACK advertised a window.
    pub(super) fn advertised(&mut self, bytes: u64) {
        if bytes != self.last {
            self.before.add_many(self.last, self.same);
            (self.last, self.same) = (bytes, 0);
        }
        self.same += 1;
    }

    /// A round trip showed the congestion window.
    pub(super) fn filled(&mut self, bytes: u64) {
        self.rounds += 1;
        self.cwnd_sum = self.cwnd_sum.saturating_add(bytes);
        self.cwnd_largest = self.cwnd_largest.max(bytes);
    }

    pub(super) fn cwnd(&self) -> Option<CwndReport> {
        (self.rounds > 0).then(|| CwndReport {
            round_trips: self.rounds,
            mean: self.cwnd_sum as f64 / self.rounds as f64,
            max: self.cwnd_largest,
        })
    }

    /// The receiver's window beside what was achieved. `mean_s` and `min_s` are round-trip times.
    /// Without `many_rtts`, the goodput is that of a few flights, and nothing can contradict it.
    pub(super) fn received(
        &self,
        rtt: [Option<f64>; 2],
        goodput: Option<f64>,
        many_rtts: bool,
    ) -> ReceiveWindow {
        let [mean_s, min_s] = rtt.map(|s| s.filter(|s| *s > 0.0));
        let mut received = self.before.clone();
        received.add_many(self.last, self.same);
        let mean = received.mean_ns();
        let largest = received.max_ns();
        let bound = mean.zip(mean_s).map(|(bytes, s)| bytes * 8.0 / s);
        let most = largest.map(|bytes| bytes as f64).zip(min_s);
        let most = most.map(|(bytes, s)| bytes * 8.0 / s);
        ReceiveWindow {
            mean_bytes: mean,
            p50_bytes: received.quantile_ns(0.5),
            max_bytes: largest,
            bound_bps: bound,
            bound_by_goodput: bound.zip(goodput).map(|(bound, goodput)| bound / goodput),
            largest_bps: most,
            is_exceeded: many_rtts
                && most.zip(goodput).is_some_and(|(most, goodput)| goodput > most),
        }
    }
}

/// The congestion window as the flight shows it, in bytes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CwndReport {
    /// Round trips that showed it.
    pub round_trips: u64,
    /// Mean over these round trips.
    pub mean: f64,
    /// Largest.
    pub max: u64,
}

/// The receiver's window, and the rate that it allows.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ReceiveWindow {
    /// Mean over the ACKs, in bytes.
    pub mean_bytes: Option<f64>,
    /// Median over the ACKs, in bytes: exact for up to 64 ACKs, within 0.8 % for more.
    pub p50_bytes: Option<f64>,
    /// Largest, in bytes.
    pub max_bytes: Option<u64>,
    /// Rate that the mean window allows at the mean round-trip time, in bit/s.
    pub bound_bps: Option<f64>,
    /// That rate by the goodput. Far above 1, the window does not limit the transfer.
    pub bound_by_goodput: Option<f64>,
    /// Rate that the largest window allows at the least round-trip time of the whole path, in bit/s.
    pub largest_bps: Option<f64>,
    /// True if the goodput of four round trips or more exceeds this rate. The capture
    /// then lacks the scale of the window or a part of the round trip.
    pub is_exceeded: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first row of S4's table of windows: 62,780 bytes, 45 ms, 3.21 Mb/s.
    #[test]
    fn the_window_of_a_published_transfer() {
        let mut windows = Windows::default();
        windows.advertised(62_780);
        let report = windows.received([Some(0.045), Some(0.01)], Some(3.21e6), true);
        let bound = report.bound_bps.unwrap();
        assert!((bound - 11.161e6).abs() < 1e3, "{bound}");
        let ratio = report.bound_by_goodput.unwrap();
        assert!((ratio - 3.477).abs() < 1e-3, "{ratio}");
        assert!(!report.is_exceeded);
        assert_eq!((report.p50_bytes, report.max_bytes), (Some(62_780.0), Some(62_780)));
        // An unscaled window of 502 bytes cannot carry the same rate.
        let mut unscaled = Windows::default();
        unscaled.advertised(502);
        assert!(unscaled.received([Some(0.045), Some(0.045)], Some(3.21e6), true).is_exceeded);
        assert!(!unscaled.received([Some(0.045), Some(0.045)], Some(3.21e6), false).is_exceeded);
        assert_eq!(Windows::default().cwnd(), None);
    }
}
