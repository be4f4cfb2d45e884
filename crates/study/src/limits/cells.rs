//! What can be taken away of 802.11 cells: losses on the air, interference, drops, airtime, distance, other
//! cells.

use std::collections::BTreeSet;

use airtcp_queueing::QueueConfig;
use airtcp_scenario::{CellSpec, Hops};
use airtcp_sim::results::StationResult;
use airtcp_wifi::rate::RateConfig;
use serde_json::Value;

use super::change::{Change, Kind};
use super::links::{longer, without_drops};
use super::place::USED_WITH_PAUSES;
use super::view::View;
use crate::document::limits::Cause;
use crate::variant::toml_value::inline;

/// Least share of busy time from which a medium may limit.
const BUSY: f64 = 0.4;
/// Share of busy time from which a medium counts as full: back-off is not busy.
const FULL: f64 = 0.6;
/// Least share of data frames that noise damages, from which losses on the air may limit.
const NOISE: f64 = 0.01;
/// Least share of data frames that collide, from which hidden stations may limit.
const COLLISIONS: f64 = 0.02;
/// Mean rate of a station below this share of the best possible one, with which it may slow the others.
const SLOW: f64 = 0.75;
/// Signal-to-noise ratio in dB below which a station may be too far.
const FAR_DB: f64 = 25.0;
/// Most stations that are moved.
const MOVED: usize = 8;
/// A carrier sense threshold that senses everything, in dBm.
const EVERYTHING_DBM: &str = "-190.0";

/// What can be taken away of the cells that the judged flows cross.
pub(crate) fn changes(view: &View<'_>) -> Vec<Change> {
    let mut found = Vec::new();
    for cell in view.cells.iter().copied() {
        let medium = view.medium(cell);
        let first = medium.iter().find(|other| view.cells.contains(other)) == Some(&cell);
        found.extend(losses(view, cell));
        found.extend(queues(view, cell));
        found.extend(slow(view, cell));
        if first {
            found.extend(airtime(view, cell));
            found.extend(other_cells(view, cell, medium));
        }
    }
    found
}

fn spec<'a>(view: &View<'a>, cell: usize) -> &'a CellSpec {
    &view.plan.cells[cell].spec
}

fn stations<'a>(view: &View<'a>, cell: usize) -> impl Iterator<Item = &'a StationResult> {
    view.runs.iter().flat_map(move |run| &run.cells[cell].stations)
}

/// True if a rate control chooses the rate of each attempt.
const fn adapts(spec: &CellSpec) -> bool {
    !matches!(spec.rate_control, RateConfig::Fixed(_))
}

/// Data frames of a cell, by their fate.
#[derive(Default)]
struct Frames {
    sent: f64,
    noise: f64,
    collided: f64,
}

impl Frames {
    fn of(view: &View<'_>, cell: usize) -> Self {
        let mut all = Self::default();
        let frames = stations(view, cell).flat_map(|station| &station.frames);
        for (_, frames) in frames.filter(|(class, _)| matches!(class.as_str(), "data" | "tcp_ack"))
        {
            all.sent += frames.sent as f64;
            for (cause, count) in &frames.lost {
                match cause.as_str() {
                    "noise" => all.noise += *count as f64,
                    "interferer" | "transmitter_side" => {}
                    _ => all.collided += *count as f64,
                }
            }
        }
        all
    }

    fn share(&self, part: f64) -> f64 {
        if self.sent > 0.0 { part / self.sent } else { 0.0 }
    }
}

