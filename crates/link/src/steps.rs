//! Quantities of a link that change at given times: the steps of its rate, and of its delay.

use std::fmt;

use airtcp_probe::ConfigError;
use airtcp_units::{BitRate, Capacity, Nanos, Span};
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserialize, Deserializer, Error, MapAccess, Visitor};
use serde::{Serialize, Serializer};

/// Most steps of one quantity (a choice: more are the work of a file, which `rate.trace` reads).
const MOST: usize = 10_000;

/// Pairs of a time and the value from then on, such as `[["0 s", "20 Mb/s"], ["20 s", "5 Mb/s"]]`. The first time is
/// "0 s", and each is later than the one before. The last value lasts to the end of the run.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Steps<T> {
    /// Pairs of a time and the value from then on: `[["0 s", "20 Mb/s"], ["20 s", "5 Mb/s"]]`. The first time is
    /// "0 s", and each is later than the one before. The last value lasts to the end of the run.
    pub steps: Vec<(Span, T)>,
}

impl<T> Steps<T> {
    /// Refuses steps that do not begin at the start of the run, or whose times do not rise. `key` is that of these
    /// steps.
    pub(crate) fn check(&self, key: &'static str) -> Result<(), ConfigError> {
        let refuse = |message: String| Err(ConfigError::new(key, message));
        match self.steps.first() {
            None => return refuse("is empty: expected pairs of a time and a value".into()),
            Some((at, _)) if at.0 > 0 => {
                return refuse(format!("begins at {at}: expected \"0 s\" as the first time"));
            }
            Some(_) => {}
        }
        if self.steps.len() > MOST {
            return refuse(format!("has {} pairs: expected at most {MOST}", self.steps.len()));
        }
        let pairs = self.steps.iter().zip(self.steps.iter().skip(1));
        match pairs
            .map(|(before, after)| (before.0, after.0))
            .find(|(before, after)| after <= before)
        {
            Some((before, after)) => {
                refuse(format!("has {after} after {before}: expected rising times"))
            }
            None => Ok(()),
        }
    }

    /// The value at a time; `None` without steps.
    pub(crate) fn at(&self, now: Nanos) -> Option<&T> {
        let until = self.steps.partition_point(|(at, _)| at.0 <= now.0);
        self.steps.get(until.saturating_sub(1)).map(|(_, value)| value)
    }

    /// The values.
    pub fn values(&self) -> impl Iterator<Item = &T> {
        self.steps.iter().map(|(_, value)| value)
    }
}

impl Steps<BitRate> {
    /// The capacity of a link with this rate; `None` if the steps are refused. Its period is longer than any run.
    pub fn capacity(&self) -> Option<Capacity> {
        let rates: Vec<_> = self.steps.iter().map(|(at, rate)| (*at, rate.bps())).collect();
        Capacity::rates(&rates, Span(u64::MAX))
    }

    /// The highest rate.
    pub fn highest(&self) -> Option<BitRate> {
        self.values().max_by_key(|rate| rate.bps()).copied()
    }
}

/// Propagation delay of a link: constant, or changing in steps as when the route changes.
#[derive(Debug, Clone, PartialEq)]
pub enum Delay {
    /// A constant delay.
    Constant(Span),
    /// The delay of the packets that leave the transmitter from each of these times on.
    Steps(Steps<Span>),
}

impl Delay {
    /// The longest delay.
    pub fn longest(&self) -> Span {
        match self {
            Self::Constant(delay) => *delay,
            Self::Steps(all) => all.values().max().copied().unwrap_or(Span::ZERO),
        }
    }

    /// The shortest delay.
    pub fn shortest(&self) -> Span {
        match self {
            Self::Constant(delay) => *delay,
            Self::Steps(all) => all.values().min().copied().unwrap_or(Span::ZERO),
        }
    }

    /// The steps, if it changes.
    pub(crate) fn into_steps(self) -> Option<Box<Steps<Span>>> {
        match self {
            Self::Constant(_) => None,
            Self::Steps(all) => Some(Box::new(all)),
        }
    }

    /// This delay with every value changed.
    pub fn map(&self, change: impl Fn(Span) -> Span) -> Self {
        match self {
            Self::Constant(delay) => Self::Constant(change(*delay)),
            Self::Steps(all) => {
                let steps = all.steps.iter().map(|(at, delay)| (*at, change(*delay))).collect();
                Self::Steps(Steps { steps })
            }
        }
    }
}

impl Default for Delay {
    fn default() -> Self {
        Self::Constant(Span::ZERO)
    }
}

impl From<Span> for Delay {
    fn from(delay: Span) -> Self {
        Self::Constant(delay)
    }
}

impl Serialize for Delay {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Constant(delay) => delay.serialize(s),
            Self::Steps(all) => all.serialize(s),
        }
    }
}

