//! The rate of a link: constant, varying as recorded, or changing in steps.

use std::fmt;
use std::sync::Arc;

use airtcp_probe::ConfigError;
use airtcp_units::{BitRate, Capacity, Span};
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserialize, Deserializer, Error, MapAccess, Visitor};
use serde::{Serialize, Serializer};

use crate::Steps;

/// The rate of a link's transmitter.
#[derive(Debug, Clone, PartialEq)]
pub enum Rate {
    /// A constant rate.
    Constant(BitRate),
    /// A rate that varies as recorded in a file.
    Trace(RateTrace),
    /// A rate that changes at given times.
    Steps(Steps<BitRate>),
}

/// A rate that varies as recorded in a file: a mahimahi link trace (each line is a delivery
/// opportunity of 1504 bytes, at that millisecond), or a table of times and rates. The file repeats
/// after its end.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RateTrace {
    /// The file, relative to the scenario.
    pub trace: String,
    /// Position in the file at which the run begins. Default: its start.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub offset: Span,
    /// Unit of the rates if the table's header has none: "b/s", "kb/s", "Mb/s", "Gb/s", "B/s",
    /// "kB/s" or "MB/s".
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unit: Option<String>,
    /// Factor on the rates. An opportunity carries that many times its bytes: with 2 the link is that of a file
    /// with every line twice. From 0.001 to 1000; default: 1.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub scale: f64,
    /// Content of the file, without `scale`. The caller reads it; this crate opens no files.
    #[serde(skip)]
    pub capacity: Option<Arc<Capacity>>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(span: &Span) -> bool {
    *span == Span::ZERO
}

const fn one() -> f64 {
    1.0
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_one(scale: &f64) -> bool {
    scale.to_bits() == 1.0_f64.to_bits()
}

/// Accepted factors (a choice: beyond them, no bytes or no gaps are left).
const SCALES: std::ops::RangeInclusive<f64> = 0.001..=1_000.0;

impl Default for RateTrace {
    fn default() -> Self {
        let (trace, unit) = (String::new(), None);
        Self { trace, offset: Span::ZERO, unit, scale: 1.0, capacity: None }
    }
}

impl RateTrace {
    /// The capacity of the link: that of the file times `scale`. `None` if the file was not read.
    ///
    /// # Errors
    /// If the factor is out of range, or leaves nothing of the rates.
    pub fn scaled(&self) -> Result<Option<Arc<Capacity>>, ConfigError> {
        if !SCALES.contains(&self.scale) {
            let message = format!("is {}: expected 0.001 to 1000", self.scale);
            return Err(ConfigError::new("rate.scale", message));
        }
        let Some(capacity) = &self.capacity else { return Ok(None) };
        if is_one(&self.scale) {
            return Ok(Some(capacity.clone()));
        }
        let scaled = capacity.scaled(self.scale).ok_or_else(|| {
            let message = format!("is {}, which makes all rates less than 1 b/s", self.scale);
            ConfigError::new("rate.scale", message)
        })?;
        Ok(Some(Arc::new(scaled)))
    }
}

impl From<BitRate> for Rate {
    fn from(rate: BitRate) -> Self {
        Self::Constant(rate)
    }
}

impl fmt::Display for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Constant(rate) => rate.fmt(f),
            Self::Trace(trace) => write!(f, "that of \"{}\"", trace.trace),
            Self::Steps(all) => write!(f, "that of {} steps", all.steps.len()),
        }
    }
}

impl Serialize for Rate {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Constant(rate) => rate.serialize(s),
            Self::Trace(trace) => trace.serialize(s),
            Self::Steps(all) => all.serialize(s),
        }
    }
}

impl<'de> Deserialize<'de> for Rate {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        struct Either;
        impl<'de> Visitor<'de> for Either {
            type Value = Rate;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(
                    "a rate as a string such as \"54 Mb/s\", or a table such as \
                     { trace = \"lte.down\" } or { steps = [[\"0 s\", \"20 Mb/s\"], [\"20 s\", \"5 Mb/s\"]] }",
                )
            }
            fn visit_str<E: Error>(self, text: &str) -> Result<Rate, E> {
                text.parse().map(Rate::Constant).map_err(E::custom)
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Rate, A::Error> {
                Table::deserialize(MapAccessDeserializer::new(map))?
                    .rate()
                    .map_err(A::Error::custom)
            }
        }
        d.deserialize_any(Either)
    }
}

