//! A name with keys behind colons, as variants are written: `red:ecn=true`, `ftca:exclusive=true`.
//!
//! A key with a dot stands in a table within the table: `ll-arq:feedback.way=reverse`. A table with defaults alone
//! is `{}`: `per-station:controller={}`.

use airtcp_probe::reworded;
use airtcp_queueing::{Queue, QueueConfig};
use airtcp_random::Seed;
use serde_json::{Map, Value};

/// The name of a variant's part, in lower case.
pub(crate) fn name(text: &str) -> String {
    text.split(':').next().unwrap_or_default().trim().to_lowercase()
}

/// The keys of a text such as `ll-arq:arq=selective`.
///
/// # Errors
/// If something behind a colon is no key with a value.
pub(crate) fn keys(text: &str) -> Result<Map<String, Value>, String> {
    let mut table = Map::new();
    for part in text.split(':').map(str::trim).skip(1) {
        let (key, value) = part
            .split_once('=')
            .ok_or_else(|| format!("expected KEY=VALUE behind the colon, not \"{part}\""))?;
        let (key, value) = (key.trim(), value_of(value.trim()));
        match key.split_once('.') {
            Some((outer, inner)) => {
                let inside = table.entry(outer).or_insert_with(|| Value::Object(Map::new()));
                if let Some(inside) = inside.as_object_mut() {
                    inside.insert(inner.to_owned(), value);
                }
            }
            None => {
                table.insert(key.to_owned(), value);
            }
        }
    }
    Ok(table)
}

/// The table that a text such as `ll-arq:arq=selective` stands for; its name is the value of `tag`.
///
/// # Errors
/// As [`keys`].
pub(crate) fn table(tag: &str, text: &str) -> Result<Value, String> {
    let mut table = keys(text)?;
    table.insert(tag.to_owned(), Value::from(name(text)));
    Ok(Value::Object(table))
}

/// The queue discipline of a text such as `red:ecn=true`.
///
/// # Errors
/// If a key or a value is impossible.
pub(crate) fn queue(text: &str) -> Result<QueueConfig, String> {
    let config: QueueConfig =
        serde_json::from_value(table("kind", text)?).map_err(|e| reworded(&e.to_string()))?;
    Queue::new(&config, Seed::new(0), "").map_err(|e| e.to_string())?;
    Ok(config)
}

/// A number, a flag or the empty table if it reads as one, else text.
pub(crate) fn value_of(text: &str) -> Value {
    let is_empty_table = |v: &Value| v.as_object().is_some_and(Map::is_empty);
    serde_json::from_str::<Value>(text)
        .ok()
        .filter(|v| v.is_number() || v.is_boolean() || is_empty_table(v))
        .unwrap_or_else(|| Value::from(text))
}
