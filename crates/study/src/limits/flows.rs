//! What can be taken away of flows: bounds of their windows, their applications, and the flows themselves.

use airtcp_scenario::{Application, TransportKind};
use airtcp_units::{Bytes, Nanos};
use serde_json::json;

use super::change::{Change, Kind};
use super::result::Cause;
use super::view::View;
use crate::schemes::inline;

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
    found.extend(application(view));
    found.extend(datagrams(view));
    found
}

/// Larger buffers and windows, one change a flow's table and bound.
fn windows(view: &View<'_>) -> Vec<Change> {
    let mut found: Vec<Change> = Vec::new();
    for flow in view.judged {
        let spec = &view.plan.flows[*flow];
        if !matches!(spec.transport, TransportKind::Tcp | TransportKind::LtTcp) {
            continue;
        }
        let in_flight = view.mean(|run| {
            let flow = &run.flows[*flow];
            flow.goodput_bps * flow.rtt_mean_s.unwrap_or(0.0) / 8.0
        });
        let node = |number: usize| view.plan.nodes[number].as_str();
        let tcp = &spec.tcp;
        let bounds = [
            (Cause::ReceiveWindow, "receive_buffer", Some(tcp.receive_buffer.0), 1, spec.to),
            (Cause::SendBuffer, "send_buffer", tcp.send_buffer.map(|b| b.0), 1, spec.from),
            (
                Cause::ReceiveWindow,
                "max_window",
                tcp.max_window.map(u64::from),
                u64::from(tcp.mss),
                spec.from,
            ),
        ];
        for (cause, key, bound, unit, at) in bounds {
            let Some(bound) = bound else { continue };
            let waits = view.mean(|run| {
                let waits = &run.flows[*flow].waits;
                let share = match cause {
                    Cause::SendBuffer => waits.waits_send_buffer,
                    _ if key == "max_window" => waits.waits_window_model,
                    _ => waits.waits_receive_window,
                };
                share.unwrap_or(0.0)
            });
            if in_flight < WINDOW_USED * (bound * unit) as f64 && waits < WAITED {
                continue;
            }
            let larger = bound.saturating_mul(FACTOR);
            let value = if key == "max_window" {
                larger.to_string()
            } else {
                json!(Bytes(larger).to_string()).to_string()
            };
            let path = format!("flows[{}].tcp.{key}", view.table_of(*flow));
            let bounds = if key == "max_window" { ", max_window" } else { "" };
            let place = format!("{} ({}{bounds})", node(at), spec.name);
            found.push(Change::new(Kind::Window, cause, place).set(path, value));
        }
    }
    found
}

/// Applications with a rate become bulk transfers.
fn application(view: &View<'_>) -> Option<Change> {
    let names: Vec<&str> = rated(view).map(|i| view.plan.flows[i].name.as_str()).collect();
    let mut change = Change::new(Kind::Application, Cause::Application, names.join(", "));
    for flow in rated(view) {
        let start = view.plan.flows[flow].app.start();
        let mut app = json!({ "kind": "bulk" });
        if start > Nanos::ZERO {
            app["start"] = json!(start.to_string());
        }
        change = change.set(format!("flows[{}].app", view.table_of(flow)), inline(&app));
    }
    (!change.is_empty()).then_some(change)
}

/// The judged flows over a congestion-controlled transport whose applications have a rate.
fn rated<'a>(view: &'a View<'_>) -> impl Iterator<Item = usize> + 'a {
    view.judged.iter().copied().filter(|i| {
        let flow = &view.plan.flows[*i];
        let has_rate = matches!(
            flow.app,
            Application::ConstantRate { .. }
                | Application::OnOff { .. }
                | Application::Trace { .. }
        );
        has_rate && flow.transport != TransportKind::Udp
    })
}

/// Flows of datagrams beside the judged ones.
fn datagrams(view: &View<'_>) -> Option<Change> {
    let beside: Vec<usize> = (0..view.plan.flows.len())
        .filter(|i| view.plan.flows[*i].transport == TransportKind::Udp && !view.judged.contains(i))
        .filter(|i| shares(view, *i))
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
    airtcp_sim::ways(view.plan, flow).iter().any(|way| {
        way.links.iter().any(|link| view.carries_data[*link] || view.carries_acks[*link])
            || way
                .cells
                .iter()
                .any(|cell| view.medium(*cell).iter().any(|other| view.cells.contains(other)))
    })
}
