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
//! A station that sends aggregates has queues of flows for each receiver, as Linux's mac80211 has for each station and
//! access category (`fq_tin`; before its airtime scheduler). The receivers take turns, round robin: a turn is an access,
//! whose aggregate takes further packets for the same receiver. The overload compares the flows of all receivers. Such
//! a station also has other defaults ([`FqCodelConfig::target`], [`FqCodelConfig::quantum`]).
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
use crate::stations::{Stations, Turns};
use crate::{Discipline, LinkInfo, Qdisc, Verdict, Wanted};

/// FQ-CoDel queue.
#[derive(
    Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize, schemars::JsonSchema,
)]
#[serde(deny_unknown_fields, default)]
pub struct FqCodelConfig {
    /// Number of queues into which flows are hashed. Default: 1024.
    pub flows: u32,
    /// Bytes that a flow may send per round. Default: 1514 B, and 300 B at stations of 802.11n, ac and ax (Linux).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quantum: Option<Bytes>,
    /// Maximum number of packets in all queues. Default: 10240.
    pub limit: u32,
    /// Acceptable standing queueing delay. Default: 5 ms, and 20 ms at stations of 802.11n, ac and ax (Linux).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<Span>,
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
            quantum: None,
            limit: 10_240,
            target: None,
            interval: Span::from_millis(100),
            mtu: Bytes(1500),
            ecn: true,
        }
    }
}

impl FqCodelConfig {
    /// With the defaults of stations of 802.11n, ac and ax for what is not given (`codel_params_init` and
    /// `fq_init` in Linux's mac80211).
    pub(crate) fn with_defaults_of_mac80211(&self) -> Self {
        Self {
            quantum: Some(self.quantum.unwrap_or(Bytes(300))),
            target: Some(self.target.unwrap_or(Span::from_millis(20))),
            ..self.clone()
        }
    }
}

/// FQ-CoDel queue.
#[derive(Debug)]
pub struct FqCodel {
    limit: u32,
    rules: FlowRules,
    stations: Stations<FlowQueues>,
    turns: Turns,
    ledger: Ledger,
}

impl Qdisc for FqCodel {
    fn enqueue<P: Probe>(&mut self, now: Nanos, id: PacketId, cx: &mut PoolCx<'_, P>) -> Verdict {
        let packet = cx.pool.get(id);
        let (len, endpoint) = (packet.wire_len(), packet.to.index());
        let rules = self.rules;
        let place = self.stations.of(endpoint, || FlowQueues::new(rules));
        let own = self.stations.at(place).flow_of(endpoint);
        if self.ledger.backlog().packets >= self.limit
            && !self.stations.make_room(now, (place, own), len, &mut self.ledger, cx)
        {
            return self.ledger.refuse(now, id, DropReason::QueueFull, cx);
        }
        self.stations.at(place).push(own, Waiting { id, len, since: now });
        self.turns.join(place);
        self.ledger.enter(now, id, len, cx)
    }

    fn dequeue<P: Probe>(&mut self, now: Nanos, cx: &mut PoolCx<'_, P>) -> Option<PacketId> {
        while let Some(place) = self.turns.next() {
            let flows = self.stations.at(place);
            // Aggregates, an overload or CoDel may have emptied the queues.
            let Some(packet) = flows.take(now, None, &mut self.ledger, cx) else { continue };
            if !flows.is_empty() {
                self.turns.join(place);
            }
            return Some(packet.id);
        }
        None
    }

    fn dequeue_for<P: Probe>(
        &mut self,
        now: Nanos,
        wanted: &Wanted<'_>,
        cx: &mut PoolCx<'_, P>,
    ) -> Option<PacketId> {
        let flows = self.stations.at(self.stations.place(wanted.receiver)?);
        flows.take(now, Some(wanted.fits), &mut self.ledger, cx).map(|packet| packet.id)
    }

    fn names_receivers(&self) -> bool {
        true
    }

    fn waiting_receivers(&self) -> Vec<u32> {
        self.stations.numbers(|flows| !flows.is_empty())
    }

    fn backlog(&self) -> Backlog {
        self.ledger.backlog()
    }

    fn stats(&self) -> &Stats {
        &self.ledger.stats
    }

    fn on_link(&mut self, link: &LinkInfo<'_>) {
        if link.by_receiver {
            self.stations.set_receivers((link.receivers)());
        }
    }
}

impl Discipline for FqCodel {
    type Config = FqCodelConfig;

    fn build(config: &FqCodelConfig, seed: Seed, label: &str) -> Result<Self, ConfigError> {
        if config.limit == 0 {
            let message = "a queue of 0 packets passes nothing; expected 1 or more";
            return Err(ConfigError::new("limit", message));
        }
        let target = config.target.unwrap_or(Span::from_millis(5));
        let codel = Rules::new((target, config.interval), config.mtu, config.ecn)?;
        let quantum = ("quantum", config.quantum.unwrap_or(Bytes(1514)));
        Ok(Self {
            limit: config.limit,
            rules: FlowRules::new(config.flows, quantum, codel, seed.keyed(label))?,
            stations: Stations::default(),
            turns: Turns::default(),
            ledger: Ledger::default(),
        })
    }

    #[cfg(test)]
    fn samples() -> Vec<FqCodelConfig> {
        let (target, interval) = (Span::from_micros(100), Span::from_millis(1));
        let target = Some(target);
        let base = FqCodelConfig { target, interval, limit: 9, ..FqCodelConfig::default() };
        vec![
            FqCodelConfig { flows: 2, mtu: Bytes(100), ..base.clone() },
            FqCodelConfig { quantum: Some(Bytes(300)), ecn: false, limit: 1, ..base.clone() },
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