fn losses(view: &View<'_>, cell: usize) -> Vec<Change> {
    let (spec, frames) = (spec(view, cell), Frames::of(view, cell));
    let name = &spec.name;
    let key = |key: &str| format!("cells[{cell}].{key}");
    let given_up = stations(view, cell).map(|station| station.retry_drops).sum::<u64>();
    let mut found = Vec::new();
    if frames.share(frames.noise) > NOISE || given_up > 0 && frames.noise > 0.0 {
        let mut change = Change::new(Kind::Loss, Cause::AirLosses, name)
            .set(key("residual_error"), "0")
            .set(key("fading"), "{ model = \"none\" }");
        // With rate control, an error model that loses nothing would change the rate, too.
        if !adapts(spec) {
            change = change.set(key("error"), "{ model = \"ideal\" }");
        }
        found.push(change);
    }
    if !spec.interference.is_empty() {
        let change = Change::new(Kind::Loss, Cause::Interference, interfered(spec));
        found.push(change.set(key("interference"), "[]"));
    }
    let hidden = stations(view, cell).any(|station| station.hidden_stations > 0);
    if hidden && frames.share(frames.collided) > COLLISIONS {
        let new = || Change::new(Kind::Loss, Cause::HiddenStations, name);
        let change = new()
            .set(key("sensing.carrier_sense_dbm"), EVERYTHING_DBM)
            .set(key("sensing.energy_detect_dbm"), EVERYTHING_DBM);
        let reserve = new().set(key("mac.rts_threshold"), "0 B");
        found.push(change.helped_by(spec.mac.rts_threshold.is_none().then_some(reserve)));
    }
    found
}

/// A cell, and the stations that interferers reach if they are named.
fn interfered(spec: &CellSpec) -> String {
    let named = |value: &Value| -> Vec<String> {
        let names = value["reach"]["stations"].as_array().into_iter().flatten();
        names.filter_map(|name| name.as_str().map(str::to_owned)).collect()
    };
    let tables = spec.interference.iter().filter_map(|one| serde_json::to_value(one).ok());
    let mut names: Vec<String> = tables.flat_map(|table| named(&table)).collect();
    names.dedup();
    if names.is_empty() {
        spec.name.clone()
    } else {
        format!("{} ({})", spec.name, names.join(", "))
    }
}

/// Queues of the access point and of the stations that drop nothing.
fn queues(view: &View<'_>, cell: usize) -> Vec<Change> {
    let spec = spec(view, cell);
    // A drop before the measured time holds the window down in it.
    let warm = view.plan.scenario.warmup.0 > 0;
    let drops = |is_ap: bool| {
        stations(view, cell)
            .filter(|station| (station.name == spec.access_point) == is_ap)
            .any(|station| station.queue_drops > 0 || warm && station.mean_queue_packets > 1.0)
    };
    let config = |queue: &QueueConfig| {
        let in_cell = spec.with_defaults(queue);
        serde_json::to_value(in_cell.as_ref().unwrap_or(queue)).unwrap_or_default()
    };
    let own = spec.queue.clone().unwrap_or_else(|| spec.usual_queue(false));
    let (own, at_ap) = (config(&own), config(&spec.station_keys().queue(0).0));
    let path = format!("cells[{cell}].access_point_queue");
    let mut found = Vec::new();
    let of_ap = |to: fn(&Value) -> Option<Value>| {
        let change = Change::new(Kind::Queue, Cause::Queue, &spec.access_point);
        Some(change.set(&path, inline(&to(&at_ap)?)))
    };
    let of_stations = |to: fn(&Value) -> Option<Value>| {
        let place = format!("the stations of {}", spec.name);
        let mut change = Change::new(Kind::Queue, Cause::Queue, place)
            .set(format!("cells[{cell}].queue"), inline(&to(&own)?))
            .keep(&path, inline(&at_ap));
        for (number, station) in spec.stations.iter().enumerate() {
            if let Some(queue) = station.queue.as_ref().and_then(|queue| to(&config(queue))) {
                change =
                    change.set(format!("cells[{cell}].stations[{number}].queue"), inline(&queue));
            }
        }
        Some(change)
    };
    if let Some(change) = drops(true).then(|| of_ap(without_drops)).flatten() {
        found.push(change.helped_by(of_ap(longer)));
    }
    if let Some(change) = drops(false).then(|| of_stations(without_drops)).flatten() {
        found.push(change.helped_by(of_stations(longer)));
    }
    found
}

