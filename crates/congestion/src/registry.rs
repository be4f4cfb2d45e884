//! The registered laws, one entry each. Outside of its own file, a law needs no other line in this
//! crate than its entry here and its `mod` and `pub use` lines.

use airtcp_probe::ConfigError;
use airtcp_units::{BitRate, Nanos};
use schemars::JsonSchema;
use serde::de::value::MapAccessDeserializer;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use serde_json::{Map, Value};

use super::{
    AckSample, Congestion, CongestionControl, ExternalLaw, Idle, LawParams, LawState, LawTable,
    Lost, Needs, Promises, Sent,
};

/// From one entry per law this macro makes the enum, its configuration, the list and the
/// conformance runs.
macro_rules! registry {
    ($(#[doc = $doc:literal] $name:literal $law:ident($config:ident) from $source:literal;)+) => {
        /// Any registered law, or a law from another crate.
        #[derive(Debug)]
        #[allow(
            clippy::large_enum_variant,
            reason = "one per connection, which is larger; a pointer would cost at every ACK"
        )]
        pub enum Law {
            $(#[doc = $doc] $law(super::$law),)+
            /// A law from outside this crate.
            Dyn(Box<dyn CongestionControl>),
        }

        /// The congestion law of a connection: a name, or a table with `law` and its parameters.
        #[derive(Debug, Clone, PartialEq)]
        pub enum LawConfig {
            $(#[doc = $doc] $law(super::$config),)+
            /// A law from outside this crate, which the call has named.
            External(ExternalLaw),
        }

        /// [`LawConfig`] as it is written, without laws from outside.
        #[derive(Serialize)]
        #[serde(tag = "law")]
        enum Written<'a> {
            $(#[serde(rename = $name)] $law(&'a super::$config),)+
        }

        impl Serialize for LawConfig {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                match self {
                    $(Self::$law(c) => Written::$law(c).serialize(serializer),)+
                    Self::External(law) => law.serialize(serializer),
                }
            }
        }

        /// The table form of [`LawConfig`].
        #[derive(Deserialize, JsonSchema)]
        #[serde(tag = "law")]
        enum Table {
            $(#[doc = $doc] #[serde(rename = $name)] $law(super::$config),)+
        }

        /// The short form of [`LawConfig`]: a law with its default parameters.
        #[derive(Deserialize, JsonSchema)]
        enum Name {
            $(#[doc = $doc] #[serde(rename = $name)] $law,)+
        }

        impl From<Table> for LawConfig {
            fn from(table: Table) -> Self {
                match table { $(Table::$law(c) => Self::$law(c),)+ }
            }
        }

        impl From<Name> for LawConfig {
            fn from(name: Name) -> Self {
                match name { $(Name::$law => Self::$law(super::$config::default()),)+ }
            }
        }

        impl LawConfig {
            /// Every law with its default parameters.
            pub fn all() -> Vec<Self> {
                vec![$(Self::$law(super::$config::default()),)+]
            }

            /// The law's name.
            pub fn name(&self) -> &str {
                match self { $(Self::$law(_) => $name,)+ Self::External(law) => law.label() }
            }

            /// The law from outside, if it is one.
            pub const fn external(&self) -> Option<&ExternalLaw> {
                match self {
                    Self::External(law) => Some(law),
                    _ => None,
                }
            }

            /// Checks the law's parameters.
            ///
            /// # Errors
            /// The key at fault, what was found and what is accepted.
            pub fn validate(&self) -> Result<(), ConfigError> {
                match self {
                    $(Self::$law(c) => <super::$config as LawTable>::validate(c),)+
                    Self::External(_) => Ok(()),
                }
            }

            /// What the law needs of the path to work as its source describes.
            pub fn needs(&self) -> Needs {
                match self {
                    $(Self::$law(c) => <super::$config as LawTable>::needs(c),)+
                    Self::External(law) => law.maker().needs(),
                }
            }

            /// Builds the law; [`CongestionControl::start`] sets its window.
            pub fn build(&self) -> Law {
                match self {
                    $(Self::$law(c) => Law::$law(super::$law::new(c)),)+
                    Self::External(law) => Law::Dyn(law.make()),
                }
            }
        }

        airtcp_probe::entries! { "congestion"; $(#[doc = $doc] $name from $source;)+ }
        airtcp_probe::dispatch! { Law: $($law)+ Dyn }
    };
}

registry! {
    /// Slow start and additive increase, halves the window on loss (also Tahoe's, NewReno's and SACK TCP's law)
    "reno" Reno(RenoConfig) from "RFC 5681 section 3.1; RFC 3465; RFC 3168 section 6.1.2";
    /// Keeps a few segments queued, estimated from the round-trip time
    "vegas" Vegas(VegasConfig) from "Brakmo and Peterson 1995; parameters also: Linux";
    /// Reno that keeps four fifths of FlightSize on a loss if few segments are queued
    "veno" Veno(VenoConfig) from "Fu and Liew 2003";
    /// BBR version 3: paced by a model of the path, bounded by measured losses
    "bbr" Bbr(BbrConfig) from "draft-ietf-ccwg-bbr-06";
    /// BBR version 1: paced at the maximum recent delivery rate; ignores losses
    "bbr1" Bbr1(Bbr1Config) from "draft-cardwell-iccrg-bbr-congestion-control-00";
    /// Reno whose threshold is the measured bandwidth times the smallest round-trip time
    "westwood" Westwood(WestwoodConfig) from "Mascolo et al. 2001";
    /// Westwood with one sample of the bandwidth per round trip
    "westwood+" WestwoodPlus(WestwoodPlusConfig) from "Grieco and Mascolo 2004; filters of Linux and ns-3";
    /// Reduces the window by half of the share of marked packets (L4S); needs accurate ECN feedback, otherwise Reno
    "prague" Prague(PragueConfig) from "draft-briscoe-iccrg-prague-congestion-control-04; RFC 8257 section 3.3";
    /// Reduces the window to the measured bandwidth on marks, not on unmarked losses; needs the queue "jersey" and ECN
    "jersey" Jersey(JerseyConfig) from "Xu, Tian and Ansari 2004";
    /// Binary search for the window of the last loss, at most 16 segments per round trip
    "bic" Bic(BicConfig) from "Xu, Harfoush, Rhee, INFOCOM 2004; Linux tcp_bic.c";
    /// A cubic function of the time since the last loss, as first published
    "cubic-2008" Cubic2008(Cubic2008Config) from "Ha, Rhee, Xu, ACM SIGOPS OSR 42(5), 2008";
    /// A cubic function of the time since the last loss, as standardised
    "cubic" Cubic(CubicConfig) from "RFC 9438";
    /// Reno whose window grows at a rate independent of the round-trip time
    "hybla" Hybla(HyblaConfig) from "Caini and Firrincieli 2004";
    /// Reno's window, paced by the delay of four hops of a chain of 802.11 hops
    "tcp-ap" TcpAp(TcpApConfig) from "ElRakabawy, Klemm and Lindemann, MobiHoc 2005; S0 section 3";
}

impl Default for LawConfig {
    /// Reno with its default parameters.
    fn default() -> Self {
        Self::Reno(super::RenoConfig::default())
    }
}

impl<'de> Deserialize<'de> for LawConfig {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        struct Visitor;
        impl<'de> de::Visitor<'de> for Visitor {
            type Value = LawConfig;
            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(
                    "the name of a congestion law, or a table with `law` and its parameters",
                )
            }
            fn visit_str<E: de::Error>(self, name: &str) -> Result<LawConfig, E> {
                Name::deserialize(de::value::StrDeserializer::new(name)).map(LawConfig::from)
            }
            fn visit_map<A: de::MapAccess<'de>>(self, map: A) -> Result<LawConfig, A::Error> {
                let table = Map::deserialize(MapAccessDeserializer::new(map))?;
                if table.contains_key("external") {
                    let law = ExternalLaw::read(&table).map_err(de::Error::custom)?;
                    return Ok(LawConfig::External(law));
                }
                let table = Table::deserialize(Value::Object(table));
                table.map(LawConfig::from).map_err(de::Error::custom)
            }
        }
        d.deserialize_any(Visitor)
    }
}

impl JsonSchema for LawConfig {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "CongestionLaw".into()
    }
    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let name = <Name as JsonSchema>::json_schema(generator);
        let table = <Table as JsonSchema>::json_schema(generator);
        schemars::json_schema!({
            "description": "The congestion law: its name, or a table with `law` and its parameters.",
            "anyOf": [name, table, external()]
        })
    }
}

