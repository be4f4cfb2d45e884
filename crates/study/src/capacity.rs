//! Links of varying capacity: what a file says of it, and what TCPs get of it.
//!
//! A file of delivery opportunities or of rates says nothing about losses: it has no PRR and no
//! burstiness, and no link that looks like it is made. What matters is how much it carries, how much that
//! varies, for how long nothing leaves, and how long packets then wait.

use airtcp_units::{Capacity, Span};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::compare::{AsLink, Case, Remedies};
use crate::document::TraceSource;

/// Windows over which a rate is taken: long against a packet, short against a fade. Chosen.
const WINDOW: Span = Span::from_secs(1);

/// Most windows in the picture of a link over time; then they are longer.
const MAX_WINDOWS: u64 = 600;

/// What a link of varying capacity can carry.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CapacityStats {
    /// Time that the file covers; then it starts over.
    pub duration_s: f64,
    /// Delivery opportunities, or rates, in the file.
    pub entries: u64,
    /// Bytes that one opportunity carries; null where the file holds rates.
    pub opportunity_bytes: Option<u64>,
    /// Mean over the whole file.
    pub mean_bps: f64,
    /// Windows over which the following rates are taken.
    pub window_s: f64,
    /// Rate that 5 % of the windows do not exceed.
    pub p5_bps: f64,
    /// Rate that half of the windows do not exceed.
    pub p50_bps: f64,
    /// Rate that 95 % of the windows do not exceed.
    pub p95_bps: f64,
    /// Longest time in which nothing leaves.
    pub longest_outage_s: f64,
    /// The rates, window by window; the windows are longer than those above where there would be more
    /// than 600.
    pub over_time: CapacityOverTime,
}

/// A capacity, window by window.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CapacityOverTime {
    /// Length of a window.
    pub window_s: f64,
    /// Mean rate of each.
    pub bps: Vec<f64>,
}

impl CapacityStats {
    /// Measures a capacity.
    pub fn of(capacity: &Capacity) -> Self {
        let window = WINDOW.min(capacity.period());
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
    /// What a reader of the numbers must know.
    pub notes: Vec<String>,
    /// What it can carry.
    #[serde(flatten)]
    pub stats: CapacityStats,
    /// The way around it over which TCPs were compared: its one-way delay and its queue.
    pub around: AsLink,
    /// What each TCP gets of it, in equal stretches of the file; null if none were compared. Without the
    /// single runs and windows: `airtcp compare` gives those.
    pub compared: Option<Case>,
    /// What would shorten the wait in its queue; null if that was not asked for.
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
        // Nine seconds are silent, one has the entry that ends the file, ten are full.
        let found = (stats.p5_bps, stats.p50_bps, stats.p95_bps);
        assert_eq!(found, (0.0, 1504.0 * 8.0, full));
        assert_eq!((stats.longest_outage_s, stats.over_time.bps.len()), (1.001, 20));
        assert!((stats.mean_bps - 10_001.0 * 1504.0 * 8.0 / 20.0).abs() < 1e-3);
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
