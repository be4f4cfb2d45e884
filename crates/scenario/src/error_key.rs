//! Finds the key in a table that causes an error.
//!
//! serde buffers a table whose `kind` (`model`, `law`, `scheme`) decides its other keys, so an error inside comes
//! without the key. This file removes one key, or table of a list, after the other: if the error changes or goes away,
//! the key is found.

use serde_json::Value;

use crate::Scenario;
use crate::steps::{Step, steps};

/// Maximum number of keys tried; no table of a scenario has more.
const MAX_KEYS: usize = 64;
/// Keys that decide the other keys of a table. They are tried last.
const TAGS: [&str; 6] = ["kind", "model", "law", "control", "scheme", "lengths"];

/// Path and message of serde's error.
pub(crate) type ReadError = (String, String);

/// Deserializes a scenario from its tree.
///
/// # Errors
/// serde's first error.
pub(crate) fn deserialize(tree: &Value) -> Result<Scenario, ReadError> {
    serde_path_to_error::deserialize(tree)
        .map_err(|e| (e.path().to_string(), e.inner().to_string()))
}

/// The path of an error, extended to the value that causes it.
pub(crate) fn path_of(tree: &mut Value, error: &ReadError) -> String {
    let (mut path, message) = (error.0.clone(), &error.1);
    if path == "." || ["unknown field", "missing field"].iter().any(|m| message.starts_with(m)) {
        return path;
    }
    // Each turn goes one level deeper, so the depth of the tree bounds the loop.
    loop {
        if let Some(key) = faulty_key(tree, &path, error) {
            if !is_spelled(&key) {
                return path;
            }
            path = format!("{path}.{key}");
        } else if let Some(place) = faulty_row(tree, &path, error) {
            path = format!("{path}[{place}]");
        } else {
            return path;
        }
    }
}

/// Whether a path can hold a key. With an empty one, `steps` would lead to the table itself again.
fn is_spelled(key: &str) -> bool {
    !key.is_empty() && !key.contains(['.', '['])
}

/// The table of the list at `path` whose removal changes the error.
fn faulty_row(tree: &mut Value, path: &str, error: &ReadError) -> Option<usize> {
    let rows = value_at(tree, path)?.as_array()?.clone();
    let tables = (0..rows.len().min(MAX_KEYS)).filter(|place| rows[*place].is_object());
    let mut found = None;
    for place in tables {
        let mut rest = rows.clone();
        rest.remove(place);
        *value_at(tree, path)? = Value::Array(rest);
        if deserialize(tree).err().as_ref() != Some(error) {
            found = Some(place);
            break;
        }
    }
    *value_at(tree, path)? = Value::Array(rows);
    found
}

/// The key of the table at `path` whose removal changes the error.
fn faulty_key(tree: &mut Value, path: &str, error: &ReadError) -> Option<String> {
    let table = value_at(tree, path)?.as_object()?.clone();
    let (tags, others): (Vec<_>, Vec<_>) =
        table.keys().take(MAX_KEYS).partition(|key| TAGS.contains(&key.as_str()));
    let mut found = None;
    for key in others.into_iter().chain(tags) {
        let mut rest = table.clone();
        rest.remove(key);
        *value_at(tree, path)? = Value::Object(rest);
        if deserialize(tree).err().as_ref() != Some(error) {
            found = Some(key.clone());
            break;
        }
    }
    *value_at(tree, path)? = Value::Object(table);
    found
}

/// The value at a path.
pub(crate) fn value_at<'a>(tree: &'a mut Value, path: &str) -> Option<&'a mut Value> {
    steps(path).into_iter().try_fold(tree, |at, step| match step {
        Step::Key(key) => at.get_mut(key),
        Step::Index(n) => at.get_mut(n),
    })
}
