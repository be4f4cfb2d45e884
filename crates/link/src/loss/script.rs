//! Loses exactly the packets that a script names.
//!
//! For tests and for teaching: "drop the third data packet and its retransmission" is
//! `drop = [3, 7], only = "data"`. Numbers count from 1, among the packets that match the filters
//! and enter the transmitter of this link.

use std::fmt;

use airtcp_packet::Side;
use airtcp_probe::ConfigError;

use super::{Build, Frame, LossModel, Model};

/// One entry of a script: a packet's number, or a range of them such as "5-9".
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DropItem {
    /// First packet dropped, counted from 1.
    pub first: u64,
    /// Last packet dropped.
    pub last: u64,
}

/// Which packets a script counts and drops.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    Default,
    serde::Serialize,
    serde::Deserialize,
    schemars::JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Only {
    /// Every packet.
    #[default]
    All,
    /// Packets with payload.
    Data,
    /// Packets without payload: acknowledgements, SYN, FIN.
    Control,
}

/// Endpoint of a flow.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum End {
    /// The endpoint that opens the connection.
    Client,
    /// The endpoint that accepts the connection.
    Server,
}

/// Losses by packet number.
#[derive(
    Debug, Clone, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize, schemars::JsonSchema,
)]
#[serde(deny_unknown_fields)]
pub struct ScriptConfig {
    /// Numbers of the packets to drop, counted from 1, and ranges of them: `[3, "10-12"]`.
    pub drop: Vec<DropItem>,
    /// Count and drop only packets of this kind.
    #[serde(default)]
    pub only: Only,
    /// Count and drop only packets of this flow.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flow: Option<u32>,
    /// Count and drop only packets sent to this endpoint.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<End>,
}

/// Drops packets by number.
#[derive(Debug, Clone)]
pub struct Script {
    /// Sorted by `first`.
    items: Vec<DropItem>,
    /// Items before this index are over.
    next: usize,
    only: Only,
    flow: Option<u32>,
    to: Option<End>,
    seen: u64,
}

impl Script {
    fn concerns(&self, frame: &Frame) -> bool {
        let kind = match self.only {
            Only::All => true,
            Only::Data => frame.payload > 0,
            Only::Control => frame.payload == 0,
        };
        let end = match self.to {
            None => true,
            Some(End::Client) => frame.to.side() == Side::Client,
            Some(End::Server) => frame.to.side() == Side::Server,
        };
        kind && end && self.flow.is_none_or(|flow| frame.to.flow() == flow)
    }
}

impl LossModel for Script {
    fn loses(&mut self, frame: &Frame) -> bool {
        if !self.concerns(frame) {
            return false;
        }
        self.seen += 1;
        while self.items.get(self.next).is_some_and(|item| item.last < self.seen) {
            self.next += 1;
        }
        self.items.get(self.next).is_some_and(|item| item.first <= self.seen)
    }

    fn mean_loss(&self) -> Option<f64> {
        None
    }

    fn is_independent_of_traffic(&self) -> bool {
        false
    }
}

impl Model for Script {
    type Config = ScriptConfig;

    fn build(config: &ScriptConfig, _: &Build<'_>) -> Result<Self, ConfigError> {
        // In this order, all items before a finished one are finished too.
        let mut items = config.drop.clone();
        items.sort_by_key(|item| item.first);
        let ScriptConfig { only, flow, to, .. } = *config;
        Ok(Self { items, next: 0, only, flow, to, seen: 0 })
    }

    #[cfg(test)]
    fn samples() -> Vec<ScriptConfig> {
        let item = |first, last| DropItem { first, last };
        vec![
            ScriptConfig::default(),
            ScriptConfig { drop: vec![item(1, 1), item(3, 5)], ..ScriptConfig::default() },
            ScriptConfig {
                drop: vec![item(2, 9), item(3, 4), item(9, 9)],
                only: Only::Data,
                flow: Some(0),
                to: Some(End::Server),
            },
        ]
    }
}

impl DropItem {
    fn checked(first: u64, last: u64) -> Result<Self, String> {
        if first == 0 {
            return Err("packets are counted from 1; there is no packet 0".into());
        }
        if last < first {
            return Err(format!("the range {first}-{last} is empty: it ends before it begins"));
        }
        Ok(Self { first, last })
    }

