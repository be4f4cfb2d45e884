//! Signal levels: their distribution, and their mean over time.

use std::collections::BTreeMap;

/// Most intervals of a series; a longer one has intervals twice as long.
const MAX_BINS: usize = 64;
/// Shortest interval of a series, in ns.
const FIRST_WIDTH_NS: u64 = 1_000_000_000;

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
        let Series { start_ns, width_ns, bins } = &self.series;
        (0u64..).zip(bins).filter(|(_, (n, _))| *n > 0).map(move |(number, (n, sum))| {
            (start_ns.saturating_add(width_ns.saturating_mul(number)), *n, sum / *n as f64)
        })
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

/// Means over intervals of the same length.
#[derive(Debug, Clone, Default)]
struct Series {
    start_ns: u64,
    width_ns: u64,
    bins: Vec<(u64, f64)>,
}

impl Series {
    fn add(&mut self, host_ns: u64, value: f64) {
        if self.bins.is_empty() {
            self.start_ns = host_ns;
            self.width_ns = FIRST_WIDTH_NS;
        }
        let since = host_ns.saturating_sub(self.start_ns);
        while since / self.width_ns >= MAX_BINS as u64 {
            self.width_ns = self.width_ns.saturating_mul(2);
            self.bins = self
                .bins
                .chunks(2)
                .map(|pair| pair.iter().fold((0, 0.0), |(n, sum), bin| (n + bin.0, sum + bin.1)))
                .collect();
        }
        let place = usize::try_from(since / self.width_ns).unwrap_or(0);
        if place >= self.bins.len() {
            self.bins.resize(place + 1, (0, 0.0));
        }
        let bin = &mut self.bins[place];
        *bin = (bin.0 + 1, bin.1 + value);
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
        assert!(signal.over_time().count() <= MAX_BINS);
    }
}
