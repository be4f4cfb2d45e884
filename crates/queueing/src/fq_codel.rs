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

use std::collections::VecDeque;

use airtcp_packet::PacketId;
use airtcp_probe::{ConfigError, DropReason, PoolCx, Probe};
use airtcp_random::{Keyed, Seed};
use airtcp_units::{Bytes, Nanos, Narrow, Span};

use crate::codel::{Control, Line, Rules, Waiting};
use crate::fifo::{Backlog, Ledger, Stats};
use crate::{Discipline, Qdisc, Verdict};

/// Maximum number of packets that an overload drops at once.
const BATCH: u32 = 64;

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

/// List to which a flow belongs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Listed {
    #[default]
    Nowhere,
    New,
    Old,
}

/// Queue of one flow.
#[derive(Debug, Default)]
struct Flow {
    line: Line,
    control: Control,
    /// Bytes that the flow may still send in this round.
    credit: i64,
    listed: Listed,
}

/// FQ-CoDel queue.
#[derive(Debug)]
pub struct FqCodel {
    limit: u32,
    quantum: i64,
    rules: Rules,
    hash: Keyed,
    /// Index in `flows` by hash; [`u32::MAX`] until the first packet.
    places: Vec<u32>,
    flows: Vec<Flow>,
    new: VecDeque<u32>,
    old: VecDeque<u32>,
    ledger: Ledger,
}

impl FqCodel {
    /// Index of the flow of a packet.
    fn flow_of(&mut self, endpoint: usize) -> usize {
        let hash = self.hash.bits(endpoint as u64) % self.places.len() as u64;
        let place = &mut self.places[usize::narrow(hash)];
        if *place == u32::MAX {
            *place = u32::narrow(self.flows.len());
            self.flows.push(Flow::default());
        }
        *place as usize
    }

    /// Makes room for a packet of `len` bytes of flow `own`. Returns false if the packet itself
    /// must be dropped.
    fn make_room<P: Probe>(
        &mut self,
        now: Nanos,
        own: usize,
        len: u32,
        cx: &mut PoolCx<'_, P>,
    ) -> bool {
        let size =
            |i: usize, flow: &Flow| flow.line.bytes() + if i == own { u64::from(len) } else { 0 };
        let sizes = self.flows.iter().enumerate().map(|(i, flow)| (size(i, flow), i));
        // Of several flows of the same size, the first.
        let Some((most, fattest)) = sizes.max_by_key(|(bytes, i)| (*bytes, usize::MAX - i)) else {
            return true;
        };
        let mut dropped = 0;
        for n in 0..BATCH {
            if n > 0 && dropped >= most / 2 {
                return true;
            }
            let Some(packet) = self.flows[fattest].line.pop() else { return fattest != own };
            dropped += u64::from(packet.len);
            self.ledger.discard(now, packet.id, packet.len, DropReason::QueueFull, cx);
        }
        true
    }
}

impl Qdisc for FqCodel {
    fn enqueue<P: Probe>(&mut self, now: Nanos, id: PacketId, cx: &mut PoolCx<'_, P>) -> Verdict {
        let packet = cx.pool.get(id);
        let (len, endpoint) = (packet.wire_len(), packet.to.index());
        let own = self.flow_of(endpoint);
        if self.ledger.backlog().packets >= self.limit && !self.make_room(now, own, len, cx) {
            return self.ledger.refuse(now, id, DropReason::QueueFull, cx);
        }
        let flow = &mut self.flows[own];
        flow.line.push(Waiting { id, len, since: now });
        if flow.listed == Listed::Nowhere {
            (flow.listed, flow.credit) = (Listed::New, self.quantum);
            self.new.push_back(u32::narrow(own));
        }
        self.ledger.enter(now, id, len, cx)
    }

    fn dequeue<P: Probe>(&mut self, now: Nanos, cx: &mut PoolCx<'_, P>) -> Option<PacketId> {
        loop {
            let list = if self.new.is_empty() { &mut self.old } else { &mut self.new };
            let place = *list.front()?;
            let flow = &mut self.flows[place as usize];
            if flow.credit <= 0 {
                flow.credit += self.quantum;
                flow.listed = Listed::Old;
                list.pop_front();
                self.old.push_back(place);
                continue;
            }
            let taken = flow.control.next(now, &mut flow.line, &self.rules, &mut self.ledger, cx);
            if let Some(packet) = taken {
                flow.credit -= i64::from(packet.len);
                return Some(packet.id);
            }
            list.pop_front();
            if flow.listed == Listed::New {
                // The flow waits behind the old flows once, so that a flow of single packets cannot
                // always go first.
                flow.listed = Listed::Old;
                self.old.push_back(place);
            } else {
                flow.listed = Listed::Nowhere;
            }
        }
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
        let err = |key, message: String| Err(ConfigError::new(key, message));
        if config.limit == 0 {
            let message = "a queue of 0 packets passes nothing; accepted are 1 or more";
            return err("limit", message.to_owned());
        }
        if !(1..=65_536).contains(&config.flows) {
            let flows = config.flows;
            return err("flows", format!("{flows} is out of range: accepted are 1 to 65536"));
        }
        // A quantum of one byte would need one round per byte of a packet.
        if !(64..=1 << 20).contains(&config.quantum.0) {
            let quantum = config.quantum;
            return err(
                "quantum",
                format!("{quantum} is out of range: accepted are 64 B to 1 MiB"),
            );
        }
        Ok(Self {
            limit: config.limit,
            quantum: i64::narrow(config.quantum.0),
            rules: Rules::new((config.target, config.interval), config.mtu, config.ecn)?,
            hash: seed.keyed(label),
            places: vec![u32::MAX; config.flows as usize],
            flows: Vec::new(),
            new: VecDeque::new(),
            old: VecDeque::new(),
            ledger: Ledger::default(),
        })
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
