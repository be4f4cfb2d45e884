//! What can be taken away of flows: bounds of their windows, their applications, and the flows themselves.

use std::collections::BTreeMap;

use airtcp_scenario::{Application, Flow, TransportKind};
use airtcp_units::{Bytes, Nanos};
use serde_json::json;

use super::change::{Change, Kind, joined};
use super::view::{View, starts, waits_for_application};
use crate::document::limits::Cause;
use crate::variant::toml_value::inline;

/// Share of a window's bound that goodput times round-trip time reaches if the bound may limit. Data out of
/// order fill a buffer, so a small share is enough.
const WINDOW_USED: f64 = 0.15;
/// Share of the time that a sender waits for a bound, from which the bound may limit.
const WAITED: f64 = 0.02;
/// How much larger a bound becomes. Not unlimited: such a flow has no end, and may drop its own ACKs.
const FACTOR: u64 = 8;

/// What can be taken away of the judged flows and of those beside them.
pub(crate) fn changes(view: &View<'_>) -> Vec<Change> {
    let mut found = windows(view);
    found.extend(pauses(view));
    found.extend(beside(view));
    found
}

/// A bound of a flow's window, as its table has it.
struct Bound {
    cause: Cause,
    key: &'static str,
    value: u64,
    /// Bytes of its unit.
    unit_bytes: u64,
    /// The node that has it.
    node: usize,
}

fn bounds(flow: &Flow) -> Vec<Bound> {
    let tcp = &flow.tcp;
    let of = |cause, key, value: Option<u64>, unit_bytes, node| {
        value.map(|value| Bound { cause, key, value, unit_bytes, node })
    };
    let window = tcp.max_window.map(u64::from);
    let all = [
        of(Cause::ReceiveWindow, "receive_buffer", Some(tcp.receive_buffer.0), 1, flow.to),
        of(Cause::SendBuffer, "send_buffer", tcp.send_buffer.map(|b| b.0), 1, flow.from),
        of(Cause::ReceiveWindow, "max_window", window, u64::from(tcp.mss), flow.from),
    ];
    all.into_iter().flatten().collect()
}

/// Larger buffers and windows, one change a table of flows and bound.
fn windows(view: &View<'_>) -> Vec<Change> {
    let mut tables: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for flow in view.judged {
        if matches!(view.plan.flows[*flow].transport, TransportKind::Tcp | TransportKind::LtTcp) {
            tables.entry(view.table_of(*flow)).or_default().push(*flow);
        }
    }
    let mut found = Vec::new();
    for (table, flows) in tables {
        let (first, last) = (flows[0], flows[flows.len() - 1]);
        let ends = [first, last].map(|flow| bounds(&view.plan.flows[flow]));
        let [of_first, of_last] = ends;
        for (bound, of_last) in of_first.iter().zip(&of_last) {
            if !flows.iter().any(|flow| may_limit(view, *flow, bound)) {
                continue;
            }
            let larger = bound.value.saturating_mul(FACTOR);
            let value = match bound.key {
                "max_window" => larger.to_string(),
                _ => json!(Bytes(larger).to_string()).to_string(),
            };
            let node = |bound: &Bound| view.plan.nodes[bound.node].as_str();
            let nodes = between(node(bound), node(of_last));
            let names = [first, last].map(|flow| view.plan.flows[flow].name.as_str());
            let key = if bound.key == "max_window" { ", max_window" } else { "" };
            let place = format!("{nodes} ({}{key})", between(names[0], names[1]));
            let path = format!("flows[{table}].tcp.{}", bound.key);
            found.push(Change::new(Kind::Window, bound.cause, place).set(path, value));
        }
    }
    found
}

/// The first and the last of several names.
fn between(first: &str, last: &str) -> String {
    if first == last { first.to_owned() } else { format!("{first} to {last}") }
}