/// A fair queue at the access point, for flows that starve: a queue without drops delays every ACK.
pub(crate) fn fair_queues(view: &View<'_>) -> Vec<Change> {
    let of = |cell: &usize| {
        let spec = spec(view, *cell);
        let queue = spec.station_keys().queue(0).0;
        let fair = matches!(*queue, QueueConfig::FqCodel(_) | QueueConfig::AirtimeFair(_));
        let drops = stations(view, *cell)
            .any(|station| station.name == spec.access_point && station.queue_drops > 0);
        let change = Change::new(Kind::Queue, Cause::Queue, &spec.access_point)
            .set(format!("cells[{cell}].access_point_queue"), "{ kind = \"fq-codel\" }");
        (drops && !fair).then_some(change)
    };
    view.cells.iter().filter_map(of).collect()
}

/// Half of every airtime on a medium.
fn airtime(view: &View<'_>, cell: usize) -> Option<Change> {
    let busy = view.busy(cell);
    if busy < if view.pauses() { USED_WITH_PAUSES } else { BUSY } {
        return None;
    }
    let medium = view.medium(cell);
    let names: Vec<&str> = medium.iter().map(|i| spec(view, *i).name.as_str()).collect();
    let place = match spec(view, cell).channel {
        Some(channel) if names.len() > 1 => format!("{} (channel {channel})", names.join(", ")),
        _ => names.join(", "),
    };
    let mut change = Change::new(Kind::Rate, Cause::Medium, place);
    change.full = busy / FULL;
    Some(medium.iter().fold(change, |change, cell| {
        let speed = spec(view, *cell).mac.ablation.as_ref().map_or(1.0, |ablation| ablation.speed);
        change.set(format!("cells[{cell}].mac.ablation.speed"), format!("{:?}", 2.0 * speed))
    }))
}

/// The other cells on a medium, each on a channel of its own.
fn other_cells(view: &View<'_>, cell: usize, medium: &[usize]) -> Option<Change> {
    if medium.len() < 2 {
        return None;
    }
    let others = medium.iter().filter(|other| !view.cells.contains(other) || view.cells.len() > 1);
    let names: Vec<&str> =
        others.filter(|other| **other != cell).map(|i| spec(view, *i).name.as_str()).collect();
    let change = Change::new(Kind::Others, Cause::OtherCells, names.join(", "));
    let change = names.iter().fold(change, |change, name| change.without("overlap", *name));
    (!change.is_empty()).then_some(change)
}

/// Stations that are slow or far: each with the keys of the cell if it has its own, and at 1 m from the access point
/// if it may be far.
fn slow(view: &View<'_>, cell: usize) -> Vec<Change> {
    let spec = spec(view, cell);
    if spec.hops == Hops::Chain {
        return Vec::new();
    }
    let nothing = receives_nothing(view, cell);
    if view.busy(cell) < BUSY && !nothing {
        return Vec::new();
    }
    let nodes = &view.plan.cells[cell].nodes;
    let frames = Frames::of(view, cell);
    let noisy = frames.share(frames.noise) > NOISE;
    let fastest = if adapts(spec) {
        let modes = spec.data_modes();
        modes.iter().map(|mode| mode.rate().bps() as f64).fold(0.0, f64::max)
    } else {
        (1..nodes.len()).map(|number| mean_rate(view, cell, number)).fold(0.0, f64::max)
    };
    let ends: BTreeSet<usize> =
        view.plan.flows.iter().flat_map(|flow| [flow.from, flow.to]).collect();
    let mut found: Vec<(f64, Change)> = Vec::new();
    for number in (1..nodes.len()).filter(|number| ends.contains(&nodes[*number])) {
        let of = || view.runs.iter().filter_map(move |run| run.cells[cell].stations.get(number));
        let Some(name) = of().map(|station| station.name.clone()).next() else { continue };
        let rate = mean_rate(view, cell, number);
        let snr = of().map(|station| station.snr_db.unwrap_or(-99.0)).fold(f64::INFINITY, f64::min);
        let may_be_far = snr < FAR_DB && (noisy || nothing);
        let own = own_keys(view, nodes[number]);
        // A station that only receives datagrams sends nothing that would tell its rate.
        let is_slow = rate < SLOW * fastest && (rate > 0.0 || own.is_some());
        if !may_be_far && !is_slow {
            continue;
        }
        let reached = of().any(|station| station.goodput_from_bps + station.goodput_to_bps > 0.0);
        let keyed = own.is_some();
        found.extend(own.map(|change| (rate, change)));
        if !keyed || snr < FAR_DB {
            let is_slow = reached && !keyed;
            let cause = if is_slow { Cause::SlowStation } else { Cause::Distance };
            let mut change = Change::new(Kind::Slow, cause, &name).without("distance", &name);
            if is_slow {
                change.or.push(Cause::Distance);
            }
            found.push((rate, change));
        }
    }
    found.sort_by(|a, b| a.0.total_cmp(&b.0));
    found.into_iter().take(MOVED).map(|(_, change)| change).collect()
}

