//! Summary of cells over replications.
//!
//! If a station sent no frame of a class in a replication, its counts, airtime and bits are 0 there, and it
//! has no error rate. Rates of a cell are over the frames of all its stations together.
//!
//! Counts and shares of frames or packets have the exact interval if events are few
//! ([`Estimate::of_counts`], [`Estimate::of_shares`]). Everything else has Student's, within its
//! range ([`Estimate::within`]).

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::results::cell::CellResult;
use crate::results::estimate::{Estimate, Estimates, Sample};
use crate::results::replication::Replication;
use crate::results::station::{FrameResult, StationResult};

/// The estimates of one cell.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CellEstimates {
    /// Name of the cell.
    pub name: String,
    /// Quantities of the cell: `busy_share`, `airtime_share` (each of overlapping frames counts), `mac_bps`,
    /// `retry_drops`, `lifetime_drops`, `refused_drops`, `queue_drops`; and by frame class, such as
    /// `data_error_rate`, `data_sent`, `data_airtime_share`, `data_mac_bps`.
    #[serde(flatten)]
    pub quantities: BTreeMap<String, Estimate>,
    /// By frame class and cause, the share of the frames sent that were lost for this cause.
    pub lost: BTreeMap<String, BTreeMap<String, Estimate>>,
    /// The stations, the access point first. Quantities of frames begin with their class
    /// (`data_error_rate`), those of access categories with the category (`voice_latency_mean_s`).
    pub stations: Vec<Estimates>,
}

/// Values of each quantity.
type Values = BTreeMap<String, Sample>;

/// Quantities that are zero without frames.
const ADDITIVE: [&str; 3] = ["sent", "airtime_share", "mac_bps"];
/// Quantities without a meaningful mean.
const PLACES: [&str; 2] = ["x_m", "y_m"];

/// The estimates of every cell: of the quantities, and of the losses by cause, whose key is in `keep`.
pub(crate) fn cells(
    replications: &[Replication],
    keep: &dyn Fn(&str) -> bool,
) -> Vec<CellEstimates> {
    let count = replications.first().map_or(0, |r| r.cells.len());
    (0..count)
        .map(|i| {
            let runs: Vec<_> = replications.iter().filter_map(|r| r.cells.get(i)).collect();
            cell(&runs, keep)
        })
        .collect()
}

fn cell(runs: &[&CellResult], keep: &dyn Fn(&str) -> bool) -> CellEstimates {
    let mut values = Values::new();
    let mut lost: BTreeMap<String, Values> = BTreeMap::new();
    let causes: BTreeSet<(&str, &str)> = runs
        .iter()
        .filter(|_| keep("lost"))
        .flat_map(|run| &run.stations)
        .flat_map(|station| &station.frames)
        .flat_map(|(class, f)| f.lost.keys().map(|cause| (class.as_str(), cause.as_str())))
        .collect();
    for run in runs {
        whole(run, &mut values);
        for (class, cause) in &causes {
            let frames = || of_class(run, class);
            let sent: u64 = frames().map(|f| f.sent).sum();
            let gone: u64 = frames().filter_map(|f| f.lost.get(*cause)).sum();
            if sent > 0 {
                let by_cause = lost.entry((*class).to_owned()).or_default();
                let sample = by_cause.entry((*cause).to_owned()).or_default();
                sample.values.push(share(gone, sent));
                sample.of.push(sent as f64);
            }
        }
    }
    fill(&mut values, runs.len());
    let stations = runs.first().map_or(0, |run| run.stations.len());
    let station = |i: usize| {
        let runs: Vec<_> = runs.iter().filter_map(|run| run.stations.get(i)).collect();
        station(&runs, keep)
    };
    CellEstimates {
        name: runs.first().map(|run| run.name.clone()).unwrap_or_default(),
        quantities: estimates(values, keep),
        lost: lost
            .into_iter()
            .map(|(class, causes)| (class, estimates(causes, &|_| true)))
            .collect(),
        stations: (0..stations).map(station).collect(),
    }
}

fn of_class<'a>(run: &'a CellResult, class: &'a str) -> impl Iterator<Item = &'a FrameResult> {
    run.stations.iter().filter_map(move |station| station.frames.get(class))
}

