//! Values that stand where a table is wanted.
//!
//! The reader of a table takes a list as well, of its values in the order of its keys. No document
//! says so, and a list of the wrong values gives messages about its parts: it is refused as a whole.

use serde_json::Value;

use crate::{Scenario, ScenarioError, blame, marks};

/// A table that says with one of its keys what it is.
struct Tagged {
    /// The key that the table stands under.
    key: &'static str,
    /// The key that says what it is.
    tag: &'static str,
    /// The family of `airtcp list` that has what it may be; empty if none has.
    family: &'static str,
    /// A table to write, where its key alone wants one; empty where that takes lists.
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

const TAGGED: [Tagged; 14] = [
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
    tagged("interference", "kind", "interference", ""),
];

/// Keys that take a fixed number of values, and what these are.
const FIXED: [(&str, &str); 3] = [
    ("between", "the names of two stations, such as [\"sta0\", \"sta1\"]"),
    ("losses", "pairs of a length and how often it occurs, such as [[1, 30], [2, 4]]"),
    ("successes", "pairs of a length and how often it occurs, such as [[1, 30], [2, 4]]"),
];

/// The name of the key at a path, without places in lists.
fn key(path: &str) -> &str {
    let last = path.rsplit('.').next().unwrap_or(path);
    last.split('[').next().unwrap_or(last)
}

/// An example of the table at a path, if that says with one of its keys what it is.
pub(crate) fn example(path: &str) -> Option<&'static str> {
    let last = path.rsplit('.').next().unwrap_or(path);
    let found = TAGGED.iter().find(|table| table.key == last)?;
    (!found.example.is_empty()).then_some(found.example)
}

/// What could be written for a table's key that is missing, where its name alone says little.
pub(crate) fn missing(path: &str, text: &str) -> Option<String> {
    let is_missing = |tag: &&str| text == format!("the key \"{tag}\" is missing");
    let tag = TAGGED.iter().map(|table| table.tag).find(is_missing)?;
    let family =
        TAGGED.iter().find(|table| table.key == key(path)).map_or("", |table| table.family);
    let list = if family.is_empty() { String::new() } else { format!(" (airtcp list {family})") };
    Some(format!("{text}: it says which one it is, such as {tag} = \"...\"{list}"))
}

/// What the key at a path wants, where the reader's message would name its types.
pub(crate) fn wanted(path: &str, message: &str) -> Option<String> {
    let found = || message.strip_prefix("invalid type: ")?.rsplit_once(", expected ");
    if message.contains("a tuple of size ") || message.contains("an array of length ") {
        let (_, wants) = FIXED.iter().find(|(name, _)| *name == key(path))?;
        return Some(format!("expected {wants}"));
    }
    let (_, expected) = found()?;
    let is_table = expected.starts_with("internally tagged enum ");
    let table = TAGGED.iter().find(|t| is_table && !t.example.is_empty() && t.key == key(path))?;
    let Tagged { tag, example, .. } = table;
    let reworded = airtcp_probe::reworded(message);
    let found = reworded.rsplit_once(", not ").map_or("this", |(_, found)| found);
    // A name alone: most likely that of what is wanted.
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

/// The error of a list in place of a table whose parts are complained of at `path`.
pub(crate) fn list_for_table(tree: &mut Value, path: &str) -> Option<ScenarioError> {
    let ends = path.match_indices(['.', '[']).map(|(end, _)| end).chain([path.len()]);
    for place in ends.map(|end| &path[..end]) {
        let Some(example) = example(place) else { continue };
        let is_list = |value: &mut Value| value.is_array() && marks::marked(value).is_none();
        if blame::at(tree, place).is_some_and(is_list) {
            return Some(list(place, example));
        }
    }
    None
}

fn list(place: &str, example: &str) -> ScenarioError {
    ScenarioError::at(place, format!("expected a table such as {example}, not a list"))
}

/// Refuses a list that was read as a table.
pub(crate) fn only_tables(tree: &Value, scenario: &Scenario) -> Result<(), ScenarioError> {
    let Ok(read) = serde_json::to_value(scenario) else { return Ok(()) };
    match list_read_as_table(tree, &read, String::new()) {
        None => Ok(()),
        Some(path) => Err(match example(&path) {
            Some(example) => list(&path, example),
            None => ScenarioError::at(path, "expected a table, { key = value, ... }, not a list"),
        }),
    }
}

/// The path of the first list in `tree` that is a table in what was `read` of it.
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
