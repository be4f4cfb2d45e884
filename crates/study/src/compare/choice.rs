//! What is compared: a TCP, and behind an `@` what the links do about losses.
//!
//! `sack@ll-harq` is SACK with LL-HARQ on every direction of a link that loses something, whatever
//! protocol it has in the scenario; keys of the protocol follow behind colons, those of its table
//! `feedback` with a dot: `own@ll-arq:arq=selective:feedback.way=reverse`. `@none` takes protocols
//! away.

use airtcp_link::protocol::{Protocol, registry};
use airtcp_link::{LossConfig, ProtocolConfig};
use airtcp_probe::reworded;
use airtcp_scenario::Resolved;
use airtcp_transport::tcp::{TcpConfig, Variant, VariantError};
use serde_json::{Map, Value};

use super::CompareError;

/// A TCP and, perhaps, a link protocol.
#[derive(Debug, Clone)]
pub(crate) struct Choice {
    tcp: Variant,
    link: Option<ProtocolConfig>,
    label: String,
}

impl Choice {
    /// Reads a choice from its text.
    pub(crate) fn parse(text: &str) -> Result<Self, CompareError> {
        let Some((tcp, link)) = text.split_once('@') else {
            let tcp = Variant::parse(text)?;
            return Ok(Self { label: tcp.label().to_owned(), tcp, link: None });
        };
        let tcp = Variant::parse(tcp)?;
        let link = link.trim();
        let config = protocol(link).map_err(|why| {
            let kinds: Vec<&str> = registry().iter().map(|entry| entry.name).collect();
            CompareError::other(format!(
                "link protocol \"{link}\": {why} (link protocols: {})",
                kinds.join(", ")
            ))
        })?;
        Ok(Self { label: format!("{}@{link}", tcp.label()), tcp, link: Some(config) })
    }

    /// The text, as it stands in results.
    pub(crate) fn label(&self) -> &str {
        &self.label
    }

    /// The TCP that results on top of `base`.
    pub(crate) fn apply(&self, base: &TcpConfig) -> Result<TcpConfig, VariantError> {
        self.tcp.apply(base)
    }

    /// Transmissions of a packet that the link makes at most, 1 without a protocol: over a trace,
    /// one packet a slot, all units of a packet share its slot's fate, and nothing else counts.
    pub(crate) fn attempts(&self) -> u32 {
        use airtcp_link::protocol::LinkProtocol;
        let protocol = self.link.as_ref().and_then(|c| Protocol::new(c, None).ok()?);
        protocol.map_or(1, |p| u32::from(p.attempts()))
    }

    /// Puts the link protocol on the links of a plan that lose anything.
    pub(crate) fn protect(&self, plan: &mut Resolved) -> Result<(), CompareError> {
        let Some(protocol) = &self.link else { return Ok(()) };
        let loses = |loss: &Option<LossConfig>| {
            loss.as_ref().is_some_and(|loss| !matches!(loss, LossConfig::None(_)))
        };
        let lossy = plan.links.iter_mut().filter(|link| loses(&link.direction.loss));
        let mut any = false;
        for link in lossy {
            link.direction.protocol = Some(protocol.clone());
            any = true;
        }
        if any {
            return Ok(());
        }
        Err(CompareError::other(format!(
            "tcp: \"{}\" has a link protocol, and no link of the scenario loses anything; 802.11 \
             cells have their own retransmissions",
            self.label
        )))
    }
}

/// The link protocol of a text such as `ll-arq:arq=selective`.
fn protocol(text: &str) -> Result<ProtocolConfig, String> {
    let mut parts = text.split(':').map(str::trim);
    let kind = parts.next().unwrap_or_default().to_lowercase();
    let mut table = Map::from_iter([("kind".to_owned(), Value::from(kind))]);
    for part in parts {
        let (key, value) = part
            .split_once('=')
            .ok_or_else(|| format!("expected KEY=VALUE behind the colon, not \"{part}\""))?;
        let (key, value) = (key.trim(), read(value.trim()));
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
    let config: ProtocolConfig =
        serde_json::from_value(Value::Object(table)).map_err(|e| reworded(&e.to_string()))?;
    Protocol::new(&config, None).map_err(|e| e.to_string())?;
    Ok(config)
}

/// A number or a flag if it reads as one, else text.
fn read(text: &str) -> Value {
    serde_json::from_str::<Value>(text)
        .ok()
        .filter(|v| v.is_number() || v.is_boolean())
        .unwrap_or_else(|| Value::from(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_with_a_link() {
        let choice = Choice::parse("SACK@ll-arq:arq=selective:feedback.way=reverse").unwrap();
        assert_eq!(choice.label(), "sack@ll-arq:arq=selective:feedback.way=reverse");
        assert_eq!(choice.link.unwrap().kind(), "ll-arq");
        assert_eq!(Choice::parse("cubic").unwrap().attempts(), 1);
        assert_eq!(Choice::parse("cubic@ll-harq").unwrap().attempts(), 2);
        assert_eq!(Choice::parse("cubic@ll-arq:attempts=7").unwrap().attempts(), 7);
        assert_eq!(Choice::parse("own@none").unwrap().link.unwrap().kind(), "none");
        for (text, part) in [
            ("sack@ll-hark", "ll-harq"),
            ("sack@ll-arq:arq", "KEY=VALUE"),
            ("sack@ll-arq:attempts=0", "1 (no retransmission) to 1000"),
            ("sack@ll-harq:arq=selective", "arq"),
            ("sakc@ll-harq", "sack"),
        ] {
            let message = Choice::parse(text).unwrap_err().to_string();
            assert!(message.contains(part), "{text}: {message}");
        }
    }
}
