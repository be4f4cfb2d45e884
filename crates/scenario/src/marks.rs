//! Marks in the tree of a scenario: what stands in place of a value that no key accepts.
//!
//! TOML has numbers that are not finite; the tree has not and would leave the key out. A mark stands in
//! their place. Dates, which no key takes, are marked likewise.

use serde_json::{Value, json};

/// Begins a mark.
const MARK: &str = "not a finite number";
/// The key of the table that the parser makes of a date.
const DATE: &str = "$__toml_private_datetime";

/// Puts marks where the text has numbers that are not finite.
pub(crate) fn mark(tree: &mut Value, written: &toml::Value) {
    match (tree, written) {
        (tree, toml::Value::Float(f)) if !f.is_finite() => {
            let shown = if f.is_nan() { "nan".to_owned() } else { f.to_string() };
            *tree = json!([[MARK, shown]]);
        }
        (Value::Array(tree), toml::Value::Array(written)) => {
            tree.iter_mut().zip(written).for_each(|(tree, written)| mark(tree, written));
        }
        (Value::Object(tree), toml::Value::Table(written)) => {
            for (key, written) in written {
                if let Some(tree) = tree.get_mut(key) {
                    mark(tree, written);
                }
            }
        }
        _ => {}
    }
}

/// Puts marks where the tree has dates.
pub(crate) fn mark_dates(tree: &mut Value) {
    match tree {
        Value::Array(items) => items.iter_mut().for_each(mark_dates),
        Value::Object(fields) => {
            if let (1, Some(Value::String(date))) = (fields.len(), fields.get(DATE)) {
                *tree = json!([[MARK, format!("the date {date}")]]);
            } else {
                fields.values_mut().for_each(mark_dates);
            }
        }
        _ => {}
    }
}

/// What was written where a mark stands.
pub(crate) fn marked(value: &Value) -> Option<&str> {
    match value.get(0)?.as_array()?.as_slice() {
        [Value::String(mark), Value::String(shown)] if mark == MARK => Some(shown),
        _ => None,
    }
}
