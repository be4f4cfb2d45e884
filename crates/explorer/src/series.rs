//! The recorded series for the page: columns with SI units in their names, by name of flow or queue.

use airtcp_packet::{EndpointId, Side};
use airtcp_probe::{NO_THRESHOLD, Series, Table};
use airtcp_scenario::Resolved;
use airtcp_sim::queue_names;
use airtcp_units::{Nanos, Span};
use serde::Serialize;

use crate::recorder::{INTERVALS, Progress};

/// Most queues whose series go to the page. \[choice\]
const MAX_QUEUES: usize = 3;

/// The series of a run, or of a part of it.
#[derive(Serialize)]
pub(crate) struct SeriesOut {
    /// The time that the series reach.
    until_s: f64,
    windows: Vec<Windows>,
    rtts: Vec<Rtts>,
    /// The longest queues.
    queues: Vec<Queues>,
    /// The number of queues that held a packet.
    queues_in_all: usize,
    goodput: Goodput,
    timeouts: Vec<(String, f64)>,
    fast_retransmits: Vec<(String, f64)>,
}

#[derive(Serialize)]
struct Windows {
    flow: String,
    side: &'static str,
    t_s: Vec<f64>,
    cwnd_bytes: Vec<u64>,
    /// Null until a loss has set it.
    ssthresh_bytes: Vec<Option<u64>>,
}

#[derive(Serialize)]
struct Rtts {
    flow: String,
    side: &'static str,
    t_s: Vec<f64>,
    rtt_s: Vec<f64>,
}

#[derive(Serialize)]
struct Queues {
    queue: String,
    t_s: Vec<f64>,
    packets: Vec<u64>,
}

#[derive(Serialize)]
struct Goodput {
    interval_s: f64,
    flows: Vec<FlowGoodput>,
}

#[derive(Serialize)]
struct FlowGoodput {
    flow: String,
    bps: Vec<f64>,
}

/// The recorded series until `now`, of the flows whose names are `wanted`.
pub(crate) fn series(
    series: &Series,
    progress: &Progress,
    plan: &Resolved,
    now: Nanos,
    wanted: &dyn Fn(&str) -> bool,
) -> SeriesOut {
    let named = |end: EndpointId| {
        let flow = plan.flows.get(end.flow() as usize)?;
        wanted(&flow.name).then(|| (flow.name.clone(), side(end)))
    };
    let marks = |marks: &[Vec<Nanos>]| {
        let of_flows = plan.flows.iter().zip(marks).filter(|(flow, _)| wanted(&flow.name));
        let all = of_flows.flat_map(|(flow, times)| times.iter().map(|at| (&flow.name, at)));
        all.map(|(name, at)| (name.clone(), at.as_secs_f64())).collect::<Vec<_>>()
    };
    let queue_names = queue_names(plan);
    SeriesOut {
        until_s: now.as_secs_f64(),
        windows: (series.windows())
            .filter_map(|(end, table)| Some(windows(named(end)?, table)))
            .collect(),
        rtts: (series.rtts())
            .filter_map(|(end, table)| {
                let (flow, side) = named(end)?;
                let rtt_s = column(table, "sample").iter().map(|ns| seconds(*ns)).collect();
                Some(Rtts { flow, side, t_s: times(table), rtt_s })
            })
            .collect(),
        queues: longest(series.queues().collect())
            .into_iter()
            .map(|(n, table)| Queues {
                queue: queue_names.get(n as usize).cloned().unwrap_or_default(),
                t_s: times(table),
                packets: column(table, "packets").to_vec(),
            })
            .collect(),
        queues_in_all: series.queues().count(),
        goodput: Goodput {
            interval_s: progress.interval.as_secs_f64(),
            flows: (progress.flows.iter().zip(&plan.flows))
                .filter(|(_, plan)| wanted(&plan.name))
                .map(|(bytes, plan)| FlowGoodput {
                    flow: plan.name.clone(),
                    bps: rates(bytes, progress.interval, now),
                })
                .collect(),
        },
        timeouts: marks(&progress.timeouts),
        fast_retransmits: marks(&progress.fast_retransmits),
    }
}

/// The longest queues, the longest first.
fn longest(mut queues: Vec<(u32, &Table)>) -> Vec<(u32, &Table)> {
    let most = |table: &Table| column(table, "packets").iter().copied().max().unwrap_or(0);
    queues.sort_by_key(|(n, table)| (std::cmp::Reverse(most(table)), *n));
    queues.truncate(MAX_QUEUES);
    queues
}

/// Rates in the intervals that are over at `now`.
fn rates(bytes: &[u64], interval: Span, now: Nanos) -> Vec<f64> {
    let over = now.since(Nanos::ZERO).0 / interval.0;
    let rate = |bytes: u64| bytes as f64 * 8.0 / interval.as_secs_f64();
    // Counting ends with the last byte; the intervals after it have none.
    let counted = bytes.iter().copied().chain(std::iter::repeat(0));
    counted.zip(0..over.min(INTERVALS)).map(|(bytes, _)| rate(bytes)).collect()
}

fn windows((flow, side): (String, &'static str), table: &Table) -> Windows {
    let known = |bytes: &u64| Some(*bytes).filter(|bytes| *bytes < NO_THRESHOLD);
    Windows {
        flow,
        side,
        t_s: times(table),
        cwnd_bytes: column(table, "cwnd").to_vec(),
        ssthresh_bytes: column(table, "ssthresh").iter().map(known).collect(),
    }
}

fn side(end: EndpointId) -> &'static str {
    if end.side() == Side::Client { "client" } else { "server" }
}

fn column<'a>(table: &'a Table, name: &str) -> &'a [u64] {
    table.column(name).unwrap_or_default()
}

fn times(table: &Table) -> Vec<f64> {
    table.times().iter().map(|ns| seconds(*ns)).collect()
}

fn seconds(ns: u64) -> f64 {
    Span(ns).as_secs_f64()
}
