//! Resolves the flows: expands counts, finds the nodes, and checks that the transport supports the
//! application.

use std::collections::BTreeMap;

use airtcp_wifi::mac::{AccessMethod, Category};

use super::nodes::Nodes;
use crate::limits::{EMPTY_NAME, MAX_PARTS};
use crate::{Application, Cell, Flow, FlowSpec, ScenarioError, TransportKind};

/// The flows, each of a count as one.
pub(super) fn resolve(specs: &[FlowSpec], nodes: &Nodes) -> Result<Vec<Flow>, ScenarioError> {
    let mut flows: Vec<Flow> = Vec::new();
    let mut names = BTreeMap::new();
    for (i, spec) in specs.iter().enumerate() {
        let at = |key: &str| format!("flows[{i}].{key}");
        if spec.name.as_deref() == Some("") {
            return Err(ScenarioError::at(at("name"), EMPTY_NAME));
        }
        let total = flows.len() + spec.count as usize;
        if spec.count == 0 || total > MAX_PARTS {
            return Err(ScenarioError::at(
                at("count"),
                format!("is {}: expected 1 to {MAX_PARTS} flows in all", spec.count),
            ));
        }
        if let Some((key, message)) = spec.app.fault() {
            return Err(ScenarioError::at(at(&format!("app.{key}")), message));
        }
        check_transport(spec, &at)?;
        for n in 0..spec.count {
            let node = |key: &str, name: &str| {
                let name = name.replace('*', &n.to_string());
                nodes.find(&name).ok_or_else(|| unknown_node(at(key), &name, nodes))
            };
            let (from, to) = (node("from", &spec.from)?, node("to", &spec.to)?);
            if from == to {
                return Err(ScenarioError::at(at("to"), "is the same node as from"));
            }
            let name = match (&spec.name, spec.count) {
                (Some(name), 1) => name.clone(),
                (Some(name), _) => format!("{name}{n}"),
                (None, _) => format!("flow{}", flows.len()),
            };
            // The name is also the label of the flow's random streams.
            if let Some(first) = names.insert(name.clone(), i) {
                return Err(same_name(at("name"), &name, first));
            }
            flows.push(Flow {
                name,
                from,
                to,
                transport: spec.transport,
                access_categories: [
                    spec.access_category,
                    spec.reverse_access_category.unwrap_or(spec.access_category),
                ],
                tcp: spec.tcp.clone(),
                tfrc: spec.tfrc,
                sliding: spec.sliding,
                lt: spec.lt,
                app: spec.app.clone(),
                start_spread: spec.start_spread,
                taken_out: false,
            });
        }
    }
    Ok(flows)
}

/// The error for a name that a flow of `flows[first]` has, too.
fn same_name(path: String, name: &str, first: usize) -> ScenarioError {
    let message = format!(
        "\"{name}\" is also the name of one of flows[{first}]: give each flow a name of its own"
    );
    ScenarioError::at(path, message)
}

/// Refuses access categories of flows if no cell has EDCA: they would have no effect.
pub(super) fn check_categories(specs: &[FlowSpec], cells: &[Cell]) -> Result<(), ScenarioError> {
    if cells.iter().any(|cell| cell.spec.mac.access == AccessMethod::Edca) {
        return Ok(());
    }
    for (i, spec) in specs.iter().enumerate() {
        let own = Some(spec.access_category).filter(|own| *own != Category::default());
        let (key, category) = match (own, spec.reverse_access_category) {
            (Some(category), _) => ("access_category", category),
            (None, Some(category)) => ("reverse_access_category", category),
            (None, None) => continue,
        };
        let (why, fix) = match cells {
            [] => ("the scenario has no cell", ""),
            [_] => ("mac.access of the cell is \"dcf\"", "set cells[0].mac.access = \"edca\", or "),
            _ => ("mac.access of all cells is \"dcf\"", "set mac.access = \"edca\" in a cell, or "),
        };
        let message = format!(
            "is \"{}\", which has an effect in cells with EDCA, but {why}: {fix}omit the key",
            category.name()
        );
        return Err(ScenarioError::at(format!("flows[{i}].{key}"), message));
    }
    Ok(())
}

fn unknown_node(path: String, name: &str, nodes: &Nodes) -> ScenarioError {
    let names: Vec<&str> = nodes.index.keys().map(String::as_str).take(20).collect();
    ScenarioError::at(
        path,
        format!("no link or cell has a node \"{name}\" (nodes: {})", names.join(", ")),
    )
}

fn check_transport(spec: &FlowSpec, at: &dyn Fn(&str) -> String) -> Result<(), ScenarioError> {
    match spec.transport {
        TransportKind::LtTcp => {
            spec.tcp.validate().map_err(|e| ScenarioError::at(at("tcp"), e.to_string()))?;
            spec.lt.validate_with(&spec.tcp).map_err(|e| ScenarioError::at(at("lt"), e.to_string()))
        }
        TransportKind::Tcp => {
            spec.tcp.validate().map_err(|e| ScenarioError::at(at("tcp"), e.to_string()))
        }
        TransportKind::Sliding => {
            spec.sliding.validate().map_err(|e| ScenarioError::at(at("sliding"), e.to_string()))
        }
        TransportKind::Tfrc => {
            spec.tfrc.validate().map_err(|e| ScenarioError::at(at("tfrc"), e.to_string()))?;
            match (&spec.app, spec.app.message()) {
                (Application::RequestResponse { .. }, _) => Err(ScenarioError::at(
                    at("app.kind"),
                    "needs a reliable stream: with transport = \"tfrc\" use \"bulk\", \"constant-rate\", \"on-off\" or \"trace\"",
                )),
                (_, Some(message)) if !(1..=65_000).contains(&message.0) => Err(ScenarioError::at(
                    at("app.message"),
                    format!("is {message}: a TFRC packet carries 1 to 65000 B"),
                )),
                _ => Ok(()),
            }
        }
        TransportKind::Udp => {
            let Some(messages) = spec.app.messages() else {
                return Err(ScenarioError::at(
                    at("app.kind"),
                    "needs a reliable stream: with transport = \"udp\" use \"constant-rate\", \"on-off\" or \"trace\"",
                ));
            };
            let Some(wrong) = messages.iter().find(|size| !(1..=65_507).contains(&size.0)) else {
                return Ok(());
            };
            let carries = "a UDP datagram carries 1 to 65507 B";
            let sized = matches!(&spec.app, Application::Trace { schedule: Some(s), .. } if s.sizes().is_some());
            Err(if sized {
                ScenarioError::at(at("app.path"), format!("has a message of {wrong}: {carries}"))
            } else {
                ScenarioError::at(at("app.message"), format!("is {wrong}: {carries}"))
            })
        }
    }
}