fn share(part: u64, whole: u64) -> f64 {
    part as f64 / whole as f64
}

/// Adds the quantities of a whole cell in one replication.
fn whole(run: &CellResult, values: &mut Values) {
    let mut add =
        |key: &str, value: f64| values.entry(key.to_owned()).or_default().values.push(value);
    let sum = |of: fn(&StationResult) -> f64| run.stations.iter().map(of).sum::<f64>();
    add("busy_share", run.busy_share);
    add("airtime_share", sum(|s| s.airtime_share));
    add("mac_bps", sum(|s| s.mac_bps));
    let mut count = |key: &str, n: u64| {
        let sample = values.entry(key.to_owned()).or_default();
        sample.counts = true;
        sample.values.push(n as f64);
    };
    let total = |of: fn(&StationResult) -> u64| run.stations.iter().map(of).sum::<u64>();
    count("retry_drops", total(|s| s.retry_drops));
    count("lifetime_drops", total(|s| s.lifetime_drops));
    count("refused_drops", total(|s| s.refused_drops));
    count("queue_drops", total(|s| s.queue_drops));
    let classes: BTreeSet<&str> =
        run.stations.iter().flat_map(|s| s.frames.keys().map(String::as_str)).collect();
    for class in classes {
        let frames = || of_class(run, class);
        let sent: u64 = frames().map(|f| f.sent).sum();
        let gone: u64 = frames().flat_map(|f| f.lost.values()).sum();
        let all = [
            ("sent", sent as f64),
            ("airtime_share", frames().map(|f| f.airtime_share).sum()),
            ("mac_bps", frames().map(|f| f.mac_bps).sum()),
        ];
        for (key, value) in all {
            let sample = values.entry(format!("{class}_{key}")).or_default();
            sample.counts = key == "sent";
            sample.values.push(value);
        }
        if sent > 0 {
            let sample = values.entry(format!("{class}_error_rate")).or_default();
            sample.values.push(share(gone, sent));
            sample.of.push(sent as f64);
        }
    }
}

/// The estimates of a station. The keys come from the serialised records.
fn station(runs: &[&StationResult], keep: &dyn Fn(&str) -> bool) -> Estimates {
    let mut values = Values::new();
    for run in runs {
        let Ok(Value::Object(mut record)) = serde_json::to_value(run) else { continue };
        let frames = record.remove("frames");
        let categories = record.remove("categories");
        let data = run.frames.get("data").map(|f| f.sent as f64);
        add_numbers("", &record, data, &mut values);
        for category in categories.iter().filter_map(Value::as_array).flatten() {
            if let (Some(Value::String(name)), Some(numbers)) =
                (category.get("category"), category.as_object())
            {
                let sent = number(numbers, "sent");
                add_numbers(&format!("{}_", name.replace('-', "_")), numbers, sent, &mut values);
            }
        }
        let Some(Value::Object(frames)) = frames else { continue };
        for (class, frame) in &frames {
            if let Value::Object(frame) = frame {
                add_numbers(&format!("{class}_"), frame, number(frame, "sent"), &mut values);
            }
        }
    }
    values.retain(|key, _| !PLACES.contains(&key.as_str()));
    fill(&mut values, runs.len());
    let name = runs.first().map(|run| run.name.clone()).unwrap_or_default();
    Estimates { name, quantities: estimates(values, keep) }
}

fn number(record: &Map<String, Value>, key: &str) -> Option<f64> {
    record.get(key)?.as_f64()
}

/// Adds the numbers of a record. `sent` is the number of frames that its rates are over.
fn add_numbers(prefix: &str, record: &Map<String, Value>, sent: Option<f64>, values: &mut Values) {
    for (key, value) in record {
        if let Some(number) = value.as_f64() {
            let sample = values.entry(format!("{prefix}{key}")).or_default();
            sample.values.push(number);
            sample.of.extend(share_of(key, number, record, sent));
            sample.counts = Sample::is_count(key, value);
        }
    }
}

