//! A probability, checked at construction.

use std::fmt;
use std::str::FromStr;

use crate::quantity::{self, QuantityError, Unit};

const UNITS: &[Unit] = &[("%", 0.01)];

/// A number between 0 and 1. In configuration it may be a bare number (`0.01`) or a percentage
/// (`"1 %"`).
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Default)]
pub struct Probability(f64);

impl Probability {
    /// Cannot happen.
    pub const ZERO: Self = Self(0.0);
    /// Certain.
    pub const ONE: Self = Self(1.0);

    /// `p` as a probability, or `None` outside 0..=1 (NaN included).
    pub fn new(p: f64) -> Option<Self> {
        (0.0..=1.0).contains(&p).then_some(Self(p))
    }

    /// `p` clamped to 0..=1; NaN becomes 0.
    pub fn clamped(p: f64) -> Self {
        if p >= 1.0 { Self(1.0) } else { Self(p.max(0.0)) }
    }

    /// The plain number.
    pub const fn get(self) -> f64 {
        self.0
    }

    /// `1 - p`.
    pub fn complement(self) -> Self {
        Self(1.0 - self.0)
    }
}

impl fmt::Display for Probability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

fn outside(text: impl fmt::Display) -> QuantityError {
    QuantityError::new(format!(
        "{text} is not a probability: it lies between 0 and 1 (0.01 or \"1 %\")"
    ))
}

impl FromStr for Probability {
    type Err = QuantityError;
    fn from_str(text: &str) -> Result<Self, QuantityError> {
        let p = match text.trim().parse::<f64>() {
            Ok(p) => p,
            Err(_) => quantity::parse(text, "a probability", "1 %", UNITS)?,
        };
        Self::new(p).ok_or_else(|| outside(format_args!("\"{text}\"")))
    }
}

impl serde::Serialize for Probability {
    fn serialize<S: serde::Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.serialize_f64(self.0)
    }
}

impl<'de> serde::Deserialize<'de> for Probability {
    fn deserialize<D: serde::Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        struct Visitor;
        impl serde::de::Visitor<'_> for Visitor {
            type Value = Probability;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a probability between 0 and 1, such as 0.01 or \"1 %\"")
            }
            fn visit_f64<E: serde::de::Error>(self, v: f64) -> Result<Probability, E> {
                Probability::new(v).ok_or_else(|| E::custom(outside(v)))
            }
            fn visit_i64<E: serde::de::Error>(self, v: i64) -> Result<Probability, E> {
                self.visit_f64(v as f64)
            }
            fn visit_u64<E: serde::de::Error>(self, v: u64) -> Result<Probability, E> {
                self.visit_f64(v as f64)
            }
            fn visit_str<E: serde::de::Error>(self, v: &str) -> Result<Probability, E> {
                v.parse().map_err(E::custom)
            }
        }
        d.deserialize_any(Visitor)
    }
}

impl schemars::JsonSchema for Probability {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Probability".into()
    }
    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "description": "a probability: a number between 0 and 1, or a percentage such as \"1 %\"",
            "anyOf": [
                { "type": "number", "minimum": 0, "maximum": 1 },
                { "type": "string", "examples": ["1 %"] }
            ]
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_both_forms() {
        assert!((("1 %".parse::<Probability>().unwrap().get()) - 0.01).abs() < 1e-15);
        assert!((("0.25".parse::<Probability>().unwrap().get()) - 0.25).abs() < 1e-15);
        assert!("120 %".parse::<Probability>().is_err());
        assert!(Probability::new(f64::NAN).is_none());
    }
}