/// True if nothing arrives of a judged flow that begins or ends in a cell.
fn receives_nothing(view: &View<'_>, cell: usize) -> bool {
    let nodes = &view.plan.cells[cell].nodes;
    view.judged.iter().any(|number| {
        let flow = &view.plan.flows[*number];
        let is_silent = view.runs.iter().all(|run| run.flows[*number].delivered_bytes == 0);
        is_silent && nodes.iter().any(|node| [flow.from, flow.to].contains(node))
    })
}

/// Mean rate of the attempts of a station in b/s; 0 if it sent nothing.
fn mean_rate(view: &View<'_>, cell: usize, station: usize) -> f64 {
    let stations = view.runs.iter().filter_map(|run| run.cells[cell].stations.get(station));
    let rates = stations.flat_map(|station| &station.rates);
    let (sent, bits) = rates.fold((0.0, 0.0), |(sent, bits), rate| {
        (sent + rate.sent as f64, bits + rate.sent as f64 * rate.rate_bps as f64)
    });
    if sent > 0.0 { bits / sent } else { 0.0 }
}

/// A station at 1 m from its access point; `None` if the node is no station of a cell with an access point.
pub(crate) fn near(view: &View<'_>, node: usize) -> Option<Change> {
    let cell = view.plan.cells.iter().find(|cell| cell.nodes[1..].contains(&node))?;
    let name = &view.plan.nodes[node];
    let change = Change::new(Kind::Slow, Cause::Distance, name).without("distance", name);
    (cell.spec.hops != Hops::Chain).then_some(change)
}

/// A station with the rate and the standard of its cell; `None` if it has no such keys of its own.
pub(crate) fn own_keys(view: &View<'_>, node: usize) -> Option<Change> {
    let name = &view.plan.nodes[node];
    let cells = view.plan.cells.iter().enumerate();
    let mut places = cells.flat_map(|(cell, one)| {
        one.spec.stations.iter().enumerate().map(move |(number, keys)| (cell, number, keys))
    });
    let (cell, number, keys) = places.find(|(.., keys)| keys.name == *name)?;
    let mut of_cell = keys.clone();
    (of_cell.standard, of_cell.width, of_cell.guard_interval) = (None, None, None);
    (of_cell.streams, of_cell.rate, of_cell.mcs) = (None, None, None);
    let has_own = of_cell != *keys;
    let keys = inline(&serde_json::to_value(&of_cell).ok()?);
    let change = Change::new(Kind::Slow, Cause::SlowStation, name);
    has_own.then(|| change.set(format!("cells[{cell}].stations[{number}]"), keys))
}

/// True if a station's signal is much weaker than those of the others of its cell.
pub(crate) fn is_far(view: &View<'_>, node: usize) -> bool {
    let name = &view.plan.nodes[node];
    let cell = view.plan.cells.iter().position(|cell| cell.nodes[1..].contains(&node));
    let (Some(cell), Some(run)) = (cell, view.runs.first()) else { return false };
    let snr = |station: &StationResult| station.snr_db.unwrap_or(-99.0);
    let mut all: Vec<f64> = run.cells[cell].stations[1..].iter().map(snr).collect();
    all.sort_by(f64::total_cmp);
    let median = all.get(all.len() / 2).copied().unwrap_or(0.0);
    let own = run.cells[cell].stations.iter().find(|station| station.name == *name).map(snr);
    own.is_some_and(|own| own < median - 6.0 || all.len() == 1 && own < FAR_DB)
}

/// The median of values; of an even number, the upper of the two.
pub(crate) fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(0.0)
}
