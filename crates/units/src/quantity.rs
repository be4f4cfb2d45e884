//! Reads quantities written as a number, an optional space and a unit.
//!
//! The scenario format takes strings such as `"54 Mb/s"`, `"9 us"` or `"1 %"`. A number without its unit
//! is refused.

use std::fmt;

/// Error of a string that is not the expected quantity. The message names what was found and what is
/// accepted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QuantityError {
    message: String,
}

impl QuantityError {
    /// An error with a complete message.
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into() }
    }
}

impl fmt::Display for QuantityError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for QuantityError {}

/// One accepted unit: its spelling and how many base units it holds.
pub(crate) type Unit = (&'static str, f64);

/// Parses `text` as a number with one of `units`; the result is in base units. The error names the
/// quantity as `what` ("a time") and shows `example`.
pub(crate) fn parse(
    text: &str,
    what: &str,
    example: &str,
    units: &[Unit],
) -> Result<f64, QuantityError> {
    let accepted = || units.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ");
    let trimmed = text.trim();
    let split = number_end(trimmed);
    let (number, unit) = (trimmed[..split].replace('_', ""), trimmed[split..].trim());
    let value: f64 = number.parse().map_err(|_| {
        QuantityError::new(format!("expected {what} such as \"{example}\", found \"{text}\""))
    })?;
    if unit.is_empty() {
        return Err(QuantityError::new(format!(
            "expected {what} with its unit such as \"{example}\", found \"{text}\" (units: {})",
            accepted()
        )));
    }
    let Some((_, scale)) = units.iter().find(|(name, _)| *name == unit) else {
        return Err(QuantityError::new(format!(
            "unknown unit \"{unit}\" in \"{text}\": expected {what} such as \"{example}\" (units: {})",
            accepted()
        )));
    };
    if value.is_finite() {
        Ok(value * scale)
    } else {
        Err(QuantityError::new(format!("\"{text}\" is not a finite number")))
    }
}

/// End of the leading number: digits, sign, point, underscore, exponent.
fn number_end(text: &str) -> usize {
    let bytes = text.as_bytes();
    let mut i = 0;
    while i < bytes.len() {
        let c = bytes[i];
        let in_exponent = i > 0 && matches!(bytes[i - 1], b'e' | b'E');
        let number = c.is_ascii_digit()
            || c == b'.'
            || c == b'_'
            || ((c == b'-' || c == b'+') && (i == 0 || in_exponent))
            || (matches!(c, b'e' | b'E')
                && i > 0
                && bytes
                    .get(i + 1)
                    .is_some_and(|n| n.is_ascii_digit() || matches!(n, b'-' | b'+')));
        if !number {
            break;
        }
        i += 1;
    }
    i
}

/// Gives a quantity type its string form in configuration files and in the JSON Schema.
macro_rules! string_quantity {
    ($type:ty, $what:literal, $example:literal) => {
        impl serde::Serialize for $type {
            fn serialize<S: serde::Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
                s.collect_str(self)
            }
        }
        impl<'de> serde::Deserialize<'de> for $type {
            fn deserialize<D: serde::Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
                struct Visitor;
                impl serde::de::Visitor<'_> for Visitor {
                    type Value = $type;
                    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                        f.write_str(concat!($what, " as a string such as \"", $example, "\""))
                    }
                    fn visit_str<E: serde::de::Error>(self, v: &str) -> Result<$type, E> {
                        v.parse().map_err(E::custom)
                    }
                }
                d.deserialize_str(Visitor)
            }
        }
        impl schemars::JsonSchema for $type {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($type).into()
            }
            fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                schemars::json_schema!({
                    "type": "string",
                    "description": concat!($what, " with its unit, such as \"", $example, "\""),
                    "examples": [$example]
                })
            }
        }
    };
}
pub(crate) use string_quantity;
