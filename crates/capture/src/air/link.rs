//! A link from a transmitter to a receiver: its flows and counters.

use std::collections::BTreeMap;

use super::clock::Instant;
use super::flow::Flow;
use super::log::{Kept, Log};
use super::tally::Tally;

/// What distinguishes the sequences of numbers of a link: traffic identifier and fragment number.
pub(super) type FlowKey = (Option<u8>, u8);

/// Most flows of a link; 16 traffic identifiers, and fragments, leave room.
const MAX_FLOWS: usize = 48;

/// A link.
#[derive(Debug, Clone, Default)]
pub(super) struct Link {
    flows: BTreeMap<FlowKey, Flow>,
    /// Its counters.
    pub(super) tally: Tally,
    /// First and last attempt, in ns.
    pub(super) first_ns: u64,
    pub(super) last_ns: u64,
}

impl Link {
    pub(super) fn new(host_ns: u64, kept: Option<&Kept>) -> Self {
        let mut link = Self { first_ns: host_ns, last_ns: host_ns, ..Self::default() };
        link.tally.log = kept.map(|kept| Box::new(Log::new(kept.clone())));
        link
    }

    /// The flow of a key; `None` if it does not exist.
    pub(super) fn flow(&mut self, key: FlowKey) -> Option<(&mut Flow, &mut Tally)> {
        Some((self.flows.get_mut(&key)?, &mut self.tally))
    }

    /// The flow of a key, made if need be. `has_own_numbers` says that no other flow shares its
    /// counter.
    pub(super) fn flow_or_new(
        &mut self,
        key: FlowKey,
        has_own_numbers: bool,
        now: &Instant,
    ) -> (&mut Flow, &mut Tally) {
        if self.flows.len() >= MAX_FLOWS && !self.flows.contains_key(&key) {
            self.end_flows(now);
        }
        (self.flows.entry(key).or_insert_with(|| Flow::new(has_own_numbers)), &mut self.tally)
    }

    /// Ends all flows.
    pub(super) fn end_flows(&mut self, now: &Instant) {
        for (_, flow) in std::mem::take(&mut self.flows) {
            flow.finish(now, &mut self.tally);
        }
    }
}
