//! What a run reports of its cells, summed up over replications.
//!
//! A frame class that a station sent none of in a replication counts there as none sent, no airtime
//! and no bits, and has no error rate; rates of a whole cell are of all its stations' frames together.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::air::{CellResult, FrameResult, StationResult};
use crate::estimate::Estimate;
use crate::results::{Estimates, Replication};

/// The estimates of one cell.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CellEstimates {
    /// Name of the cell.
    pub name: String,
    /// Of the whole cell: `busy_share`, `airtime_share` (overlapping frames count each), `mac_bps`,
    /// `retry_drops`, `lifetime_drops`, `refused_drops`, `queue_drops`; and by class, such as `data_error_rate`, `data_sent`,
    /// `data_airtime_share`, `data_mac_bps`.
    #[serde(flatten)]
    pub quantities: BTreeMap<String, Estimate>,
    /// By class of the frames sent and cause of loss, the share of these frames that were lost so.
    /// The causes are those of the replications.
    pub lost: BTreeMap<String, BTreeMap<String, Estimate>>,
    /// The access point first: the quantities of a replication, those of the frames with their
    /// class in front (`data_error_rate`), those of the access categories with theirs
    /// (`voice_latency_mean_s`).
    pub stations: Vec<Estimates>,
}

/// Values of each quantity, one for each replication that has it.
type Values = BTreeMap<String, Vec<f64>>;

/// Quantities of frames that are zero where there are none.
const ADDITIVE: [&str; 3] = ["sent", "airtime_share", "mac_bps"];
/// Quantities whose mean says nothing.
const PLACES: [&str; 2] = ["x_m", "y_m"];

/// The estimates of every cell.
pub(crate) fn cells(replications: &[Replication]) -> Vec<CellEstimates> {
    let count = replications.first().map_or(0, |r| r.cells.len());
    (0..count)
        .map(|i| cell(&replications.iter().filter_map(|r| r.cells.get(i)).collect::<Vec<_>>()))
        .collect()
}

fn cell(runs: &[&CellResult]) -> CellEstimates {
    let mut values = Values::new();
    let mut lost: BTreeMap<String, BTreeMap<String, Vec<f64>>> = BTreeMap::new();
    let causes: BTreeSet<(&str, &str)> = runs
        .iter()
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
                by_cause.entry((*cause).to_owned()).or_default().push(share(gone, sent));
            }
        }
    }
    fill(&mut values, runs.len());
    let stations = runs.first().map_or(0, |run| run.stations.len());
    let station =
        |i: usize| station(&runs.iter().filter_map(|run| run.stations.get(i)).collect::<Vec<_>>());
    CellEstimates {
        name: runs.first().map(|run| run.name.clone()).unwrap_or_default(),
        quantities: estimates(values),
        lost: lost.into_iter().map(|(class, causes)| (class, estimates(causes))).collect(),
        stations: (0..stations).map(station).collect(),
    }
}

fn of_class<'a>(run: &'a CellResult, class: &'a str) -> impl Iterator<Item = &'a FrameResult> {
    run.stations.iter().filter_map(move |station| station.frames.get(class))
}

fn share(part: u64, whole: u64) -> f64 {
    part as f64 / whole as f64
}

/// Adds what one replication says of a whole cell.
fn whole(run: &CellResult, values: &mut Values) {
    let mut add = |key: &str, value: f64| values.entry(key.to_owned()).or_default().push(value);
    let sum = |of: fn(&StationResult) -> f64| run.stations.iter().map(of).sum::<f64>();
    add("busy_share", run.busy_share);
    add("airtime_share", sum(|s| s.airtime_share));
    add("mac_bps", sum(|s| s.mac_bps));
    add("retry_drops", sum(|s| s.retry_drops as f64));
    add("lifetime_drops", sum(|s| s.lifetime_drops as f64));
    add("refused_drops", sum(|s| s.refused_drops as f64));
    add("queue_drops", sum(|s| s.queue_drops as f64));
    let classes: BTreeSet<&str> =
        run.stations.iter().flat_map(|s| s.frames.keys().map(String::as_str)).collect();
    for class in classes {
        let frames = || of_class(run, class);
        let sent: u64 = frames().map(|f| f.sent).sum();
        let gone: u64 = frames().flat_map(|f| f.lost.values()).sum();
        add(&format!("{class}_sent"), sent as f64);
        add(&format!("{class}_airtime_share"), frames().map(|f| f.airtime_share).sum());
        add(&format!("{class}_mac_bps"), frames().map(|f| f.mac_bps).sum());
        if sent > 0 {
            add(&format!("{class}_error_rate"), share(gone, sent));
        }
    }
}

/// The estimates of a station. Keys are read off the serialised records, so a new quantity needs
/// no second list here.
fn station(runs: &[&StationResult]) -> Estimates {
    let mut values = Values::new();
    for run in runs {
        let Ok(Value::Object(mut record)) = serde_json::to_value(run) else { continue };
        let frames = record.remove("frames");
        let categories = record.remove("categories");
        add_numbers("", &record, &mut values);
        for category in categories.iter().filter_map(Value::as_array).flatten() {
            if let (Some(Value::String(name)), Some(numbers)) =
                (category.get("category"), category.as_object())
            {
                add_numbers(&format!("{}_", name.replace('-', "_")), numbers, &mut values);
            }
        }
        let Some(Value::Object(frames)) = frames else { continue };
        for (class, frame) in &frames {
            if let Value::Object(frame) = frame {
                add_numbers(&format!("{class}_"), frame, &mut values);
            }
        }
    }
    values.retain(|key, _| !PLACES.contains(&key.as_str()));
    fill(&mut values, runs.len());
    let name = runs.first().map(|run| run.name.clone()).unwrap_or_default();
    Estimates { name, quantities: estimates(values) }
}

fn add_numbers(prefix: &str, record: &Map<String, Value>, values: &mut Values) {
    for (key, value) in record {
        if let Some(number) = value.as_f64() {
            values.entry(format!("{prefix}{key}")).or_default().push(number);
        }
    }
}

/// Puts in the zeros of replications in which a station sent no frame of a class.
fn fill(values: &mut Values, replications: usize) {
    for (key, list) in values {
        if ADDITIVE.iter().any(|end| key.ends_with(end)) {
            list.resize(replications, 0.0);
        }
    }
}

fn estimates(values: Values) -> BTreeMap<String, Estimate> {
    values.into_iter().map(|(key, values)| (key, Estimate::of(values))).collect()
}
