//! Placeholders in the tree of a scenario for values that no key accepts.
//!
//! TOML has infinite numbers and NaN, but the JSON tree has not and would omit the key. A placeholder
//! replaces them, and dates as well. It holds the text of the value for error messages.

use serde_json::{Value, json};

/// First element of a placeholder.
const PLACEHOLDER: &str = "not a finite number";
/// The parser turns a date into a table with this key.
const DATE: &str = "$__toml_private_datetime";

/// Replaces numbers that are not finite.
pub(crate) fn replace_not_finite(tree: &mut Value, written: &toml::Value) {
    match (tree, written) {
        (tree, toml::Value::Float(f)) if !f.is_finite() => {
            let shown = if f.is_nan() { "nan".to_owned() } else { f.to_string() };
            *tree = json!([[PLACEHOLDER, shown]]);
        }
        (Value::Array(tree), toml::Value::Array(written)) => {
            tree.iter_mut()
                .zip(written)
                .for_each(|(tree, written)| replace_not_finite(tree, written));
        }
        (Value::Object(tree), toml::Value::Table(written)) => {
            for (key, written) in written {
                if let Some(tree) = tree.get_mut(key) {
                    replace_not_finite(tree, written);
                }
            }
        }
        _ => {}
    }
}

/// Replaces dates.
pub(crate) fn replace_dates(tree: &mut Value) {
    match tree {
        Value::Array(items) => items.iter_mut().for_each(replace_dates),
        Value::Object(fields) => {
            if let (1, Some(Value::String(date))) = (fields.len(), fields.get(DATE)) {
                *tree = json!([[PLACEHOLDER, format!("the date {date}")]]);
            } else {
                fields.values_mut().for_each(replace_dates);
            }
        }
        _ => {}
    }
}

/// The text that a placeholder replaced; `None` for other values.
pub(crate) fn replaced_text(value: &Value) -> Option<&str> {
    match value.get(0)?.as_array()?.as_slice() {
        [Value::String(key), Value::String(shown)] if key == PLACEHOLDER => Some(shown),
        _ => None,
    }
}
