//! Queues of flows with CoDel, served by deficit round robin: the part of FQ-CoDel that other
//! disciplines use.
//!
//! T. Hoeiland-Joergensen, P. McKenney, D. Taht, J. Gettys and E. Dumazet, RFC 8290, section 4. The rules
//! are in `fq_codel.rs`. The owner has the limit and the counters. Lengths in bytes on the wire.

use std::collections::VecDeque;

use airtcp_probe::{ConfigError, DropReason, PoolCx, Probe};
use airtcp_random::Keyed;
use airtcp_units::{Bytes, Nanos, Narrow};

use crate::codel::{Choice, Control, Line, Rules, Waiting};
use crate::fifo::Ledger;

/// Maximum number of packets that an overload drops at once.
const BATCH: u32 = 64;

/// List to which a queue of a round robin belongs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Listed {
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

/// What the queues of flows have in common.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FlowRules {
    /// Bytes that a flow may send per round.
    quantum: i64,
    codel: Rules,
    hash: Keyed,
    /// Queues into which flows are hashed.
    count: u32,
}

impl FlowRules {
    /// Checks number of queues and quantum; an error names `quantum` by its key.
    pub(crate) fn new(
        count: u32,
        (key, quantum): (&'static str, Bytes),
        codel: Rules,
        hash: Keyed,
    ) -> Result<Self, ConfigError> {
        if !(1..=65_536).contains(&count) {
            let message = format!("{count} is out of range: expected 1 to 65536");
            return Err(ConfigError::new("flows", message));
        }
        // A quantum of one byte would need one round per byte of a packet.
        if !(64..=1 << 20).contains(&quantum.0) {
            let message = format!("{quantum} is out of range: expected 64 B to 1 MiB");
            return Err(ConfigError::new(key, message));
        }
        Ok(Self { quantum: i64::narrow(quantum.0), codel, hash, count })
    }
}

/// Queues of flows.
#[derive(Debug)]
pub(crate) struct FlowQueues {
    rules: FlowRules,
    /// Index in `flows` by hash; [`u32::MAX`] until the first packet.
    places: Vec<u32>,
    flows: Vec<Flow>,
    new: VecDeque<u32>,
    old: VecDeque<u32>,
}

impl FlowQueues {
    pub(crate) fn new(rules: FlowRules) -> Self {
        Self {
            rules,
            places: vec![u32::MAX; rules.count as usize],
            flows: Vec::new(),
            new: VecDeque::new(),
            old: VecDeque::new(),
        }
    }

    /// Index of the flow of a packet.
    #[inline]
    pub(crate) fn flow_of(&mut self, endpoint: usize) -> usize {
        let hash = self.rules.hash.bits(endpoint as u64) % self.places.len() as u64;
        let place = &mut self.places[usize::narrow(hash)];
        if *place == u32::MAX {
            *place = u32::narrow(self.flows.len());
            self.flows.push(Flow::default());
        }
        *place as usize
    }

    /// The flow with the most bytes and that number; of several, the first. `arriving` is a flow with
    /// the length of a packet of it that arrives.
    pub(crate) fn longest(&self, arriving: Option<(usize, u32)>) -> Option<(u64, usize)> {
        let (own, len) = arriving.unwrap_or((usize::MAX, 0));
        let size =
            |i: usize, flow: &Flow| flow.line.bytes() + if i == own { u64::from(len) } else { 0 };
        let sizes = self.flows.iter().enumerate().map(|(i, flow)| (size(i, flow), i));
        sizes.max_by_key(|(bytes, i)| (*bytes, usize::MAX - i))
    }

    /// Drops packets of a flow from its head until half of `bytes` are gone, at most 64. Returns
    /// false if the flow has too few.
    pub(crate) fn shorten<P: Probe>(
        &mut self,
        now: Nanos,
        flow: usize,
        bytes: u64,
        ledger: &mut Ledger,
        cx: &mut PoolCx<'_, P>,
    ) -> bool {
        let mut dropped = 0;
        for n in 0..BATCH {
            if n > 0 && dropped >= bytes / 2 {
                return true;
            }
            let Some(packet) = self.flows[flow].line.pop() else { return false };
            dropped += u64::from(packet.len);
            ledger.discard(now, packet.id, packet.len, DropReason::QueueFull, cx);
        }
        true
    }

    /// True if no packet waits.
    pub(crate) fn is_empty(&self) -> bool {
        // Every flow with packets is listed.
        let mut listed = self.new.iter().chain(&self.old);
        listed.all(|place| self.flows[*place as usize].line.bytes() == 0)
    }

    /// Adds a packet to its flow.
    #[inline]
    pub(crate) fn push(&mut self, own: usize, packet: Waiting) {
        let flow = &mut self.flows[own];
        flow.line.push(packet, || 0);
        if flow.listed == Listed::Nowhere {
            (flow.listed, flow.credit) = (Listed::New, self.rules.quantum);
            self.new.push_back(u32::narrow(own));
        }
    }

    /// Dequeues the next packet, if there is room for it; CoDel drops or marks packets before it.
    #[inline]
    pub(crate) fn take<P: Probe>(
        &mut self,
        now: Nanos,
        fits: Option<&dyn Fn(u32) -> bool>,
        ledger: &mut Ledger,
        cx: &mut PoolCx<'_, P>,
    ) -> Option<Waiting> {
        loop {
            let list = if self.new.is_empty() { &mut self.old } else { &mut self.new };
            let place = *list.front()?;
            let flow = &mut self.flows[place as usize];
            if flow.credit <= 0 {
                flow.credit += self.rules.quantum;
                flow.listed = Listed::Old;
                list.pop_front();
                self.old.push_back(place);
                continue;
            }
            let choice = Choice { receiver: None, fits };
            let codel = &self.rules.codel;
            let taken = flow.control.next(now, &mut flow.line, choice, codel, ledger, cx);
            if let Some(packet) = taken {
                flow.credit -= i64::from(packet.len);
                return Some(packet);
            }
            if flow.line.bytes() > 0 {
                // The next packet does not fit.
                return None;
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

    /// Bytes that wait in a flow.
    #[cfg(test)]
    pub(crate) fn bytes(&self, flow: usize) -> u64 {
        self.flows[flow].line.bytes()
    }
}