/// True if a flow uses much of a bound, or waits for it.
fn may_limit(view: &View<'_>, flow: usize, bound: &Bound) -> bool {
    let in_flight = view.mean(|run| {
        let flow = &run.flows[flow];
        flow.goodput_bps * flow.rtt_mean_s.unwrap_or(0.0) / 8.0
    });
    let waits = view.mean(|run| {
        let waits = &run.flows[flow].waits;
        let share = match (bound.cause, bound.key) {
            (Cause::SendBuffer, _) => waits.waits_send_buffer,
            (_, "max_window") => waits.waits_window_model,
            _ => waits.waits_receive_window,
        };
        share.unwrap_or(0.0)
    });
    in_flight >= WINDOW_USED * bound.value as f64 * bound.unit_bytes as f64 || waits >= WAITED
}

/// Applications that have a rate and get it become bulk transfers.
pub(crate) fn application(view: &View<'_>) -> Option<Change> {
    let flows: Vec<usize> = (view.judged.iter().copied())
        .filter(|i| view.plan.flows[*i].transport != TransportKind::Udp && has_rate(view, *i))
        .collect();
    let names: Vec<&str> = flows.iter().map(|i| view.plan.flows[*i].name.as_str()).collect();
    let mut change = Change::new(Kind::Application, Cause::Application, names.join(", "));
    for flow in flows {
        let start = view.plan.flows[flow].app.start();
        let mut app = json!({ "kind": "bulk" });
        if start > Nanos::ZERO {
            app["start"] = json!(start.to_string());
        }
        change = change.set(format!("flows[{}].app", view.table_of(flow)), inline(&app));
    }
    (!change.is_empty()).then_some(change)
}

fn has_rate(view: &View<'_>, flow: usize) -> bool {
    matches!(
        view.plan.flows[flow].app,
        Application::ConstantRate { .. } | Application::OnOff { .. } | Application::Trace { .. }
    )
}

/// Requests without the pauses before them, if the senders wait for these.
fn pauses(view: &View<'_>) -> Option<Change> {
    let flows: Vec<usize> = (view.judged.iter().copied())
        .filter(|i| {
            let app = &view.plan.flows[*i].app;
            matches!(app, Application::RequestResponse { think, .. } if think.0 > 0)
                && waits_for_application(view.runs, *i)
        })
        .collect();
    let names = flows.iter().map(|i| view.plan.flows[*i].name.as_str());
    let change = Change::new(Kind::Pauses, Cause::Application, joined(names));
    let change = flows.iter().fold(change, |change, flow| {
        change.set(format!("flows[{}].app.think", view.table_of(*flow)), "\"0 s\"")
    });
    (!change.is_empty()).then_some(change)
}

/// The flows beside the judged ones that use the same links or media: datagrams, and transfers that end or have a
/// rate.
fn beside(view: &View<'_>) -> Option<Change> {
    let beside: Vec<usize> = (0..view.plan.flows.len())
        .filter(|i| !view.judged.contains(i))
        .filter(|i| starts(view.plan, view.ways, *i) && shares(view, *i))
        .collect();
    let names: Vec<&str> = beside.iter().map(|i| view.plan.flows[*i].name.as_str()).collect();
    let place = match names.as_slice() {
        [first, second, third, _, ..] => {
            format!("{first}, {second}, {third} and {} others", names.len() - 3)
        }
        names => names.join(", "),
    };
    let change = Change::new(Kind::Others, Cause::OtherFlows, place);
    let change = names.iter().fold(change, |change, name| change.without("flows", *name));
    (!change.is_empty()).then_some(change)
}

/// True if a flow uses a link or medium of the judged ones.
fn shares(view: &View<'_>, flow: usize) -> bool {
    view.ways[flow].iter().any(|way| {
        way.links.iter().any(|link| view.carries_data[*link] || view.carries_acks[*link])
            || way
                .cells
                .iter()
                .any(|cell| view.medium(*cell).iter().any(|other| view.cells.contains(other)))
    })
}
