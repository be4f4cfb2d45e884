//! Slots with and without a delivery, which decide whether a mean over runs has an interval.

use airtcp_sim::Estimate;
use serde::{Deserialize, Serialize};

/// Fewest packets that a mean replica delivers, for an interval of the mean. These limits are
/// chosen by the measured coverage of the intervals.
const MIN_DELIVERED: f64 = 30.0;
/// Fewest slots of a mean replica without a delivery: two timeouts of S1.
const MIN_WITHOUT_DELIVERY: f64 = 200.0;

/// Fewest slots of a mean stretch that lose a packet, for an interval of a remedy's goodput.
const MIN_LOST: f64 = 30.0;
/// Fewest packets that a mean stretch delivers, for the same.
const MIN_DELIVERED_BY_REMEDIES: f64 = 20.0;

/// Slots of a run with and without a delivery, and the fewest of each, in the mean over runs, for
/// an interval of goodput.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(crate) struct SlotUse {
    delivered: f64,
    without: f64,
    least: (f64, f64),
}

impl SlotUse {
    /// Slots under a plain TCP, which leaves some of them unused in each timeout.
    pub(crate) const fn of_tcp(delivered: f64, without: f64) -> Self {
        Self { delivered, without, least: (MIN_DELIVERED, MIN_WITHOUT_DELIVERY) }
    }

    /// Slots under a remedy, which leaves nearly no slot unused: a slot without a delivery is a
    /// loss.
    pub(crate) const fn of_remedy(delivered: f64, without: f64) -> Self {
        Self { delivered, without, least: (MIN_DELIVERED_BY_REMEDIES, MIN_LOST) }
    }

    /// True if Student's interval of the mean goodput of runs of one kind is valid, or without
    /// runs.
    pub(crate) fn interval_holds(runs: &[Self]) -> bool {
        let Some(Self { least, .. }) = runs.first() else { return true };
        let mean = |of: fn(&Self) -> f64| runs.iter().map(of).sum::<f64>() / runs.len() as f64;
        mean(|s| s.delivered) >= least.0 && mean(|s| s.without) >= least.1
    }
}

/// The mean alone.
pub(crate) const fn without_interval(estimate: Estimate) -> Estimate {
    Estimate { ci_low: None, ci_high: None, ..estimate }
}
