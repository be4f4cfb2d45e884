//! The series that a run recorded over time, as tables.

use airtcp_packet::{EndpointId, Side};
use airtcp_probe::{Delivered, NO_THRESHOLD, Series};
use airtcp_scenario::Resolved;
use airtcp_sim::{media, queue_names};
use airtcp_units::{Narrow, Span};
use pyo3::prelude::*;

use crate::table::{Columns, Table};

const WINDOW: &str = "window_series";
const RTT: &str = "rtt_series";
const QUEUE: &str = "queue_series";
const DELIVERED: &str = "delivered_series";
const STATION: &str = "station_series";
const BLOCK: &str = "block_series";

/// Nanoseconds as seconds.
fn seconds(ns: u64) -> f64 {
    Span(ns).as_secs_f64()
}

/// A row of a series: name, time, values, and end of the flow.
type Row<'a> = (&'a str, u64, Vec<u64>, &'static str);

fn rows<'a>(name: &'a str, side: &'static str, table: &airtcp_probe::Table) -> Vec<Row<'a>> {
    let columns: Vec<&[u64]> = table.columns().map(|(_, values)| values).collect();
    let row =
        |(i, time): (usize, &u64)| (name, *time, columns.iter().map(|c| c[i]).collect(), side);
    table.times().iter().enumerate().map(row).collect()
}

/// The end of a flow, as tables have it.
fn side(end: EndpointId) -> &'static str {
    if end.side() == Side::Client { "client" } else { "server" }
}

/// The series of a run, with the plan that gives the names.
pub(crate) struct Named<'a> {
    pub(crate) series: &'a Series,
    pub(crate) delivered: &'a Delivered,
    pub(crate) plan: &'a Resolved,
}

impl<'a> Named<'a> {
    /// Names of the tables. The table of stations needs a cell; that of blocks needs a sender with
    /// erasure coding that began a block.
    pub(crate) fn names(&self) -> Vec<&'static str> {
        let stations = (!self.plan.cells.is_empty()).then_some(STATION);
        let blocks = self.series.blocks().next().map(|_| BLOCK);
        [WINDOW, RTT, QUEUE, DELIVERED].into_iter().chain(stations).chain(blocks).collect()
    }

    /// One of the tables; `None` if there is none of that name.
    pub(crate) fn table(&self, name: &str) -> Option<PyResult<Table>> {
        if !self.names().contains(&name) {
            return None;
        }
        Some(match name {
            WINDOW => self.windows(),
            RTT => self.rtts(),
            QUEUE => self.queues(),
            DELIVERED => self.delivered(),
            STATION => self.stations(),
            _ => self.blocks(),
        })
    }

    fn flow(&self, number: u32) -> &'a str {
        self.plan.flows.get(number as usize).map_or("", |flow| flow.name.as_str())
    }

    fn at(&self, end: EndpointId, table: &airtcp_probe::Table) -> Vec<Row<'a>> {
        rows(self.flow(end.flow()), side(end), table)
    }

    fn windows(&self) -> PyResult<Table> {
        let all: Vec<Row<'_>> =
            self.series.windows().flat_map(|(end, t)| self.at(end, t)).collect();
        Columns::of(&all)
            .text("flow", |r| r.0)
            .text("side", |r| r.3)
            .real("t_s", |r| seconds(r.1))
            .count("cwnd_bytes", |r| r.2[0])
            // A threshold that no loss has set yet is null.
            .count("ssthresh_bytes", |r| Some(r.2[1]).filter(|bytes| *bytes < NO_THRESHOLD))
            .count("in_flight_bytes", |r| r.2[2])
            .count("peer_window_bytes", |r| r.2[3])
            .finish()
    }

    fn rtts(&self) -> PyResult<Table> {
        let all: Vec<Row<'_>> = self.series.rtts().flat_map(|(end, t)| self.at(end, t)).collect();
        Columns::of(&all)
            .text("flow", |r| r.0)
            .text("side", |r| r.3)
            .real("t_s", |r| seconds(r.1))
            .real("rtt_s", |r| seconds(r.2[0]))
            .real("srtt_s", |r| seconds(r.2[1]))
            .real("rto_s", |r| seconds(r.2[2]))
            .finish()
    }

    fn blocks(&self) -> PyResult<Table> {
        let all: Vec<Row<'_>> = self.series.blocks().flat_map(|(end, t)| self.at(end, t)).collect();
        Columns::of(&all)
            .text("flow", |r| r.0)
            .text("side", |r| r.3)
            .real("t_s", |r| seconds(r.1))
            .real("loss_estimate", |r| r.2[0] as f64 / 1e6)
            .count("segment_bytes", |r| r.2[1])
            .count("data_segments", |r| r.2[2])
            .count("parity_segments", |r| r.2[3])
            .finish()
    }

    fn queues(&self) -> PyResult<Table> {
        let names = queue_names(self.plan);
        let name = |n: u32| names.get(n as usize).map_or("", String::as_str);
        let all: Vec<Row<'_>> =
            self.series.queues().flat_map(|(n, t)| rows(name(n), "", t)).collect();
        Columns::of(&all)
            .text("link", |r| r.0)
            .real("t_s", |r| seconds(r.1))
            .count("queue_packets", |r| r.2[0])
            .count("queue_bytes", |r| r.2[1])
            .finish()
    }

    /// Goodput of each flow in equal intervals, over the whole run; the last interval ends with the run.
    fn delivered(&self) -> PyResult<Table> {
        let (whole, step) = (self.plan.scenario.duration.0, self.delivered.interval().0);
        let mut all: Vec<(&str, &str, u64, u64, u64)> = Vec::new();
        for (end, bytes) in self.delivered.ends() {
            for at in 0..whole.div_ceil(step) {
                let length = step.min(whole - at * step);
                let bytes = bytes.get(usize::narrow(at)).copied().unwrap_or_default();
                all.push((self.flow(end.flow()), side(end), at * step, length, bytes));
            }
        }
        Columns::of(&all)
            .text("flow", |r| r.0)
            .text("side", |r| r.1)
            .real("t_s", |r| seconds(r.2))
            .real("interval_s", |r| seconds(r.3))
            .real("goodput_bps", |r| r.4 as f64 * 8.0 / seconds(r.3))
            .finish()
    }

    /// The transmissions of stations, in the order of the cells of each medium.
    fn stations(&self) -> PyResult<Table> {
        let media = media(self.plan);
        let name = |(medium, number): (u32, u32)| {
            let station = media.get(medium as usize).and_then(|all| all.get(number as usize));
            station.map_or("", |station| self.plan.nodes[station.node].as_str())
        };
        let all: Vec<Row<'_>> =
            self.series.stations().flat_map(|(at, t)| rows(name(at), "", t)).collect();
        Columns::of(&all)
            .text("station", |r| r.0)
            .real("t_s", |r| seconds(r.1))
            // Before its first packet a station has no rate.
            .count("rate_bps", |r| Some(r.2[0]).filter(|rate| *rate > 0))
            .real("airtime_s", |r| seconds(r.2[1]))
            .count("frames", |r| r.2[2])
            .count("frames_lost", |r| r.2[3])
            .finish()
    }
}
