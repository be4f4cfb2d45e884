//! Signal levels: their distribution, and their mean over time.

use std::collections::BTreeMap;

use super::intervals::Intervals;

/// Most intervals of a series.
const MAX_INTERVALS: usize = 64;
/// Shortest interval of a series, in ns.
const SHORTEST_NS: u64 = 1_000_000_000;

/// Signal levels of frames.
#[derive(Debug, Clone, Default)]
pub(super) struct Signal {
    levels: BTreeMap<i8, u64>,
    frames: u64,
    series: Series,
}

impl Signal {
    /// Adds the level of a frame.
    pub(super) fn add(&mut self, host_ns: u64, dbm: i8) {
        *self.levels.entry(dbm).or_default() += 1;
        self.frames += 1;
        self.series.add(host_ns, f64::from(dbm));
    }

    /// Frames with a level.
    pub(super) const fn frames(&self) -> u64 {
        self.frames
    }

    /// Mean of the levels in dBm, each frame weighing the same.
    pub(super) fn mean(&self) -> Option<f64> {
        let sum: f64 = self.levels.iter().map(|(dbm, n)| f64::from(*dbm) * *n as f64).sum();
        (self.frames > 0).then(|| sum / self.frames as f64)
    }

    /// The lowest level that at least this share of the frames does not exceed.
    pub(super) fn quantile(&self, share: f64) -> Option<i8> {
        let wanted = share * self.frames as f64;
        let mut sum = 0;
        self.levels.iter().find_map(|(dbm, n)| {
            sum += n;
            (sum as f64 >= wanted).then_some(*dbm)
        })
    }

    /// Start of an interval in ns, frames, and mean level.
    pub(super) fn over_time(&self) -> impl Iterator<Item = (u64, u64, f64)> + '_ {
        let start_ns = self.series.start_ns.unwrap_or(0);
        let level = move |(ns, (n, sum)): (u64, (u64, f64))| {
            (start_ns.saturating_add(ns), n, sum / n as f64)
        };
        self.series.levels.iter().map(level)
    }
}

/// Mean of levels in dBm.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Mean {
    frames: u64,
    sum: f64,
}

impl Mean {
    /// Adds the level of a frame, if it has one.
    pub(super) fn add(&mut self, dbm: Option<i8>) {
        if let Some(dbm) = dbm {
            self.frames += 1;
            self.sum += f64::from(dbm);
        }
    }

    /// The mean.
    pub(super) fn get(&self) -> Option<f64> {
        (self.frames > 0).then(|| self.sum / self.frames as f64)
    }
}

/// Means over time; intervals count from the first frame.
#[derive(Debug, Clone)]
struct Series {
    start_ns: Option<u64>,
    levels: Intervals<(u64, f64)>,
}

impl Default for Series {
    fn default() -> Self {
        Self { start_ns: None, levels: Intervals::new(SHORTEST_NS, MAX_INTERVALS) }
    }
}

impl Series {
    fn add(&mut self, host_ns: u64, value: f64) {
        let start_ns = *self.start_ns.get_or_insert(host_ns);
        self.levels.add(host_ns.saturating_sub(start_ns), (1, value));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distribution_and_series() {
        let mut signal = Signal::default();
        assert_eq!((signal.mean(), signal.quantile(0.5)), (None, None));
        for second in 0..1000u64 {
            let dbm = if second < 500 { -60 } else { -50 };
            signal.add(7 + second * 1_000_000_000, dbm);
        }
        assert_eq!(signal.mean(), Some(-55.0));
        assert_eq!((signal.quantile(0.1), signal.quantile(0.9)), (Some(-60), Some(-50)));
        let series: Vec<_> = signal.over_time().collect();
        // 1000 s need intervals of 16 s.
        assert_eq!(series.len(), 63);
        assert_eq!(series[0], (7, 16, -60.0));
        assert_eq!(series.iter().map(|bin| bin.1).sum::<u64>(), 1000);
        assert!((series.last().unwrap().2 + 50.0).abs() < 1e-9);
        // A clock that jumps to the end of time.
        signal.add(u64::MAX, -40);
        assert!(signal.over_time().count() <= MAX_INTERVALS);
    }
}
