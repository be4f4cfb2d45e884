//! Intervals of means, for values that Python gathered.

use airtcp_sim::Estimate;
use pyo3::prelude::*;

/// The ends of the 95 % interval of the mean of independent values; `None` for fewer than two.
///
/// With `weights` the values are counts or rates of events: value times weight is the number of
/// events. If events are few, the interval is widened, see [`Estimate::with_few_events`].
#[pyfunction]
#[pyo3(signature = (values, weights = None))]
pub(crate) fn mean_interval(values: Vec<f64>, weights: Option<Vec<f64>>) -> Option<(f64, f64)> {
    let events = weights.as_ref().map(|w| values.iter().zip(w).map(|(v, w)| v * w).sum::<f64>());
    let mut estimate = Estimate::of(values);
    if let (Some(events), Some(weights)) = (events, weights) {
        estimate = estimate.with_few_events(events.round(), weights.iter().sum());
    }
    estimate.ci_low.zip(estimate.ci_high)
}
