//! A variant of a comparison: a transport, and after an `@` a link protocol or a queue discipline.
//!
//! `sack@ll-harq` is SACK with LL-HARQ on every direction of a link that loses something, in place
//! of the scenario's protocol. Keys of the protocol follow after colons, those of its table
//! `feedback` with a dot: `own@ll-arq:arq=selective:feedback.way=reverse`. `@none` removes
//! protocols, and a link protocol by itself (`ll-harq`) means SACK over it.
//!
//! `cubic@codel` is CUBIC with CoDel as the queue of every link on the path of its data; keys
//! follow after colons (`cubic@red:ecn=true`). Both may be given: `sack@ll-harq@codel`.
//!
//! The transport is a TCP by name ([`Variant`]), `lt-tcp` or `sliding`, the latter two with the keys
//! of their tables `lt` and `sliding`. Under LT-TCP the `tcp` table is that of SACK, with Reno's law,
//! as in the papers; the key `congestion` names another TCP for it.

use airtcp_link::ProtocolConfig;
use airtcp_link::protocol::registry;
use airtcp_probe::near;
use airtcp_queueing::QueueConfig;
use airtcp_scenario::{Flow, Resolved, TransportKind};
use airtcp_sim::links_on_way;
use airtcp_sliding::SlidingConfig;
use airtcp_transport::lt::LtConfig;
use airtcp_transport::tcp::{TcpConfig, Variant, VariantError};
use serde_json::{Map, Value};

use crate::base::error::CompareError;
use crate::base::keys::{self, value_of};
use crate::variant::preconditions::loses;

/// The names of transports other than TCP.
const LT_TCP: &str = "lt-tcp";
const SLIDING: &str = "sliding";

/// The TCP that gives LT-TCP its parameters, and that runs over a link protocol given by itself.
const BASE: &str = "sack";

/// A transport, with an optional link protocol and queue discipline.
#[derive(Debug, Clone)]
pub(crate) struct VariantSpec {
    tcp: Variant,
    /// The transport in place of TCP, with its keys; `None` for TCP.
    other: Option<(TransportKind, Map<String, Value>)>,
    link: Option<ProtocolConfig>,
    queue: Option<QueueConfig>,
    label: String,
}

impl VariantSpec {
    /// Reads a variant from its text.
    pub(crate) fn parse(text: &str) -> Result<Self, CompareError> {
        let text = text.trim();
        let name = keys::name(text);
        let alone = !text.contains('@') && is_protocol(&name);
        let (transport, behind) = match text.split_once('@') {
            Some((transport, behind)) => (transport.trim(), Some(behind.trim())),
            None if alone => (BASE, Some(text)),
            None => (text, None),
        };
        let mut choice = Self::transport(transport)?;
        for part in behind.into_iter().flat_map(|behind| behind.split('@')).map(str::trim) {
            choice.behind(part)?;
            choice.label = format!("{}@{part}", choice.label);
        }
        Ok(choice)
    }

    /// Reads a part after an `@`: a queue discipline or a link protocol.
    fn behind(&mut self, part: &str) -> Result<(), CompareError> {
        let kind = keys::name(part);
        let queues: Vec<&str> = airtcp_queueing::registry().iter().map(|e| e.name).collect();
        let twice = |what: &str| {
            Err(CompareError::other(format!("\"{part}\": there is a {what} before it already")))
        };
        if queues.contains(&kind.as_str()) {
            if self.queue.is_some() {
                return twice("queue discipline");
            }
            let made = keys::queue(part).map_err(|why| {
                CompareError::other(format!("queue discipline \"{part}\": {why}"))
            })?;
            self.queue = Some(made);
            return Ok(());
        }
        if self.link.is_some() {
            return twice("link protocol");
        }
        let made = protocol(part).map_err(|why| {
            let kinds: Vec<&str> = registry().iter().map(|entry| entry.name).collect();
            CompareError::other(format!(
                "link protocol \"{part}\": {why} (link protocols: {}; queue disciplines: {})",
                kinds.join(", "),
                queues.join(", ")
            ))
        })?;
        self.link = Some(made);
        Ok(())
    }

    /// Reads the part before the `@`.
    fn transport(text: &str) -> Result<Self, CompareError> {
        let name = keys::name(text);
        let kind = match name.as_str() {
            LT_TCP => TransportKind::LtTcp,
            SLIDING => TransportKind::Sliding,
            _ => {
                let tcp = Variant::parse(text).map_err(|e| beside_tcp(&name, e))?;
                let label = tcp.label().to_owned();
                return Ok(Self { label, tcp, other: None, link: None, queue: None });
            }
        };
        let refuse = |why: String| CompareError::other(format!("\"{text}\": {why}"));
        let (mut tcp, mut keys, mut label) = (BASE, Map::new(), name);
        for part in text.split(':').skip(1).map(str::trim) {
            let (key, value) = keys::pair(part).map_err(refuse)?;
            if key == "congestion" && kind == TransportKind::LtTcp {
                tcp = value;
            } else {
                keys.insert(key.to_owned(), value_of(value));
            }
            label = format!("{label}:{part}");
        }
        // Finds errors that do not depend on the configuration.
        match kind {
            TransportKind::LtTcp => keys::merged(&LtConfig::default(), &keys)
                .and_then(|lt| lt.validate().map_err(|e| e.to_string())),
            _ => keys::merged(&SlidingConfig::default(), &keys)
                .and_then(|sliding| sliding.validate().map_err(|e| e.to_string())),
        }
        .map_err(refuse)?;
        let tcp = Variant::parse(tcp)?;
        Ok(Self { tcp, other: Some((kind, keys)), link: None, queue: None, label })
    }

