//! The value of `tsq`: by rule, a fixed memory, or none.

use std::fmt;

use airtcp_units::Bytes;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

/// Whether a sender limits what it has below it, in the queue and the device of its own host.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Tsq {
    /// `true`: the rule of Linux. `false`: no limit.
    Rule(bool),
    /// A fixed limit in bytes of memory.
    Fixed(Bytes),
}

impl<'de> Deserialize<'de> for Tsq {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Value;
        impl Visitor<'_> for Value {
            type Value = Tsq;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("true, false or a length as a string such as \"128 KiB\"")
            }
            fn visit_bool<E: Error>(self, on: bool) -> Result<Tsq, E> {
                Ok(Tsq::Rule(on))
            }
            fn visit_str<E: Error>(self, text: &str) -> Result<Tsq, E> {
                let other = |e| E::custom(format!("{e}; true and false are accepted, too"));
                text.parse().map(Tsq::Fixed).map_err(other)
            }
        }
        from.deserialize_any(Value)
    }
}

impl JsonSchema for Tsq {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Tsq".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let bytes = generator.subschema_for::<Bytes>();
        schemars::json_schema!({
            "description": "Whether a sender limits what it has below it: the rule of Linux, a fixed memory, or no limit",
            "anyOf": [{ "type": "boolean" }, bytes]
        })
    }
}
