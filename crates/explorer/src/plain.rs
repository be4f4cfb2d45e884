//! A scenario as TOML: keys in the order of a written file, a `[[table]]` for each link, cell and flow.

use serde_json::{Map, Value};
use toml_edit::{Array, ArrayOfTables, DocumentMut, InlineTable, Item, Table, value};

/// Keys that stand first, in this order, in the file and in its tables.
const FIRST: [&str; 16] = [
    "title",
    "seed",
    "duration",
    "warmup",
    "replications",
    "topology",
    "links",
    "cells",
    "kind",
    "model",
    "scheme",
    "name",
    "profile",
    "from",
    "to",
    "count",
];

/// The keys whose elements are tables of their own.
const TABLES: [&str; 3] = ["links", "cells", "flows"];

/// The TOML text of a tree without nulls.
pub(crate) fn toml(tree: &Value) -> String {
    let mut document = DocumentMut::new();
    let Value::Object(root) = tree else { return String::new() };
    for (key, part) in ordered(root) {
        let item = match part {
            Value::Array(list) if TABLES.contains(&key.as_str()) => tables(list),
            part => value(inline(part)),
        };
        document.insert(key, item);
    }
    document.to_string()
}

fn tables(list: &[Value]) -> Item {
    let mut made = ArrayOfTables::new();
    for element in list {
        let mut table = Table::new();
        if let Value::Object(keys) = element {
            for (key, part) in ordered(keys) {
                table.insert(key, value(inline(part)));
            }
        }
        made.push(table);
    }
    Item::ArrayOfTables(made)
}

fn ordered(table: &Map<String, Value>) -> Vec<(&String, &Value)> {
    let mut all: Vec<_> = table.iter().collect();
    let place = |key: &str| FIRST.iter().position(|first| *first == key).unwrap_or(FIRST.len());
    all.sort_by_key(|(key, _)| place(key));
    all
}

/// A value in one line.
fn inline(value: &Value) -> toml_edit::Value {
    match value {
        Value::Object(table) => {
            let keys = ordered(table).into_iter();
            let made: InlineTable = keys.map(|(key, part)| (key.clone(), inline(part))).collect();
            made.into()
        }
        Value::Array(list) => list.iter().map(inline).collect::<Array>().into(),
        Value::String(text) => text.as_str().into(),
        Value::Bool(flag) => (*flag).into(),
        Value::Number(number) => number_of(number),
        Value::Null => "".into(),
    }
}

/// A number as TOML. A seed above the integers of the writer is written as it stands.
fn number_of(number: &serde_json::Number) -> toml_edit::Value {
    match (number.as_i64(), number.as_f64()) {
        (Some(whole), _) => whole.into(),
        (None, Some(real)) if !number.is_u64() => real.into(),
        _ => number.to_string().parse().unwrap_or_else(|_| 0.into()),
    }
}