    /// The text, as results show it.
    pub(crate) fn label(&self) -> &str {
        &self.label
    }

    /// True if it has a link protocol, which needs a link with losses.
    pub(crate) const fn has_link(&self) -> bool {
        self.link.is_some()
    }

    /// True if it has a transport with erasure coding, or a link protocol.
    pub(crate) const fn is_coded(&self) -> bool {
        self.other.is_some() || self.link.is_some()
    }

    /// Name of a transport other than TCP.
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
            // The scenario's own transport keeps its keys.
            None if self.tcp.is_own() => {}
            None => flow.transport = TransportKind::Tcp,
            Some((kind, keys)) => {
                flow.transport = *kind;
                if *kind == TransportKind::LtTcp {
                    flow.lt = keys::merged(&flow.lt, keys).map_err(refuse)?;
                    flow.lt.validate_with(&flow.tcp).map_err(|e| refuse(e.to_string()))?;
                } else {
                    flow.sliding = keys::merged(&flow.sliding, keys).map_err(refuse)?;
                    flow.sliding.validate().map_err(|e| refuse(e.to_string()))?;
                }
            }
        }
        Ok(())
    }

    /// Most transmissions of a packet on the link, 1 without a protocol. Over a trace with one
    /// packet per slot, nothing else of a protocol counts, because all units of a packet share the
    /// outcome of its slot.
    pub(crate) fn attempts(&self) -> u32 {
        let protocol = self.link.as_ref().and_then(|c| c.build(None).ok()?);
        protocol.map_or(1, |p| u32::from(p.attempts()))
    }

    /// Puts the queue discipline on every link that the data of the compared flows cross.
    pub(crate) fn queue(&self, plan: &mut Resolved, flows: &[usize]) -> Result<(), CompareError> {
        let Some(queue) = &self.queue else { return Ok(()) };
        let links: Vec<usize> = flows.iter().flat_map(|flow| links_on_way(plan, *flow)).collect();
        if links.is_empty() {
            return Err(CompareError::other(format!(
                "tcp: \"{}\" has a queue discipline, and the compared data cross no link; the queue of \
                 an 802.11 cell is its key \"queue\"",
                self.label
            )));
        }
        for link in links {
            plan.links[link].direction.queue = Some(queue.clone());
        }
        Ok(())
    }

    /// Puts the link protocol on the links of a plan with losses.
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

/// Adds the names of other transports and of remedies to the error of an unknown TCP.
fn beside_tcp(name: &str, error: VariantError) -> VariantError {
    if error.message.contains("did you mean") || !error.message.starts_with("no law or recovery") {
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
    let config: ProtocolConfig = keys::read("kind", &keys::table("kind", text)?)?;
    config.build(None).map_err(|e| e.to_string())?;
    Ok(config)
}

/// True if a link protocol that does something has this name.
fn is_protocol(name: &str) -> bool {
    name != "none" && registry().iter().any(|entry| entry.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_with_a_link() {
        let choice = VariantSpec::parse("SACK@ll-arq:arq=selective:feedback.way=reverse").unwrap();
        assert_eq!(choice.label(), "sack@ll-arq:arq=selective:feedback.way=reverse");
        assert_eq!(choice.link.unwrap().kind(), "ll-arq");
        assert_eq!(VariantSpec::parse("cubic").unwrap().attempts(), 1);
        assert_eq!(VariantSpec::parse("cubic@ll-harq").unwrap().attempts(), 2);
        assert_eq!(VariantSpec::parse("cubic@ll-arq:attempts=7").unwrap().attempts(), 7);
        assert_eq!(VariantSpec::parse("own@none").unwrap().link.unwrap().kind(), "none");
        let both = VariantSpec::parse("sack@ll-harq@codel:target=10 ms").unwrap();
        assert!(both.has_link() && both.queue.is_some());
        assert_eq!(both.label(), "sack@ll-harq@codel:target=10 ms");
        for (text, part) in [
            ("cubic@codle", "codel"),
            ("cubic@codel:targt=5", "targt"),
            ("cubic@codel@pie", "already"),
            ("cubic@red:min=-1", "red:min=-1"),
            ("sack@ll-hark", "ll-harq"),
            ("sack@ll-arq:arq", "KEY=VALUE"),
            ("sack@ll-arq:attempts=0", "1 (no retransmission) to 1000"),
            ("sack@ll-harq:arq=selective", "arq"),
            ("sakc@ll-harq", "sack"),
        ] {
            let message = VariantSpec::parse(text).unwrap_err().to_string();
            assert!(message.contains(part), "{text}: {message}");
        }
    }
}
