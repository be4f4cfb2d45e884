//! Links of varying capacity: the statistics of the file, and what TCPs deliver over the link.
//!
//! A file of delivery opportunities or of rates has no losses. It therefore has no PRR, no
//! burstiness and no synthetic links. The statistics are the mean capacity, its variation, the
//! longest outage, and the time that packets then wait.

use airtcp_units::{Capacity, Span};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::document::TraceSource;
use crate::document::compare::{Case, Remedies};
use crate::document::compare_options::AsLink;

/// Window over which a rate is measured: longer than a packet, shorter than a fade. \[choice\]
const WINDOW: Span = Span::from_secs(1);

/// Most windows over which rates are measured: twelve days of them. A longer file gets longer windows.
const MAX_MEASURED: u64 = 1 << 20;

/// Most windows in the chart of a link over time. A longer file gets longer windows.
const MAX_WINDOWS: u64 = 600;

/// What a link of varying capacity can carry.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CapacityStats {
    /// Time that the file covers. After it the file repeats.
    pub duration_s: f64,
    /// Delivery opportunities, or rates, in the file.
    pub entries: u64,
    /// Bytes that one opportunity carries; null where the file holds rates.
    pub opportunity_bytes: Option<u64>,
    /// Mean over the whole file.
    pub mean_bps: f64,
    /// Length of the windows over which the following rates are measured: 1 s, or longer if the file covers more
    /// than twelve days.
    pub window_s: f64,
    /// Rate that 5 % of the windows do not exceed.
    pub p5_bps: f64,
    /// Rate that half of the windows do not exceed.
    pub p50_bps: f64,
    /// Rate that 95 % of the windows do not exceed.
    pub p95_bps: f64,
    /// Longest time in which the link sends nothing.
    pub longest_outage_s: f64,
    /// Rate of each window. If there are more than 600 windows, longer windows replace them.
    pub over_time: CapacityOverTime,
}

/// A capacity over time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CapacityOverTime {
    /// Length of a window.
    pub window_s: f64,
    /// Mean rate of each window.
    pub bps: Vec<f64>,
}

impl CapacityStats {
    /// Measures a capacity.
    pub fn of(capacity: &Capacity) -> Self {
        let window = WINDOW * (capacity.period().0 / WINDOW.0).div_ceil(MAX_MEASURED).max(1);
        let window = window.min(capacity.period());
        let mut rates = capacity.windows(window);
        let step = (capacity.period().0 / window.0).div_ceil(MAX_WINDOWS).max(1);
        let shown = window * step;
        let over_time = CapacityOverTime {
            window_s: shown.as_secs_f64(),
            bps: if step == 1 { rates.clone() } else { capacity.windows(shown) },
        };
        rates.sort_by(f64::total_cmp);
        let share = |percent: usize| {
            let rank = (rates.len() * percent).div_ceil(100).max(1);
            rates.get(rank - 1).copied().unwrap_or(0.0)
        };
        Self {
            duration_s: capacity.period().as_secs_f64(),
            entries: capacity.entries() as u64,
            opportunity_bytes: capacity.opportunity_bytes(),
            mean_bps: capacity.mean_bps(),
            window_s: window.as_secs_f64(),
            p5_bps: share(5),
            p50_bps: share(50),
            p95_bps: share(95),
            longest_outage_s: capacity.longest_outage().as_secs_f64(),
            over_time,
        }
    }
}

/// One link of varying capacity.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CapacityStudy {
    /// Name of the link.
    pub name: String,
    /// Where it was read.
    pub source: TraceSource,
    /// Notes for the reader of the numbers.
    pub notes: Vec<String>,
    /// Statistics of the capacity.
    #[serde(flatten)]
    pub stats: CapacityStats,
    /// Delay and queue of the link over which TCPs were compared.
    pub around: AsLink,
    /// The comparison of TCPs over equal stretches of the file; null if none were compared. Single
    /// runs and windows are left out: `airtcp compare` gives them.
    pub compared: Option<Case>,
    /// Remedies that may shorten the wait in the queue; null if none were requested.
    pub remedies: Option<Remedies>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_on_and_a_second_off() {
        let on = (0..1000).map(|i| Span::from_millis(i + 1));
        let at: Vec<Span> = (0..10)
            .flat_map(|k| on.clone().map(move |t| t + Span::from_secs(2 * k)))
            .chain([Span::from_secs(20)])
            .collect();
        let stats = CapacityStats::of(&Capacity::opportunities(at, 1504).unwrap());
        let full = 1000.0 * 1504.0 * 8.0;
        // Nine seconds have no entry, one has the entry that ends the file, ten are full.
        let found = (stats.p5_bps, stats.p50_bps, stats.p95_bps);
        assert_eq!(found, (0.0, 1504.0 * 8.0, full));
        assert_eq!((stats.longest_outage_s, stats.over_time.bps.len()), (1.001, 20));
        assert!((stats.mean_bps - 10_001.0 * 1504.0 * 8.0 / 20.0).abs() < 1e-3);
    }

    /// A file of two lines can cover centuries.
    #[test]
    fn the_number_of_windows_is_bounded() {
        for days in [1, 12, 13, 36_500] {
            let end = Span::from_secs(days * 86_400);
            let capacity = Capacity::opportunities(vec![Span::from_secs(1), end], 1504).unwrap();
            let stats = CapacityStats::of(&capacity);
            let windows = stats.duration_s / stats.window_s;
            assert!(windows <= MAX_MEASURED as f64, "{days}: {windows}");
            assert!((stats.window_s > 1.0) == (days > 12), "{days}: {}", stats.window_s);
            assert!(stats.over_time.bps.len() <= 600, "{days}");
        }
    }

    #[test]
    fn long_files_have_longer_windows_in_the_picture() {
        let s = Span::from_secs;
        let capacity = Capacity::rates(&[(s(0), 5), (s(3000), 7)], s(6000)).unwrap();
        let stats = CapacityStats::of(&capacity);
        assert_eq!((stats.over_time.window_s, stats.over_time.bps.len()), (10.0, 600));
        assert_eq!((stats.window_s, stats.p5_bps, stats.p95_bps), (1.0, 5.0, 7.0));
    }
}
