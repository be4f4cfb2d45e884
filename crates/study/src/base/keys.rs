//! A name with keys behind colons, as variants are written: `red:ecn=true`, `ftca:exclusive=true`.
//!
//! A key with a dot stands in a table within the table: `ll-arq:feedback.way=reverse`. A table with defaults alone
//! is `{}`: `per-station:controller={}`.

use airtcp_probe::{explained, reworded};
use airtcp_queueing::{Queue, QueueConfig};
use airtcp_random::Seed;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

/// The name of a variant's part, in lower case.
pub(crate) fn name(text: &str) -> String {
    text.split(':').next().unwrap_or_default().trim().to_lowercase()
}

/// The key and the value of a part behind a colon.
///
/// # Errors
/// If it is no key with a value.
pub(crate) fn pair(part: &str) -> Result<(&str, &str), String> {
    let both = part.split_once('=').map(|(key, value)| (key.trim(), value.trim()));
    both.ok_or_else(|| format!("expected KEY=VALUE behind the colon, not \"{part}\""))
}

/// The keys of a text such as `ll-arq:arq=selective`.
///
/// # Errors
/// If something behind a colon is no key with a value.
pub(crate) fn keys(text: &str) -> Result<Map<String, Value>, String> {
    let mut table = Map::new();
    for part in text.split(':').map(str::trim).skip(1) {
        let (key, value) = pair(part)?;
        let value = value_of(value);
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
    if table.contains_key(tag) {
        return Err(format!("{tag}: the name before the colon is its value; omit the key"));
    }
    table.insert(tag.to_owned(), Value::from(name(text)));
    Ok(Value::Object(table))
}

/// Reads the table that a text such as `ftca:exclusive=true` stands for.
///
/// # Errors
/// The key in error, what was found and what is accepted.
pub(crate) fn read<T: DeserializeOwned>(tag: &str, table: &Value) -> Result<T, String> {
    let read_from =
        |table: &Value| serde_json::from_value::<T>(table.clone()).map_err(|e| e.to_string());
    let error = match read_from(table) {
        Ok(read) => return Ok(read),
        Err(error) => error,
    };
    let is_faulty = |(_, rest): &(String, Value)| read_from(rest).err().as_ref() != Some(&error);
    let found = explained(&error);
    // The message about a name has the name already.
    let is_name = error.starts_with("unknown field") || error.starts_with("missing field");
    let faulty = without_each(table).into_iter().filter(|(key, _)| key != tag).find(is_faulty);
    Err(match faulty.filter(|_| !is_name) {
        Some((key, _)) => format!("{key}: {found}"),
        None => found,
    })
}

/// Each key of a table and of the tables in it, the inner ones first, and the table without it.
fn without_each(table: &Value) -> Vec<(String, Value)> {
    let keys = |value: &Value| -> Vec<String> {
        value.as_object().map(|table| table.keys().cloned().collect()).unwrap_or_default()
    };
    let mut each = Vec::new();
    for key in keys(table) {
        for inner in keys(&table[&key]) {
            let mut rest = table.clone();
            if let Some(table) = rest[&key].as_object_mut() {
                table.remove(&inner);
            }
            each.push((format!("{key}.{inner}"), rest));
        }
        let mut rest = table.clone();
        if let Some(table) = rest.as_object_mut() {
            table.remove(&key);
        }
        each.push((key, rest));
    }
    each
}

/// A table with `keys` in place of its own.
///
/// # Errors
/// If a key or a value is impossible.
pub(crate) fn merged<'k, T: Serialize + DeserializeOwned>(
    base: &T,
    keys: impl IntoIterator<Item = (&'k String, &'k Value)>,
) -> Result<T, String> {
    let mut table = serde_json::to_value(base).map_err(|e| e.to_string())?;
    if let Some(table) = table.as_object_mut() {
        table.extend(keys.into_iter().map(|(key, value)| (key.clone(), value.clone())));
    }
    serde_json::from_value(table).map_err(|e| reworded(&e.to_string()))
}

/// The queue discipline of a text such as `red:ecn=true`.
///
/// # Errors
/// If a key or a value is impossible.
pub(crate) fn queue(text: &str) -> Result<QueueConfig, String> {
    let config: QueueConfig = read("kind", &table("kind", text)?)?;
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

#[cfg(test)]
mod tests {
    use airtcp_wifi::scheme::SchemeConfig;

    use super::*;

    fn refusal(text: &str) -> String {
        read::<SchemeConfig>("scheme", &table("scheme", text).unwrap()).unwrap_err()
    }

    #[test]
    fn errors_name_the_key_in_plain_words() {
        for (text, said) in [
            ("ftca:exclusive=maybe", "exclusive: expected true or false, not \"maybe\""),
            ("ftca:at=3", "at: expected a name, not 3"),
            ("ftca:at=ap", "at: unknown value \"ap\" (accepted: both, access-point, stations)"),
            (
                "ftca:exclusiv=true",
                "unknown key \"exclusiv\"; did you mean \"exclusive\"? (accepted: at, exclusive, ack_access)",
            ),
            (
                "per-station:controller.tolerance=much:controller.aifsn_min=2",
                "controller.tolerance: expected a number, not \"much\"",
            ),
        ] {
            assert_eq!(refusal(text), said);
        }
        let wrong = queue("red:ecn=perhaps").unwrap_err();
        assert_eq!(wrong, "ecn: expected true or false, not \"perhaps\"");
    }
}
