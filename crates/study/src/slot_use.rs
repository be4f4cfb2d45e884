//! Slots that delivered a packet and slots that did not: whether a mean over runs has an interval.

use airtcp_sim::Estimate;

/// Packets that a replica delivers in the mean, at least, for an interval of that mean. Chosen by
/// measuring how often the interval holds, as the next.
const MIN_DELIVERED: f64 = 30.0;
/// Slots of a replica that deliver nothing in the mean, at least: two timeouts of S1.
const MIN_WITHOUT_DELIVERY: f64 = 200.0;

/// Slots of a stretch that lose what is sent in them in the mean, at least, for an interval of the
/// goodput of a remedy.
const MIN_LOST: f64 = 30.0;
/// Packets that a stretch delivers in the mean, at least, for the same.
const MIN_DELIVERED_BY_REMEDIES: f64 = 20.0;

/// Slots of a run: those that delivered a packet, the others, and how many of each there are to be in the
/// mean, at least, for an interval of goodput.
#[derive(Debug, Clone, Copy, PartialEq)]
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

    /// Slots under a remedy, which leaves hardly any unused: what delivers nothing is a loss.
    pub(crate) const fn of_remedy(delivered: f64, without: f64) -> Self {
        Self { delivered, without, least: (MIN_DELIVERED_BY_REMEDIES, MIN_LOST) }
    }

    /// Whether Student's interval of the mean goodput of runs of one kind holds; also of none.
    pub(crate) fn have_interval(runs: &[Self]) -> bool {
        let Some(Self { least, .. }) = runs.first() else { return true };
        let mean = |of: fn(&Self) -> f64| runs.iter().map(of).sum::<f64>() / runs.len() as f64;
        mean(|s| s.delivered) >= least.0 && mean(|s| s.without) >= least.1
    }
}

/// The mean alone.
pub(crate) const fn without_interval(estimate: Estimate) -> Estimate {
    Estimate { ci_low: None, ci_high: None, ..estimate }
}
