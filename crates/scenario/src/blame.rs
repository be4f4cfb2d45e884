//! Which key of a table is to blame for an error.
//!
//! Tables whose `kind` (`model`, `law`) says what else they hold are read in one piece, so that
//! an error in them comes without its key. The key is found by trial: it is the one without which
//! the error is another, or none.

use serde_json::Value;

use crate::Scenario;
use crate::steps::{Step, steps};

/// Keys of a table that are tried: more have no table of a scenario.
const MAX_KEYS: usize = 64;
/// Keys that say what a table holds: to blame only if no other is.
const TAGS: [&str; 3] = ["kind", "model", "law"];

/// What serde said: where, and what.
pub(crate) type Complaint = (String, String);

/// Reads a scenario from its tree.
///
/// # Errors
/// The first thing that is wrong with it.
pub(crate) fn scenario(tree: &Value) -> Result<Scenario, Complaint> {
    serde_path_to_error::deserialize(tree)
        .map_err(|e| (e.path().to_string(), e.inner().to_string()))
}

/// The path of a complaint, continued to the value that it is about.
pub(crate) fn pinpoint(tree: &mut Value, complaint: &Complaint) -> String {
    let (mut path, message) = (complaint.0.clone(), &complaint.1);
    if path == "." || ["unknown field", "missing field"].iter().any(|m| message.starts_with(m)) {
        return path;
    }
    while let Some(key) = culprit(tree, &path, complaint) {
        path = format!("{path}.{key}");
    }
    path
}

/// The key of the table at `path` without which the complaint is another.
fn culprit(tree: &mut Value, path: &str, complaint: &Complaint) -> Option<String> {
    let table = at(tree, path)?.as_object()?.clone();
    let (tags, others): (Vec<_>, Vec<_>) =
        table.keys().take(MAX_KEYS).partition(|key| TAGS.contains(&key.as_str()));
    let mut found = None;
    for key in others.into_iter().chain(tags) {
        let mut rest = table.clone();
        rest.remove(key);
        *at(tree, path)? = Value::Object(rest);
        if scenario(tree).err().as_ref() != Some(complaint) {
            found = Some(key.clone());
            break;
        }
    }
    *at(tree, path)? = Value::Object(table);
    found
}

/// The value at a path.
pub(crate) fn at<'a>(tree: &'a mut Value, path: &str) -> Option<&'a mut Value> {
    steps(path).into_iter().try_fold(tree, |at, step| match step {
        Step::Key(key) => at.get_mut(key),
        Step::Index(n) => at.get_mut(n),
    })
}
