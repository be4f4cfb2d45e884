//! What is compared: a transport, and behind an `@` what the links do about losses.
//!
//! `sack@ll-harq` is SACK with LL-HARQ on every direction of a link that loses something, whatever
//! protocol it has in the scenario; keys of the protocol follow behind colons, those of its table
//! `feedback` with a dot: `own@ll-arq:arq=selective:feedback.way=reverse`. `@none` takes protocols
//! away, and a link protocol by itself (`ll-harq`) stands for SACK over it.
//!
//! The transport is a TCP by name ([`Variant`]), `lt-tcp` or `sliding`, the latter two with the keys
//! of their tables `lt` and `sliding`. Under LT-TCP the `tcp` table is that of SACK, with Reno's law,
//! as in the papers; the key `congestion` names another TCP for it.

use airtcp_link::ProtocolConfig;
use airtcp_link::protocol::{Protocol, registry};
use airtcp_probe::{near, reworded};
use airtcp_scenario::{Flow, Resolved, TransportKind};
use airtcp_transport::lt::LtConfig;
use airtcp_transport::sliding::SlidingConfig;
use airtcp_transport::tcp::{TcpConfig, Variant, VariantError};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::CompareError;
use super::plan::loses;

/// The names of the transports that are no TCP.
const LT_TCP: &str = "lt-tcp";
const SLIDING: &str = "sliding";

/// The TCP whose parameters LT-TCP has, and that a link protocol by itself stands under.
const BASE: &str = "sack";

/// A transport and, perhaps, a link protocol.
#[derive(Debug, Clone)]
pub(crate) struct Choice {
    tcp: Variant,
    /// What is spoken in place of TCP, with the keys written; `None` for TCP.
    other: Option<(TransportKind, Map<String, Value>)>,
    link: Option<ProtocolConfig>,
    label: String,
}

impl Choice {
    /// Reads a choice from its text.
    pub(crate) fn parse(text: &str) -> Result<Self, CompareError> {
        let text = text.trim();
        let name = text.split(':').next().unwrap_or_default().to_lowercase();
        let alone = !text.contains('@') && is_protocol(&name);
        let (transport, link) = match text.split_once('@') {
            Some((transport, link)) => (transport.trim(), Some(link.trim())),
            None if alone => (BASE, Some(text)),
            None => (text, None),
        };
        let mut choice = Self::transport(transport)?;
        if let Some(link) = link {
            choice.link = Some(protocol(link).map_err(|why| {
                let kinds: Vec<&str> = registry().iter().map(|entry| entry.name).collect();
                CompareError::other(format!(
                    "link protocol \"{link}\": {why} (link protocols: {})",
                    kinds.join(", ")
                ))
            })?);
            choice.label = format!("{}@{link}", choice.label);
        }
        Ok(choice)
    }

    /// Reads what stands before the `@`.
    fn transport(text: &str) -> Result<Self, CompareError> {
        let mut parts = text.split(':').map(str::trim);
        let name = parts.next().unwrap_or_default().to_lowercase();
        let kind = match name.as_str() {
            LT_TCP => TransportKind::LtTcp,
            SLIDING => TransportKind::Sliding,
            _ => {
                let tcp = Variant::parse(text).map_err(|e| beside_tcp(&name, e))?;
                return Ok(Self { label: tcp.label().to_owned(), tcp, other: None, link: None });
            }
        };
        let refuse = |why: String| CompareError::other(format!("\"{text}\": {why}"));
        let (mut tcp, mut keys, mut label) = (BASE, Map::new(), name);
        for part in parts {
            let (key, value) = part.split_once('=').ok_or_else(|| {
                refuse(format!("expected KEY=VALUE behind the colon, not \"{part}\""))
            })?;
            let (key, value) = (key.trim(), value.trim());
            if key == "congestion" && kind == TransportKind::LtTcp {
                tcp = value;
            } else {
                keys.insert(key.to_owned(), read(value));
            }
            label = format!("{label}:{part}");
        }
        // What is wrong under any configuration is wrong now.
        match kind {
            TransportKind::LtTcp => merged(&LtConfig::default(), &keys)
                .and_then(|lt| lt.validate().map_err(|e| e.to_string())),
            _ => merged(&SlidingConfig::default(), &keys)
                .and_then(|sliding| sliding.validate().map_err(|e| e.to_string())),
        }
        .map_err(refuse)?;
        Ok(Self { tcp: Variant::parse(tcp)?, other: Some((kind, keys)), link: None, label })
    }