/// The number of frames or packets that a quantity is a share of.
fn share_of(key: &str, share: f64, record: &Map<String, Value>, sent: Option<f64>) -> Option<f64> {
    match key {
        "error_rate" => sent,
        // The number of packets follows from the lost ones or, without losses, from the attempts.
        "residual_loss" if share > 0.0 => {
            let lost = ["retry_drops", "reorder_drops", "lifetime_drops"]
                .map(|drops| number(record, drops));
            Some(lost.into_iter().flatten().sum::<f64>() / share)
        }
        "residual_loss" => Some(sent? / number(record, "attempts_mean")?),
        _ => None,
    }
}

/// Adds zeros for replications in which a station sent no frame of a class.
fn fill(values: &mut Values, replications: usize) {
    for (key, sample) in values {
        if ADDITIVE.iter().any(|end| key.ends_with(end)) {
            sample.values.resize(replications, 0.0);
        }
    }
}

fn estimates(values: Values, keep: &dyn Fn(&str) -> bool) -> BTreeMap<String, Estimate> {
    let kept = values.into_iter().filter(|(key, _)| keep(key));
    kept.map(|(key, sample)| {
        let range = Some(Sample::range_of(&key));
        (key, Sample { range, ..sample }.estimate())
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(sent: u64, noise: u64, retry_drops: u64) -> CellResult {
        let frame = FrameResult {
            sent,
            error_rate: noise as f64 / sent as f64,
            airtime_share: 0.5,
            mac_bps: 1e6,
            lost: [("noise".to_owned(), noise)].into_iter().filter(|l| l.1 > 0).collect(),
        };
        let station: StationResult = serde_json::from_value(serde_json::json!({
            "name": "sta0", "x_m": 0.0, "y_m": 0.0, "distance_m": 1.0, "signal_dbm": -50.0,
            "snr_db": 40.0, "hidden_stations": 2, "goodput_from_bps": 1e6, "goodput_to_bps": 0.0,
            "airtime_share": 0.5, "mac_bps": 1e6, "frames": {"data": frame},
            "attempts_mean": 1.0, "residual_loss": retry_drops as f64 / sent as f64,
            "service_mean_s": 0.001, "retry_drops": retry_drops, "queue_drops": 0,
            "mean_queue_packets": 1.0,
        }))
        .unwrap();
        let stations = vec![station];
        CellResult {
            name: "cell".into(),
            phy: None,
            medium: 0,
            busy_share: 0.5,
            stations,
            boundary: None,
        }
    }

    #[test]
    fn counts_and_shares_of_stations_have_the_exact_interval() {
        let runs = [run(1000, 0, 0), run(1000, 0, 0), run(2000, 0, 0)];
        let found = cell(&runs.iter().collect::<Vec<_>>(), &|_| true);
        let close = |found: Option<f64>, wanted: f64| (found.unwrap() - wanted).abs() < 1e-4;
        // Garwood: no event in all lies below 3.6889.
        for quantities in [&found.quantities, &found.stations[0].quantities] {
            for key in ["queue_drops", "retry_drops"] {
                assert!(close(quantities[key].ci_high, 3.6889 / 3.0), "{key}: {quantities:?}");
            }
            assert!(close(quantities["data_error_rate"].ci_high, 3.6889 / 4000.0));
        }
        let station = &found.stations[0].quantities;
        assert!(close(station["residual_loss"].ci_high, 3.6889 / 4000.0), "{station:?}");
        // Neither a position nor a number of hidden stations is an event.
        assert_eq!(station["hidden_stations"].ci_high, Some(2.0));
        assert_eq!(station["mean_queue_packets"].ci_high, Some(1.0));

        let runs = [run(1000, 0, 0), run(1000, 3, 1), run(1000, 0, 0)];
        let found = cell(&runs.iter().collect::<Vec<_>>(), &|_| true);
        let noise = &found.lost["data"]["noise"];
        // Student's interval of three shares reaches below zero; 3 events are 0.6187 to 8.7673.
        assert!(close(noise.mean, 0.001) && close(noise.ci_low, 0.0), "{noise:?}");
        assert!(noise.ci_low.unwrap() > 0.0);
        assert!(noise.ci_high.unwrap() >= 8.7673 / 3000.0);
        assert!(close(found.stations[0].quantities["residual_loss"].mean, 1.0 / 3000.0));
    }
}
