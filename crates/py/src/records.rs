//! Columns of a table from records of results: one for each number, word or flag of the record,
//! under its key, in the order of its fields. A quantity added to a record appears in the table
//! without further code.
//!
//! The types come from the record's JSON Schema, the values from its serialisation. An estimate
//! becomes three columns (`KEY`, `KEY_ci_low`, `KEY_ci_high`), a pair of numbers two (`KEY_low`,
//! `KEY_high`); lists, maps and records get no column here.

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow_array::{ArrayRef, BooleanArray, Float64Array, Int64Array, StringArray, UInt64Array};
use arrow_schema::DataType;
use schemars::JsonSchema;
use serde::de::{self, DeserializeOwned, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Serialize, forward_to_deserialize_any};
use serde_json::{Map, Value};

use crate::table::Columns;

/// What a column holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Real,
    Count,
    Signed,
    Flag,
    Text,
    Pair,
    Estimate,
}

/// The keys of a record that become columns, in the order of its fields. A type with flattened
/// parts does not give that order; then it is the order of `example`, the record as JSON text.
fn columns_of<R: JsonSchema + DeserializeOwned>(example: Option<&str>) -> Vec<(String, Kind)> {
    let schema = schemars::schema_for!(R).to_value();
    let mut kinds: BTreeMap<String, Kind> = BTreeMap::new();
    if let Some(Value::Object(properties)) = schema.get("properties") {
        let resolved = |of: &Value| -> Option<Kind> {
            let named = of.get("$ref").and_then(Value::as_str);
            let defined = named.and_then(|name| schema.pointer(name.trim_start_matches('#')));
            kind(of).or_else(|| kind(defined?))
        };
        let columns = properties.iter().filter_map(|(key, of)| Some((key.clone(), resolved(of)?)));
        kinds.extend(columns);
    }
    let mut fields: Option<&'static [&'static str]> = None;
    // Always fails: it only asks for the names of the fields.
    drop(R::deserialize(Fields(&mut fields)));
    let written = || example.and_then(|text| serde_json::from_str(text).ok());
    let order = match fields {
        Some(fields) => fields.iter().map(|name| (*name).to_owned()).collect(),
        None => written().unwrap_or(Order(Vec::new())).0,
    };
    let mut keys: Vec<(String, Kind)> =
        order.iter().filter_map(|name| kinds.remove_entry(name)).collect();
    keys.extend(kinds);
    keys
}

/// The keys of a JSON object in their order.
struct Order(Vec<String>);

impl<'de> Deserialize<'de> for Order {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Keys;
        impl<'de> Visitor<'de> for Keys {
            type Value = Order;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Order, A::Error> {
                let mut keys = Vec::new();
                while let Some((key, _)) = map.next_entry::<String, IgnoredAny>()? {
                    keys.push(key);
                }
                Ok(Order(keys))
            }
        }
        deserializer.deserialize_map(Keys)
    }
}

fn kind(schema: &Value) -> Option<Kind> {
    let is_estimate = |of: &Value| {
        of.get("$ref").and_then(Value::as_str).is_some_and(|name| name.ends_with("/Estimate"))
    };
    let either = || schema.get("anyOf").and_then(Value::as_array);
    if is_estimate(schema) || either().is_some_and(|of| of.iter().any(is_estimate)) {
        return Some(Kind::Estimate);
    }
    let has = |key: &str, value: u64| schema.get(key).and_then(Value::as_u64) == Some(value);
    let named = schema.get("oneOf").and_then(Value::as_array);
    if named.is_some_and(|of| of.iter().all(|one| one.get("const").is_some_and(Value::is_string))) {
        return Some(Kind::Text);
    }
    let word = match schema.get("type")? {
        Value::Array(several) => several.iter().filter_map(Value::as_str).find(|t| *t != "null")?,
        one => one.as_str()?,
    };
    match word {
        "number" => Some(Kind::Real),
        "integer" if has("minimum", 0) => Some(Kind::Count),
        "integer" => Some(Kind::Signed),
        "array" if has("minItems", 2) && has("maxItems", 2) => Some(Kind::Pair),
        "boolean" => Some(Kind::Flag),
        "string" => Some(Kind::Text),
        _ => None,
    }
}