    /// The text, as it stands in results.
    pub(crate) fn label(&self) -> &str {
        &self.label
    }

    /// True if it needs a link that loses something.
    pub(crate) const fn has_link(&self) -> bool {
        self.link.is_some()
    }

    /// True if it is more than TCP: a transport with coding, or a link protocol.
    pub(crate) const fn is_coded(&self) -> bool {
        self.other.is_some() || self.link.is_some()
    }

    /// Name of a transport that is no TCP.
    pub(crate) fn no_tcp(&self) -> Option<&'static str> {
        let (kind, _) = self.other.as_ref()?;
        Some(if *kind == TransportKind::LtTcp { LT_TCP } else { SLIDING })
    }

    /// The TCP that results on top of `base`.
    pub(crate) fn apply(&self, base: &TcpConfig) -> Result<TcpConfig, CompareError> {
        Ok(self.tcp.apply(base)?)
    }

    /// Puts the transport into a flow, whose TCP it takes to be `base` if that is given.
    pub(crate) fn put(
        &self,
        flow: &mut Flow,
        base: Option<&TcpConfig>,
    ) -> Result<(), CompareError> {
        let refuse = |why: String| CompareError::other(format!("\"{}\": {why}", self.label));
        flow.tcp = self.apply(base.unwrap_or(&flow.tcp))?;
        match &self.other {
            // What the scenario has stays, if that is what is asked for.
            None if self.tcp.is_own() => {}
            None => flow.transport = TransportKind::Tcp,
            Some((kind, keys)) => {
                flow.transport = *kind;
                if *kind == TransportKind::LtTcp {
                    flow.lt = merged(&flow.lt, keys).map_err(refuse)?;
                    flow.lt.validate_with(&flow.tcp).map_err(|e| refuse(e.to_string()))?;
                } else {
                    flow.sliding = merged(&flow.sliding, keys).map_err(refuse)?;
                    flow.sliding.validate().map_err(|e| refuse(e.to_string()))?;
                }
            }
        }
        Ok(())
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
        let lossy = plan.links.iter_mut().filter(|link| loses(link));
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

/// What is no TCP is perhaps meant to be something else that can be named.
fn beside_tcp(name: &str, error: VariantError) -> VariantError {
    if error.message.contains("did you mean") || !error.message.starts_with("there is none") {
        return error;
    }
    let others = [LT_TCP, SLIDING].into_iter().chain(registry().iter().map(|entry| entry.name));
    let found = near(name, others);
    let more = if found.is_empty() {
        format!("beside TCP there are {LT_TCP} and {SLIDING}")
    } else {
        format!("did you mean \"{}\"?", found.join("\", \""))
    };
    VariantError { message: format!("{}; {more}", error.message), ..error }
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

/// True if a link protocol that does something has this name.
fn is_protocol(name: &str) -> bool {
    name != "none" && registry().iter().any(|entry| entry.name == name)
}

/// A table with `keys` in place of its own.
fn merged<T: Serialize + DeserializeOwned>(
    base: &T,
    keys: &Map<String, Value>,
) -> Result<T, String> {
    let mut table = serde_json::to_value(base).map_err(|e| e.to_string())?;
    if let Some(table) = table.as_object_mut() {
        table.extend(keys.clone());
    }
    serde_json::from_value(table).map_err(|e| reworded(&e.to_string()))
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
