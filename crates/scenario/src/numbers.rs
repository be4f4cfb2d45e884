//! Errors of numbers that a key's type refuses before the key's own check.
//!
//! A key may accept less than its integer type holds, so for a number beyond the type the message should
//! come from the key's own check. This file runs that check with the nearest limit of the type, and if
//! the check accepts it with the other limit, and puts the number as written into the message.
//!
//! For a number that is not finite and for a date, the tree holds a [placeholder](crate::placeholders).

use airtcp_probe::reworded;
use serde_json::Value;

use crate::error_key::{self, ReadError};
use crate::placeholders::replaced_text;
use crate::{Resolved, ScenarioError, tables};

/// The error of a number at `path` that its type refuses; `None` if the error has another cause or the
/// key's own check finds nothing.
pub(crate) fn error(tree: &mut Value, path: &str, read_error: &ReadError) -> Option<ScenarioError> {
    // If the key takes a list, the path of the error leads into the placeholder.
    let ends = path.match_indices(['.', '[']).map(|(end, _)| end).chain([path.len()]);
    for place in ends.map(|end| &path[..end]) {
        if let Some(shown) = error_key::value_at(tree, place).as_deref().and_then(replaced_text) {
            let message = match tables::example(place) {
                Some(example) => format!("expected a table such as {example}, not {shown}"),
                None => not_finite(shown, &read_error.1),
            };
            return Some(ScenarioError::at(place, message));
        }
    }
    if let Some((place, shown)) = placeholder_within(tree, path, read_error) {
        return Some(ScenarioError::at(place, not_finite(&shown, "")));
    }
    own_check(tree, path, &read_error.1).map(|said| ScenarioError::at(path, said))
}

/// The placeholder within the value at `path` that causes the error: the error changes if a number
/// replaces it.
fn placeholder_within(
    tree: &mut Value,
    path: &str,
    read_error: &ReadError,
) -> Option<(String, String)> {
    let mut places = Vec::new();
    collect_placeholders(error_key::value_at(tree, path)?, path.to_owned(), &mut places);
    places.into_iter().find(|(place, _)| {
        let Some(value) =
            error_key::value_at(tree, place).map(|at| std::mem::replace(at, Value::from(1)))
        else {
            return false;
        };
        let is_other = error_key::deserialize(tree).err().as_ref() != Some(read_error);
        if let Some(at) = error_key::value_at(tree, place) {
            *at = value;
        }
        is_other
    })
}

/// Maximum number of placeholders tried: each costs a deserialization of the scenario.
const MAX_PLACEHOLDERS: usize = 16;

fn collect_placeholders(value: &Value, path: String, found: &mut Vec<(String, String)>) {
    if found.len() >= MAX_PLACEHOLDERS {
        return;
    }
    if let Some(shown) = replaced_text(value) {
        found.push((path, shown.to_owned()));
        return;
    }
    match value {
        Value::Array(items) => {
            items
                .iter()
                .enumerate()
                .for_each(|(i, v)| collect_placeholders(v, format!("{path}[{i}]"), found));
        }
        Value::Object(fields) => {
            fields
                .iter()
                .for_each(|(key, v)| collect_placeholders(v, format!("{path}.{key}"), found));
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
    let max = match kind {
        "u8" => u64::from(u8::MAX),
        "u16" => u64::from(u16::MAX),
        "u32" => u64::from(u32::MAX),
        _ => return None,
    };
    let ends = if written.starts_with('-') { [0, max] } else { [max, 0] };
    let value = error_key::value_at(tree, path)?.clone();
    let said = ends.into_iter().find_map(|end| {
        *error_key::value_at(tree, path)? = Value::from(end);
        let error = first_error(tree)?;
        let said = with_number(message_about(&error, path)?, &end.to_string(), written)?;
        // For a negative number this is the check of the largest one, and 0 is accepted.
        Some(if written.starts_with('-') && end > 0 { nearest_to_negative(&said) } else { said })
    });
    *error_key::value_at(tree, path)? = value;
    said
}

/// A message about a negative number with the nearest of accepted numbers, of which 0 is one.
fn nearest_to_negative(message: &str) -> String {
    let Some((before, after)) = message.split_once("the nearest is ") else {
        return message.to_owned();
    };
    let rest = after.trim_start_matches(|c: char| c.is_ascii_digit());
    if rest.len() == after.len() || rest.starts_with(' ') {
        return message.to_owned();
    }
    format!("{before}the nearest is 0{rest}")
}

/// The first error of the keys' own checks.
fn first_error(tree: &Value) -> Option<ScenarioError> {
    let resolved = error_key::deserialize(tree).ok()?.resolve();
    resolved.map_or_else(Some, |resolved| protocol_error(&resolved))
}

fn protocol_error(resolved: &Resolved) -> Option<ScenarioError> {
    resolved.links.iter().find_map(|link| {
        let config = link.direction.link_config();
        let mtu = config.mtu.map(|mtu| mtu.0);
        let error = config.protocol.build(mtu).err()?;
        Some(ScenarioError::at(format!("{}.{}", link.path, error.key), error.message))
    })
}

/// The message of an error about the key at `path`; `None` for other keys.
fn message_about<'a>(error: &'a ScenarioError, path: &str) -> Option<&'a str> {
    match path.strip_prefix(&error.path)?.strip_prefix('.') {
        None => (path == error.path).then_some(&error.message),
        Some(key) => error.message.strip_prefix(key)?.strip_prefix(": "),
    }
}

/// The message with the number `written` in place of `stand_in`.
fn with_number(message: &str, stand_in: &str, written: &str) -> Option<String> {
    let part = |c: char| c.is_ascii_alphanumeric() || c == '.';
    let (i, _) = message.match_indices(stand_in).find(|(i, _)| {
        let after = message[i + stand_in.len()..].chars().next();
        let before = message[..*i].chars().next_back();
        !before.is_some_and(part) && !after.is_some_and(|c| c.is_ascii_alphanumeric())
    })?;
    Some(format!("{}{written}{}", &message[..i], &message[i + stand_in.len()..]))
}
