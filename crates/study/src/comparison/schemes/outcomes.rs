//! From the runs of a scenario to what its variants gave: estimates and paired differences.

use airtcp_scenario::Resolved;
use airtcp_sim::Estimate;
use airtcp_sim::results::Range;

use crate::comparison::criteria::all;
use crate::document::schemes::{SchemeOutcome, SchemeRun, SchemeStation};
use crate::numbers::paired;

/// The quantities of an outcome, by their keys.
const QUANTITIES: [(&str, fn(&SchemeRun) -> Option<f64>); 18] = [
    ("total_goodput_bps", |r| Some(r.total_goodput_bps)),
    ("jain_index", |r| r.jain_index),
    ("jain_index_up", |r| r.jain_index_up),
    ("jain_index_down", |r| r.jain_index_down),
    ("slowest_flow_bps", |r| r.slowest_flow_bps),
    ("max_difference_bps", |r| r.max_difference_bps),
    ("airtime_jain_index", |r| r.airtime_jain_index),
    ("ack_error", |r| r.ack_error),
    ("data_error", |r| r.data_error),
    ("residual_loss", |r| r.residual_loss),
    ("access_point_queue_delay_s", |r| r.access_point_queue_delay_s),
    ("access_point_service_s", |r| r.access_point_service_s),
    ("station_queue_delay_s", |r| r.station_queue_delay_s),
    ("station_service_s", |r| r.station_service_s),
    ("exchange_mean_s", |r| r.exchange_mean_s),
    ("exchange_p50_s", |r| r.exchange_p50_s),
    ("exchange_p95_s", |r| r.exchange_p95_s),
    ("exchange_p99_s", |r| r.exchange_p99_s),
];

/// What a variant gave, with its differences from the reference, unless it is that.
pub(crate) fn outcome(
    name: &str,
    runs: &[SchemeRun],
    reference: Option<&[SchemeRun]>,
) -> SchemeOutcome {
    // A quantity that some replication of either lacks has no difference.
    let difference = |(key, of): &(&str, fn(&SchemeRun) -> Option<f64>)| {
        let (ours, theirs) = (all(runs, *of), all(reference?, *of));
        let both = !ours.is_empty() && !theirs.is_empty();
        both.then(|| ((*key).to_owned(), paired::difference(&ours, &theirs)))
    };
    let some = |of: fn(&SchemeRun) -> Option<f64>| {
        Estimate::of_some(runs.iter().map(of), Range::NOT_NEGATIVE)
    };
    let index =
        |of: fn(&SchemeRun) -> Option<f64>| Estimate::of_some(runs.iter().map(of), Range::SHARE);
    let share = |of: fn(&SchemeRun) -> (Option<f64>, f64)| {
        let pairs = runs.iter().map(of).filter_map(|(share, of)| Some((share?, of)));
        Estimate::of_shares(pairs)
    };
    SchemeOutcome {
        variant: name.to_owned(),
        total_goodput_bps: some(|r| Some(r.total_goodput_bps)),
        jain_index: index(|r| r.jain_index),
        jain_index_up: index(|r| r.jain_index_up),
        jain_index_down: index(|r| r.jain_index_down),
        slowest_flow_bps: some(|r| r.slowest_flow_bps),
        max_difference_bps: some(|r| r.max_difference_bps),
        airtime_jain_index: index(|r| r.airtime_jain_index),
        ack_error: share(|r| (r.ack_error, r.tcp_acks)),
        data_error: share(|r| (r.data_error, r.data_frames)),
        residual_loss: share(|r| (r.residual_loss, r.packets)),
        access_point_queue_delay_s: some(|r| r.access_point_queue_delay_s),
        access_point_service_s: some(|r| r.access_point_service_s),
        station_queue_delay_s: some(|r| r.station_queue_delay_s),
        station_service_s: some(|r| r.station_service_s),
        exchange_mean_s: some(|r| r.exchange_mean_s),
        exchange_p50_s: some(|r| r.exchange_p50_s),
        exchange_p95_s: some(|r| r.exchange_p95_s),
        exchange_p99_s: some(|r| r.exchange_p99_s),
        differences: QUANTITIES.iter().filter_map(difference).collect(),
    }
}

/// What each station got under each variant, the reference first.
pub(crate) fn stations(
    plan: &Resolved,
    names: &[String],
    runs: &[Vec<SchemeRun>],
) -> Vec<SchemeStation> {
    let cells = plan.cells.iter().map(|cell| (&cell.spec.name, cell.spec.node_names()));
    let places: Vec<(&String, usize, String)> = cells
        .flat_map(|(cell, nodes)| nodes.into_iter().enumerate().map(move |(i, n)| (cell, i, n)))
        .collect();
    let mut found = Vec::new();
    for (variant, name) in names.iter().enumerate() {
        for (place, (cell, number, station)) in places.iter().enumerate() {
            let of = |variant: usize, get: fn(&SchemeRun, usize) -> Option<f64>| -> Vec<f64> {
                runs[variant].iter().filter_map(|run| get(run, place)).collect()
            };
            let goodput = |run: &SchemeRun, i: usize| run.stations.get(i).map(|s| s.goodput_bps);
            let airtime = |run: &SchemeRun, i: usize| run.stations.get(i).map(|s| s.airtime_share);
            let against = |get: fn(&SchemeRun, usize) -> Option<f64>| {
                (variant != 0).then(|| paired::difference(&of(variant, get), &of(0, get)))
            };
            found.push(SchemeStation {
                variant: name.clone(),
                cell: (*cell).clone(),
                station: station.clone(),
                is_access_point: *number == 0,
                goodput_bps: Estimate::within(of(variant, goodput), Range::NOT_NEGATIVE),
                goodput_difference: against(goodput),
                airtime_share: Estimate::within(of(variant, airtime), Range::SHARE),
                airtime_difference: against(airtime),
            });
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    /// Every estimate of an outcome has its paired difference.
    #[test]
    fn the_list_of_quantities_is_complete() {
        let Ok(Value::Object(outcome)) = serde_json::to_value(outcome("x", &[], None)) else {
            panic!("an outcome is a table");
        };
        let is_estimate = |value: &Value| value.get("ci_low").is_some();
        let estimates = outcome.iter().filter(|(_, v)| is_estimate(v)).map(|(key, _)| key.as_str());
        let mut listed: Vec<&str> = QUANTITIES.iter().map(|(key, _)| *key).collect();
        listed.sort_unstable();
        let mut estimates: Vec<&str> = estimates.collect();
        estimates.sort_unstable();
        assert_eq!(listed, estimates);
    }
}