/// Asks a type for the names of its fields, in their order.
struct Fields<'a>(&'a mut Option<&'static [&'static str]>);

impl<'de> Deserializer<'de> for Fields<'_> {
    type Error = de::value::Error;

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Self::Error> {
        Err(de::Error::custom("only names"))
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Self::Error> {
        *self.0 = Some(fields);
        self.deserialize_any(visitor)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit
        unit_struct newtype_struct seq tuple tuple_struct map enum identifier ignored_any
    }
}

impl<'a, T> Columns<'a, T> {
    /// Columns of the records that `of` gives, all of one type; a row without one has nulls. Keys in `but`
    /// get no column.
    pub(crate) fn records<R>(self, but: &[&str], of: impl Fn(&'a T) -> Option<&'a R>) -> Self
    where
        R: JsonSchema + DeserializeOwned + Serialize + 'a,
    {
        self.prefixed("", but, of)
    }

    /// As [`Self::records`], with `prefix` before each key.
    pub(crate) fn prefixed<R>(
        self,
        prefix: &str,
        but: &[&str],
        of: impl Fn(&'a T) -> Option<&'a R>,
    ) -> Self
    where
        R: JsonSchema + DeserializeOwned + Serialize + 'a,
    {
        let rows: Vec<Option<Map<String, Value>>> = self
            .rows()
            .iter()
            .map(|row| match serde_json::to_value(of(row)?) {
                Ok(Value::Object(record)) => Some(record),
                _ => None,
            })
            .collect();
        let longest = (0..rows.len()).max_by_key(|i| rows[*i].as_ref().map_or(0, Map::len));
        let longest = longest.and_then(|i| of(&self.rows()[i]));
        let example = longest.and_then(|record| serde_json::to_string(record).ok());
        let keys = columns_of::<R>(example.as_deref())
            .into_iter()
            .filter(|(key, _)| !but.contains(&key.as_str()));
        keys.fold(self, |table, (key, kind)| {
            let values: Vec<Option<&Value>> =
                rows.iter().map(|row| row.as_ref()?.get(&key)).collect();
            table.column(&format!("{prefix}{key}"), kind, &values)
        })
    }

    fn column(self, key: &str, kind: Kind, values: &[Option<&Value>]) -> Self {
        let values = || values.iter().copied();
        let reals = |get: &dyn Fn(&Value) -> Option<f64>| -> ArrayRef {
            Arc::new(values().map(|value| get(value?)).collect::<Float64Array>())
        };
        let (of, array): (DataType, ArrayRef) = match kind {
            Kind::Real => (DataType::Float64, reals(&Value::as_f64)),
            Kind::Count => {
                let column: UInt64Array = values().map(|value| value?.as_u64()).collect();
                (DataType::UInt64, Arc::new(column))
            }
            Kind::Signed => {
                let column: Int64Array = values().map(|value| value?.as_i64()).collect();
                (DataType::Int64, Arc::new(column))
            }
            Kind::Flag => {
                let column: BooleanArray = values().map(|value| value?.as_bool()).collect();
                (DataType::Boolean, Arc::new(column))
            }
            Kind::Text => {
                let column: StringArray = values().map(|value| value?.as_str()).collect();
                (DataType::Utf8, Arc::new(column))
            }
            Kind::Pair => {
                let end = |i: usize| reals(&move |value| value.get(i)?.as_f64());
                return self.push(&format!("{key}_low"), DataType::Float64, end(0)).push(
                    &format!("{key}_high"),
                    DataType::Float64,
                    end(1),
                );
            }
            Kind::Estimate => {
                let part = |part: &'static str| reals(&move |value| value.get(part)?.as_f64());
                return self
                    .push(key, DataType::Float64, part("mean"))
                    .push(&format!("{key}_ci_low"), DataType::Float64, part("ci_low"))
                    .push(&format!("{key}_ci_high"), DataType::Float64, part("ci_high"));
            }
        };
        self.push(key, of, array)
    }
}

/// The keys of a record that become columns.
pub(crate) fn keys<R: JsonSchema + DeserializeOwned>() -> Vec<String> {
    columns_of::<R>(None).into_iter().map(|(key, _)| key).collect()
}
