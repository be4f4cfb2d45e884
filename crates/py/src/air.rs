//! The tables of a run's 802.11 cells: stations, the classes of their frames, and estimates.

use std::collections::BTreeSet;

use airtcp_sim::CellEstimates;
use airtcp_sim::air::{FrameResult, StationResult};
use airtcp_sim::air_parts::{CategoryResult, RateResult};
use airtcp_sim::estimate::Estimate;
use airtcp_sim::results::Replication;
use pyo3::prelude::*;

use crate::table::{Columns, Table};

/// A station of a replication, with the name of its cell.
type Station<'a> = (u64, &'a str, &'a StationResult);

fn all(replications: &[Replication]) -> impl Iterator<Item = Station<'_>> {
    replications.iter().flat_map(|r| {
        r.cells.iter().flat_map(move |cell| {
            let of = move |s| (u64::from(r.replication), cell.name.as_str(), s);
            cell.stations.iter().map(of)
        })
    })
}

/// One row a station and replication.
pub(crate) fn stations(replications: &[Replication]) -> PyResult<Table> {
    let rows: Vec<Station<'_>> = all(replications).collect();
    Columns::of(&rows)
        .count("replication", |r| r.0)
        .text("cell", |r| r.1)
        .text("name", |r| r.2.name.as_str())
        .real("x_m", |r| r.2.x_m)
        .real("y_m", |r| r.2.y_m)
        .real("distance_m", |r| r.2.distance_m)
        .real("signal_dbm", |r| r.2.signal_dbm)
        .real("snr_db", |r| r.2.snr_db)
        .count("hidden_stations", |r| u64::from(r.2.hidden_stations))
        .real("goodput_from_bps", |r| r.2.goodput_from_bps)
        .real("goodput_to_bps", |r| r.2.goodput_to_bps)
        .real("airtime_share", |r| r.2.airtime_share)
        .real("mac_bps", |r| r.2.mac_bps)
        .real("attempts_mean", |r| r.2.attempts_mean)
        .real("residual_loss", |r| r.2.residual_loss)
        .real("latency_mean_s", |r| r.2.latency_mean_s)
        .real("service_mean_s", |r| r.2.service_mean_s)
        .real("service_max_s", |r| r.2.service_max_s)
        .real("queue_delay_mean_s", |r| r.2.queue_delay_mean_s)
        .count("retry_drops", |r| r.2.retry_drops)
        .count("lifetime_drops", |r| r.2.lifetime_drops)
        .count("refused_drops", |r| r.2.refused_drops)
        .count("queue_drops", |r| r.2.queue_drops)
        .real("mean_queue_packets", |r| r.2.mean_queue_packets)
        .finish()
}

/// One row a station, rate of its data frames and replication.
pub(crate) fn rates(replications: &[Replication]) -> PyResult<Table> {
    let rows: Vec<(Station<'_>, &RateResult)> =
        all(replications).flat_map(|s| s.2.rates.iter().map(move |rate| (s, rate))).collect();
    Columns::of(&rows)
        .count("replication", |r| r.0.0)
        .text("cell", |r| r.0.1)
        .text("name", |r| r.0.2.name.as_str())
        .count("rate_bps", |r| r.1.rate_bps)
        .count("sent", |r| r.1.sent)
        .count("lost", |r| r.1.lost)
        .finish()
}

/// One row a station, access category that it used and replication; none under DCF.
pub(crate) fn categories(replications: &[Replication]) -> PyResult<Table> {
    let rows: Vec<(Station<'_>, &CategoryResult)> =
        all(replications).flat_map(|s| s.2.categories.iter().map(move |c| (s, c))).collect();
    Columns::of(&rows)
        .count("replication", |r| r.0.0)
        .text("cell", |r| r.0.1)
        .text("name", |r| r.0.2.name.as_str())
        .text("category", |r| r.1.category.as_str())
        .count("sent", |r| r.1.sent)
        .real("error_rate", |r| r.1.error_rate)
        .real("airtime_share", |r| r.1.airtime_share)
        .real("attempts_mean", |r| r.1.attempts_mean)
        .real("residual_loss", |r| r.1.residual_loss)
        .real("latency_mean_s", |r| r.1.latency_mean_s)
        .real("service_mean_s", |r| r.1.service_mean_s)
        .real("queue_delay_mean_s", |r| r.1.queue_delay_mean_s)
        .count("retry_drops", |r| r.1.retry_drops)
        .count("lifetime_drops", |r| r.1.lifetime_drops)
        .count("queue_drops", |r| r.1.queue_drops)
        .real("mean_queue_packets", |r| r.1.mean_queue_packets)
        .finish()
}

/// One row a station, class of frames and replication.
pub(crate) fn frames(replications: &[Replication]) -> PyResult<Table> {
    let rows: Vec<(Station<'_>, &str, &FrameResult)> = all(replications)
        .flat_map(|s| s.2.frames.iter().map(move |(class, f)| (s, class.as_str(), f)))
        .collect();
    let causes: BTreeSet<&str> =
        rows.iter().flat_map(|r| r.2.lost.keys().map(String::as_str)).collect();
    let mut table = Columns::of(&rows)
        .count("replication", |r| r.0.0)
        .text("cell", |r| r.0.1)
        .text("name", |r| r.0.2.name.as_str())
        .text("class", |r| r.1)
        .count("sent", |r| r.2.sent)
        .real("error_rate", |r| r.2.error_rate)
        .real("airtime_share", |r| r.2.airtime_share)
        .real("mac_bps", |r| r.2.mac_bps);
    for cause in causes {
        let lost = |r: &(Station<'_>, &str, &FrameResult)| r.2.lost.get(cause).copied();
        table = table.count(&format!("lost_{cause}"), move |r| lost(r).unwrap_or(0));
    }
    table.finish()
}

/// Rows of the table of estimates: kind, name, quantity, estimate. What is lost to a cause is
/// `CLASS_lost_CAUSE`.
pub(crate) fn summary(
    cell: &CellEstimates,
) -> impl Iterator<Item = (&'static str, &str, String, Estimate)> {
    let name = cell.name.as_str();
    let whole = cell.quantities.iter().map(move |(q, e)| ("cell", name, q.clone(), *e));
    let lost = cell.lost.iter().flat_map(move |(class, causes)| {
        causes.iter().map(move |(cause, e)| ("cell", name, format!("{class}_lost_{cause}"), *e))
    });
    let stations = cell.stations.iter().flat_map(|station| {
        let row = |(q, e): (&String, &Estimate)| ("station", station.name.as_str(), q.clone(), *e);
        station.quantities.iter().map(row)
    });
    whole.chain(lost).chain(stations)
}