    fn parse(text: &str) -> Result<Self, String> {
        let number = |part: &str| part.trim().parse::<u64>().ok();
        let found = match text.split_once('-') {
            None => number(text).map(|n| (n, n)),
            Some((a, b)) => number(a).zip(number(b)),
        };
        let Some((first, last)) = found else {
            return Err(format!(
                "expected a packet number or a range such as \"5-9\", found \"{text}\""
            ));
        };
        Self::checked(first, last)
    }
}

impl fmt::Display for DropItem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.first, self.last)
    }
}

impl serde::Serialize for DropItem {
    fn serialize<S: serde::Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        if self.first == self.last { s.serialize_u64(self.first) } else { s.collect_str(self) }
    }
}

impl<'de> serde::Deserialize<'de> for DropItem {
    fn deserialize<D: serde::Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        struct Visitor;
        impl serde::de::Visitor<'_> for Visitor {
            type Value = DropItem;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a packet number, counted from 1, or a range such as \"5-9\"")
            }
            fn visit_u64<E: serde::de::Error>(self, n: u64) -> Result<DropItem, E> {
                DropItem::checked(n, n).map_err(E::custom)
            }
            fn visit_i64<E: serde::de::Error>(self, n: i64) -> Result<DropItem, E> {
                let n = u64::try_from(n)
                    .map_err(|_| E::invalid_value(serde::de::Unexpected::Signed(n), &self))?;
                self.visit_u64(n)
            }
            fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<DropItem, E> {
                DropItem::parse(text).map_err(E::custom)
            }
        }
        d.deserialize_any(Visitor)
    }
}

impl schemars::JsonSchema for DropItem {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "DropItem".into()
    }
    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "description": "a packet number, counted from 1, or a range such as \"5-9\"",
            "anyOf": [
                { "type": "integer", "minimum": 1 },
                { "type": "string", "examples": ["5-9"] }
            ]
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::LossConfig;
    use crate::loss::conformance::{build, frame};
    use airtcp_packet::EndpointId;
    use airtcp_units::{Nanos, Narrow};

    fn config(text: &str) -> Result<ScriptConfig, toml::de::Error> {
        toml::from_str(text)
    }

    fn dropped(config: ScriptConfig, frames: impl IntoIterator<Item = Frame>) -> Vec<u64> {
        let mut model = build(&LossConfig::Script(config), 0);
        frames.into_iter().filter(|f| model.loses(f)).map(|f| f.ordinal).collect()
    }

    #[test]
    fn numbers_and_ranges() {
        let script = config(r#"drop = [12, 3, "5-10", "6-7", "9-9"]"#).unwrap();
        let frames = (0..20).map(|i| frame(Nanos(i), i));
        assert_eq!(dropped(script, frames), [2, 4, 5, 6, 7, 8, 9, 11]);
    }

    #[test]
    fn filters() {
        let script =
            config("drop = [\"2-3\"]\nonly = \"data\"\nflow = 1\nto = \"server\"").unwrap();
        // Every third frame has no payload, flows 0 and 1 alternate, every fifth goes to a client.
        let make = |i: u64| {
            let side = if i.is_multiple_of(5) { Side::Client } else { Side::Server };
            let to = EndpointId::new(u32::narrow(i % 2), side);
            let payload = if i.is_multiple_of(3) { 0 } else { 100 };
            Frame { payload, to, ..frame(Nanos(i), i) }
        };
        let matching: Vec<u64> =
            (0..40).filter(|i| i % 5 != 0 && i % 2 == 1 && i % 3 != 0).collect();
        assert_eq!(dropped(script, (0..40).map(make)), matching[1..3]);
    }

    #[test]
    fn refuses_impossible_values() {
        for (text, part) in [
            ("drop = [0]", "counted from 1"),
            ("drop = [-2]", "-2"),
            ("drop = [\"9-5\"]", "ends before it begins"),
            ("drop = [\"x\"]", "such as \"5-9\""),
            ("drop = [1.5]", "1.5"),
            ("drop = [1]\nflwo = 2", "flwo"),
        ] {
            let message = config(text).unwrap_err().to_string();
            assert!(message.contains(part), "{message}");
        }
    }

    #[test]
    fn text_and_value_round_trip() {
        let script = config(r#"drop = [3, "5-7"]"#).unwrap();
        let text = toml::to_string(&script).unwrap();
        assert_eq!(config(&text).unwrap(), script);
    }
}
