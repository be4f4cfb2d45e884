//! FQ-CoDel: deficit round robin over flows, with CoDel for each flow.
//!
//! T. Hoeiland-Joergensen, P. McKenney, D. Taht, J. Gettys and E. Dumazet, RFC 8290, section 4.
//!
//! ```text
//! flow      hash of sender and receiver, with a perturbation drawn from the seed, modulo `flows`
//! arrival   to the end of its flow; a flow that was not listed joins the new ones with `quantum` bytes of credit
//! round     the first of the new flows, else the first of the old; without credit it gets `quantum` and goes to
//!           the end of the old; CoDel takes its packet; if there is none, a new flow goes to the end of the old,
//!           an old one is forgotten
//! overload  beyond `limit`: the flow with the most bytes loses half of them at its head, 64 packets at most
//! ```
//!
//! Each direction of a connection is a flow. Lengths in bytes on the wire. Leaves out: Linux's
//! limit in bytes of memory and `ce_threshold`. CoDel's "an MTU still waits" refers to the flow's
//! queue (RFC 8289's pseudo-code for one queue); Linux compares the backlog of all flows.

use airtcp_packet::PacketId;
use airtcp_probe::{ConfigError, DropReason, PoolCx, Probe};
use airtcp_random::Seed;
use airtcp_units::{Bytes, Nanos, Span};

use crate::codel::{Rules, Waiting};
use crate::fifo::{Backlog, Ledger, Stats};
use crate::flows::{FlowQueues, FlowRules};
use crate::{Discipline, Qdisc, Verdict};

/// FQ-CoDel queue.
#[derive(
    Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize, schemars::JsonSchema,
)]
#[serde(deny_unknown_fields, default)]
pub struct FqCodelConfig {
    /// Number of queues into which flows are hashed. Default: 1024.
    pub flows: u32,
    /// Bytes that a flow may send per round. Default: 1514 B.
    pub quantum: Bytes,
    /// Maximum number of packets in all queues. Default: 10240.
    pub limit: u32,
    /// Acceptable standing queueing delay. Default: 5 ms.
    pub target: Span,
    /// Time for which the queueing delay must exceed `target` before the first drop. Default: 100
    /// ms.
    pub interval: Span,
    /// Backlog of a flow at or below which CoDel never drops. Default: 1500 B.
    pub mtu: Bytes,
    /// If true, mark ECN-capable packets instead of dropping them. Default: true.
    pub ecn: bool,
}

impl Default for FqCodelConfig {
    fn default() -> Self {
        Self {
            flows: 1024,
            quantum: Bytes(1514),
            limit: 10_240,
            target: Span::from_millis(5),
            interval: Span::from_millis(100),
            mtu: Bytes(1500),
            ecn: true,
        }
    }
}

/// FQ-CoDel queue.
#[derive(Debug)]
pub struct FqCodel {
    limit: u32,
    flows: FlowQueues,
    ledger: Ledger,
}

impl Qdisc for FqCodel {
    fn enqueue<P: Probe>(&mut self, now: Nanos, id: PacketId, cx: &mut PoolCx<'_, P>) -> Verdict {
        let packet = cx.pool.get(id);
        let (len, endpoint) = (packet.wire_len(), packet.to.index());
        let own = self.flows.flow_of(endpoint);
        if self.ledger.backlog().packets >= self.limit
            && let Some((bytes, longest)) = self.flows.longest(Some((own, len)))
            && !self.flows.shorten(now, longest, bytes, &mut self.ledger, cx)
            && longest == own
        {
            return self.ledger.refuse(now, id, DropReason::QueueFull, cx);
        }
        self.flows.push(own, Waiting { id, len, since: now });
        self.ledger.enter(now, id, len, cx)
    }

    fn dequeue<P: Probe>(&mut self, now: Nanos, cx: &mut PoolCx<'_, P>) -> Option<PacketId> {
        self.flows.take(now, &mut self.ledger, cx).map(|packet| packet.id)
    }

    fn backlog(&self) -> Backlog {
        self.ledger.backlog()
    }

    fn stats(&self) -> &Stats {
        &self.ledger.stats
    }
}

impl Discipline for FqCodel {
    type Config = FqCodelConfig;

    fn build(config: &FqCodelConfig, seed: Seed, label: &str) -> Result<Self, ConfigError> {
        if config.limit == 0 {
            let message = "a queue of 0 packets passes nothing; accepted are 1 or more";
            return Err(ConfigError::new("limit", message));
        }
        let codel = Rules::new((config.target, config.interval), config.mtu, config.ecn)?;
        let hash = seed.keyed(label);
        let rules = FlowRules::new(config.flows, ("quantum", config.quantum), codel, hash)?;
        Ok(Self { limit: config.limit, flows: FlowQueues::new(rules), ledger: Ledger::default() })
    }

    #[cfg(test)]
    fn samples() -> Vec<FqCodelConfig> {
        let (target, interval) = (Span::from_micros(100), Span::from_millis(1));
        let base = FqCodelConfig { target, interval, limit: 9, ..FqCodelConfig::default() };
        vec![
            FqCodelConfig { flows: 2, mtu: Bytes(100), ..base.clone() },
            FqCodelConfig { quantum: Bytes(300), ecn: false, limit: 1, ..base.clone() },
            FqCodelConfig { limit: 40, ..FqCodelConfig::default() },
        ]
    }

    #[cfg(test)]
    fn limit(config: &FqCodelConfig) -> Backlog {
        Backlog { packets: config.limit, bytes: u64::MAX }
    }

    #[cfg(test)]
    const BY_FLOW: bool = true;
}

#[cfg(test)]
mod tests;
