//! The scenario in a text that the page opens: TOML as it is; the JSON of a scenario, or of a result that
//! contains one, as the shortest TOML that gives the same scenario.

use std::cell::Cell;

use airtcp_scenario::{Scenario, ScenarioError, read};
use airtcp_transport::tcp::{Profile, TcpConfig};
use serde_json::{Map, Value};

use crate::plain::toml;

/// Most bytes of JSON that shortening a scenario compares, which takes about a second. \[choice\]
const MOST_READ: usize = 8 << 20;

/// The text of the scenario in `text`, as TOML.
pub(crate) fn opened(text: &str) -> Result<String, ScenarioError> {
    let refuse = |message: String| ScenarioError::at("", message);
    if !text.trim_start().starts_with('{') {
        return Ok(text.to_owned());
    }
    let tree: Value =
        serde_json::from_str(text).map_err(|e| refuse(format!("not valid JSON: {e}")))?;
    let tree = match tree {
        Value::Object(mut document) if document.contains_key("scenario") => {
            document.remove("scenario").unwrap_or_default()
        }
        other => other,
    };
    let scenario: Scenario = serde_json::from_value(tree.clone())
        .map_err(|e| refuse(format!("expected a scenario, or the result of a run: {e}")))?;
    let mut tree = without_nulls(tree);
    flatten_links(&mut tree);
    let same = |tree: &Value| read(&toml(tree), "scenario", &[]).is_ok_and(|read| read == scenario);
    if !same(&tree) {
        return Err(refuse("expected a scenario of this version of airtcp".to_owned()));
    }
    name_profiles(&mut tree);
    if !same(&tree) {
        return Err(refuse("the TCP parameters of the scenario have no profile".to_owned()));
    }
    shorten(&mut tree, "", &within(MOST_READ, &same));
    Ok(toml(&tree))
}

/// Like `same`, until `budget` bytes of trees have been compared; then no tree is the same, so that a scenario
/// of many flows opens at once, with more keys than it needs.
fn within(budget: usize, same: &dyn Fn(&Value) -> bool) -> impl Fn(&Value) -> bool + '_ {
    let left = Cell::new(budget);
    move |tree| {
        if left.get() == 0 {
            return false;
        }
        left.set(left.get().saturating_sub(tree.to_string().len()));
        same(tree)
    }
}

/// TOML has no null: an absent key has its default.
fn without_nulls(tree: Value) -> Value {
    match tree {
        Value::Object(table) => {
            let kept = table.into_iter().filter(|(_, value)| !value.is_null());
            Value::Object(kept.map(|(key, value)| (key, without_nulls(value))).collect())
        }
        Value::Array(list) => Value::Array(list.into_iter().map(without_nulls).collect()),
        other => other,
    }
}

/// Writes the forward direction of a link as keys of the link.
fn flatten_links(tree: &mut Value) {
    let Some(Value::Array(links)) = tree.get_mut("links") else { return };
    for link in links.iter_mut().filter_map(Value::as_object_mut) {
        if let Some(Value::Object(forward)) = link.remove("forward") {
            link.extend(forward);
        }
    }
}

/// Gives each flow's TCP as the nearest profile and the keys that differ from it.
fn name_profiles(tree: &mut Value) {
    let Some(Value::Array(flows)) = tree.get_mut("flows") else { return };
    for flow in flows.iter_mut().filter_map(Value::as_object_mut) {
        let Some(Value::Object(tcp)) = flow.get("tcp") else { continue };
        let differing = |profile: Profile| -> Option<Map<String, Value>> {
            let base = serde_json::to_value(TcpConfig::profile(profile)).ok()?;
            let base = base.as_object()?;
            // A key that only the profile has cannot be removed from it.
            if base.iter().any(|(key, value)| !value.is_null() && !tcp.contains_key(key)) {
                return None;
            }
            let differs = tcp.iter().filter(|(key, value)| base.get(*key) != Some(value));
            Some(differs.map(|(key, value)| (key.clone(), value.clone())).collect())
        };
        let all = Profile::ALL.into_iter().filter_map(|p| Some((p, differing(p)?)));
        let Some((profile, mut keys)) = all.min_by_key(|(_, keys)| keys.len()) else { continue };
        keys.insert("profile".into(), profile.name().into());
        flow.insert("tcp".into(), Value::Object(keys));
    }
}

/// Removes each key below `pointer` without which the scenario stays the same, outer keys first.
fn shorten(root: &mut Value, pointer: &str, same: &dyn Fn(&Value) -> bool) {
    let names: Vec<String> = match root.pointer(pointer) {
        Some(Value::Object(table)) => table.keys().cloned().collect(),
        Some(Value::Array(list)) => (0..list.len()).map(|i| i.to_string()).collect(),
        _ => return,
    };
    for name in names {
        let removed = match root.pointer_mut(pointer) {
            Some(Value::Object(table)) => table.remove(&name),
            _ => None,
        };
        if let Some(value) = removed {
            if same(root) {
                continue;
            }
            if let Some(Value::Object(table)) = root.pointer_mut(pointer) {
                table.insert(name.clone(), value);
            }
        }
        shorten(root, &format!("{pointer}/{name}"), same);
    }
}
