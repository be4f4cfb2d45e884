//! Errors of values in place of tables.
//!
//! serde also accepts a list of a table's values in the order of its keys. This is undocumented, and an
//! error in such a list would name its elements, so lists in place of tables are refused.

use serde_json::Value;

use crate::{Scenario, ScenarioError, error_key, placeholders};

/// A table with a tag: a key that decides its other keys.
struct Tagged {
    /// Key of the table.
    key: &'static str,
    /// The tag, for instance `kind`.
    tag: &'static str,
    /// Family of `airtcp list` with the tag's values; empty if there is none.
    family: &'static str,
    /// Example of the table.
    example: &'static str,
}

const fn tagged(
    key: &'static str,
    tag: &'static str,
    family: &'static str,
    example: &'static str,
) -> Tagged {
    Tagged { key, tag, family, example }
}

const TAGGED: [Tagged; 13] = [
    tagged("queue", "kind", "queue", "{ kind = \"drop-tail\", packets = 20 }"),
    tagged("access_point_queue", "kind", "queue", "{ kind = \"fq-codel\" }"),
    tagged("loss", "model", "loss", "{ model = \"bernoulli\", probability = 0.01 }"),
    tagged("protocol", "kind", "link-protocol", "{ kind = \"ll-arq\" }"),
    tagged("app", "kind", "", "{ kind = \"bulk\" }"),
    tagged("topology", "kind", "", "{ kind = \"dumbbell\", ... }"),
    tagged("layout", "kind", "", "{ kind = \"star\", stations = 3, radius_m = 5 }"),
    tagged("congestion", "law", "congestion", "{ law = \"cubic\" }"),
    tagged("path_loss", "model", "path-loss", "{ model = \"...\" }"),
    tagged("fading", "model", "", "{ model = \"...\" }"),
    tagged("error", "model", "frame-error", "{ model = \"...\" }"),
    tagged("capture", "model", "", "{ model = \"...\" }"),
    tagged("rate_control", "control", "rate-control", "{ control = \"...\" }"),
];

/// Keys whose value is a list of such tables, with an example of one.
const LISTS: [Tagged; 2] = [
    tagged("interference", "kind", "interference", "{ kind = \"microwave-oven\" }"),
    tagged("schemes", "scheme", "scheme", "{ scheme = \"ftca\" }"),
];

/// Keys whose value is a list of fixed length, and a description of the list.
const FIXED: [(&str, &str); 3] = [
    ("between", "the names of two stations, such as [\"sta0\", \"sta1\"]"),
    ("losses", "pairs of a length and how often it occurs, such as [[1, 30], [2, 4]]"),
    ("successes", "pairs of a length and how often it occurs, such as [[1, 30], [2, 4]]"),
];

/// The key at a path, without list indices.
fn key(path: &str) -> &str {
    let last = path.rsplit('.').next().unwrap_or(path);
    last.split('[').next().unwrap_or(last)
}

/// Example of the table at a path, if the table has a tag.
pub(crate) fn example(path: &str) -> Option<&'static str> {
    let last = path.rsplit('.').next().unwrap_or(path);
    TAGGED.iter().find(|table| table.key == last).map(|table| table.example)
}

/// The table at a path, or in a list there.
fn of_key(path: &str) -> Option<&'static Tagged> {
    TAGGED.iter().chain(&LISTS).find(|table| table.key == key(path))
}

/// Message for a missing tag, with an example.
pub(crate) fn missing_tag(path: &str, text: &str) -> Option<String> {
    let is_missing = |tag: &&str| text == format!("the key \"{tag}\" is missing");
    let tag = TAGGED.iter().chain(&LISTS).map(|table| table.tag).find(is_missing)?;
    let family = of_key(path).map_or("", |table| table.family);
    let list = if family.is_empty() { String::new() } else { format!(" (airtcp list {family})") };
    Some(format!("{text}: it chooses the {tag}, such as {tag} = \"...\"{list}"))
}

/// Message with the value that the key at a path accepts, where serde's message would name Rust types.
pub(crate) fn expected_value(path: &str, message: &str) -> Option<String> {
    let found = || message.strip_prefix("invalid type: ")?.rsplit_once(", expected ");
    if message.contains("a tuple of size ") || message.contains("an array of length ") {
        let (_, wants) = FIXED.iter().find(|(name, _)| *name == key(path))?;
        return Some(format!("expected {wants}"));
    }
    let (_, expected) = found()?;
    let is_table = expected.starts_with("internally tagged enum ");
    let Tagged { key: name, tag, example, .. } = of_key(path)?;
    let is_listed = LISTS.iter().any(|list| list.key == *name);
    let is_sequence = is_listed && expected == "a sequence";
    if !is_table && !is_sequence {
        return None;
    }
    let reworded = airtcp_probe::reworded(message);
    let found = reworded.rsplit_once(", not ").map_or("this", |(_, found)| found);
    if is_listed {
        let what = if is_table { "table" } else { "list" };
        return Some(format!("expected a {what} as in {name} = [{example}], not {found}"));
    }
    // A name alone is most likely the value of the tag.
    let name = found.strip_prefix('"').and_then(|name| name.strip_suffix('"'));
    let is_name = |name: &&str| {
        name.starts_with(|c: char| c.is_ascii_lowercase())
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-')
    };
    Some(match name.filter(is_name) {
        Some(name) => format!("expected a table such as {{ {tag} = \"{name}\" }}, not {found}"),
        None => format!("expected a table such as {example}, not {found}"),
    })
}

/// The error of a list in place of a table, if serde's error at `path` is about an element of the list.
pub(crate) fn list_for_table(tree: &mut Value, path: &str) -> Option<ScenarioError> {
    let ends = path.match_indices(['.', '[']).map(|(end, _)| end).chain([path.len()]);
    for place in ends.map(|end| &path[..end]) {
        let Some(example) = example(place) else { continue };
        let is_list =
            |value: &mut Value| value.is_array() && placeholders::replaced_text(value).is_none();
        if error_key::value_at(tree, place).is_some_and(is_list) {
            return Some(list_error(place, example));
        }
    }
    None
}

fn list_error(place: &str, example: &str) -> ScenarioError {
    ScenarioError::at(place, format!("expected a table such as {example}, not a list"))
}

/// Refuses a list that was read as a table.
pub(crate) fn refuse_lists(tree: &Value, scenario: &Scenario) -> Result<(), ScenarioError> {
    let Ok(read) = serde_json::to_value(scenario) else { return Ok(()) };
    match list_read_as_table(tree, &read, String::new()) {
        None => Ok(()),
        Some(path) => Err(match example(&path) {
            Some(example) => list_error(&path, example),
            None => ScenarioError::at(path, "expected a table, { key = value, ... }, not a list"),
        }),
    }
}

/// The path of the first list in `tree` that is a table in `read`, the deserialized tree.
fn list_read_as_table(tree: &Value, read: &Value, path: String) -> Option<String> {
    match (tree, read) {
        (Value::Array(_), Value::Object(_)) => Some(path),
        (Value::Array(tree), Value::Array(read)) => {
            let mut pairs = tree.iter().zip(read).enumerate();
            pairs.find_map(|(i, (tree, read))| {
                list_read_as_table(tree, read, format!("{path}[{i}]"))
            })
        }
        (Value::Object(tree), Value::Object(read)) => tree.iter().find_map(|(key, value)| {
            let dot = if path.is_empty() { "" } else { "." };
            list_read_as_table(value, read.get(key)?, format!("{path}{dot}{key}"))
        }),
        _ => None,
    }
}