/// The schema of a law from outside.
fn external() -> schemars::Schema {
    schemars::json_schema!({
        "description": "A law of one's own, among those that --law or --tcp names; its keys stand beside.",
        "type": "object",
        "required": ["external"],
        "properties": {
            "external": { "description": "Name of the law.", "type": "string" },
            "file": { "description": "Its file, in results.", "type": "string" },
            "sha256": {
                "description": "Hash of its source, in results. A law of another hash is refused.",
                "type": "string"
            }
        },
        "additionalProperties": { "type": ["number", "boolean", "string"] }
    })
}

impl CongestionControl for Law {
    fn start(&mut self, now: Nanos, params: &LawParams) {
        each!(self, l => l.start(now, params));
    }
    #[inline]
    fn on_sent(&mut self, now: Nanos, sent: &Sent) {
        each!(self, l => l.on_sent(now, sent));
    }
    #[inline]
    fn on_ack(&mut self, now: Nanos, ack: &AckSample) {
        each!(self, l => l.on_ack(now, ack));
    }
    fn on_lost(&mut self, now: Nanos, lost: &Lost) {
        each!(self, l => l.on_lost(now, lost));
    }
    fn on_congestion(&mut self, now: Nanos, congestion: &Congestion) {
        each!(self, l => l.on_congestion(now, congestion));
    }
    fn on_spurious(&mut self, now: Nanos) {
        each!(self, l => l.on_spurious(now));
    }
    fn raise_ssthresh(&mut self, bytes: u64) {
        each!(self, l => l.raise_ssthresh(bytes));
    }
    fn on_idle(&mut self, now: Nanos, idle: &Idle) {
        each!(self, l => l.on_idle(now, idle));
    }
    fn limit_cwnd(&mut self, bytes: u64) {
        each!(self, l => l.limit_cwnd(bytes));
    }
    #[inline]
    fn cwnd(&self) -> u64 {
        each!(self, l => l.cwnd())
    }
    #[inline]
    fn ssthresh(&self) -> u64 {
        each!(self, l => l.ssthresh())
    }
    #[inline]
    fn pacing_rate(&self) -> Option<BitRate> {
        each!(self, l => l.pacing_rate())
    }
    fn bandwidth(&self) -> Option<BitRate> {
        each!(self, l => l.bandwidth())
    }
    fn governs_recovery(&self) -> bool {
        each!(self, l => l.governs_recovery())
    }
    fn answers_marks_at_once(&self) -> bool {
        each!(self, l => l.answers_marks_at_once())
    }
    fn follows_model(&self) -> bool {
        each!(self, l => l.follows_model())
    }
    fn send_quantum(&self) -> Option<u64> {
        each!(self, l => l.send_quantum())
    }
    fn state(&self) -> LawState {
        each!(self, l => l.state())
    }
    fn promises(&self) -> Promises {
        each!(self, l => l.promises())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Growth, RenoConfig};

    #[test]
    fn a_name_or_a_table() {
        let by_name: LawConfig = serde_json::from_str("\"reno\"").unwrap();
        assert_eq!(by_name, LawConfig::default());
        let by_table: LawConfig =
            serde_json::from_str(r#"{"law": "reno", "growth": "bytes"}"#).unwrap();
        assert_eq!(by_table, LawConfig::Reno(RenoConfig { growth: Growth::Bytes }));
        let text = serde_json::to_string(&by_table).unwrap();
        assert_eq!(serde_json::from_str::<LawConfig>(&text).unwrap(), by_table);
        for (bad, hint) in [
            ("\"renno\"", "`reno`"),
            (r#"{"law": "renno"}"#, "`reno`"),
            (r#"{"law": "reno", "grow": 1}"#, "unknown field `grow`"),
            ("7", "name of a congestion law"),
        ] {
            let e = serde_json::from_str::<LawConfig>(bad).unwrap_err().to_string();
            assert!(e.contains(hint), "{bad}: {e}");
        }
    }
}