impl<'de> Deserialize<'de> for Delay {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        struct Either;
        impl<'de> Visitor<'de> for Either {
            type Value = Delay;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(
                    "a delay as a string such as \"40 ms\", or a table such as \
                     { steps = [[\"0 s\", \"20 ms\"], [\"30 s\", \"60 ms\"]] }",
                )
            }
            fn visit_str<E: Error>(self, text: &str) -> Result<Delay, E> {
                text.parse().map(Delay::Constant).map_err(E::custom)
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Delay, A::Error> {
                Steps::deserialize(MapAccessDeserializer::new(map)).map(Delay::Steps)
            }
        }
        d.deserialize_any(Either)
    }
}

impl schemars::JsonSchema for Delay {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Delay".into()
    }
    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let constant = generator.subschema_for::<Span>();
        let changing = generator.subschema_for::<Steps<Span>>();
        schemars::json_schema!({
            "description": "A delay with its unit, such as \"40 ms\", or a delay that changes in steps.",
            "anyOf": [constant, changing]
        })
    }
}

#[cfg(test)]
mod tests {
    use airtcp_packet::{EndpointId, Pool, Segment, Side};
    use airtcp_probe::{EventSource, NoProbe, PoolCx};
    use airtcp_random::Seed;

    use super::*;
    use crate::{Link, LinkConfig};

    fn config(text: &str) -> LinkConfig {
        toml::from_str(text).unwrap()
    }

    fn link(text: &str) -> Link {
        Link::new(&config(text), Seed::new(1), "l", &|p| Err(p.into())).unwrap()
    }

    /// Arrival times of a packet of 1000 bytes handed over at each of these times.
    fn arrivals(text: &str, at_ms: &[u64]) -> Vec<f64> {
        let (mut link, mut pool, mut probe) = (link(text), Pool::new(), NoProbe);
        let mut times = Vec::new();
        let mut drain = |link: &mut Link, pool: &mut Pool, until: Nanos| {
            while link.next_timer() <= until {
                let now = link.next_timer();
                let mut cx = PoolCx::new(&mut probe, pool, EventSource::Link(0));
                while link.poll(now, &mut cx).is_some() {
                    times.push(now.0 as f64 / 1e6);
                }
            }
        };
        for ms in at_ms {
            let now = Nanos(ms * 1_000_000);
            drain(&mut link, &mut pool, now);
            let segment = Segment::datagram(0, 972);
            let to = EndpointId::new(0, Side::Server);
            let id = pool.send(now, to, &segment);
            link.handle(now, id, &mut PoolCx::new(&mut NoProbe, &mut pool, EventSource::Link(0)));
        }
        drain(&mut link, &mut pool, Nanos(1 << 50));
        times
    }

    #[test]
    fn the_rate_changes_within_a_packet() {
        // 1000 bytes take 8 ms at 1 Mb/s. The second packet has 4 ms at 1 Mb/s, and 4000 bits at 4 Mb/s.
        let text =
            "rate.steps = [[\"0 s\", \"1 Mb/s\"], [\"24 ms\", \"4 Mb/s\"]]\ndelay = \"10 ms\"";
        assert_eq!(arrivals(text, &[0, 20, 40, 90_000]), [18.0, 35.0, 52.0, 90_012.0]);
    }

    #[test]
    fn a_packet_on_a_shorter_route_overtakes() {
        let text = "delay.steps = [[\"0 s\", \"50 ms\"], [\"20 ms\", \"10 ms\"]]";
        assert_eq!(arrivals(text, &[0, 19, 20, 30]), [30.0, 40.0, 50.0, 69.0]);
    }

    #[test]
    fn a_string_or_a_table_both_ways() {
        for text in ["40 ms", "0 s"] {
            let delay: Delay = serde_json::from_value(text.into()).unwrap();
            assert_eq!(serde_json::to_value(&delay).unwrap(), text);
        }
        let value = serde_json::json!({ "steps": [["0 s", "20 ms"], ["30 s", "60 ms"]] });
        let delay: Delay = serde_json::from_value(value.clone()).unwrap();
        assert_eq!(serde_json::to_value(&delay).unwrap(), value);
        assert_eq!(
            [delay.shortest(), delay.longest()],
            [Span::from_millis(20), Span::from_millis(60)]
        );
    }

    #[test]
    fn impossible_steps_are_refused() {
        for (text, key, said) in [
            ("rate.steps = []", "rate.steps", "is empty"),
            ("rate.steps = [[\"1 s\", \"1 Mb/s\"]]", "rate.steps", "begins at 1 s"),
            (
                "delay.steps = [[\"0 s\", \"1 ms\"], [\"2 s\", \"2 ms\"], [\"2 s\", \"3 ms\"]]",
                "delay.steps",
                "has 2 s after 2 s",
            ),
            (
                "protocol = { kind = \"ll-arq\" }\nrate = \"1 Mb/s\"\ndelay.steps = [[\"0 s\", \"1 ms\"]]",
                "delay.steps",
                "is not for a link with protocol ll-arq",
            ),
        ] {
            let error =
                Link::new(&config(text), Seed::new(1), "l", &|p| Err(p.into())).unwrap_err();
            assert_eq!(error.key, key);
            assert!(error.message.contains(said), "{}", error.message);
        }
    }
}
