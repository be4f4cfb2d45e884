//! Numbers that the type of a key refuses before the key's own check sees them.
//!
//! A whole number beyond its type: the key may accept far less than its type holds. So its own check is
//! asked, with the nearest number that the type holds in its place (then, if that is accepted, with the
//! one at the other end), and what it says is said of the number that was written.
//!
//! A number that is not finite, or a date: [`marks`](crate::marks) has put a mark in its place.

use airtcp_probe::reworded;
use serde_json::Value;

use crate::blame::{self, Complaint};
use crate::marks::marked;
use crate::{Resolved, ScenarioError, tables};

/// What is said of a number at `path` that its type refuses; none if it is another complaint, or if
/// the key's own check has nothing to add.
pub(crate) fn refusal(
    tree: &mut Value,
    path: &str,
    complaint: &Complaint,
) -> Option<ScenarioError> {
    // A type that takes a list complains of what is in the mark.
    let ends = path.match_indices(['.', '[']).map(|(end, _)| end).chain([path.len()]);
    for place in ends.map(|end| &path[..end]) {
        if let Some(shown) = blame::at(tree, place).as_deref().and_then(marked) {
            let message = match tables::example(place) {
                Some(example) => format!("expected a table such as {example}, not {shown}"),
                None => not_finite(shown, &complaint.1),
            };
            return Some(ScenarioError::at(place, message));
        }
    }
    if let Some((place, shown)) = inside(tree, path, complaint) {
        return Some(ScenarioError::at(place, not_finite(&shown, "")));
    }
    own_check(tree, path, &complaint.1).map(|said| ScenarioError::at(path, said))
}

/// The mark within the value at `path` that is to blame: with a number in its place the complaint is
/// another.
fn inside(tree: &mut Value, path: &str, complaint: &Complaint) -> Option<(String, String)> {
    let mut places = Vec::new();
    marks(blame::at(tree, path)?, path.to_owned(), &mut places);
    places.into_iter().find(|(place, _)| {
        let Some(value) = blame::at(tree, place).map(|at| std::mem::replace(at, Value::from(1)))
        else {
            return false;
        };
        let is_other = blame::scenario(tree).err().as_ref() != Some(complaint);
        if let Some(at) = blame::at(tree, place) {
            *at = value;
        }
        is_other
    })
}

/// Marks that are looked at: each costs a reading of the scenario.
const MAX_MARKS: usize = 16;

fn marks(value: &Value, path: String, found: &mut Vec<(String, String)>) {
    if found.len() >= MAX_MARKS {
        return;
    }
    if let Some(shown) = marked(value) {
        found.push((path, shown.to_owned()));
        return;
    }
    match value {
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(i, v)| marks(v, format!("{path}[{i}]"), found));
        }
        Value::Object(fields) => {
            fields.iter().for_each(|(key, v)| marks(v, format!("{path}.{key}"), found));
        }
        _ => {}
    }
}

fn not_finite(shown: &str, message: &str) -> String {
    match message.strip_prefix("invalid type: sequence, expected ") {
        Some(expected) => {
            reworded(&format!("invalid type: floating point `{shown}`, expected {expected}"))
        }
        None if shown.starts_with("the date ") => {
            format!("is {shown}: no key takes a date; text is written in quotes")
        }
        None => format!("is {shown}: no key takes a number that is not finite"),
    }
}

fn own_check(tree: &mut Value, path: &str, message: &str) -> Option<String> {
    let rest = message.strip_prefix("invalid value: integer `")?;
    let (written, kind) = rest.split_once("`, expected ")?;
    let most = match kind {
        "u8" => u64::from(u8::MAX),
        "u16" => u64::from(u16::MAX),
        "u32" => u64::from(u32::MAX),
        _ => return None,
    };
    let ends = if written.starts_with('-') { [0, most] } else { [most, 0] };
    let value = blame::at(tree, path)?.clone();
    let said = ends.into_iter().find_map(|end| {
        *blame::at(tree, path)? = Value::from(end);
        let error = fault(tree)?;
        replaced(about(&error, path)?, &end.to_string(), written)
    });
    *blame::at(tree, path)? = value;
    said
}

/// The first thing that the keys' own checks find in a scenario of the right types.
fn fault(tree: &Value) -> Option<ScenarioError> {
    let resolved = blame::scenario(tree).ok()?.resolve();
    resolved.map_or_else(Some, |resolved| of_protocols(&resolved))
}

fn of_protocols(resolved: &Resolved) -> Option<ScenarioError> {
    resolved.links.iter().find_map(|link| {
        let config = link.direction.link_config();
        let mtu = config.mtu.map(|mtu| mtu.0);
        let error = config.protocol.build(mtu).err()?;
        Some(ScenarioError::at(format!("{}.{}", link.path, error.key), error.message))
    })
}

/// What an error says of the key at `path`, if it is about that key.
fn about<'a>(error: &'a ScenarioError, path: &str) -> Option<&'a str> {
    match path.strip_prefix(&error.path)?.strip_prefix('.') {
        None => (path == error.path).then_some(&error.message),
        Some(key) => error.message.strip_prefix(key)?.strip_prefix(": "),
    }
}

/// The message with the number that was written for the one that stood in its place.
fn replaced(message: &str, stand_in: &str, written: &str) -> Option<String> {
    let part = |c: char| c.is_ascii_alphanumeric() || c == '.';
    let (i, _) = message.match_indices(stand_in).find(|(i, _)| {
        let after = message[i + stand_in.len()..].chars().next();
        let before = message[..*i].chars().next_back();
        !before.is_some_and(part) && !after.is_some_and(|c| c.is_ascii_alphanumeric())
    })?;
    Some(format!("{}{written}{}", &message[..i], &message[i + stand_in.len()..]))
}
