//! The plan of a scenario, which names no files, and its description for the page.

use std::sync::Arc;

use airtcp_scenario::{Cell, Flow, OneWay, Resolved, Scenario, ScenarioError};
use airtcp_units::Outcomes;
use airtcp_wifi::rate::controls_of;
use serde_json::{Value, json};

/// What to do about a file.
const NO_FILES: &str =
    "names a file, and the explorer reads no files: use `airtcp run` on your computer";

/// Reads and resolves a scenario, with the messages of `airtcp run`. `name` stands for its file, and `set` are
/// the pairs of `--set`. Returns the scenario as written and its plan.
pub(crate) fn planned(
    text: &str,
    name: &str,
    set: &[(String, String)],
) -> Result<(Scenario, Resolved), ScenarioError> {
    let scenario = airtcp_scenario::read(text, name, set)?;
    let refuse = |e: ScenarioError| e.located(name, text);
    if let Some(path) = file_in(&serde_json::to_value(&scenario).unwrap_or_default(), "") {
        return Err(refuse(ScenarioError::at(path, NO_FILES)));
    }
    let plan = scenario.resolve().map_err(refuse)?;
    Ok((scenario, plan))
}

/// The path of the first key that names a file: `path`, or `trace` in a `rate`.
fn file_in(tree: &Value, at: &str) -> Option<String> {
    match tree {
        Value::Object(table) => table.iter().find_map(|(key, value)| {
            let path = if at.is_empty() { key.clone() } else { format!("{at}.{key}") };
            let is_file = key == "path" || (key == "trace" && at.ends_with("rate"));
            if is_file && value.is_string() { Some(path) } else { file_in(value, &path) }
        }),
        Value::Array(list) => {
            list.iter().enumerate().find_map(|(i, value)| file_in(value, &format!("{at}[{i}]")))
        }
        _ => None,
    }
}

/// Loads no traces.
pub(crate) fn no_traces(_: &str) -> Result<Arc<Outcomes>, String> {
    Err(NO_FILES.to_owned())
}

/// The scenario as written with every default filled in, the same with its topology expanded (as results store it),
/// the parts of the network, and warnings.
pub(crate) fn described((written, plan): &(Scenario, Resolved)) -> Value {
    let node = |i: usize| plan.nodes.get(i).map_or("", String::as_str);
    let link = |l: &OneWay| {
        json!({
            "name": l.name,
            "from": node(l.from),
            "to": node(l.to),
            "path": l.path,
            "direction": l.direction,
        })
    };
    let flow = |f: &Flow| json!({"name": f.name, "from": node(f.from), "to": node(f.to), "transport": f.transport});
    let cell = |c: &Cell| {
        let modes = c.spec.setup().map_or_else(|_| Vec::new(), |setup| setup.modes(true));
        let rates: Vec<String> = modes.iter().map(|mode| mode.rate().to_string()).collect();
        json!({
            "name": c.spec.name,
            "stations": c.spec.layout.stations(),
            "rates": rates,
            "rate_controls": controls_of(c.spec.standard).collect::<Vec<_>>(),
        })
    };
    json!({
        "written": written,
        "scenario": plan.scenario,
        "links": plan.links.iter().map(link).collect::<Vec<_>>(),
        "flows": plan.flows.iter().map(flow).collect::<Vec<_>>(),
        "cells": plan.cells.iter().map(cell).collect::<Vec<_>>(),
        "warnings": airtcp_sim::warnings(plan),
    })
}
