//! The tables of a run's 802.11 cells: stations, the classes of their frames, and estimates.

use std::collections::BTreeSet;

use airtcp_sim::results::{FrameResult, Replication, StationResult};
use airtcp_sim::{CellEstimates, Estimate};
use pyo3::prelude::*;
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;

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

/// One row per replication and station.
pub(crate) fn stations(replications: &[Replication]) -> PyResult<Table> {
    let rows: Vec<Station<'_>> = all(replications).collect();
    Columns::of(&rows)
        .count("replication", |r| r.0)
        .text("cell", |r| r.1)
        .records(&[], |r| Some(r.2))
        .finish()
}

/// One row per replication, station and rate of the station's data frames.
pub(crate) fn rates(replications: &[Replication]) -> PyResult<Table> {
    parts(replications, |station| &station.rates)
}

/// One row per replication, station and access category that the station used; none under DCF.
pub(crate) fn categories(replications: &[Replication]) -> PyResult<Table> {
    parts(replications, |station| &station.categories)
}

/// One row per record that `of` gives of a station.
fn parts<R>(replications: &[Replication], of: impl Fn(&StationResult) -> &[R]) -> PyResult<Table>
where
    R: JsonSchema + DeserializeOwned + Serialize + 'static,
{
    let rows: Vec<(Station<'_>, &R)> =
        all(replications).flat_map(|s| of(s.2).iter().map(move |part| (s, part))).collect();
    Columns::of(&rows)
        .count("replication", |r| r.0.0)
        .text("cell", |r| r.0.1)
        .text("name", |r| r.0.2.name.as_str())
        .records(&[], |r| Some(r.1))
        .finish()
}

/// One row per replication, station and class of frames.
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
        .records(&[], |r| Some(r.2));
    for cause in causes {
        let lost = |r: &(Station<'_>, &str, &FrameResult)| r.2.lost.get(cause).copied();
        table = table.count(&format!("lost_{cause}"), move |r| lost(r).unwrap_or(0));
    }
    table.finish()
}

/// Rows of the table of estimates: kind, name, quantity, estimate. Losses to a cause are
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
