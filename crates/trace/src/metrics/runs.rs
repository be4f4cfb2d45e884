//! Runs of equal outcomes: bursts of losses and of successes, and their distributions.
//!
//! A run is a maximal stretch of equal outcomes. The first and the last run of a trace count
//! although the ends of the trace may cut them. S1's "55 % of all losses happen in isolation" is
//! read as the share of loss *bursts* of length 1 (its figure is a distribution of burst lengths);
//! [`Bursts::isolated_shares`] also gives the share of lost *packets* without an adjacent loss.

use std::collections::BTreeMap;

use airtcp_units::{Narrow, Outcomes, detmath};
use serde::{Deserialize, Serialize};

/// Lengths below this are counted in an array, longer ones in a map.
const DENSE: usize = 256;

/// Calls `f(received, length)` for every run, in order. Works a word at a time, so the cost is
/// per run and per 64 packets, not per packet.
pub fn for_each_run(trace: &Outcomes, mut f: impl FnMut(bool, u64)) {
    let n = trace.len();
    let Some(mut current) = trace.get(0) else { return };
    let mut length = 0u64;
    for (index, &word) in trace.words().iter().enumerate() {
        let valid = u32::narrow((n - index * 64).min(64));
        let mut at = 0u32;
        while at < valid {
            // Bits that differ from the current run read as 1.
            let differs = if current { !word } else { word } >> at;
            let same = differs.trailing_zeros().min(valid - at);
            length += u64::from(same);
            at += same;
            if at < valid {
                f(current, length);
                current = !current;
                length = 0;
            }
        }
    }
    f(current, length);
}

/// Bursts of one kind in a trace.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Bursts {
    /// Number of bursts.
    pub count: u64,
    /// Packets in them.
    pub packets: u64,
    /// Longest burst, packets; 0 if there is none.
    pub longest: u64,
    /// Mean length, packets; `None` if there is none.
    pub mean: Option<f64>,
    /// `[length, number of bursts of that length]`, by rising length.
    pub histogram: Vec<(u64, u64)>,
}

impl Bursts {
    /// From `(length, count)` pairs by rising length.
    pub fn from_histogram(histogram: Vec<(u64, u64)>) -> Self {
        let count = histogram.iter().map(|(_, n)| n).sum();
        let packets = histogram.iter().map(|(length, n)| length * n).sum();
        Self {
            count,
            packets,
            longest: histogram.last().map_or(0, |(length, _)| *length),
            mean: super::counts::ratio(packets, count),
            histogram,
        }
    }

    /// Share of bursts of length 1, and share of packets in such bursts. `None` without bursts.
    pub fn isolated_shares(&self) -> Option<(f64, f64)> {
        let single = match self.histogram.first() {
            Some((1, n)) => *n,
            _ => 0,
        };
        (self.count > 0)
            .then(|| (single as f64 / self.count as f64, single as f64 / self.packets as f64))
    }
}

/// Both kinds of bursts of a trace, and its last run.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RunStats {
    /// Runs of received packets.
    pub success: Bursts,
    /// Runs of lost packets.
    pub loss: Bursts,
    /// Outcome and length of the last run.
    pub last: Option<(bool, u64)>,
}

impl RunStats {
    /// Counts every run of `trace`.
    pub fn of(trace: &Outcomes) -> Self {
        let mut tallies = [Tally::default(), Tally::default()];
        let mut last = None;
        for_each_run(trace, |received, length| {
            tallies[usize::from(received)].add(length);
            last = Some((received, length));
        });
        let [loss, success] = tallies.map(|t| Bursts::from_histogram(t.finish()));
        Self { success, loss, last }
    }
}

/// A histogram under construction.
struct Tally {
    short: [u64; DENSE],
    long: BTreeMap<u64, u64>,
}

impl Default for Tally {
    fn default() -> Self {
        Self { short: [0; DENSE], long: BTreeMap::new() }
    }
}

impl Tally {
    fn add(&mut self, length: u64) {
        match self.short.get_mut(usize::narrow(length)) {
            Some(n) => *n += 1,
            None => *self.long.entry(length).or_default() += 1,
        }
    }

    fn finish(self) -> Vec<(u64, u64)> {
        let short = self.short.iter().enumerate().map(|(length, n)| (length as u64, *n));
        short.filter(|(_, n)| *n > 0).chain(self.long).collect()
    }
}

/// The expected longest burst of a Gilbert-Elliott chain: about `runs` bursts end with probability
/// `end` per packet, so `P(length >= k) = (1 - end)^(k-1)` and the longest is near `1 + ln(runs) /
/// -ln(1 - end)`. Between 1 and `packets`. For success bursts `runs` is `n PRR b` and `end` is `b`;
/// for loss bursts `n (1 - PRR) g` and `g`.
pub fn expected_longest(packets: u64, runs: f64, end: f64) -> f64 {
    if end >= 1.0 || runs < 1.0 {
        return 1.0f64.min(packets as f64);
    }
    (1.0 + detmath::ln(runs) / -detmath::ln_1p(-end)).min(packets as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn runs_rebuild_the_trace(pieces in proptest::collection::vec((any::<bool>(), 1usize..150), 0..30)) {
            let mut trace = Outcomes::new();
            for &(received, n) in &pieces {
                trace.push_run(received, n);
            }
            let mut again = Outcomes::new();
            let mut previous = None;
            for_each_run(&trace, |received, length| {
                assert!(length > 0 && previous != Some(received));
                previous = Some(received);
                again.push_run(received, usize::narrow(length));
            });
            prop_assert_eq!(&again, &trace);
            let stats = RunStats::of(&trace);
            prop_assert_eq!(stats.success.packets, trace.received() as u64);
            prop_assert_eq!(stats.success.packets + stats.loss.packets, trace.len() as u64);
        }
    }

    #[test]
    fn a_hand_counted_trace() {
        let trace: Outcomes = "1101001110".chars().map(|c| c == '1').collect();
        let stats = RunStats::of(&trace);
        assert_eq!(stats.success.histogram, [(1, 1), (2, 1), (3, 1)]);
        assert_eq!(stats.loss.histogram, [(1, 2), (2, 1)]);
        assert_eq!(stats.loss.isolated_shares(), Some((2.0 / 3.0, 0.5)));
        assert_eq!((stats.success.longest, stats.loss.longest), (3, 2));
        assert_eq!(stats.last, Some((false, 1)));
        assert_eq!(RunStats::of(&Outcomes::new()), RunStats::default());
    }

    #[test]
    fn expected_longest_at_its_edges() {
        // S1: 1e5 packets, PRR 0.5, independent: 25,000 runs, end 0.5 -> 1 + log2(25000).
        let e = expected_longest(100_000, 25_000.0, 0.5);
        assert!((e - (1.0 + detmath::log2(25_000.0))).abs() < 1e-9);
        assert!((expected_longest(10, 5.0, 1.0) - 1.0).abs() < 1e-12);
        assert!((expected_longest(10, 5.0, 1e-9) - 10.0).abs() < 1e-12);
    }
}