/// The table of either kind of varying rate.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    trace: Option<String>,
    steps: Option<Vec<(Span, BitRate)>>,
    offset: Option<Span>,
    unit: Option<String>,
    scale: Option<f64>,
}

impl Table {
    fn rate(self) -> Result<Rate, &'static str> {
        let Self { trace, steps, offset, unit, scale } = self;
        match (trace, steps) {
            (Some(trace), None) => Ok(Rate::Trace(RateTrace {
                trace,
                offset: offset.unwrap_or(Span::ZERO),
                unit,
                scale: scale.unwrap_or(1.0),
                capacity: None,
            })),
            (None, Some(steps)) if offset.is_none() && unit.is_none() && scale.is_none() => {
                Ok(Rate::Steps(Steps { steps }))
            }
            (None, Some(_)) => Err("steps have no offset, unit or scale; these are for a trace"),
            (Some(_), Some(_)) => Err("trace and steps exclude each other"),
            (None, None) => Err("missing field `trace` or `steps`"),
        }
    }
}

impl schemars::JsonSchema for Rate {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Rate".into()
    }
    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let constant = generator.subschema_for::<BitRate>();
        let varying = generator.subschema_for::<RateTrace>();
        let steps = generator.subschema_for::<Steps<BitRate>>();
        schemars::json_schema!({
            "description": "A rate with its unit, such as \"54 Mb/s\", or a rate that varies as recorded in a file or in steps.",
            "anyOf": [constant, varying, steps]
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_string_or_a_table() {
        let read = |text: &str| toml::from_str::<crate::LinkConfig>(text).map(|c| c.rate);
        assert_eq!(read("rate = \"10 Mb/s\"").unwrap(), Some(BitRate::from_mbps(10).into()));
        let text = "rate = { trace = \"lte.down\", offset = \"20 s\" }";
        let Some(Rate::Trace(trace)) = read(text).unwrap() else { panic!("no trace") };
        assert_eq!((trace.trace.as_str(), trace.offset), ("lte.down", Span::from_secs(20)));
        let json = serde_json::to_string(&Rate::Trace(trace)).unwrap();
        assert_eq!(json, r#"{"trace":"lte.down","offset":"20 s"}"#);
        for (bad, said) in [
            ("rate = 5", "such as \"54 Mb/s\", or a table"),
            ("rate = { file = \"x\" }", "unknown field `file`, expected one of `trace`"),
            ("rate = {}", "missing field `trace` or `steps`"),
            ("rate = { trace = \"x\", steps = [] }", "exclude each other"),
            ("rate = { steps = [], scale = 2.0 }", "no offset, unit or scale"),
            ("rate = \"fast\"", "expected a rate"),
        ] {
            let error = read(bad).unwrap_err().to_string();
            assert!(error.contains(said), "{bad}: {error}");
        }
    }

    #[test]
    fn impossible_factors_are_refused() {
        let capacity = Capacity::rates(&[(Span::ZERO, 100)], Span::from_secs(1)).map(Arc::new);
        for (scale, said) in [
            (0.0, "is 0: expected 0.001 to 1000"),
            (f64::NAN, "expected"),
            (2e3, "expected"),
            (0.002, "makes all rates less than 1 b/s"),
        ] {
            let trace = RateTrace { scale, capacity: capacity.clone(), ..RateTrace::default() };
            let config = crate::LinkConfig { rate: Some(Rate::Trace(trace)), ..Default::default() };
            let seed = airtcp_random::Seed::new(1);
            let error = crate::Link::new(&config, seed, "l", &|p| Err(p.into())).unwrap_err();
            assert_eq!(error.key, "rate.scale");
            assert!(error.message.contains(said), "{}", error.message);
        }
    }

    #[test]
    fn a_trace_that_was_not_read_is_refused() {
        let config = toml::from_str("rate = { trace = \"lte.down\" }").unwrap();
        let error = crate::Link::new(&config, airtcp_random::Seed::new(1), "l", &|p| Err(p.into()));
        assert!(error.unwrap_err().to_string().contains("\"lte.down\" was not read"));
    }
}
