//! Errors of values in place of a name that a key accepts.
//!
//! serde says of such a value only that it expected a string or a map. This file puts a name that no key
//! accepts in its place: the error then lists the names.

use airtcp_probe::reworded;
use serde_json::Value;

use crate::ScenarioError;
use crate::error_key::{self, ReadError};

/// A name that no key accepts.
const NO_NAME: &str = "\0";

/// The error of the value at `path` in place of a name; `None` if the error has another cause.
pub(crate) fn error(tree: &mut Value, path: &str, read_error: &ReadError) -> Option<ScenarioError> {
    let (_, expected) = read_error.1.strip_prefix("invalid type: ")?.rsplit_once(", expected ")?;
    if expected != "string or map" && expected != "variant identifier" {
        return None;
    }
    let said = reworded(&read_error.1);
    let (_, found) = said.rsplit_once(", not ")?;
    let message = with(tree, path, NO_NAME)?;
    if !message.starts_with("unknown variant") {
        return None;
    }
    let names = message.split('`').skip(3).step_by(2);
    let (mut forms, mut form) = (Vec::new(), "a name");
    for name in names {
        // A variant with a value of its own is a table with one key.
        let is_table = with(tree, path, name).is_some_and(|e| e.contains("unit variant"));
        form = if is_table { "a name or a table" } else { form };
        forms.push(if is_table { format!("{{ {name} = ... }}") } else { name.to_owned() });
    }
    let accepted = forms.join(", ");
    Some(ScenarioError::at(path, format!("expected {form} (accepted: {accepted}), not {found}")))
}

/// serde's error with this name at `path`; `None` if it is accepted.
fn with(tree: &mut Value, path: &str, name: &str) -> Option<String> {
    let before = std::mem::replace(error_key::value_at(tree, path)?, Value::from(name));
    let message = error_key::deserialize(tree).err().map(|error| error.1);
    *error_key::value_at(tree, path)? = before;
    message
}
